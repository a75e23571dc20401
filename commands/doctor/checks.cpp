#include "commands/doctor/checks.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "commands/doctor/judgements.h"
#include "commands/shell/options.h"
#include "commands/shell/table.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"

namespace drover::commands {

namespace {

RouterFacts router_facts(const RouterProbe& router) {
  return {
      router.address.endpoint, router.problem,
      router.answers,          router.session == nullptr ? "" : router.session->welcome().software,
      software_name,           router.refusal};
}

constexpr std::array<Check, 11> checks = {{
    {"terminal", "can the dashboard draw on this terminal?",
     [](const RouterProbe&) { return judge_terminal(probe_terminal()); }},
    {"colours", "how many colours does it show?",
     [](const RouterProbe&) { return judge_colours(probe_terminal()); }},
    {"locale", "does it show box and chart characters?",
     [](const RouterProbe&) { return judge_locale(probe_locale()); }},
    {"ports", "are the router's three ports free, or used by a router?",
     [](const RouterProbe& router) { return judge_ports(probe_ports(router)); }},
    {"router", "does a router answer, and is it of this version?",
     [](const RouterProbe& router) { return judge_router(router_facts(router)); }},
    {"clock", "does the monotonic clock work, and how far off is the router's?",
     [](const RouterProbe& router) { return judge_clock(probe_clock(router)); }},
    {"keys", "are the keys valid, and are their secrets secret?",
     [](const RouterProbe& router) { return judge_keys(probe_keys(router.address)); }},
    {"descriptors", "may a router here open enough files for a large fleet?",
     [](const RouterProbe&) { return judge_descriptors(probe_descriptors()); }},
    {"drivers", "which real devices are found here?",
     [](const RouterProbe&) { return judge_drivers(probe_drivers()); }},
    {"disk", "is there space for ledger and recordings, and write access?",
     [](const RouterProbe&) { return judge_disk(probe_disk()); }},
    {"settings", "is the dashboard's settings file valid?",
     [](const RouterProbe&) { return judge_settings(probe_settings()); }},
}};

Status check_known(const std::vector<std::string>& names, const char* option) {
  const std::vector<std::string> known = check_names();
  for (const std::string& name : names) {
    if (contains(known, name)) continue;
    return error("--{}: no check '{}'{}", option, excerpt(name), suggestion(name, known));
  }
  return {};
}

}  // namespace

std::span<const Check> check_table() { return checks; }

std::vector<std::string> check_names() { return drover::names_of(checks, &Check::name); }

Result<std::vector<const Check*>> selected_checks(const std::vector<std::string>& only,
                                                  const std::vector<std::string>& skip) {
  DROVER_TRY(check_known(only, "only"));
  DROVER_TRY(check_known(skip, "skip"));
  std::vector<const Check*> selected;
  for (const Check& check : checks) {
    const std::string name = check.name;
    if ((only.empty() || contains(only, name)) && !contains(skip, name)) selected.push_back(&check);
  }
  if (selected.empty()) return error("--skip leaves no check");
  return selected;
}

std::size_t problems_in(const std::vector<CheckedItem>& items) {
  return static_cast<std::size_t>(std::count_if(
      items.begin(), items.end(),
      [](const CheckedItem& item) { return item.finding.verdict == Verdict::problem; }));
}

std::string report_text(const std::vector<CheckedItem>& items, bool colour) {
  constexpr std::size_t indent = 22;
  std::string text;
  const auto add = [&](std::string_view verdict, std::string_view name, const std::string& what) {
    const std::string line =
        wrapped(fmt::format("{:<8} {:<12} {}", verdict, name, what), help_columns, indent);
    const std::string_view start = colour ? state_colour(verdict) : "";
    const std::string_view end = start.empty() ? "" : state_colour_end;
    text += fmt::format("{}{}{}{}\n", start, verdict, end, line.substr(verdict.size()));
  };
  for (const CheckedItem& item : items) {
    const Finding& finding = item.finding;
    add(to_text(finding.verdict), item.check->name, finding.found);
    if (!finding.expected.empty()) add("", "expected", finding.expected);
    // A command is not wrapped, so that it can be copied.
    if (!finding.fix.empty()) text += fmt::format("{:<8} {:<12} {}\n", "", "fix", finding.fix);
  }
  return text;
}

Json report_json(const std::vector<CheckedItem>& items) {
  Json list = Json::array();
  for (const CheckedItem& item : items) {
    const auto text_or_null = [](const std::string& text) {
      return text.empty() ? Json() : Json(text);
    };
    list.add(Json::object()
                 .set("name", item.check->name)
                 .set("verdict", to_text(item.finding.verdict))
                 .set("found", item.finding.found)
                 .set("expected", text_or_null(item.finding.expected))
                 .set("fix", text_or_null(item.finding.fix)));
  }
  return Json::object()
      .set("software", software_name)
      .set("problems", problems_in(items))
      .set("checks", std::move(list));
}

}  // namespace drover::commands
