// One table from keys to commands. It drives the keys, the help page and the hint row, so that
// these always agree. Not in the table: the keys of an open prompt (tui/state/prompt.cpp), the
// answers to a confirmation and clicks (tui/dashboard_keys.cpp), and Ctrl-Z and the repainting on
// Ctrl-L (tui/terminal/terminal.cpp).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tui/terminal/key.h"

namespace drover::tui {

enum class View : std::uint8_t {
  fleet,
  devices,
  device,
  jobs,
  routing,
  power,
  events,
  data_plane,
  help
};
inline constexpr int view_count = 9;

/// Code compares commands by their order: keep each marked range together.
enum class Command : std::uint8_t {
  show_fleet,  // shows a view, in the order of View, up to `show_help`
  show_devices,
  show_device,
  show_jobs,
  show_routing,
  show_power,
  show_events,
  show_data_plane,
  show_help,
  next_view,
  previous_view,
  up,  // moves, up to `last`
  down,
  left,
  right,
  page_up,
  page_down,
  wheel_up,
  wheel_down,
  first,
  last,
  open,
  back,
  details_down,
  details_up,
  next_map_metric,
  previous_map_metric,
  next_group,
  sort_right,
  sort_left,
  next_secondary_sort,
  invert,
  next_filter,
  zoom_in,
  zoom_out,
  tag,
  untag_all,
  find_next,
  find_previous,
  pause,  // commands of the playback cursor, up to `slower`
  step_back,
  step_forward,
  previous_marker,
  next_marker,
  go_live,
  bookmark,
  loop_begin,
  loop_end,
  faster,
  slower,
  ask_time,  // prompts, up to `ask_find`
  ask_filter,
  ask_command,
  ask_find,
  drain,  // requests to the router, up to `acknowledge_all`
  resume,
  cap_power,
  cancel,
  inject,
  acknowledge,
  acknowledge_all,
  toggle_story,
  redraw,
  quit,
};
static_assert(static_cast<int>(Command::next_view) == view_count);  // one `show_` for each view

/// A bit for each view that a binding works in, in the order of View.
using Views = std::uint16_t;
inline constexpr Views in_fleet = 1, in_devices = 2, in_device = 4, in_jobs = 8, in_routing = 16,
                       in_power = 32, in_events = 64, in_data_plane = 128, in_help = 256;
inline constexpr Views in_tables = in_devices | in_jobs | in_routing | in_events | in_data_plane;
inline constexpr Views in_long = in_device | in_jobs | in_routing | in_power;
inline constexpr Views with_devices = in_fleet | in_devices | in_device | in_data_plane;
inline constexpr Views in_every_view = (1U << view_count) - 1;

struct Binding {
  Command command;
  Views views;             // where it works
  std::string_view keys;   // names of Key, separated by blanks
  std::string_view shown;  // as the help page shows them: "j k"
  std::string_view hint;   // a word for the hint row; empty: not in it
  std::string_view help;   // a sentence for the help page
};

std::span<const Binding> bindings();

/// The command of `key` in `view`, if it has one.
std::optional<Command> command_of(const Key& key, View view);
bool works_in(const Binding& binding, View view);
/// Whether a command sends a request to the router: a change or an acknowledgement.
bool changes_fleet(Command command);

}  // namespace drover::tui
