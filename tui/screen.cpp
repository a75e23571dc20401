#include "tui/screen.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/compact.h"
#include "tui/panels/prompt_panel.h"
#include "tui/panels/scrubber.h"
#include "tui/state/timeline_words.h"
#include "tui/state/update.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int scrubber_rows_least = 20;

/// The views' names with their numbers. Short, only the one that is shown has its name.
int draw_tabs(const Scene& scene, Pen* pen, int column, bool whole) {
  for (int view = 0; view < view_count; ++view) {
    const bool shown = static_cast<int>(scene.choices.view) == view;
    const std::string& name = view_names()[static_cast<std::size_t>(view)];
    const std::string text =
        whole || shown ? fmt::format(" {} {} ", view + 1, name) : fmt::format(" {} ", view + 1);
    const auto width = static_cast<int>(text.size());
    if (pen != nullptr) {
      pen->text(column, 0, text, shown ? Role::selected : Role::title);
      scene.hits.add({column, pen->area().row, width, 1}, Hit::Kind::view, view);
    }
    column += width;
  }
  return column;
}

/// "2 alerts: gpu-a/3 throttling": how many are raised that nobody has acknowledged, and the newest
/// of the worst.
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

void draw_title(const Scene& scene, Pen pen) {
  static constexpr std::string_view badge = " DROVER ";
  pen.blank(Role::title);
  // All times on the screen are of this clock, and alerts are why one looks: both go before names.
  // One that is not the hour of the day says so.
  const bool apart = scene.clock_apart();
  const std::string clock = to_clock_text(scene.now) + (apart ? " " : " UTC ");
  const std::string alerts = alert_text(scene.model, false);
  const std::string worst = alert_text(scene.model, true);
  const std::string endpoint = printable(scene.options.connected_to);
  // Names of views only where nothing else is lost for them.
  const std::size_t told = std::max(alerts.size(), worst.size()) + endpoint.size() + 4;
  const int room = pen.columns() - static_cast<int>(clock.size() + told);
  const int named = draw_tabs(scene, nullptr, 0, true);
  const bool whole = named <= room;
  int column = 0;
  if (named + static_cast<int>(badge.size()) <= room) column = pen.text(0, 0, badge, Role::badge);
  column = draw_tabs(scene, &pen, column, whole);
  int right = pen.columns() - static_cast<int>(clock.size());
  pen.text(right, 0, clock, Role::title);
  const auto add = [&](const std::string& text, int gap, Role role) {
    const int width = static_cast<int>(column_width(text));
    if (text.empty() || column + gap + width > right) return false;
    right -= width;
    pen.text(right, 0, text, role);
    return true;
  };
  if (!add(worst, 1, Role::alarm)) add(alerts, 0, Role::alarm);
  if (scene.options.insecure) add("insecure  ", 2, Role::title);
  if (scene.options.speed != 1) {
    const std::string speed = fmt::format("{:g}x ", scene.options.speed);
    if (!add(speed + "fleet time ", 0, Role::title)) add(speed, 0, Role::title);
  } else if (apart) {
    add("fleet time ", 0, Role::title);
  }
  if (!endpoint.empty()) add(endpoint + "  ", 2, Role::title);
}

/// What the filter leaves.
std::string filter_text(const Scene& scene) {
  const Narrowing& narrowing = scene.choices.narrowing;
  if (!narrowing.active()) return {};
  return fmt::format("filter {}: {} of {}", narrowing.text(), narrowing.devices(),
                     counted(scene.model.devices().rows(), "device"));
}

