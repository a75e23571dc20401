#include "tui/state/update.h"

#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "tui/model/metric_formulas.h"
#include "tui/state/view_table.h"

namespace drover::tui {
namespace {

constexpr int map_page_rows = 5;
constexpr int wheel_rows = 3;

View step_view(View view, int step) {
  return static_cast<View>((static_cast<int>(view) + step + view_count) % view_count);
}

int item_count(const UiState& ui) {
  const auto count = view_definition(ui.view).count;
  return count == nullptr ? 0 : count(ui);
}

void select(const Model& model, UiState& ui, int index, int direction) {
  const int count = item_count(ui);
  if (count == 0) return;
  view_definition(ui.view).select(model, ui, std::clamp(index, 0, count - 1), direction);
}

ListViewport* place_of(UiState& ui) {
  const auto place = view_definition(ui.view).place;
  return place == nullptr ? nullptr : place(ui);
}

/// A view without selectable items scrolls as a whole.
bool is_page(View view) { return view_definition(view).count == nullptr; }

void scroll_page(UiState& ui, int step) {
  if (ListViewport* const place = place_of(ui)) {
    place->top = std::max(0, place->top + step);  // limited when drawn, as is details_top
  } else {
    ui.details_top = std::max(0, ui.details_top + step);
  }
}

/// Moves the selection; without one, selects the first visible row.
void move(const Model& model, UiState& ui, int step, Instant now) {
  ui.moved_at = now;
  if (is_page(ui.view)) return scroll_page(ui, step);
  ui.details_top = 0;
  const int from = selected_index(model, ui);
  const ListViewport* const place = place_of(ui);
  const int top = place == nullptr ? 0 : place->top;
  select(model, ui, from < 0 ? top : from + step, step < 0 ? -1 : 1);
}

/// The number of rows by which a command scrolls a page that is longer than the screen; 0 if it
/// does something else. In the device view j and k select another device.
int scroll_step(UiState& ui, Command command) {
  constexpr int whole = 1'000'000;  // limited when drawn
  const bool scrolls = ui.view == View::device || is_page(ui.view);
  if (!scrolls) return 0;
  const ListViewport* const list = is_page(ui.view) ? place_of(ui) : nullptr;
  const int seen = list == nullptr ? ui.details_seen : list->visible;
  const int page = std::max(1, seen - 1);
  switch (command) {
    case Command::page_up:
      return -page;
    case Command::page_down:
      return page;
    case Command::first:
      return -whole;
    case Command::last:
      return whole;
    default:
      return 0;
  }
}

void step_in_map(const Model& model, UiState& ui, int columns, int rows) {
  const int from = selected_index(model, ui);
  const std::size_t cell = from < 0 ? ui.map.cells.size() : static_cast<std::size_t>(from);
  select(model, ui, static_cast<int>(neighbour(ui.map, cell, columns, rows)), 1);
}

void move_in_map(const Model& model, UiState& ui, Command command) {
  switch (command) {
    case Command::up:
    case Command::wheel_up:
      return step_in_map(model, ui, 0, -1);
    case Command::down:
    case Command::wheel_down:
      return step_in_map(model, ui, 0, 1);
    case Command::left:
      return step_in_map(model, ui, -1, 0);
    case Command::right:
      return step_in_map(model, ui, 1, 0);
    case Command::page_up:
    case Command::page_down:
      for (int i = 0; i < map_page_rows; ++i) {
        step_in_map(model, ui, 0, command == Command::page_up ? -1 : 1);
      }
      return;
    default:
      return select(model, ui, command == Command::last ? item_count(ui) - 1 : 0, 1);
  }
}

void go_to_end(const Model& model, UiState& ui, bool last, Instant now) {
  ui.moved_at = now;
  ui.details_top = 0;
  select(model, ui, last ? item_count(ui) - 1 : 0, last ? -1 : 0);
}

void move_in_list(const Model& model, UiState& ui, Command command, Instant now) {
  if (const int step = scroll_step(ui, command); step != 0) {
    if (is_page(ui.view)) return scroll_page(ui, step);
    ui.details_top = std::max(0, ui.details_top + step);
    return;
  }
  const ListViewport* const place = place_of(ui);
  const int page = place == nullptr ? 1 : std::max(1, place->visible - 1);
  switch (command) {
    case Command::up:
      return move(model, ui, -1, now);
    case Command::down:
      return move(model, ui, 1, now);
    case Command::wheel_up:
      return move(model, ui, -wheel_rows, now);
    case Command::wheel_down:
      return move(model, ui, wheel_rows, now);
    case Command::page_up:
      return move(model, ui, -page, now);
    case Command::page_down:
      return move(model, ui, page, now);
    case Command::first:
    case Command::last:
      return go_to_end(model, ui, command == Command::last, now);
    default:
      return;  // left and right
  }
}

bool shows_view(Command command) { return static_cast<int>(command) < view_count; }
bool moves(Command command) { return command >= Command::up && command <= Command::last; }

void open(const Model& model, UiState& ui, Instant now) {
  const ViewDefinition& row = view_definition(ui.view);
  if (row.open == nullptr) return;
  if (row.selected(model, ui) < 0 && item_count(ui) > 0) move(model, ui, 0, now);
  row.open(model, ui);
  ui.details_top = 0;
}

/// Cycles through none and all groupings.
std::optional<Grouping> next_grouping(const std::optional<Grouping>& grouping) {
  if (!grouping) return Grouping{0};
  const int next = static_cast<int>(*grouping) + 1;
  return next < grouping_count ? std::optional(static_cast<Grouping>(next)) : std::nullopt;
}

void change_order(DeviceList& devices, Command command) {
  switch (command) {
    case Command::invert:
      devices.descending = !devices.descending;
      devices.order_structure = 0;
      return;
    case Command::next_secondary_sort:
      return step_secondary_sort(devices);
    case Command::next_group:
      return group_by(devices, next_grouping(devices.grouping));
    default:
      return step_sort(devices, command == Command::sort_right ? 1 : -1);
  }
}

template <typename Choice>
void advance(Choice& chosen, int count, int by) {
  chosen = static_cast<Choice>((static_cast<int>(chosen) + by + count) % count);
}

void step_job_filter(JobList& jobs) {
  advance(jobs.filter, job_filter_count, 1);
  jobs.place = ListViewport{};
}

/// Selects the next item or line that contains the text, and wraps around at the end.
void find(const Model& model, UiState& ui, int step, Instant now) {
  const ViewDefinition& row = view_definition(ui.view);
  ListViewport* const page = is_page(ui.view) ? place_of(ui) : nullptr;
  const int count = page != nullptr ? page->count : item_count(ui);
  if (row.text == nullptr || ui.finding.empty()) return;
  const int from = page != nullptr ? page->top : selected_index(model, ui);
  for (int i = 1; i <= count; ++i) {
    const int index = ((from + step * i) % count + count) % count;
    if (!contains_ignoring_case(row.text(model, ui, index), ui.finding)) continue;
    if (page != nullptr) {
      page->top = index;
    } else {
      select_item(model, ui, index, now);
    }
    return;
  }
  ui.note = "nothing here contains '" + ui.finding + "'";
}

template <typename Id>
void toggle(std::set<Id>& tagged, const Id& id) {
  if (tagged.erase(id) == 0 && tagged.size() < tags_max) tagged.insert(id);
}

std::string tags_text(std::size_t count, std::string_view of) {
  if (count == 0) return fmt::format("no {} is tagged", of);
  return fmt::format("{} tagged: actions apply to all of them", counted(count, of));
}

/// Tags the selection and moves to the next item, as file managers do.
void tag(const Model& model, UiState& ui, Instant now) {
  const bool jobs = ui.view == View::jobs;
  if (jobs ? !ui.jobs.chosen.has_value() : !ui.device.has_value()) {
    ui.note = "nothing is selected to tag";
    return;
  }
  if (jobs) {
    toggle(ui.tagged_jobs, *ui.jobs.chosen);
    ui.note = tags_text(ui.tagged_jobs.size(), "job");
  } else {
    toggle(ui.tagged_devices, *ui.device);
    ui.note = tags_text(ui.tagged_devices.size(), "device");
  }
  if (ui.view == View::fleet) return move_in_map(model, ui, Command::right);
  if (ui.view != View::device) move(model, ui, 1, now);
}

/// Handles commands that neither move nor show a view by its name.
void choose(const Model& model, UiState& ui, Command command, Instant now) {
  const ViewDefinition& row = view_definition(ui.view);
  switch (command) {
    case Command::next_view:
    case Command::previous_view:
      return show_view(ui, step_view(ui.view, command == Command::next_view ? 1 : -1));
    case Command::open:
      return open(model, ui, now);
    case Command::back:
      if (row.back == nullptr || !row.back(ui)) ui.fleet_filter.set({});
      return;
    case Command::details_down:
      ++ui.details_top;  // limited when drawn
      return;
    case Command::details_up:
      ui.details_top = std::max(0, ui.details_top - 1);
      return;
    case Command::next_map_metric:
    case Command::previous_map_metric:
      return advance(ui.metric, map_metric_count, command == Command::next_map_metric ? 1 : -1);
    case Command::next_group:
      if (ui.view == View::fleet) return advance(ui.grouping, grouping_count, 1);
      return change_order(ui.devices, command);
    case Command::sort_right:
    case Command::sort_left:
    case Command::next_secondary_sort:
    case Command::invert:
      return change_order(ui.devices, command);
    case Command::next_filter:
      if (ui.view == View::events) return advance(ui.log.filter, log_filter_count, 1);
      return step_job_filter(ui.jobs);
    case Command::find_next:
    case Command::find_previous:
      return find(model, ui, command == Command::find_next ? 1 : -1, now);
    case Command::zoom_in:
    case Command::zoom_out:
      ui.zoom = std::clamp(ui.zoom + (command == Command::zoom_out ? 1 : -1), 0,
                           static_cast<int>(zoom_factors.size()) - 1);
      return;
    case Command::tag:
      return tag(model, ui, now);
    case Command::untag_all:
      ui.tagged_devices.clear();
      ui.tagged_jobs.clear();
      return;
    default:
      return;  // redraw only needs a new frame
  }
}

}  // namespace

void UiState::forget_layout() {
  map = HeatMap{};
  devices.lines.clear();
  devices.order_structure = 0;
  jobs.lines.clear();
  decisions.numbers.clear();
  log.lines.clear();
  hosts.numbers.clear();
}

void show_view(UiState& ui, View view) {
  if (view == View::help && ui.view != View::help) ui.before_help = ui.view;
  if (view == View::device && ui.view != View::device) {
    ui.before_device = ui.view == View::help ? View::devices : ui.view;
  }
  ui.view = view;
  ui.figure = {};
  ui.details_top = 0;
}

int selected_index(const Model& model, const UiState& ui) {
  const auto selected = view_definition(ui.view).selected;
  return selected == nullptr ? -1 : selected(model, ui);
}

void select_item(const Model& model, UiState& ui, int index, Instant now) {
  ui.moved_at = now;
  ui.details_top = 0;
  if (index >= 0 && index < item_count(ui)) {
    view_definition(ui.view).select(model, ui, index, 1);
  }
}

bool deselect_device(UiState& ui) { return std::exchange(ui.device, std::nullopt).has_value(); }

void select_formula(UiState& ui, int index) {
  ui.figure.index = (index + metric_formula_count) % metric_formula_count;
  ui.figure.follow = true;
  if (ui.figure.open) ui.details_top = 0;
}

void update(const Model& model, UiState& ui, Command command, Instant now) {
  const bool aside = command == Command::left || command == Command::right;
  if (shows_view(command)) {
    show_view(ui, static_cast<View>(command));
  } else if (aside && ui.view == View::device) {
    const int from = ui.figure.index;
    select_formula(ui, from < 0 ? 0 : command == Command::right ? from + 1 : from - 1);
  } else if (moves(command)) {
    const bool in_map = ui.view == View::fleet;
    in_map ? move_in_map(model, ui, command) : move_in_list(model, ui, command, now);
  } else {
    choose(model, ui, command, now);
  }
}

}  // namespace drover::tui
