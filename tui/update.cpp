#include "tui/update.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "tui/columns.h"

namespace drover::tui {
namespace {

constexpr int map_page_rows = 5;
constexpr Command last_view_command = Command::show_help;

View step_view(View view, int step) {
  return static_cast<View>((static_cast<int>(view) + step + view_count) % view_count);
}

void show(Choices& choices, View view) {
  if (view == View::help && choices.view != View::help) choices.before_help = choices.view;
  if (view == View::device && choices.view != View::device) {
    choices.before_device = choices.view == View::help ? View::devices : choices.view;
  }
  choices.view = view;
  choices.details_top = 0;
}

int item_count(const Model& model, const Choices& choices) {
  switch (choices.view) {
    case View::fleet:
      return static_cast<int>(choices.map.cells.size());
    case View::devices:
    case View::device:
      return static_cast<int>(choices.order.size());
    case View::jobs:
      return static_cast<int>(choices.job_lines.size());
    case View::routing:
      return static_cast<int>(model.decisions().size());
    case View::power:
      return 0;
    case View::help:
      return choices.help.count;
  }
  return 0;
}

void select_cell(const Model& model, Choices& choices, std::size_t cell) {
  if (cell >= choices.map.cells.size()) return;
  const std::uint32_t place = choices.map.cells[cell].first;
  if (place < model.device_order().size()) {
    choices.device = model.id_of(model.device_order()[place]);
  }
}

/// Headings cannot be selected: looks on in the direction of the move, then back.
void select_job_line(Choices& choices, int index, int direction) {
  const auto& lines = choices.job_lines;
  const auto is_job = [&](int i) {
    return i >= 0 && i < static_cast<int>(lines.size()) &&
           lines[static_cast<std::size_t>(i)].kind == JobLine::Kind::job;
  };
  for (const int step : {direction, -direction}) {
    for (int i = index; i >= 0 && i < static_cast<int>(lines.size()); i += step) {
      if (!is_job(i)) continue;
      choices.job = lines[static_cast<std::size_t>(i)].job;
      choices.jobs.row = -1;
      return;
    }
  }
}

void select(const Model& model, Choices& choices, int index, int direction) {
  const int count = item_count(model, choices);
  if (count == 0) return;
  index = std::clamp(index, 0, count - 1);
  switch (choices.view) {
    case View::fleet:
      select_cell(model, choices, static_cast<std::size_t>(index));
      break;
    case View::devices:
    case View::device:
      choices.device = model.id_of(choices.order[static_cast<std::size_t>(index)]);
      choices.devices.row = -1;
      break;
    case View::jobs:
      select_job_line(choices, index, direction);
      break;
    case View::routing:
      choices.decision = model.decisions()[static_cast<std::size_t>(count - 1 - index)].number;
      choices.decisions.row = -1;
      break;
    case View::power:
    case View::help:
      break;
  }
}

const ListPlace& list_of(const Choices& choices) {
  switch (choices.view) {
    case View::devices:
    case View::device:
      return choices.devices;
    case View::jobs:
      return choices.jobs;
    case View::routing:
      return choices.decisions;
    default:
      return choices.help;
  }
}

/// The first press of a movement key takes up the row on top of the screen.
void move(const Model& model, Choices& choices, int step, Instant now) {
  choices.moved_at = now;
  if (choices.view == View::help) {
    choices.help.top = std::max(0, choices.help.top + step);
    return;
  }
  if (choices.view == View::power) {
    choices.details_top = std::max(0, choices.details_top + step);  // settled when drawn
    return;
  }
  const int from = selected_index(model, choices);
  const int direction = step < 0 ? -1 : 1;
  select(model, choices, from < 0 ? list_of(choices).top : from + step, direction);
}

void step_in_map(const Model& model, Choices& choices, int columns, int rows) {
  const int from = selected_index(model, choices);
  const std::size_t cell = from < 0 ? choices.map.cells.size() : static_cast<std::size_t>(from);
  select_cell(model, choices, neighbour(choices.map, cell, columns, rows));
}

void go_to_end(const Model& model, Choices& choices, bool last, Instant now) {
  choices.moved_at = now;
  if (choices.view == View::help) {
    choices.help.top = last ? choices.help.count : 0;  // settled when drawn
    return;
  }
  if (choices.view == View::routing && !last && !choices.decision_open) {
    choices.decision.reset();  // the top of a live list is its newest, whatever that will be
    choices.decisions = ListPlace{};
    return;
  }
  select(model, choices, last ? item_count(model, choices) - 1 : 0, last ? -1 : 1);
}

bool moves(Command command) { return command >= Command::up && command <= Command::last; }

void move_in_map(const Model& model, Choices& choices, Command command) {
  switch (command) {
    case Command::up:
      return step_in_map(model, choices, 0, -1);
    case Command::down:
      return step_in_map(model, choices, 0, 1);
    case Command::left:
      return step_in_map(model, choices, -1, 0);
    case Command::right:
      return step_in_map(model, choices, 1, 0);
    case Command::page_up:
    case Command::page_down:
      for (int i = 0; i < map_page_rows; ++i) {
        step_in_map(model, choices, 0, command == Command::page_up ? -1 : 1);
      }
      return;
    default:
      return select(model, choices, command == Command::last ? item_count(model, choices) - 1 : 0,
                    1);
  }
}

/// Rows that a key scrolls a page that is longer than the screen by; 0: it does something else. In
/// the device view j and k go on to another device.
int scroll_step(const Choices& choices, Command command) {
  constexpr int whole = 1'000'000;  // settled when drawn
  if (choices.view != View::device && choices.view != View::power) return 0;
  const int page = std::max(1, choices.details_seen - 1);
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
      break;
  }
  if (choices.view == View::device) return 0;
  return command == Command::up ? -1 : command == Command::down ? 1 : 0;
}

void move_in_list(const Model& model, Choices& choices, Command command, Instant now) {
  if (const int step = scroll_step(choices, command); step != 0) {
    choices.details_top = std::max(0, choices.details_top + step);
    return;
  }
  // Another thing is read from its beginning.
  if (choices.view != View::power) choices.details_top = 0;
  const int page = std::max(1, list_of(choices).visible - 1);
  switch (command) {
    case Command::up:
      return move(model, choices, -1, now);
    case Command::down:
      return move(model, choices, 1, now);
    case Command::page_up:
      return move(model, choices, -page, now);
    case Command::page_down:
      return move(model, choices, page, now);
    case Command::first:
    case Command::last:
      return go_to_end(model, choices, command == Command::last, now);
    default:
      return;  // left and right
  }
}

void open(const Model& model, Choices& choices) {
  if (selected_index(model, choices) < 0) select(model, choices, list_of(choices).top, 1);
  switch (choices.view) {
    case View::fleet:
    case View::devices:
      if (!choices.device) select(model, choices, 0, 1);
      if (choices.device) show(choices, View::device);
      break;
    case View::jobs:
      choices.job_open = choices.job.has_value();
      break;
    case View::routing:
      choices.decision_open = choices.decision.has_value();
      break;
    case View::device:
    case View::power:
    case View::help:
      break;
  }
}

/// Closes what is open, else lets the selection go; never leaves the program.
template <typename Selection>
void close(bool& open, std::optional<Selection>& selection) {
  if (!open) selection.reset();
  open = false;
}

void back(Choices& choices) {
  switch (choices.view) {
    case View::fleet:
    case View::devices:
      choices.device.reset();
      break;
    case View::device:
      choices.view = choices.before_device;
      break;
    case View::jobs:
      close(choices.job_open, choices.job);
      break;
    case View::routing:
      close(choices.decision_open, choices.decision);
      break;
    case View::power:
      break;
    case View::help:
      choices.view = choices.before_help;
      break;
  }
}

void step_sort(Choices& choices, int step) {
  const auto& shown = choices.columns;
  if (shown.empty()) return;
  const auto at = std::find(shown.begin(), shown.end(), choices.sort_column);
  const int place = at == shown.end() ? 0 : static_cast<int>(at - shown.begin());
  const int count = static_cast<int>(shown.size());
  choices.sort_column = shown[static_cast<std::size_t>((place + step + count) % count)];
  // Of a quantity the greatest is of interest, of a name the first.
  choices.descending = device_columns()[static_cast<std::size_t>(choices.sort_column)].quantity;
  choices.order_structure = 0;
  choices.devices = ListPlace{};
}

/// Commands that neither move nor lead to a view by its name.
void choose(const Model& model, Choices& choices, Command command) {
  switch (command) {
    case Command::next_view:
      return show(choices, step_view(choices.view, 1));
    case Command::previous_view:
      return show(choices, step_view(choices.view, -1));
    case Command::open:
      choices.details_top = 0;
      return open(model, choices);
    case Command::back:
      return back(choices);
    case Command::details_down:
      ++choices.details_top;  // not beyond the end: settled when drawn
      return;
    case Command::details_up:
      choices.details_top = std::max(0, choices.details_top - 1);
      return;
    case Command::next_shade:
      choices.shade = static_cast<Shade>((static_cast<int>(choices.shade) + 1) % shade_count);
      return;
    case Command::sort_right:
      return step_sort(choices, 1);
    case Command::sort_left:
      return step_sort(choices, -1);
    case Command::invert:
      choices.descending = !choices.descending;
      choices.order_structure = 0;
      return;
    case Command::next_filter:
      choices.filter =
          static_cast<JobFilter>((static_cast<int>(choices.filter) + 1) % job_filter_count);
      choices.jobs = ListPlace{};
      return;
    case Command::quit:
      choices.quit = true;
      return;
    default:
      return;  // a new frame is all that is wanted
  }
}

}  // namespace

