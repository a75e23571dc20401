#include "tui/keymap.h"

#include <array>

#include "fleet/text.h"

namespace drover::tui {
namespace {

// Keys follow htop, nvtop, btop and k9s where these agree; no function key is the only way. The way
// out stands first: on narrow screens the hints, and on low ones the help page, show only so many.
constexpr std::array table = {
    Binding{Command::quit, in_every_view, "q Ctrl-C", "q", "quit", "Quit"},
    Binding{Command::show_help, in_every_view, "7 ? F1", "7 ?", "help", "This page"},
    Binding{Command::next_view, in_every_view, "Tab", "Tab", "next view", "Next view"},
    Binding{Command::previous_view, in_every_view, "Shift-Tab", "S-Tab", "", "View before"},
    Binding{Command::show_fleet, in_every_view, "1", "1", "", "The whole fleet on one page"},
    Binding{Command::show_devices, in_every_view, "2", "2", "", "Every device as a row"},
    Binding{Command::show_device, in_every_view, "3", "3", "", "One device: history, work, faults"},
    Binding{Command::show_jobs, in_every_view, "4", "4", "", "Jobs, and what they wait for"},
    Binding{Command::show_routing, in_every_view, "5", "5", "",
            "Decisions: where work went, and why"},
    Binding{Command::show_power, in_every_view, "6", "6", "",
            "Watts against caps, money and energy"},
    Binding{Command::open, in_fleet | in_tables, "Enter", "Enter", "details",
            "Show what is selected in full"},
    Binding{Command::back, in_fleet | in_tables, "Esc", "Esc", "",
            "Close details, then let the selection go"},
    Binding{Command::back, in_device | in_help, "Esc", "Esc", "back", "Back to the view before"},
    Binding{Command::pause, in_every_view & ~in_help, "Space", "Space", "pause",
            "Stop the time, and let it go on from there"},
    Binding{Command::step_back, in_every_view, "[", "[", "", "One second back"},
    Binding{Command::step_on, in_every_view, "]", "]", "", "One second on"},
    Binding{Command::previous_mark, in_every_view, "{", "{", "",
            "Back to the alert or warning before"},
    Binding{Command::next_mark, in_every_view, "}", "}", "", "On to the next alert or warning"},
    Binding{Command::ask_time, in_every_view, "@", "@", "",
            "Go to a time: 12:03:07, -30s, -5m, 2026-11-21T12:03:07Z"},
    Binding{Command::go_live, in_every_view, "L", "L", "", "To now; in a replay to its end"},
    Binding{Command::faster, in_every_view, "+ =", "+", "", "Faster, behind now or in a replay"},
    Binding{Command::slower, in_every_view, "-", "-", "", "Slower, down to a tenth"},
    Binding{Command::toggle_story, in_every_view, "p", "p", "",
            "Pause the demo's story, or let it go on"},
    Binding{Command::up, in_every_view & ~in_device, "k Up", "k Up", "", "Move up"},
    Binding{Command::down, in_every_view & ~in_device, "j Down", "j Down", "", "Move down"},
    Binding{Command::up, in_device, "k Up", "k Up", "", "The device before, as the table sorts"},
    Binding{Command::down, in_device, "j Down", "j Down", "", "The next device"},
    Binding{Command::left, in_fleet, "h Left", "h Left", "", "Move left in the map"},
    Binding{Command::right, in_fleet, "l Right", "l Right", "", "Move right in the map"},
    Binding{Command::page_up, in_every_view, "PgUp Ctrl-B", "PgUp", "", "Move up one screen"},
    Binding{Command::page_down, in_every_view & ~in_help, "PgDn Ctrl-F", "PgDn", "",
            "Move down one screen"},
    Binding{Command::page_down, in_help, "PgDn Ctrl-F Space", "PgDn Space", "",
            "Move down one screen"},
    Binding{Command::first, in_every_view, "g Home", "g Home", "", "Go to the top"},
    Binding{Command::last, in_every_view, "G End", "G End", "", "Go to the end"},
    Binding{Command::details_down, in_long, "J", "J", "", "Scroll the details down"},
    Binding{Command::details_up, in_long, "K", "K", "", "Scroll the details up"},
    Binding{Command::next_shade, in_fleet, "c", "c", "metric",
            "Colour by utilization, memory, power, temperature"},
    Binding{Command::sort_right, in_devices, "s >", "s >", "sort", "Sort by the next column"},
    Binding{Command::sort_left, in_devices, "<", "<", "", "Sort by the column before"},
    Binding{Command::invert, in_devices, "r", "r", "invert", "Turn the order round"},
    Binding{Command::next_filter, in_jobs, "f", "f", "filter",
            "Show all, running, waiting, failed or finished jobs"},
    Binding{Command::redraw, in_every_view, "Ctrl-L", "Ctrl-L", "", "Draw the screen afresh"},
};

}  // namespace

std::span<const Binding> bindings() { return table; }

bool works_in(const Binding& binding, View view) {
  return (binding.views & (1u << static_cast<unsigned>(view))) != 0;
}

std::optional<Command> command_of(const Key& key, View view) {
  for (const Binding& binding : table) {
    if (!works_in(binding, view)) continue;
    for (const std::string& name : split(binding.keys, ' ')) {
      if (name == key.name) return binding.command;
    }
  }
  return std::nullopt;
}

}  // namespace drover::tui
