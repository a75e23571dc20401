#include "tui/state/update.h"

#include <algorithm>

#include "fleet/base/text.h"
#include "tui/model/figures.h"
#include "tui/state/view_table.h"

namespace drover::tui {
namespace {

constexpr int map_page_rows = 5;
constexpr int wheel_rows = 3;
constexpr Command last_view_command = Command::show_help;

View step_view(View view, int step) {
  return static_cast<View>((static_cast<int>(view) + step + view_count) % view_count);
}

int item_count(const Choices& choices) {
  const auto count = row_of(choices.view).count;
  return count == nullptr ? 0 : count(choices);
}

void select(const Model& model, Choices& choices, int index, int direction) {
  const int count = item_count(choices);
  if (count == 0) return;
  row_of(choices.view).select(model, choices, std::clamp(index, 0, count - 1), direction);
}

ListPlace* place_of(Choices& choices) {
  const auto place = row_of(choices.view).place;
  return place == nullptr ? nullptr : place(choices);
}

/// A page without things to select scrolls as a whole.
bool is_page(View view) { return row_of(view).count == nullptr; }

void scroll_page(Choices& choices, int step) {
  if (ListPlace* const place = place_of(choices)) {
    place->top = std::max(0, place->top + step);  // settled when drawn, as the next
  } else {
    choices.details_top = std::max(0, choices.details_top + step);
  }
}

/// The first press of a movement key takes up the row on top of the screen.
void move(const Model& model, Choices& choices, int step, Instant now) {
  choices.moved_at = now;
  if (is_page(choices.view)) return scroll_page(choices, step);
  // Another thing is read from its beginning.
  choices.details_top = 0;
  const int from = selected_index(model, choices);
  const ListPlace* const place = place_of(choices);
  const int top = place == nullptr ? 0 : place->top;
  select(model, choices, from < 0 ? top : from + step, step < 0 ? -1 : 1);
}

/// Rows that a key scrolls a page that is longer than the screen by; 0: it does something else. In
/// the device view j and k go on to another device.
int scroll_step(Choices& choices, Command command) {
  constexpr int whole = 1'000'000;  // settled when drawn
  const bool scrolls = choices.view == View::device || is_page(choices.view);
  if (!scrolls) return 0;
  const ListPlace* const list = is_page(choices.view) ? place_of(choices) : nullptr;
  const int seen = list == nullptr ? choices.details_seen : list->visible;
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

void step_in_map(const Model& model, Choices& choices, int columns, int rows) {
  const int from = selected_index(model, choices);
  const std::size_t cell = from < 0 ? choices.map.cells.size() : static_cast<std::size_t>(from);
  select(model, choices, static_cast<int>(neighbour(choices.map, cell, columns, rows)), 1);
}

void move_in_map(const Model& model, Choices& choices, Command command) {
  switch (command) {
    case Command::up:
    case Command::wheel_up:
      return step_in_map(model, choices, 0, -1);
    case Command::down:
    case Command::wheel_down:
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
      return select(model, choices, command == Command::last ? item_count(choices) - 1 : 0, 1);
  }
}

void go_to_end(const Model& model, Choices& choices, bool last, Instant now) {
  choices.moved_at = now;
  choices.details_top = 0;
  select(model, choices, last ? item_count(choices) - 1 : 0, last ? -1 : 0);
}

void move_in_list(const Model& model, Choices& choices, Command command, Instant now) {
  if (const int step = scroll_step(choices, command); step != 0) {
    if (is_page(choices.view)) return scroll_page(choices, step);
    choices.details_top = std::max(0, choices.details_top + step);
    return;
  }
  const ListPlace* const place = place_of(choices);
  const int page = place == nullptr ? 1 : std::max(1, place->visible - 1);
  switch (command) {
    case Command::up:
      return move(model, choices, -1, now);
    case Command::down:
      return move(model, choices, 1, now);
    case Command::wheel_up:
      return move(model, choices, -wheel_rows, now);
    case Command::wheel_down:
      return move(model, choices, wheel_rows, now);
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

bool moves(Command command) { return command >= Command::up && command <= Command::last; }

void open(const Model& model, Choices& choices, Instant now) {
  const ViewRow& row = row_of(choices.view);
  if (row.open == nullptr) return;
  if (row.selected(model, choices) < 0 && item_count(choices) > 0) move(model, choices, 0, now);
  row.open(model, choices);
  choices.details_top = 0;
}

/// From none through all of them to none again.
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
    case Command::sort_second:
      return step_second(devices);
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
  jobs.place = ListPlace{};
}

bool contains(std::string_view text, std::string_view word) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(),
                     [&](char a, char b) { return lower(a) == lower(b); }) != text.end();
}

/// The next item or line with what is looked for, round from the last to the first.
void find(const Model& model, Choices& choices, int step, Instant now) {
  const ViewRow& row = row_of(choices.view);
  ListPlace* const page = is_page(choices.view) ? place_of(choices) : nullptr;
  const int count = page != nullptr ? page->count : item_count(choices);
  if (row.text == nullptr || choices.finding.empty()) return;
  const int from = page != nullptr ? page->top : selected_index(model, choices);
  for (int i = 1; i <= count; ++i) {
    const int index = ((from + step * i) % count + count) % count;
    if (!contains(row.text(model, choices, index), choices.finding)) continue;
    if (page != nullptr) {
      page->top = index;
    } else {
      select_item(model, choices, index, now);
    }
    return;
  }
  choices.note = "nothing here has '" + choices.finding + "'";
}

template <typename Thing>
void toggle(std::set<Thing>& tagged, const Thing& thing) {
  if (tagged.erase(thing) == 0 && tagged.size() < tags_max) tagged.insert(thing);
}

std::string tags_text(std::size_t count, std::string_view of) {
  if (count == 0) return fmt::format("no {} is tagged", of);
  return fmt::format("{} tagged: an action reaches all of them", counted(count, of));
}

/// Tags what is selected, and goes on to the next, as in every list of files.
void tag(const Model& model, Choices& choices, Instant now) {
  const bool jobs = choices.view == View::jobs;
  if (jobs ? !choices.jobs.chosen.has_value() : !choices.device.has_value()) {
    choices.note = "nothing is selected that could be tagged";
    return;
  }
  if (jobs) {
    toggle(choices.tagged_jobs, *choices.jobs.chosen);
    choices.note = tags_text(choices.tagged_jobs.size(), "job");
  } else {
    toggle(choices.tagged_devices, *choices.device);
    choices.note = tags_text(choices.tagged_devices.size(), "device");
  }
  if (choices.view == View::fleet) return move_in_map(model, choices, Command::right);
  if (choices.view != View::device) move(model, choices, 1, now);
}

/// Commands that neither move nor lead to a view by its name.
void choose(const Model& model, Choices& choices, Command command, Instant now) {
  const ViewRow& row = row_of(choices.view);
  switch (command) {
    case Command::next_view:
    case Command::previous_view:
      return show_view(choices, step_view(choices.view, command == Command::next_view ? 1 : -1));
    case Command::open:
      return open(model, choices, now);
    case Command::back:
      if (row.back == nullptr || !row.back(choices)) choices.narrowing.set({});
      return;
    case Command::details_down:
      ++choices.details_top;  // not beyond the end: settled when drawn
      return;
    case Command::details_up:
      choices.details_top = std::max(0, choices.details_top - 1);
      return;
    case Command::next_shade:
    case Command::previous_shade:
      return advance(choices.metric, map_metric_count, command == Command::next_shade ? 1 : -1);
    case Command::next_group:
      if (choices.view == View::fleet) return advance(choices.grouping, grouping_count, 1);
      return change_order(choices.devices, command);
    case Command::sort_right:
    case Command::sort_left:
    case Command::sort_second:
    case Command::invert:
      return change_order(choices.devices, command);
    case Command::next_filter:
      if (choices.view == View::events) return step_news_filter(choices.news);
      return step_job_filter(choices.jobs);
    case Command::find_next:
    case Command::find_previous:
      return find(model, choices, command == Command::find_next ? 1 : -1, now);
    case Command::zoom_in:
    case Command::zoom_out:
      choices.zoom = std::clamp(choices.zoom + (command == Command::zoom_out ? 1 : -1), 0,
                                static_cast<int>(zoom_factors.size()) - 1);
      return;
    case Command::tag:
      return tag(model, choices, now);
    case Command::untag_all:
      choices.tagged_devices.clear();
      choices.tagged_jobs.clear();
      return;
    case Command::quit:
      choices.quit = true;
      return;
    default:
      return;  // a new frame is all that is wanted
  }
}

}  // namespace

void Choices::forget_layout() {
  map = HeatMap{};
  devices.lines.clear();
  devices.order_structure = 0;
  jobs.lines.clear();
  decisions.numbers.clear();
  news.lines.clear();
  hosts.numbers.clear();
}

void show_view(Choices& choices, View view) {
  if (view == View::help && choices.view != View::help) choices.before_help = choices.view;
  if (view == View::device && choices.view != View::device) {
    choices.before_device = choices.view == View::help ? View::devices : choices.view;
  }
  choices.view = view;
  choices.figure = {};
  choices.details_top = 0;
}

int selected_index(const Model& model, const Choices& choices) {
  const auto selected = row_of(choices.view).selected;
  return selected == nullptr ? -1 : selected(model, choices);
}

void select_item(const Model& model, Choices& choices, int index, Instant now) {
  choices.moved_at = now;
  choices.details_top = 0;
  if (index >= 0 && index < item_count(choices)) {
    row_of(choices.view).select(model, choices, index, 1);
  }
}

bool deselect_device(Choices& choices) {
  const bool was_selected = choices.device.has_value();
  choices.device.reset();
  return was_selected;
}

void select_figure(Choices& choices, int index) {
  choices.figure.index = (index + figure_count) % figure_count;
  choices.figure.follow = true;
  if (choices.figure.open) choices.details_top = 0;
}

void update(const Model& model, Choices& choices, Command command, Instant now) {
  const bool aside = command == Command::left || command == Command::right;
  if (command <= last_view_command) {
    show_view(choices, static_cast<View>(command));
  } else if (aside && choices.view == View::device) {
    const int from = choices.figure.index;
    select_figure(choices, from < 0 ? 0 : command == Command::right ? from + 1 : from - 1);
  } else if (moves(command)) {
    const bool in_map = choices.view == View::fleet;
    in_map ? move_in_map(model, choices, command) : move_in_list(model, choices, command, now);
  } else {
    choose(model, choices, command, now);
  }
}

}  // namespace drover::tui
