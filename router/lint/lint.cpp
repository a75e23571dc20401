// Errors and warnings in a policy whose keys are all well formed.
#include "router/lint/lint.h"

#include <algorithm>

#include "fleet/base/whole_text.h"

namespace drover::router {
namespace {

/// The line of "FILE:LINE"; 0 without a line.
std::uint32_t line_of(const Finding& finding) {
  const std::size_t colon = finding.place.rfind(':');
  if (colon == std::string::npos) return 0;
  return parse_whole_text<std::uint32_t>(std::string_view(finding.place).substr(colon + 1))
      .value_or(0);
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

bool Lint::is_rule_unread(std::size_t index) const {
  return is_unread(fmt::format("rule[{}]", index + 1));
}

bool Lint::are_pools_unread(const Rule& rule) const {
  const auto unread = [&](const std::string& pool) { return is_unread("pool." + pool); };
  return std::ranges::any_of(rule.pools, unread) ||
         std::ranges::any_of(rule.fallbacks,
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
  std::ranges::stable_sort(
      findings_, [](const Finding& a, const Finding& b) { return line_of(a) < line_of(b); });
  return std::move(findings_);
}

}  // namespace drover::router
