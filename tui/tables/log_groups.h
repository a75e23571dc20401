// Entries of the log that say the same of several subjects, for one line: "v5e-2/8-15 unusable:
// TPU slice lost (8)".
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {

/// An entry joins a group that has an entry at most this long after it. A gap, not a window of the
/// clock: groups stay as they are when newer entries arrive and when the oldest are dropped.
inline constexpr Duration group_gap = std::chrono::seconds(5);

/// The entries of a group, in the order of the log; at least one. They have the same kind, severity
/// and rule. Alerts of devices are of one host; all other entries have the same text.
using LogGroup = std::vector<LogEntry>;

/// Each entry is in exactly one group. The groups are in the order of their first entries.
/// REQUIRES that of entries that say the same, newer ones come first.
std::vector<LogGroup> group_log(std::vector<LogEntry> entries);

/// All subjects, as ranges: "v5e-2/8-15", "gpu-[1-4]/0, gpu-9/3".
std::string subjects_text(const LogGroup& group);
/// The same in at most `columns`: "v5e-2/8 and 7 more" if the ranges are longer.
std::string subjects_text(const LogGroup& group, int columns);

/// What the texts of all entries begin with, and their number: "unusable: TPU slice lost (8)". Of a
/// single entry, its text.
std::string group_text(const LogGroup& group);

}  // namespace drover::tui
