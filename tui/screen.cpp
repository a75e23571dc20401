#include "tui/screen.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/text.h"
#include "fleet/units.h"
#include "tui/columns.h"
#include "tui/timeline_words.h"
#include "tui/update.h"
#include "tui/views.h"

namespace drover::tui {
namespace {

/// The views' names with their numbers. Short, only the one that is shown has its name.
int draw_tabs(const Scene& scene, Pen* pen, int column, bool whole) {
  for (int view = 0; view < view_count; ++view) {
    const bool shown = static_cast<int>(scene.choices.view) == view;
    const std::string& name = view_names()[static_cast<std::size_t>(view)];
    const std::string text =
        whole || shown ? fmt::format(" {} {} ", view + 1, name) : fmt::format(" {} ", view + 1);
    if (pen != nullptr) pen->text(column, 0, text, shown ? Role::selected : Role::title);
    column += static_cast<int>(text.size());
  }
  return column;
}

/// "2 alerts: gpu-a/3 throttling": how many are raised, and the newest of the worst.
std::string alert_text(const Model& model, bool whole) {
  const AlertRow* worst = nullptr;
  for (const auto& [key, row] : model.alerts()) {
    const auto rank = [](const AlertRow& alert) {
      return std::pair(alert.alert.severity, alert.alert.since);
    };
    if (worst == nullptr || rank(row) > rank(*worst)) worst = &row;
  }
  if (worst == nullptr) return {};
  const std::size_t count = model.alerts().size();
  std::string text = fmt::format(" {} alert{}", count, count == 1 ? "" : "s");
  if (whole) text += fmt::format(": {} {}", worst->alert.subject, worst->alert.rule);
  return printable(text) + " ";
}

void draw_title(const Scene& scene, Pen pen) {
  static constexpr std::string_view badge = " DROVER ";
  pen.blank(Role::title);
  // All times on the screen are of this clock, and alerts are why one looks: both go before names.
  const std::string clock = to_clock_text(scene.now) + " UTC ";
  const std::string alerts = alert_text(scene.model, false);
  const int room = pen.columns() - static_cast<int>(clock.size() + alerts.size());
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
  if (!add(alert_text(scene.model, true), 1, Role::alarm)) add(alerts, 0, Role::alarm);
  if (scene.options.insecure) add("insecure  ", 2, Role::title);
  if (scene.options.speed != 1) add(fmt::format("x{:g}  ", scene.options.speed), 0, Role::title);
  const std::string endpoint = printable(scene.options.connected_to);
  if (!endpoint.empty()) add(endpoint + "  ", 2, Role::title);
}

void draw_banner(const Scene& scene, Pen pen) {
  const std::string banner = banner_of(scene);
  if (banner.empty()) return;
  const Role role = !scene.connected && !scene.cursor.replay() ? Role::alarm
                    : !scene.cursor.live()                     ? Role::selected
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

void draw_prompt(const Prompt& prompt, Pen pen) {
  const int column = pen.text(1, 0, "Go to: ", Role::accent);
  const int end = pen.text(column, 0, prompt.text + "_", Role::strong);
  const bool bad = !prompt.problem.empty();
  pen.field(
      end + 2, 0, pen.columns() - end - 3,
      bad ? prompt.problem : "12:03:07, -30s, -5m or 2026-11-21T12:03:07Z; Enter goes, Esc leaves",
      bad ? Role::critical : Role::faint);
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
    column = pen.text(column, 0, binding.shown, Role::accent) + 1;
    column = pen.text(column, 0, binding.hint, Role::faint) + 2;
  }
  const int width = static_cast<int>(lost.size());
  if (width > 0 && column + width < pen.columns()) {
    pen.text(pen.columns() - width, 0, lost, Role::warm);
  }
}

/// Whole words, as many on a line as fit; a longer word runs over the edge.
std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> lines;
  for (const std::string& word : split(text, ' ')) {
    if (!lines.empty() && static_cast<int>(lines.back().size() + 1 + word.size()) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

void draw_too_small(Canvas& canvas) {
  const Size size = canvas.size();
  const std::string text =
      fmt::format("terminal too small: {}x{} needed, {}x{} here", smallest_size.columns,
                  smallest_size.rows, size.columns, size.rows);
  // In the middle where it fits, over several lines where it must.
  const std::vector<std::string> lines = wrapped(text, std::max(1, size.columns));
  int row = std::max(0, (size.rows - static_cast<int>(lines.size())) / 2);
  for (const std::string& line : lines) {
    const int margin = lines.size() == 1 ? (size.columns - static_cast<int>(line.size())) / 2 : 0;
    canvas.put(margin, row++, line, Role::warm);
  }
}

}  // namespace

bool is_too_small(Size size) {
  return size.columns < smallest_size.columns || size.rows < smallest_size.rows;
}

Rect body_of(const Scene& scene, Size size) {
  const int top = banner_of(scene).empty() ? 1 : 2;
  const int bottom = scene.model.caption() ? 2 : 1;
  return {1, top, std::max(0, size.columns - 2), std::max(0, size.rows - top - bottom)};
}

std::string banner_of(const Scene& scene) {
  std::string banner = cursor_banner(scene);
  if (scene.cursor.replay()) return banner;
  std::string connection;
  if (!scene.connected) {
    const double since_s = to_seconds(scene.live_now - scene.connection_since);
    connection = fmt::format("router lost {} ago: this is what was known then; still trying {}",
                             duration_text(since_s), scene.options.connected_to);
  } else if (!scene.feed.has_snapshot() && scene.model.devices().rows() > 0) {
    connection = "waiting for the router's snapshot: what is shown is not yet whole";
  }
  if (!banner.empty() && !connection.empty()) banner += " | ";
  return banner + connection;
}

void arrange(const Model& model, Choices& choices, const Rect& body, Instant now,
             Duration resort_every) {
  ScrolledRows details;
  switch (choices.view) {
    case View::fleet: {
      const Rect cells = map_cells(lay_out_fleet(body, model));
      choices.map = lay_out_heat_map(model, cells.columns, cells.rows);
      break;
    }
    case View::devices: {
      const Rect list = lay_out_devices(body).list;
      choices.columns = columns_that_fit(list.columns - 3);
      sort_devices(model, choices, now, resort_every);
      choices.devices.settle(selected_index(model, choices), static_cast<int>(choices.order.size()),
                             list.rows - 1);
      break;
    }
    case View::device:
      sort_devices(model, choices, now, resort_every);  // the order in which j and k go on
      if (!choices.device && !choices.order.empty()) {
        choices.device = model.id_of(choices.order.front());
      }
      details = device_view_rows(model, choices, {body.columns, body.rows});
      break;
    case View::power:
      details = {power_view_rows(model, choices, body.columns), body.rows};
      break;
    case View::jobs: {
      choices.job_open = choices.job_open && choices.job && model.jobs().contains(*choices.job);
      details.all = job_details_rows(model, choices);
      const TableLayout layout = lay_out_jobs(body, model, details.all);
      details.seen = layout.details.rows;
      const int rows = layout.list.rows - 1;
      choices.job_lines = list_jobs(model, choices.filter, rows);
      choices.jobs.settle(selected_index(model, choices),
                          static_cast<int>(choices.job_lines.size()), rows);
      break;
    }
    case View::routing: {
      const int selected = selected_index(model, choices);
      if (selected < 0) choices.decision_open = false;
      details.all = decision_details_rows(model, choices);
      const TableLayout layout = lay_out_routing(body, model, details.all);
      details.seen = layout.details.rows;
      const Rect list = layout.list;
      if (!choices.decision) choices.decisions.top = 0;
      choices.decisions.settle(selected, static_cast<int>(model.decisions().size()), list.rows - 1);
      break;
    }
    case View::help:
      choices.help.settle(-1, static_cast<int>(help_lines().size()), help_rows(body.rows));
      break;
  }
  choices.details_seen = details.seen;
  choices.details_top = std::clamp(choices.details_top, 0, std::max(0, details.all - details.seen));
}

void draw_screen(const Scene& scene, Canvas& canvas) {
  const Size size = canvas.size();
  if (is_too_small(size)) {
    draw_too_small(canvas);
    return;
  }
  const bool ascii = scene.options.ascii;
  draw_title(scene, Pen(canvas, {0, 0, size.columns, 1}, ascii));
  draw_banner(scene, Pen(canvas, {0, 1, size.columns, 1}, ascii));
  using Draw = void (*)(const Scene&, const Pen&);
  static constexpr std::array<Draw, view_count> views = {draw_fleet, draw_devices, draw_device_view,
                                                         draw_jobs,  draw_routing, draw_power_view,
                                                         draw_help};
  const Pen body(canvas, body_of(scene, size), ascii);
  views[static_cast<std::size_t>(scene.choices.view)](scene, body);
  draw_caption(scene, Pen(canvas, {0, size.rows - 2, size.columns, 1}, ascii));
  const Pen last(canvas, {0, size.rows - 1, size.columns, 1}, ascii);
  scene.choices.prompt ? draw_prompt(*scene.choices.prompt, last) : draw_hints(scene, last);
}

}  // namespace drover::tui
