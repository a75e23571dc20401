#include "tui/screen.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/keymap.h"
#include "tui/panels/panels.h"
#include "tui/state/timeline_text.h"
#include "tui/story_caption.h"
#include "tui/title.h"

namespace drover::tui {
namespace {

constexpr int scrubber_rows_least = 20;
constexpr Size panels_size{60, 16};
/// The width of a terminal without panels from which on the clock is labelled in full.
constexpr int clock_words_columns = 40;

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

/// "fleet > gpu-a/3 > power", if the user has gone deeper. The end stays when there is no room for
/// all. Returns the column after it.
int draw_breadcrumb(const FrameContext& frame, DrawRegion& region, int columns_most) {
  std::vector<std::string> names = frame.breadcrumb;
  if (names.size() < 2) return 0;
  const auto width = [&] { return static_cast<int>(column_width(joined(names, " > "))) + 1; };
  while (names.size() > 2 && width() > columns_most) {
    names.erase(names.begin());
    names.front() = "..";
  }
  const std::string last = names.back();
  names.pop_back();
  const int end = region.text(1, 0, joined(names, " > ") + " > ", CellStyle::faint);
  return region.text(end, 0, last, CellStyle::strong) + 2;
}

struct FirstHint {
  std::string_view key, words;
};
constexpr FirstHint first_hints[] = {
    {"Enter", "shows details"}, {"/", "filters"}, {"?", "explains the keys"}, {"q", "quits"}};

void draw_first_hint(const FrameContext& frame, DrawRegion region) {
  int column = 1;
  for (const FirstHint& hint : first_hints) {
    const Binding* const binding = binding_of({std::string(hint.key)}, frame.ui.view);
    if (binding == nullptr) continue;
    const auto width = static_cast<int>(hint.key.size() + hint.words.size()) + 1;
    frame.click_targets.add({column, region.area().row, width, 1}, ClickTarget::Kind::key,
                            static_cast<int>(binding - bindings().data()));
    column = region.text(column, 0, hint.key, CellStyle::badge) + 1;
    column = region.text(column, 0, hint.words, CellStyle::strong) + 3;
  }
}

void draw_hints(const FrameContext& frame, DrawRegion region) {
  if (frame.first_hint && frame.breadcrumb.size() < 2 && lost_text(frame).empty())
    return draw_first_hint(frame, region);
  // Losses are at the right and take precedence over most hints.
  const std::string lost = lost_text(frame);
  const int end = std::max(region.columns() / 2, region.columns() - static_cast<int>(lost.size()));
  int column = std::max(1, draw_breadcrumb(frame, region, region.columns() / 2));
  const bool nothing_to_open =
      frame.ui.shows(DevicePlace::changes) || frame.ui.shows(DevicePlace::topology);
  for (const Binding& binding : bindings()) {
    if (binding.hint.empty() || !works_in(binding, frame.ui.view)) continue;
    if (nothing_to_open && binding.shown == "Enter") continue;
    const int width = static_cast<int>(binding.shown.size() + binding.hint.size()) + 1;
    if (column + width + 2 > end) break;
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

/// Beside a filter that is being typed: what it matches now, and why it is none yet.
std::string prompt_note(const FrameContext& frame) {
  const Prompt& prompt = *frame.ui.prompt;
  if (prompt.kind != PromptKind::filter || prompt.text.empty()) return {};
  const FleetFilter& filter = frame.ui.fleet_filter;
  const std::size_t devices = frame.model.devices().rows();
  const std::string matches = fmt::format("{} of {}", filter.active() ? filter.devices() : devices,
                                          counted(devices, "device"));
  if (!prompt.incomplete.empty()) return fmt::format("{}; {}", prompt.incomplete, matches);
  return matches + "; Tab completes, Enter keeps it, Esc cancels";
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
    draw_prompt(*frame.ui.prompt, prompt_note(frame),
                DrawRegion(canvas, {0, 0, size.columns, size.rows}, ascii));
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
  const int bottom = 1 + story_rows(frame, size);
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
  if (const int rows = story_rows(frame, size); rows > 0)
    draw_story(frame, DrawRegion(canvas, {0, size.rows - 1 - rows, size.columns, rows}, ascii));
  const DrawRegion last(canvas, {0, size.rows - 1, size.columns, 1}, ascii);
  frame.ui.prompt ? draw_prompt(*frame.ui.prompt, prompt_note(frame),
                                DrawRegion(canvas, {0, 0, size.columns, size.rows}, ascii))
                  : draw_hints(frame, last);
}

}  // namespace drover::tui
