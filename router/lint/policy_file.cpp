#include "router/lint/policy_file.h"

#include <map>
#include <utility>

#include "fleet/base/text.h"
#include "router/lint/lint.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

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
            "too many rules ({}) and classes ({}) to check every case", policy.rules.size(),
            policy.classes.size());
}

constexpr std::size_t lines_named_max = 5;

/// The text without its key, "rule[1].fallback[2].on: ".
std::string wording(const Finding& finding) {
  const std::size_t colon = finding.text.find(": ");
  return colon == std::string::npos ? finding.text : finding.text.substr(colon + 2);
}

/// "12" of "policy.toml:12".
std::string line_text(const Finding& finding) {
  return finding.place.substr(finding.place.rfind(':') + 1);
}

std::string others_text(const std::vector<std::string>& lines) {
  return fmt::format(" (also in line{} {})", lines.size() == 1 ? "" : "s",
                     shortened_list(lines, lines_named_max));
}

}  // namespace

PolicyReading read_policy(std::string_view toml, std::string place,
                          const devices::Catalogue* known) {
  PolicyReading reading;
  Policy& policy = reading.policy;
  policy.name = place;
  policy.text = toml;
  Lint lint(policy, place);
  auto file = toml_file::Table::parse(toml, std::move(place));
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

std::vector<Finding> grouped(const std::vector<Finding>& findings) {
  std::vector<Finding> groups;
  std::map<std::string, std::size_t> group_of;
  std::map<std::size_t, std::vector<std::string>> others;
  for (const Finding& finding : findings) {
    if (finding.error) {
      groups.push_back(finding);
      continue;
    }
    const auto [known, fresh] = group_of.try_emplace(wording(finding), groups.size());
    if (fresh) {
      groups.push_back(finding);
    } else {
      others[known->second].push_back(line_text(finding));
    }
  }
  for (const auto& [group, lines] : others) groups[group].text += others_text(lines);
  return groups;
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
