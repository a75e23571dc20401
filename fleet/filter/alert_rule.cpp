#include "fleet/filter/alert_rule.h"

#include <array>
#include <string>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/filter/filter.h"

namespace drover {
namespace {

using toml_file::Table;

struct About {
  std::string_view name;
  filter::Subjects subjects;
};
constexpr std::array<About, 3> abouts = {
    {{"device", filter::devices}, {"pool", filter::pools}, {"site", filter::sites}}};

Severity read_severity(Table table, Severity otherwise) {
  const std::string word = table.text("severity", std::string(to_text(otherwise)));
  for (const Severity each : {Severity::info, Severity::warning, Severity::critical}) {
    if (word == to_text(each)) return each;
  }
  table.complain("severity",
                 fmt::format("found \"{}\", expected info, warning or critical", excerpt(word)));
  return otherwise;
}

Duration read_span(Table table, std::string_view key, Duration otherwise) {
  const Duration span = table.duration(key, otherwise);
  if (span <= alert_span_max) return span;
  table.complain(key, fmt::format("found {}, expected at most {}", duration_text(to_seconds(span)),
                                  duration_text(to_seconds(alert_span_max))));
  return otherwise;
}

/// A text that holds for everything is no condition.
void check_filter(Table table, std::string_view key, const std::string& text,
                  filter::Subjects subjects) {
  const auto parsed = filter::Filter::parse(text, subjects);
  if (const auto* problem = std::get_if<filter::Problem>(&parsed)) {
    table.complain(key, fmt::format("{}, at character {} of \"{}\"", problem->message,
                                    problem->at + 1, printable(text)));
  } else if (std::get<filter::Filter>(parsed).empty()) {
    table.complain(key, "found nothing, expected a filter (docs/filters.md)");
  }
}

void read_filters(Table table, AlertRuleText& told) {
  told.about = table.text("about", told.about);
  const auto subjects = filtered_subjects(told.about);
  if (!subjects) {
    table.complain("about",
                   fmt::format("found \"{}\", expected device, pool or site", excerpt(told.about)));
  }
  if (table.has("when")) told.clear.clear();
  told.when = table.text("when", told.when.empty() ? std::nullopt : std::optional(told.when));
  if (subjects) check_filter(table, "when", told.when, *subjects);
  if (table.has("clear") || !told.clear.empty()) {
    told.clear = table.text("clear", told.clear);
    if (subjects) check_filter(table, "clear", told.clear, *subjects);
  }
  told.help = table.text("text", told.help);
}

}  // namespace

std::optional<filter::Subjects> filtered_subjects(std::string_view about) {
  for (const About& row : abouts) {
    if (row.name == about) return row.subjects;
  }
  return std::nullopt;
}

void read_alert_rule(Table table, AlertRule& rule) {
  AlertRuleText& told = rule.told;
  rule.enabled = table.boolean("enabled", true);
  told.severity = read_severity(table, told.severity);
  told.raise_after = read_span(table, "for", told.raise_after);
  told.clear_after = read_span(table, "clear_for", told.clear_after);
  if (!rule.looked_for) return read_filters(table, told);
  for (const char* key : {"when", "clear", "about", "text"}) {
    if (!table.has(key)) continue;
    table.complain(key, fmt::format("the router itself looks for {}: expected only enabled, "
                                    "severity, for and clear_for",
                                    told.name));
  }
}

}  // namespace drover
