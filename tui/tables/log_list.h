// The lines of the events view: raised alerts, and below them past entries, newest first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/fleet_filter.h"
#include "tui/tables/list_viewport.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {

/// Identifies an entry: no two entries of an instant have the same kind, subject and text.
struct LogEntryKey {
  Instant at{};
  LogEntryKind kind = LogEntryKind::event;
  std::string subject;
  std::string text;
  bool operator==(const LogEntryKey&) const = default;
};
LogEntryKey key_of(const LogEntry& entry);

/// A heading or an entry.
struct LogLine {
  std::string heading;  // empty: the line is an entry
  std::string note;     // at the right of a heading
  LogEntry entry;
};

/// Which entries are listed.
enum class LogFilter : std::uint8_t { all, alerts, events, rules };
inline constexpr int log_filter_count = 4;
std::string_view to_text(LogFilter filter);

struct LogList {
  LogFilter filter = LogFilter::all;
  std::vector<LogLine> lines;
  std::optional<LogEntryKey> chosen;
  ListViewport place;
};

std::vector<LogLine> list_log(const Model& model, const FleetFilter& fleet_filter,
                              LogFilter filter);
int index_of_chosen(const LogList& list);
/// Selects the entry at `index`; if that is a heading, the next one in `direction`, else the one
/// before.
void select_log_entry(LogList& list, int index, int direction);
/// Null if nothing is selected or the entry is no longer in the list.
const LogEntry* selected_log_entry(const LogList& list);

}  // namespace drover::tui