/// That the router is not there, why, since when, and which one: the most words first, then fewer
/// and fewer. One that is empty: it is there.
std::vector<std::string> connection_wordings(const Scene& scene) {
  if (scene.cursor.replay()) return {""};
  if (scene.connected) {
    const bool whole = scene.feed.has_snapshot() || scene.model.devices().rows() == 0;
    return {whole ? "" : "waiting for the router's snapshot: what is shown is not yet whole"};
  }
  const std::string since = duration_text(to_seconds(scene.live_now - scene.connection_since));
  const std::string why = printable(scene.barred);
  const std::string lost = fmt::format("router lost {} ago", since);
  const std::string what = why.empty() ? lost : fmt::format("{} (for {})", why, since);
  const std::string brief = why.empty() ? lost : fmt::format("{} ({})", why, since);
  const std::string endpoint = printable(scene.options.connected_to);
  const std::size_t scheme = endpoint.find("://");
  const std::string place = scheme == std::string::npos ? endpoint : endpoint.substr(scheme + 3);
  return {fmt::format("{}: this is what was known then; still trying {}", what, endpoint),
          fmt::format("{}: showing old values; still trying {}", what, endpoint),
          fmt::format("{}; still trying {}", what, endpoint),
          fmt::format("{}; trying {}", brief, place), fmt::format("{}: {}", brief, place)};
}

void draw_banner(const Scene& scene, Pen pen) {
  const std::string banner = banner_of(scene, pen.columns() - 2);
  if (banner.empty()) return;
  const bool only_filter = banner == filter_text(scene);
  const bool unknown =
      !scene.cursor.live() && gap_at(scene.cursor.timeline(), scene.now) != nullptr;
  const Role role = unknown || (!scene.connected && !scene.cursor.replay()) ? Role::alarm
                    : !scene.cursor.live()                                  ? Role::selected
                    : only_filter                                           ? Role::accent
                                                                            : Role::warm;
  pen.blank(role);
  pen.field(1, 0, pen.columns() - 2, banner, role);
}

/// "Story 3/9, key 5: A burst overflows v5e to GPUs": what a narrow terminal cuts is the end of the
/// sentence, not the key.
void draw_caption(const Scene& scene, Pen pen) {
  const auto& caption = scene.model.caption();
  if (!caption) return;
  std::string text = "Story";
  if (caption->chapters > 0) text += fmt::format(" {}/{}", caption->chapter, caption->chapters);
  if (caption->paused) text += " (paused)";
  if (!caption->key.empty()) text += fmt::format(", key {}", caption->key);
  text += ": " + caption->text;
  pen.field(1, 0, pen.columns() - 2, text, Role::accent);
}

/// What was lost on the way here: silence means nothing was.
std::string lost_text(const Scene& scene) {
  std::uint64_t samples = 0;
  for (const HostRow& host : scene.model.hosts()) samples += host.gaps;
  std::string lost;
  const auto add = [&lost](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count == 0) return;
    lost += fmt::format("{} {} lost ", count_text(double(count)), count == 1 ? one : many);
  };
  add(samples, "sample batch", "sample batches");
  if (scene.cursor.live()) {  // what the connection lost is of now, not of a moment of the past
    add(scene.feed.gaps(), "message", "messages");
    if (scene.feed.undecodable() > 0) lost += fmt::format("{} broken ", scene.feed.undecodable());
  }
  if (scene.model.left_out() > 0) {
    lost += fmt::format("{} beyond limits ", count_text(double(scene.model.left_out())));
  }
  return lost;
}

void draw_hints(const Scene& scene, Pen pen) {
  // Losses stand at the right, and go before most hints.
  const std::string lost = lost_text(scene);
  const int end = std::max(pen.columns() / 2, pen.columns() - static_cast<int>(lost.size()));
  int column = 1;
  for (const Binding& binding : bindings()) {
    if (binding.hint.empty() || !works_in(binding, scene.choices.view)) continue;
    const int width = static_cast<int>(binding.shown.size() + binding.hint.size()) + 1;
    if (column + width >= end) break;
    scene.hits.add({column, pen.area().row, width, 1}, Hit::Kind::command,
                   static_cast<int>(binding.command));
    column = pen.text(column, 0, binding.shown, Role::accent) + 1;
    column = pen.text(column, 0, binding.hint, Role::faint) + 2;
  }
  const int width = static_cast<int>(lost.size());
  if (width > 0 && column + width < pen.columns()) {
    pen.text(pen.columns() - width, 0, lost, Role::warm);
  }
}

