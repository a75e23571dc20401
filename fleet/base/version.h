// Software versions and version ranges: "2.4.1", ">=2.1, <3".
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"

namespace drover {

/// What agents, commands and recordings call this program.
inline constexpr const char* software_name = "drover 0.1.0";
/// When this version was made: the date of its manual pages. The same sources give the same pages.
inline constexpr const char* software_date = "2026-11-28";

/// The numbers of a version, most significant first. Missing ones at the end count as 0: 12.4 is
/// 12.4.0.
using Version = std::vector<std::uint32_t>;

/// "12.4", "2.4.1": one to four whole numbers separated by points.
Result<Version> parse_version(std::string_view text);

/// Below 0 when `a` is older than `b`, 0 when they are equal, above 0 when it is newer.
int compare(const Version& a, const Version& b);

enum class Bound : std::uint8_t { at_least, above, at_most, below, equal };

/// Conditions that must all hold.
struct VersionRange {
  struct Condition {
    Bound bound = Bound::at_least;
    Version version;
    bool operator==(const Condition&) const = default;
  };
  std::vector<Condition> conditions;
  bool holds(const Version& version) const;
  bool operator==(const VersionRange&) const = default;
};

/// ">=2.1, <3", "12.4" (that version and its sub-versions: 12.4.1 matches too), "*".
Result<VersionRange> parse_version_range(std::string_view text);

}  // namespace drover
