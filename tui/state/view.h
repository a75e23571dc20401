// A view: one page of the dashboard. A class of its own has each view's layout and drawing; this
// base class has what keys do in every view, and UiState what the user chose in them.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/canvas/draw_region.h"
#include "tui/explain/why_answers.h"
#include "tui/model/model.h"
#include "tui/state/chart_span.h"
#include "tui/state/frame_context.h"
#include "tui/state/playback_cursor.h"
#include "tui/state/ui_state.h"
#include "tui/tables/list_viewport.h"

namespace drover::tui {

/// The input of a view's layout.
struct LayoutInput {
  const Model& model;
  Rect body;
  Instant now{};
  Duration resort_every{};              // shortest time between two sorts of a table
  bool steady = false;                  // as DashboardOptions::steady_colours
  const WhyAnswers* answers = nullptr;  // of the router; null: it is not asked about this moment
};

/// A page that is longer than the screen scrolls by ui.details_top.
struct ScrolledRows {
  int all = 0;
  int seen = 0;
};

/// What charts need: points from an instant on, with bins that are not longer than `bin`.
struct ChartRange {
  Instant from{};
  Duration bin{1};
  ChartSpan span;
};

/// What a key acts on besides the view itself.
struct KeyContext {
  const Model& model;
  PlaybackCursor& cursor;
  Instant now{};
};

enum class Move : std::uint8_t {
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  half_up,
  half_down,
  wheel_up,
  wheel_down,
  first,
  last
};

/// A line on a terminal too small for panels.
struct CompactLine {
  std::string text;
  CellStyle style = CellStyle::plain;
  int item = -1;  // index in the view's list; -1: the line is no item
};

class View {
 public:
  /// `viewport`: of the view's list, or of a page that does not scroll by ui.details_top; null:
  /// none. Both must outlive the view.
  explicit View(UiState& ui, ListViewport* viewport = nullptr) : ui_(ui), viewport_(viewport) {}
  virtual ~View() = default;
  View(const View&) = delete;
  View& operator=(const View&) = delete;

  /// Lays out one frame. `draw`, keys and clicks act on this layout until the next one.
  void arrange(const LayoutInput& input);
  /// Drops the laid out rows: they refer to a model that may have changed before the next layout.
  virtual void forget_layout() {}
  /// REQUIRES a layout of the frame's moment.
  virtual void draw(const FrameContext& frame, const DrawRegion& region) const = 0;
  /// At most `lines_max` lines, the most important first. Of a list, those around the selected
  /// item.
  virtual std::vector<CompactLine> compact_lines(const FrameContext& frame,
                                                 int lines_max) const = 0;
  /// Draws below the compact lines.
  virtual void draw_below_lines(const FrameContext&, DrawRegion) const {}

  /// The part of the past that the charts show; none: there is no chart. REQUIRES a layout.
  virtual std::optional<ChartRange> chart_range(const FrameContext&) const { return std::nullopt; }

  /// The index of the selected item; -1 if there is none.
  virtual int selected(const Model&) const { return -1; }
  virtual void move(const KeyContext& context, Move direction);
  /// Selects the item at `index`, as a click does.
  void choose(const KeyContext& context, int index);
  /// Chooses a group of the map, as a click on its label does; false if it was chosen already.
  virtual bool choose_group(const KeyContext&, int /*group*/) { return true; }
  /// Opens the selected item, or else the first visible one. Returns the view to go to, if any.
  std::optional<ViewId> open(const KeyContext& context);
  /// Closes what is open inside the view; false if nothing was.
  virtual bool close() { return false; }
  /// Closes what is open, else clears the selection; false if there was neither.
  virtual bool back() { return false; }
  /// Selects the next item or line that contains ui.finding, and wraps around at the end.
  void find(const KeyContext& context, int step);
  /// Tags the selection and moves to the next item, as file managers do.
  virtual void tag(const KeyContext& context);

 protected:
  /// Updates scroll positions and orders, and returns the rows that scroll as a page.
  virtual ScrolledRows lay_out(const LayoutInput& input) = 0;
  /// The number of selectable items; none: the view is a page, which scrolls as a whole.
  virtual std::optional<int> count() const { return std::nullopt; }
  /// `direction`: where to continue if the item at `index` cannot be selected.
  virtual void select(const Model&, int /*index*/, int /*direction*/) {}
  /// The text that n and N search: of an item of the list, or of a line of the page.
  virtual std::string search_text(const Model&, int /*index*/) const { return {}; }
  /// Whether something that is no item is chosen, which opens instead of an item.
  virtual bool chose_other() const { return false; }
  virtual std::optional<ViewId> open_selected(const KeyContext&) { return std::nullopt; }
  /// Whether the keys for screens and ends scroll ui.details_top.
  virtual bool scrolls_as_page() const { return !count(); }
  /// Moves from a tagged item to the next one.
  virtual void move_on(const KeyContext& context) { step(context, 1); }

  int items() const { return count().value_or(0); }
  /// Selects the item nearest to `index`.
  void select_near(const Model& model, int index, int direction);
  /// Moves the selection; without one, selects the first visible item. A page scrolls.
  void step(const KeyContext& context, int step);
  void scroll(int step);

  UiState& ui_;

 private:
  ListViewport* viewport_;
};

/// Tags the selected device or job, or removes its tag, and returns a note about it.
template <typename Id>
std::string toggle_tag(std::set<Id>& tagged, const std::optional<Id>& selected,
                       std::string_view of) {
  if (!selected) return "nothing is selected to tag";
  if (tagged.erase(*selected) == 0 && tagged.size() < tags_max) tagged.insert(*selected);
  if (tagged.empty()) return fmt::format("no {} is tagged", of);
  return fmt::format("{} tagged: actions apply to all of them", counted(tagged.size(), of));
}

/// Closes the details of a list, else clears the selection; false if there was neither.
template <typename List>
bool leave_list(UiState& ui, List& list) {
  ui.details_top = 0;  // from now on it scrolls the page above the list
  const bool was = list.open || list.chosen.has_value();
  if (!list.open) list.chosen.reset();
  list.open = false;
  return was;
}

}  // namespace drover::tui
