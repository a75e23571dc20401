#include "tui/screen.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/text.h"
#include "fleet/units.h"
#include "tui/columns.h"
#include "tui/update.h"
#include "tui/views.h"

namespace drover::tui {
namespace {

void draw_title(const Scene& scene, Pen pen) {
  pen.blank(Role::title);
  int column = pen.text(0, 0, " DROVER ", Role::badge);
  for (int view = 0; view < view_count; ++view) {
    const bool shown = static_cast<int>(scene.choices.view) == view;
    const std::string name =
        fmt::format(" {} {} ", view + 1, view_names()[static_cast<std::size_t>(view)]);
    column = pen.text(column, 0, name, shown ? Role::selected : Role::title);
  }
  // From the right: what fits, the clock first.
  std::string right = to_clock_text(scene.now) + " ";
  if (scene.options.speed != 1) right = fmt::format("x{:g}  ", scene.options.speed) + right;
  const std::string endpoint = printable(scene.options.connected_to);
  if (!endpoint.empty() &&
      column + static_cast<int>(column_width(endpoint + right)) + 4 < pen.columns()) {
    right = endpoint + "  " + right;
  }
  const int width = static_cast<int>(column_width(right));
  if (column + width < pen.columns()) pen.text(pen.columns() - width, 0, right, Role::title);
}

void draw_hints(const Scene& scene, Pen pen) {
  int column = 1;
  for (const Binding& binding : bindings()) {
    if (binding.hint.empty() || !works_in(binding, scene.choices.view)) continue;
    const int width = static_cast<int>(binding.shown.size() + binding.hint.size()) + 1;
    if (column + width >= pen.columns()) break;
    column = pen.text(column, 0, binding.shown, Role::accent) + 1;
    column = pen.text(column, 0, binding.hint, Role::faint) + 2;
  }
  // At the right, what was lost on the way here: silence means nothing was.
  std::uint64_t samples = 0;
  for (const HostRow& host : scene.model.hosts()) samples += host.gaps;
  std::string lost;
  if (samples > 0) lost += fmt::format("{} samples lost ", count_text(double(samples)));
  if (scene.feed.gaps() > 0) {
    lost += fmt::format("{} messages lost ", count_text(double(scene.feed.gaps())));
  }
  if (scene.feed.undecodable() > 0) lost += fmt::format("{} broken ", scene.feed.undecodable());
  if (scene.model.left_out() > 0) {
    lost += fmt::format("{} beyond limits ", count_text(double(scene.model.left_out())));
  }
  const int width = static_cast<int>(lost.size());
  if (width > 0 && column + width < pen.columns()) {
    pen.text(pen.columns() - width, 0, lost, Role::warm);
  }
}

void draw_too_small(Canvas& canvas) {
  const Size size = canvas.size();
  const std::string text =
      fmt::format("terminal too small: {}x{} needed, {}x{} here", smallest_size.columns,
                  smallest_size.rows, size.columns, size.rows);
  // In the middle where it fits, over several lines where it must.
  const int width = std::max(1, size.columns);
  const int lines = (static_cast<int>(text.size()) + width - 1) / width;
  int row = std::max(0, (size.rows - lines) / 2);
  for (std::size_t at = 0; at < text.size(); at += static_cast<std::size_t>(width), ++row) {
    const std::string_view line =
        std::string_view(text).substr(at, static_cast<std::size_t>(width));
    canvas.put(lines == 1 ? (width - static_cast<int>(line.size())) / 2 : 0, row, line, Role::warm);
  }
}

}  // namespace

bool is_too_small(Size size) {
  return size.columns < smallest_size.columns || size.rows < smallest_size.rows;
}

Rect body_of(Size size, bool banner) {
  const int top = banner ? 2 : 1;
  return {1, top, std::max(0, size.columns - 2), std::max(0, size.rows - top - 1)};
}

std::string banner_of(const Scene& scene) {
  if (!scene.connected) {
    return fmt::format("router lost {} ago: this is what was known then; still trying {}",
                       duration_text(scene.wall_s_since(scene.connection_since)),
                       scene.options.connected_to);
  }
  if (!scene.feed.has_snapshot() && scene.model.devices().rows() > 0) {
    return "waiting for the router's snapshot: what is shown is not yet whole";
  }
  return {};
}

void arrange(const Model& model, Choices& choices, const Rect& body, Instant now,
             Duration resort_every) {
  int details = 0;  // rows of what is open, and the rows that it has
  int room = 0;
  switch (choices.view) {
    case View::fleet: {
      const Rect cells = map_cells(lay_out_fleet(body, model));
      choices.map = lay_out_heat_map(model, cells.columns, cells.rows);
      break;
    }
    case View::devices: {
      const bool open = choices.device_open && choices.device && model.find(*choices.device);
      choices.device_open = open;
      const Rect list = lay_out_devices(body, open).list;
      choices.columns = columns_that_fit(list.columns - 2);
      sort_devices(model, choices, now, resort_every);
      choices.devices.settle(selected_index(model, choices), static_cast<int>(choices.order.size()),
                             list.rows - 1);
      break;
    }
    case View::jobs: {
      choices.job_open = choices.job_open && choices.job && model.jobs().contains(*choices.job);
      details = job_details_rows(model, choices);
      const TableLayout layout = lay_out_jobs(body, model, details);
      room = layout.details.rows;
      const int rows = layout.list.rows - 1;
      choices.job_lines = list_jobs(model, choices.filter, rows);
      choices.jobs.settle(selected_index(model, choices),
                          static_cast<int>(choices.job_lines.size()), rows);
      break;
    }
    case View::routing: {
      const int selected = selected_index(model, choices);
      if (selected < 0) choices.decision_open = false;
      details = decision_details_rows(model, choices);
      const TableLayout layout = lay_out_routing(body, model, details);
      room = layout.details.rows;
      const Rect list = layout.list;
      if (!choices.decision) choices.decisions.top = 0;
      choices.decisions.settle(selected, static_cast<int>(model.decisions().size()), list.rows - 1);
      break;
    }
    case View::help:
      choices.help.settle(-1, static_cast<int>(help_lines().size()), body.rows);
      break;
  }
  choices.details_top = std::clamp(choices.details_top, 0, std::max(0, details - room));
}

void draw_screen(const Scene& scene, Canvas& canvas) {
  const Size size = canvas.size();
  if (is_too_small(size)) {
    draw_too_small(canvas);
    return;
  }
  const bool ascii = scene.options.ascii;
  draw_title(scene, Pen(canvas, {0, 0, size.columns, 1}, ascii));
  const std::string banner = banner_of(scene);
  if (!banner.empty()) {
    Pen pen(canvas, {0, 1, size.columns, 1}, ascii);
    pen.blank(scene.connected ? Role::warm : Role::alarm);
    pen.field(1, 0, size.columns - 2, banner, scene.connected ? Role::warm : Role::alarm);
  }
  using Draw = void (*)(const Scene&, const Pen&);
  static constexpr std::array<Draw, view_count> views = {draw_fleet, draw_devices, draw_jobs,
                                                         draw_routing, draw_help};
  const Pen body(canvas, body_of(size, !banner.empty()), ascii);
  views[static_cast<std::size_t>(scene.choices.view)](scene, body);
  draw_hints(scene, Pen(canvas, {0, size.rows - 1, size.columns, 1}, ascii));
}

}  // namespace drover::tui
