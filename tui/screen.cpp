#include "tui/screen.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/keymap.h"
#include "tui/panels/panels.h"
#include "tui/state/timeline_text.h"

namespace drover::tui {
namespace {

constexpr int scrubber_rows_least = 20;
constexpr Size panels_size{60, 16};
/// The width of a terminal without panels from which on the clock is labelled in full.
constexpr int clock_words_columns = 40;

/// Draws the tabs of the views, number and name; if not `whole`, only the current view has its
/// name. Without a region, only measures. Returns the column after them.
int draw_tabs(const FrameContext& frame, DrawRegion* region, int column, bool whole) {
  for (int view = 0; view < view_count; ++view) {
    const bool shown = static_cast<int>(frame.ui.view) == view;
    const std::string& name = view_names()[static_cast<std::size_t>(view)];
    const std::string text =
        whole || shown ? fmt::format(" {} {} ", view + 1, name) : fmt::format(" {} ", view + 1);
    const auto width = static_cast<int>(text.size());
    if (region != nullptr) {
      region->text(column, 0, text, shown ? CellStyle::selected : CellStyle::title);
      frame.click_targets.add({column, region->area().row, width, 1}, ClickTarget::Kind::view,
                              view);
    }
    column += width;
  }
  return column;
}

/// "2 alerts: gpu-a/3 throttling": the number of unacknowledged alerts, and the newest of the most
/// severe.
std::string alert_text(const Model& model, bool whole) {
  const AlertRow* worst = nullptr;
  std::size_t count = 0;
  for (const auto& [key, row] : model.alerts()) {
    if (!row.alert.acknowledged_by.empty()) continue;
    ++count;
    const auto rank = [](const AlertRow& alert) {
      return std::pair(alert.alert.severity, alert.alert.since);
    };
    if (worst == nullptr || rank(row) > rank(*worst)) worst = &row;
  }
  if (worst == nullptr) return {};
  std::string text = " " + counted(count, "alert");
  if (whole) text += fmt::format(": {} {}", worst->alert.subject, worst->alert.rule);
  return printable(text) + " ";
}

void draw_title(const FrameContext& frame, DrawRegion region) {
  static constexpr std::string_view badge = " DROVER ";
  region.blank(CellStyle::title);
  // The clock (all times on the screen refer to it) and alerts take precedence over view names. A
  // clock that is not wall time is labelled.
  const bool differs = frame.clock_differs();
  const std::string clock = to_clock_text(frame.now) + (differs ? " " : " UTC ");
  const std::string alerts = alert_text(frame.model, false);
  const std::string worst = alert_text(frame.model, true);
  const std::string endpoint = printable(frame.options.connected_to);
  // Views have names only if nothing else must be omitted for them.
  const std::size_t others = std::max(alerts.size(), worst.size()) + endpoint.size() + 4;
  const int room = region.columns() - static_cast<int>(clock.size() + others);
  const int named = draw_tabs(frame, nullptr, 0, true);
  const bool whole = named <= room;
  int column = 0;
  if (named + static_cast<int>(badge.size()) <= room)
    column = region.text(0, 0, badge, CellStyle::badge);
  column = draw_tabs(frame, &region, column, whole);
  int right = region.columns() - static_cast<int>(clock.size());
  region.text(right, 0, clock, CellStyle::title);
  const auto add = [&](const std::string& text, int gap, CellStyle style) {
    const int width = static_cast<int>(column_width(text));
    if (text.empty() || column + gap + width > right) return false;
    right -= width;
    region.text(right, 0, text, style);
    return true;
  };
  if (!add(worst, 1, CellStyle::alarm)) add(alerts, 0, CellStyle::alarm);
  if (frame.options.insecure) add("insecure  ", 2, CellStyle::title);
  if (frame.options.speed != 1) {
    const std::string speed = fmt::format("{:g}x ", frame.options.speed);
    if (!add(speed + "fleet time ", 0, CellStyle::title)) add(speed, 0, CellStyle::title);
  } else if (differs) {
    add("fleet time ", 0, CellStyle::title);
  }
  if (!endpoint.empty()) add(endpoint + "  ", 2, CellStyle::title);
}

/// The filter and the number of matching devices.
std::string filter_text(const FrameContext& frame) {
  const FleetFilter& fleet_filter = frame.ui.fleet_filter;
  if (!fleet_filter.active()) return {};
  return fmt::format("filter {}: {} of {}", fleet_filter.text(), fleet_filter.devices(),
                     counted(frame.model.devices().rows(), "device"));
}

/// Texts for a lost connection to the router with reason, time and endpoint, longest first. One
/// empty text if the connection is fine.
std::vector<std::string> connection_wordings(const FrameContext& frame) {
  if (frame.cursor.replay()) return {""};
  if (frame.connected) {
    const bool whole = frame.subscriber.has_snapshot() || frame.model.devices().rows() == 0;
    return {whole ? "" : "waiting for the router's snapshot: data is incomplete"};
  }
  const std::string since = duration_text(to_seconds(frame.live_now - frame.connection_since));
  const std::string why = printable(frame.connect_refusal);
  const std::string lost = fmt::format("router lost {} ago", since);
  const std::string what = why.empty() ? lost : fmt::format("{} (for {})", why, since);
  const std::string brief = why.empty() ? lost : fmt::format("{} ({})", why, since);
  const std::string endpoint = printable(frame.options.connected_to);
  const std::size_t scheme = endpoint.find("://");
  const std::string place = scheme == std::string::npos ? endpoint : endpoint.substr(scheme + 3);
  return {fmt::format("{}: showing the last known state; reconnecting to {}", what, endpoint),
          fmt::format("{}: showing stale data; reconnecting to {}", what, endpoint),
          fmt::format("{}; reconnecting to {}", what, endpoint),
          fmt::format("{}; connecting to {}", brief, place), fmt::format("{}: {}", brief, place)};
}

void draw_banner(const FrameContext& frame, DrawRegion region) {
  const std::string banner = banner_of(frame, region.columns() - 2);
  if (banner.empty()) return;
  const bool only_filter = banner == filter_text(frame);
  const bool unknown =
      !frame.cursor.live() && gap_at(frame.cursor.timeline(), frame.now) != nullptr;
  const CellStyle style = unknown || (!frame.connected && !frame.cursor.replay()) ? CellStyle::alarm
                          : !frame.cursor.live() ? CellStyle::selected
                          : only_filter          ? CellStyle::accent
                                                 : CellStyle::warm;
  region.blank(style);
  region.field(1, 0, region.columns() - 2, banner, style);
}

/// "Story 3/9, key 5: A burst overflows v5e to GPUs". The key comes before the sentence, whose end
/// a narrow terminal cuts.
void draw_caption(const FrameContext& frame, DrawRegion region) {
  const auto& caption = frame.model.caption();
  if (!caption) return;
  std::string text = "Story";
  if (caption->chapters > 0) text += fmt::format(" {}/{}", caption->chapter, caption->chapters);
  if (caption->paused) text += " (paused)";
  if (!caption->key.empty()) text += fmt::format(", key {}", caption->key);
  text += ": " + caption->text;
  region.field(1, 0, region.columns() - 2, text, CellStyle::accent);
}

/// The numbers of lost messages; empty if none were lost.
std::string lost_text(const FrameContext& frame) {
  std::uint64_t samples = 0;
  for (const HostRow& host : frame.model.hosts()) samples += host.gaps;
  std::string lost;
  const auto add = [&lost](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    lost += fmt::format("{} {} lost ", count_text(double(count)), count == 1 ? one : many);
  };
  add(samples, "sample batch", "sample batches");
  if (frame.cursor.live()) {  // the connection's losses are current, not those of a past moment
    add(frame.subscriber.gaps(), "message", "messages");
    if (frame.subscriber.undecodable() > 0)
      lost += fmt::format("{} undecodable ", frame.subscriber.undecodable());
  }
  if (frame.model.left_out() > 0) {
    lost += fmt::format("{} beyond limits ", count_text(double(frame.model.left_out())));
  }
  return lost;
}

void draw_hints(const FrameContext& frame, DrawRegion region) {
  // Losses are at the right and take precedence over most hints.
  const std::string lost = lost_text(frame);
  const int end = std::max(region.columns() / 2, region.columns() - static_cast<int>(lost.size()));
  int column = 1;
  for (const Binding& binding : bindings()) {
    if (binding.hint.empty() || !works_in(binding, frame.ui.view)) continue;
    const int width = static_cast<int>(binding.shown.size() + binding.hint.size()) + 1;
    if (column + width >= end) break;
    frame.click_targets.add({column, region.area().row, width, 1}, ClickTarget::Kind::key,
                            static_cast<int>(&binding - bindings().data()));
    column = region.text(column, 0, binding.shown, CellStyle::accent) + 1;
    column = region.text(column, 0, binding.hint, CellStyle::faint) + 2;
  }
  const int width = static_cast<int>(lost.size());
  if (width > 0 && column + width < region.columns()) {
    region.text(region.columns() - width, 0, lost, CellStyle::warm);
  }
}

void draw_too_small(Canvas& canvas) {
  const Size size = canvas.size();
  const std::string text = fmt::format("{}x{} is too small: {}x{} needed", size.columns, size.rows,
                                       smallest_size.columns, smallest_size.rows);
  // Centred if it fits on one line, else wrapped.
  const std::vector<std::string> lines = wrapped(text, std::max(1, size.columns));
  int row = std::max(0, (size.rows - static_cast<int>(lines.size())) / 2);
  for (const std::string& line : lines) {
    const int margin = lines.size() == 1 ? (size.columns - static_cast<int>(line.size())) / 2 : 0;
    canvas.put(margin, row++, line, CellStyle::warm);
  }
}

/// The scrubber is shown for past moments if there is room.
bool has_scrubber(const FrameContext& frame, Size size) {
  return !frame.cursor.live() && size.rows >= scrubber_rows_least;
}

/// Views have panels from panels_size on; smaller terminals get lines.
bool is_compact(Size size) {
  return size.columns < panels_size.columns || size.rows < panels_size.rows;
}

/// A title, then one line for each of the most important facts or for each row of the list.
void draw_compact(const FrameContext& frame, const View& view, Canvas& canvas) {
  const Size size = canvas.size();
  const bool ascii = frame.options.ascii;
  DrawRegion title(canvas, {0, 0, size.columns, 1}, ascii);
  title.blank(CellStyle::title);
  std::string clock = to_clock_text(frame.now);
  if (frame.clock_differs())
    clock += size.columns >= clock_words_columns ? " fleet time" : " fleet";
  const int room = size.columns - static_cast<int>(clock.size()) - 1;
  title.field(0, 0, room, to_text(frame.ui.view), CellStyle::badge);
  title.text(room + 1, 0, clock, CellStyle::title);
  const std::string banner = banner_of(frame, size.columns);
  const bool with_hints = size.rows >= 5;
  int top = 1;
  if (!banner.empty() && size.rows >= 3) {
    title.on({0, top++, size.columns, 1}).field(0, 0, size.columns, banner, CellStyle::alarm);
  }
  const int rows = size.rows - top - (with_hints ? 1 : 0);
  DrawRegion body(canvas, {0, top, size.columns, std::max(0, rows)}, ascii);
  int row = 0;
  const int selected = view.selected(frame.model);
  for (const CompactLine& line : view.compact_lines(frame, body.rows())) {
    if (row >= body.rows()) break;
    body.field(0, row, body.columns(), line.text, line.style);
    if (line.item >= 0) {
      frame.click_targets.add(body.row_area(row), ClickTarget::Kind::item, line.item);
      if (line.item == selected) body.tint(row, CellStyle::selected);
    }
    ++row;
  }
  if (row < body.rows()) {
    view.draw_below_lines(frame, body.on({0, top + row, size.columns, body.rows() - row}));
  }
  if (frame.ui.prompt) {
    draw_prompt(*frame.ui.prompt, DrawRegion(canvas, {0, 0, size.columns, size.rows}, ascii));
  } else if (with_hints) {
    DrawRegion last(canvas, {0, size.rows - 1, size.columns, 1}, ascii);
    last.field(0, 0, size.columns, "q quit ? help Tab / :", CellStyle::faint);
  }
}

}  // namespace

bool is_too_small(Size size) {
  return size.columns < smallest_size.columns || size.rows < smallest_size.rows;
}

Rect body_of(const FrameContext& frame, Size size) {
  const int top =
      (banner_of(frame, size.columns - 2).empty() ? 1 : 2) + (has_scrubber(frame, size) ? 1 : 0);
  const int bottom = frame.model.caption() ? 2 : 1;
  return {1, top, std::max(0, size.columns - 2), std::max(0, size.rows - top - bottom)};
}

std::string banner_of(const FrameContext& frame, int columns) {
  const std::string filter = filter_text(frame);
  const auto with = [](std::string banner, const std::string& part) {
    if (!banner.empty() && !part.empty()) banner += " | ";
    return banner + part;
  };
  const auto fits = [&](const std::string& banner) {
    return column_width(banner) <= static_cast<std::size_t>(std::max(0, columns));
  };
  const std::string cursor = cursor_banner(frame);
  const std::vector<std::string> wordings = connection_wordings(frame);
  for (const std::string& wording : wordings) {
    std::string whole = with(with(cursor, wording), filter);
    if (fits(whole)) return whole;
  }
  // Else cut the filter, never the endpoint: the prompt shows the filter, too.
  for (const std::string& wording : wordings) {
    const std::string banner = with(cursor, wording);
    if (fits(with(banner, "…"))) return with(banner, filter);
  }
  return with(cursor, wordings.back());
}

void draw_screen(const FrameContext& frame, const View& view, const Rect& body, Canvas& canvas) {
  const Size size = canvas.size();
  if (is_too_small(size)) {
    draw_too_small(canvas);
    return;
  }
  if (is_compact(size)) return draw_compact(frame, view, canvas);
  const bool ascii = frame.options.ascii;
  draw_title(frame, DrawRegion(canvas, {0, 0, size.columns, 1}, ascii));
  draw_banner(frame, DrawRegion(canvas, {0, 1, size.columns, 1}, ascii));
  if (has_scrubber(frame, size))
    draw_scrubber(frame, DrawRegion(canvas, {0, 2, size.columns, 1}, ascii));
  view.draw(frame, DrawRegion(canvas, body, ascii));
  draw_caption(frame, DrawRegion(canvas, {0, size.rows - 2, size.columns, 1}, ascii));
  const DrawRegion last(canvas, {0, size.rows - 1, size.columns, 1}, ascii);
  frame.ui.prompt
      ? draw_prompt(*frame.ui.prompt, DrawRegion(canvas, {0, 0, size.columns, size.rows}, ascii))
      : draw_hints(frame, last);
}

}  // namespace drover::tui
