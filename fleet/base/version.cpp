#include "fleet/base/version.h"

#include <algorithm>
#include <array>

#include "fleet/base/text.h"
#include "fleet/base/whole_text.h"

namespace drover {
namespace {

constexpr std::size_t numbers_max = 4;

struct BoundWord {
  std::string_view word;
  Bound bound;
};
// Longer operators first, because ">=" begins with ">".
constexpr std::array<BoundWord, 5> bound_words = {{{">=", Bound::at_least},
                                                   {"<=", Bound::at_most},
                                                   {">", Bound::above},
                                                   {"<", Bound::below},
                                                   {"=", Bound::equal}}};

/// Whether `version` begins with the numbers of `stem`.
bool begins_with(const Version& version, const Version& stem) {
  Version cut = version;
  cut.resize(stem.size());
  return compare(cut, stem) == 0;
}

bool condition_holds(const VersionRange::Condition& condition, const Version& version) {
  const int order = compare(version, condition.version);
  switch (condition.bound) {
    case Bound::at_least:
      return order >= 0;
    case Bound::above:
      return order > 0;
    case Bound::at_most:
      return order <= 0 || begins_with(version, condition.version);
    case Bound::below:
      return order < 0;
    case Bound::equal:
      return begins_with(version, condition.version);
  }
  return false;
}

}  // namespace

Result<Version> parse_version(std::string_view text) {
  Version version;
  const auto wrong = [&] {
    return error("found \"{}\", expected a version such as 12.4", printable(text));
  };
  for (const std::string& part : split(std::string(text), '.')) {
    const auto number = parse_whole_text<std::uint32_t>(part);
    if (!number || version.size() == numbers_max) return wrong();
    version.push_back(*number);
  }
  if (version.empty()) return wrong();
  return version;
}

int compare(const Version& a, const Version& b) {
  for (std::size_t index = 0; index < std::max(a.size(), b.size()); ++index) {
    const std::uint32_t left = index < a.size() ? a[index] : 0;
    const std::uint32_t right = index < b.size() ? b[index] : 0;
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

bool VersionRange::holds(const Version& version) const {
  return std::all_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
    return condition_holds(condition, version);
  });
}

Result<VersionRange> parse_version_range(std::string_view text) {
  VersionRange range;
  if (text == "*") return range;
  for (const std::string& part : split(std::string(text), ',')) {
    std::string_view rest = part;
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    Bound bound = Bound::equal;
    for (const BoundWord& row : bound_words) {
      if (!rest.starts_with(row.word)) continue;
      rest.remove_prefix(row.word.size());
      bound = row.bound;
      break;
    }
    while (rest.starts_with(' ')) rest.remove_prefix(1);
    while (rest.ends_with(' ')) rest.remove_suffix(1);
    auto version = parse_version(rest);
    if (!version) {
      return error("found \"{}\", expected versions such as \">=2.1, <3\"", printable(text));
    }
    range.conditions.push_back({bound, std::move(*version)});
  }
  return range;
}

}  // namespace drover