void draw_too_small(Canvas& canvas) {
  const Size size = canvas.size();
  const std::string text = fmt::format("{}x{} is too small: {}x{} needed", size.columns, size.rows,
                                       smallest_size.columns, smallest_size.rows);
  // In the middle where it fits, over several lines where it must.
  const std::vector<std::string> lines = wrapped(text, std::max(1, size.columns));
  int row = std::max(0, (size.rows - static_cast<int>(lines.size())) / 2);
  for (const std::string& line : lines) {
    const int margin = lines.size() == 1 ? (size.columns - static_cast<int>(line.size())) / 2 : 0;
    canvas.put(margin, row++, line, Role::warm);
  }
}

/// Of the past, where there is room.
bool has_scrubber(const Scene& scene, Size size) {
  return !scene.cursor.live() && size.rows >= scrubber_rows_least;
}

}  // namespace

bool is_too_small(Size size) {
  return size.columns < smallest_size.columns || size.rows < smallest_size.rows;
}

Rect body_of(const Scene& scene, Size size) {
  const int top =
      (banner_of(scene, size.columns - 2).empty() ? 1 : 2) + (has_scrubber(scene, size) ? 1 : 0);
  const int bottom = scene.model.caption() ? 2 : 1;
  return {1, top, std::max(0, size.columns - 2), std::max(0, size.rows - top - bottom)};
}

std::string banner_of(const Scene& scene, int columns) {
  const std::string filter = filter_text(scene);
  const auto with = [](std::string banner, const std::string& part) {
    if (!banner.empty() && !part.empty()) banner += " | ";
    return banner + part;
  };
  const auto fits = [&](const std::string& banner) {
    return column_width(banner) <= static_cast<std::size_t>(std::max(0, columns));
  };
  const std::string cursor = cursor_banner(scene);
  const std::vector<std::string> wordings = connection_wordings(scene);
  for (const std::string& wording : wordings) {
    std::string whole = with(with(cursor, wording), filter);
    if (fits(whole)) return whole;
  }
  // Then the filter is what is cut: its words stand in the prompt as well.
  for (const std::string& wording : wordings) {
    const std::string banner = with(cursor, wording);
    if (fits(banner)) return with(banner, filter);
  }
  return with(with(cursor, wordings.back()), filter);
}

void arrange(const Arrangement& arrangement, Choices& choices) {
  const ScrolledRows details = row_of(choices.view).arrange(arrangement, choices);
  choices.details_seen = details.seen;
  choices.details_top = std::clamp(choices.details_top, 0, std::max(0, details.all - details.seen));
}

void draw_screen(const Scene& scene, Canvas& canvas) {
  const Size size = canvas.size();
  if (is_too_small(size)) {
    draw_too_small(canvas);
    return;
  }
  if (is_compact(size)) return draw_compact(scene, canvas);
  const bool ascii = scene.options.ascii;
  draw_title(scene, Pen(canvas, {0, 0, size.columns, 1}, ascii));
  draw_banner(scene, Pen(canvas, {0, 1, size.columns, 1}, ascii));
  if (has_scrubber(scene, size)) draw_scrubber(scene, Pen(canvas, {0, 2, size.columns, 1}, ascii));
  const Pen body(canvas, body_of(scene, size), ascii);
  row_of(scene.choices.view).draw(scene, body);
  draw_caption(scene, Pen(canvas, {0, size.rows - 2, size.columns, 1}, ascii));
  const Pen last(canvas, {0, size.rows - 1, size.columns, 1}, ascii);
  scene.choices.prompt
      ? draw_prompt(*scene.choices.prompt, Pen(canvas, {0, 0, size.columns, size.rows}, ascii))
      : draw_hints(scene, last);
}

}  // namespace drover::tui
