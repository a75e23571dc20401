// Raised alerts, and below them past entries, newest first. Enter on a line goes to its moment and
// its device.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/state/view.h"
#include "tui/tables/log_entry.h"
#include "tui/views/jobs_view.h"

namespace drover::tui {

/// Identifies an entry: no two entries of an instant have the same kind, subject and text.
struct LogEntryKey {
  Instant at{};
  LogEntryKind kind = LogEntryKind::event;
  std::string subject;
  std::string text;
  bool operator==(const LogEntryKey&) const = default;
};

/// A heading or an entry.
struct LogLine {
  std::string heading;  // empty: the line is an entry
  std::string note;     // at the right of a heading
  LogEntry entry;
};

/// Which entries are listed.
enum class LogFilter : std::uint8_t { all, alerts, events, rules };
inline constexpr int log_filter_count = 4;

struct LogList {
  LogFilter filter = LogFilter::all;
  std::vector<LogLine> lines;
  std::optional<LogEntryKey> chosen;
  ListViewport place;
};

std::vector<LogLine> list_log(const Model& model, const FleetFilter& fleet_filter,
                              LogFilter filter);
/// Null if nothing is selected or the entry is no longer in the list.
const LogEntry* selected_log_entry(const LogList& list);

class EventsView : public View {
 public:
  EventsView(UiState& ui, JobsView& jobs) : View(ui), jobs_(jobs) {}

  LogList list;

  void step_filter() { advance(list.filter, log_filter_count, 1); }

  void forget_layout() override { list.lines.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override;
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override;
  int selected(const Model& model) const override;
  bool back() override;

 protected:
  ScrolledRows lay_out(const LayoutInput& input) override;
  std::optional<int> count() const override { return static_cast<int>(list.lines.size()); }
  void select(const Model& model, int index, int direction) override;
  ListViewport* viewport() override { return &list.place; }
  std::string search_text(const Model& model, int index) const override;
  std::optional<ViewId> open_selected(const KeyContext& context) override;

 private:
  std::optional<ViewId> open_rule(const KeyContext& context, const LogEntry& entry);
  void draw_list(const FrameContext& frame, DrawRegion region) const;
  void draw_details(const FrameContext& frame, DrawRegion region) const;

  JobsView& jobs_;                              // an entry about a job opens it there
  Rect list_area_, details_area_, rules_area_;  // the last two may be empty
};

}  // namespace drover::tui
