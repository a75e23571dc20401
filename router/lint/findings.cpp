#include "router/lint/findings.h"

#include <map>

#include "fleet/base/text.h"

namespace drover::router {
namespace {

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

}  // namespace drover::router
