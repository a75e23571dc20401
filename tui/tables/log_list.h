// The lines of the events view: headings, entries, and groups of entries that can be opened.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/list_viewport.h"
#include "tui/tables/log_entry.h"
#include "tui/tables/log_groups.h"

namespace drover::tui {

class FleetFilter;

/// A line of the list. What is not of its kind is empty.
struct LogLine {
  enum class Kind : std::uint8_t { heading, entry, group, member, continuation };
  Kind kind = Kind::entry;
  std::string heading, note;  // the note stands at the right
  LogEntry entry;             // of a group: its first one; of a continuation: of the line above
  LogGroup group;             // of a group: all of its entries
  bool open = false;          // of a group: its entries follow
  std::string text;           // of an entry, group, member or continuation: what fits on the line

  bool selectable() const { return kind != Kind::heading && kind != Kind::continuation; }
};

/// Which entries are listed.
enum class LogFilter : std::uint8_t { all, alerts, events, rules };
inline constexpr int log_filter_count = 4;
std::string_view to_text(LogFilter filter);

/// Open groups at most: the oldest is closed.
inline constexpr std::size_t open_groups_max = 32;

struct LogList {
  LogFilter filter = LogFilter::all;
  std::vector<LogLine> lines;
  std::optional<LogEntry> chosen;
  bool chose_group = false;      // the chosen entry stands for its group
  std::vector<LogEntry> opened;  // an entry of each open group
  ListViewport place;
};

/// Headings and entries, each entry on a line.
std::vector<LogLine> list_log(const Model& model, const FleetFilter& fleet_filter,
                              LogFilter filter);
/// The same lines with entries that say the same as groups. A group with an entry in `opened` is
/// open: its entries follow. Rules are not grouped.
std::vector<LogLine> grouped_lines(std::vector<LogLine> lines, const std::vector<LogEntry>& opened);

/// The subject of a line, of a group all of them.
std::string subjects_of(const LogLine& line);

void step_log_filter(LogList& list);
/// The line of the chosen entry; the line of its group if that is closed. -1: none.
int index_of_chosen(const LogList& list);
/// Null if nothing is selected or the entry is no longer in the list.
const LogLine* selected_log_line(const LogList& list);
void choose_entry(LogList& list, int index, int direction);
/// The entry of the selected line, of a group its first one. Null if nothing is selected or the
/// entry is no longer in the list.
const LogEntry* selected_log_entry(const LogList& list);
/// Opens or closes the selected group; false if no group is selected.
bool toggle_group(LogList& list);
/// Closes the open group of the selection and selects it, else drops the selection; false if there
/// was none.
bool leave_selection(LogList& list);

}  // namespace drover::tui