void ListPlace::settle(int selected, int items, int rows) {
  count = items;
  visible = std::max(1, rows);
  if (selected >= 0 && row >= 0) top = selected - row;
  if (selected >= 0) top = std::clamp(top, selected - visible + 1, selected);
  top = std::clamp(top, 0, std::max(0, count - visible));
  row = selected >= 0 ? selected - top : -1;
}

void Choices::forget_layout() {
  map = HeatMap{};
  order.clear();
  order_structure = 0;
  job_lines.clear();
}

std::string_view to_text(JobFilter filter) {
  static constexpr std::array<std::string_view, job_filter_count> names = {
      "all", "running", "waiting", "failed", "finished"};
  return names[static_cast<std::size_t>(filter)];
}

int selected_index(const Model& model, const Choices& choices) {
  switch (choices.view) {
    case View::fleet: {
      if (!choices.device) return -1;
      const auto row = model.find(*choices.device);
      if (!row) return -1;
      const auto& order = model.device_order();
      // A host's rows lie together in both, so its first row tells the place of all.
      const auto first = std::find(order.begin(), order.end(), model.host_of(*row).first);
      const auto place =
          static_cast<std::uint32_t>(first - order.begin()) + (*row - model.host_of(*row).first);
      const std::size_t cell = cell_of(choices.map, place);
      return cell < choices.map.cells.size() ? static_cast<int>(cell) : -1;
    }
    case View::devices:
    case View::device: {
      if (!choices.device) return -1;
      const auto row = model.find(*choices.device);
      if (!row) return -1;
      const auto at = std::find(choices.order.begin(), choices.order.end(), *row);
      return at == choices.order.end() ? -1 : static_cast<int>(at - choices.order.begin());
    }
    case View::jobs: {
      if (!choices.job) return -1;
      const auto at = std::find_if(
          choices.job_lines.begin(), choices.job_lines.end(), [&](const JobLine& line) {
            return line.kind == JobLine::Kind::job && line.job == *choices.job;
          });
      return at == choices.job_lines.end() ? -1 : static_cast<int>(at - choices.job_lines.begin());
    }
    case View::routing: {
      if (!choices.decision) return -1;
      const auto& decisions = model.decisions();
      const auto at = std::find_if(decisions.rbegin(), decisions.rend(), [&](const Decision& d) {
        return d.number == *choices.decision;
      });
      return at == decisions.rend() ? -1 : static_cast<int>(at - decisions.rbegin());
    }
    case View::power:
    case View::help:
      break;
  }
  return -1;
}

void update(const Model& model, Choices& choices, Command command, Instant now) {
  if (command <= last_view_command) {
    show(choices, static_cast<View>(command));
  } else if (moves(command)) {
    choices.view == View::fleet ? move_in_map(model, choices, command)
                                : move_in_list(model, choices, command, now);
  } else {
    choose(model, choices, command);
  }
}

}  // namespace drover::tui
