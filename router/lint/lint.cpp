// Errors and warnings in a policy whose keys are all well formed.
#include "router/lint/lint.h"

#include <algorithm>

#include "fleet/base/whole_text.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

/// The line of "FILE:LINE"; 0 without a line.
std::uint32_t line_of(const Finding& finding) {
  const std::size_t colon = finding.place.rfind(':');
  if (colon == std::string::npos) return 0;
  return parse_whole_text<std::uint32_t>(std::string_view(finding.place).substr(colon + 1))
      .value_or(0);
}

/// Each class is compared with each rule and all rules before it, and a router reads policies
/// between two messages: 170 rules without classes, or 50 with a dozen, take some tenths of a
/// second.
constexpr std::size_t cases_max = 30'000;

bool few_cases(const Policy& policy) {
  const std::size_t rules = policy.rules.size();
  return rules * rules * (policy.classes.size() + 1) <= cases_max;
}

void lint_sections(Lint& lint, toml_file::Table& file, const devices::Catalogue* known) {
  const Policy& policy = lint.policy();
  lint_rules(lint, file);
  lint_fallbacks(lint, file);
  lint_classes(lint, file);
  lint_pools(lint, file);
  if (known != nullptr) lint_devices(lint, file, *known);
  if (few_cases(policy)) return lint_outcomes(lint, file);
  lint.warn(file.tables("rule").front(), "name",
            fmt::format("too many rules ({}) and classes ({}) to check every case",
                        policy.rules.size(), policy.classes.size()));
}

}  // namespace

std::string Lint::item_of(std::string_view place) const {
  const std::size_t colon = place.find(": ", file_.size());
  if (colon == std::string_view::npos) return "";
  std::string_view path = place.substr(colon + 2);
  path = path.substr(0, path.find(": "));
  const std::size_t dot = path.find('.');
  const std::string_view section = path.substr(0, dot);
  const bool of_names = section == "pool" || section == "class" || section == "capability";
  if (!of_names || dot == std::string_view::npos) return std::string(section);
  const std::string_view name = path.substr(dot + 1, path.find('.', dot + 1) - dot - 1);
  // A capability belongs to the pool of its name.
  return fmt::format("{}.{}", section == "class" ? "class" : "pool", name);
}

void Lint::note_unread(const std::vector<Error>& problems) {
  for (const Error& problem : problems) {
    const std::string item = item_of(problem.message);
    if (item.empty()) continue;
    unread_.insert(item);
    unread_.insert(item.substr(0, item.find_first_of(".[")));
  }
}

bool Lint::is_read(const std::string& place) const { return !is_unread(item_of(place)); }

bool Lint::is_rule_unread(std::size_t index) const {
  return is_unread(fmt::format("rule[{}]", index + 1));
}

bool Lint::are_pools_unread(const Rule& rule) const {
  const auto unread = [&](const std::string& pool) { return is_unread("pool." + pool); };
  return std::any_of(rule.pools.begin(), rule.pools.end(), unread) ||
         std::any_of(rule.fallbacks.begin(), rule.fallbacks.end(),
                     [&](const Fallback& fallback) { return unread(fallback.to); });
}

void Lint::add(bool error, const std::string& place, std::string_view text) {
  const std::size_t colon = place.find(": ", file_.size());
  if (colon == std::string::npos) {
    findings_.push_back({error, place, std::string(text)});
    return;
  }
  findings_.push_back(
      {error, place.substr(0, colon), fmt::format("{}: {}", place.substr(colon + 2), text)});
}

void Lint::refuse(const Error& problem) {
  const std::string& message = problem.message;
  const bool placed = message.compare(0, file_.size(), file_) == 0;
  const std::size_t colon = placed ? message.find(": ", file_.size()) : std::string::npos;
  if (colon == std::string::npos) {
    findings_.push_back({true, file_, message});
  } else {
    findings_.push_back({true, message.substr(0, colon), message.substr(colon + 2)});
  }
}

std::vector<Finding> Lint::take() {
  std::stable_sort(findings_.begin(), findings_.end(),
                   [](const Finding& a, const Finding& b) { return line_of(a) < line_of(b); });
  return std::move(findings_);
}

PolicyReading read_policy(std::string_view toml, std::string place,
                          const devices::Catalogue* known) {
  PolicyReading reading;
  Policy& policy = reading.policy;
  policy.name = place;
  policy.text = toml;
  Lint lint(policy, place);
  auto file = toml_file::Table::parse(toml, place);
  if (!file) {
    lint.refuse(file.error());
  } else {
    read_tables(*file, policy);
    reading.read = file->problem();
    const std::vector<Error> problems = file->problems();
    lint.note_unread(problems);
    if (!policy.pools.empty()) lint_sections(lint, *file, known);
    for (const Error& problem : problems) lint.refuse(problem);
  }
  reading.findings = lint.take();
  return reading;
}

std::vector<Finding> findings(std::string_view toml, std::string place) {
  return read_policy(toml, std::move(place), &devices::Catalogue::embedded()).findings;
}

Result<Policy> parse_policy(std::string_view toml, std::string place) {
  PolicyReading reading = read_policy(toml, std::move(place), nullptr);
  if (!reading.read) return reading.read.error();
  for (const Finding& finding : reading.findings) {
    if (finding.error) return error("{}: {}", finding.place, finding.text);
  }
  return std::move(reading.policy);
}

const Policy& builtin_policy() {
  static const Policy policy = [] {
    auto parsed = parse_policy(builtin_policy_text(), "builtin_policy.toml");
    DROVER_REQUIRE(parsed.ok());
    return std::move(parsed).value();
  }();
  return policy;
}

}  // namespace drover::router
