// One table from keys to actions: it drives the keys, the help page and the hint row, so none of
// them can promise what another does not do.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "tui/dashboard.h"

namespace drover::tui {

enum class View : std::uint8_t { fleet, devices, device, jobs, routing, power, help };
inline constexpr int view_count = 7;

enum class Command : std::uint8_t {
  show_fleet,  // in the order of View
  show_devices,
  show_device,
  show_jobs,
  show_routing,
  show_power,
  show_help,
  next_view,
  previous_view,
  up,
  down,
  left,
  right,
  page_up,
  page_down,
  first,
  last,
  open,
  back,
  details_down,
  details_up,
  next_shade,
  sort_right,
  sort_left,
  invert,
  next_filter,
  pause,  // commands of the time cursor, up to `slower`
  step_back,
  step_on,
  previous_mark,
  next_mark,
  go_live,
  faster,
  slower,
  ask_time,
  toggle_story,
  redraw,
  quit,
};

/// Bits of the views that a binding works in.
inline constexpr std::uint8_t in_fleet = 1, in_devices = 2, in_device = 4, in_jobs = 8,
                              in_routing = 16, in_power = 32, in_help = 64;
inline constexpr std::uint8_t in_tables = in_devices | in_jobs | in_routing;
inline constexpr std::uint8_t in_long = in_device | in_jobs | in_routing | in_power;
inline constexpr std::uint8_t in_every_view = 127;

struct Binding {
  Command command;
  std::uint8_t views;      // where it does something, by the bits above
  std::string_view keys;   // names of Key, parted by blanks
  std::string_view shown;  // for people: "j k"
  std::string_view hint;   // a word for the hint row; empty: not there
  std::string_view help;   // a sentence for the help page
};

std::span<const Binding> bindings();

/// What `key` does in `view`.
std::optional<Command> command_of(const Key& key, View view);
bool works_in(const Binding& binding, View view);

}  // namespace drover::tui
