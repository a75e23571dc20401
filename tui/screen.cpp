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

constexpr int titled_columns_least = 70;  // below, the clock is of more use than the name

void draw_title(const Scene& scene, Pen pen) {
  pen.blank(Role::title);
  int column = 0;
  if (pen.columns() >= titled_columns_least) column = pen.text(0, 0, " DROVER ", Role::badge);
  for (int view = 0; view < view_count; ++view) {
    const bool shown = static_cast<int>(scene.choices.view) == view;
    const std::string name =
        fmt::format(" {} {} ", view + 1, view_names()[static_cast<std::size_t>(view)]);
    column = pen.text(column, 0, name, shown ? Role::selected : Role::title);
  }
  // From the right: what fits, the clock first; all times on the screen are of this clock.
  std::string right;
  const auto add = [&](const std::string& part, int gap) {
    const int width = static_cast<int>(column_width(part + right));
    if (!part.empty() && column + width + gap <= pen.columns()) right.insert(0, part);
  };
  add(to_clock_text(scene.now) + " UTC ", 0);
  if (scene.options.speed != 1) add(fmt::format("x{:g}  ", scene.options.speed), 0);
  const std::string endpoint = printable(scene.options.connected_to);
  if (!endpoint.empty()) add(endpoint + "  ", 2);
  pen.text(pen.columns() - static_cast<int>(column_width(right)), 0, right, Role::title);
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
  const auto add = [&lost](std::uint64_t count, std::string_view one, std::string_view many) {
    if (count > 0)
      lost += fmt::format("{} {} lost ", count_text(double(count)), count == 1 ? one : many);
  };
  add(samples, "sample batch", "sample batches");
  add(scene.feed.gaps(), "message", "messages");
  if (scene.feed.undecodable() > 0) lost += fmt::format("{} broken ", scene.feed.undecodable());
  if (scene.model.left_out() > 0) {
    lost += fmt::format("{} beyond limits ", count_text(double(scene.model.left_out())));
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
      choices.columns = columns_that_fit(list.columns - 3);
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
      choices.help.settle(-1, static_cast<int>(help_lines().size()), help_rows(body.rows));
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
