#include "tui/state/keymap.h"

#include <array>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

// Keys follow htop, nvtop, btop and k9s where these agree; no command needs a function key. Quit
// and help come first, because the hints of narrow screens and the help page of low ones are cut.
constexpr std::array binding_table = {
    Binding{Command::quit, in_every_view, "q Ctrl-C", "q", "quit", "Quit"},
    Binding{Command::show_help, in_every_view, "9 ? F1", "9 ?", "help", "This page"},
    Binding{Command::ask_filter, in_every_view & ~in_help, "/", "/", "filter",
            "Show only matches: temp>70 & kind==tpu | job~llama"},
    Binding{Command::ask_find, in_help, "/", "/", "find", "Find a text on this page"},
    Binding{Command::ask_command, in_every_view, ":", ":", "command",
            "Type a command; Tab completes it"},
    Binding{Command::next_view, in_every_view, "Tab", "Tab", "next view", "Next view"},
    Binding{Command::previous_view, in_every_view, "Shift-Tab", "S-Tab", "", "Previous view"},
    Binding{Command::show_fleet, in_every_view, "1", "1", "", "The whole fleet on one page"},
    Binding{Command::show_devices, in_every_view, "2", "2", "", "Every device as a row"},
    Binding{Command::show_device, in_every_view, "3", "3", "", "One device: history, work, faults"},
    Binding{Command::show_jobs, in_every_view, "4", "4", "", "Jobs and why they wait"},
    Binding{Command::show_routing, in_every_view, "5", "5", "",
            "Decisions: where jobs were placed, and why"},
    Binding{Command::show_power, in_every_view, "6", "6", "",
            "Power against caps, cost and energy"},
    Binding{Command::show_events, in_every_view, "7", "7", "", "Alerts and events, newest first"},
    Binding{Command::show_data_plane, in_every_view, "8", "8", "",
            "Agents: sample age, gaps, rates, clocks; this dashboard"},
    Binding{Command::open, in_fleet | in_devices | in_jobs | in_routing, "Enter", "Enter",
            "details", "Show details of the selection"},
    Binding{Command::open, in_device, "Enter", "Enter", "formula",
            "Formula, constants, sources and error of the selected metric"},
    Binding{Command::open, in_events, "Enter", "Enter", "go there",
            "Go to the moment and the device or job of the line"},
    Binding{Command::open, in_data_plane, "Enter", "Enter", "devices", "The host's devices"},
    Binding{Command::back, in_fleet | in_tables | in_power, "Esc", "Esc", "",
            "Close details, then clear the selection, then the filter"},
    Binding{Command::back, in_device, "Esc", "Esc", "back",
            "Close the formula, then clear the selection, then go back"},
    Binding{Command::back, in_help, "Esc", "Esc", "back", "Back to the previous view"},
    Binding{Command::pause, in_every_view & ~in_help, "Space", "Space", "pause",
            "Pause and resume"},
    Binding{Command::step_back, in_every_view, "[", "[", "", "One second back"},
    Binding{Command::step_forward, in_every_view, "]", "]", "", "One second forward"},
    Binding{Command::previous_marker, in_every_view, "{", "{", "",
            "Previous alert, warning or bookmark"},
    Binding{Command::next_marker, in_every_view, "}", "}", "", "Next alert, warning or bookmark"},
    Binding{Command::bookmark, in_every_view, "m", "m", "",
            "Bookmark this moment, or remove its bookmark"},
    Binding{Command::loop_begin, in_every_view, "(", "(", "",
            "Start a loop here; press again at that moment to remove it"},
    Binding{Command::loop_end, in_every_view, ")", ")", "", "End the loop here and play it"},
    Binding{Command::ask_time, in_every_view, "@", "@", "",
            "Go to a time: 12:03:07, -30s, 5m from the start, 2026-11-21T12:03:07Z"},
    Binding{Command::go_live, in_every_view, "L", "L", "", "Go to now; in a replay, to its end"},
    Binding{Command::faster, in_every_view, "+ =", "+", "", "Play the past or a replay faster"},
    Binding{Command::slower, in_every_view, "-", "-", "", "Play slower, down to a tenth"},
    Binding{Command::toggle_story, in_every_view, "p", "p", "", "Pause or resume the demo's story"},
    Binding{Command::up, in_every_view & ~in_device, "k Up", "k Up", "", "Move up"},
    Binding{Command::down, in_every_view & ~in_device, "j Down", "j Down", "", "Move down"},
    Binding{Command::up, in_device, "k Up", "k Up", "", "Previous device in the table's order"},
    Binding{Command::down, in_device, "j Down", "j Down", "", "Next device"},
    Binding{Command::left, in_fleet, "h Left", "h Left", "", "Move left in the map"},
    Binding{Command::right, in_fleet, "l Right", "l Right", "", "Move right in the map"},
    Binding{Command::left, in_device, "h Left", "h Left", "", "Select the previous metric"},
    Binding{Command::right, in_device, "l Right", "l Right", "", "Select the next metric or limit"},
    Binding{Command::page_up, in_every_view, "PgUp Ctrl-B", "PgUp", "", "Move up one screen"},
    Binding{Command::page_down, in_every_view & ~in_help, "PgDn Ctrl-F", "PgDn", "",
            "Move down one screen"},
    Binding{Command::page_down, in_help, "PgDn Ctrl-F Space", "PgDn Space", "",
            "Move down one screen"},
    Binding{Command::wheel_up, in_every_view, "WheelUp", "wheel", "", "Scroll, or move in the map"},
    Binding{Command::wheel_down, in_every_view, "WheelDown", "", "", ""},
    Binding{Command::first, in_every_view, "g Home", "g Home", "", "Go to the top"},
    Binding{Command::last, in_every_view, "G End", "G End", "", "Go to the end"},
    Binding{Command::details_down, in_long, "J", "J", "",
            "Scroll down the details, or the page above the list"},
    Binding{Command::details_up, in_long, "K", "K", "", "Scroll up"},
    Binding{Command::find_next, in_every_view, "n", "n", "",
            "Find the next line that contains a text (asks for it first)"},
    Binding{Command::find_previous, in_every_view, "N", "N", "", "Find the previous line"},
    Binding{Command::zoom_out, in_device | in_power, "z", "z", "zoom",
            "Zoom charts out to 10 times the time range, then 60 times"},
    Binding{Command::zoom_in, in_device | in_power, "Z", "Z", "", "Zoom charts in"},
    Binding{Command::next_map_metric, in_fleet, "c", "c", "metric",
            "Colour the map by the next metric"},
    Binding{Command::previous_map_metric, in_fleet, "C", "C", "",
            "Colour the map by the previous metric"},
    Binding{Command::next_group, in_fleet, "b", "b", "group",
            "Group the map by host, rack, pool, kind or state"},
    Binding{Command::sort_right, in_devices, "s >", "s >", "sort", "Sort by the next column"},
    Binding{Command::sort_left, in_devices, "<", "<", "", "Sort by the previous column"},
    Binding{Command::next_secondary_sort, in_devices, "S", "S", "", "Next secondary sort column"},
    Binding{Command::next_group, in_devices, "b", "b", "",
            "Group by host, rack, pool, kind, state or not at all"},
    Binding{Command::invert, in_devices, "r", "r", "invert", "Reverse the sort order"},
    Binding{Command::next_filter, in_jobs, "f", "f", "state",
            "Show all, running, waiting, failed or finished jobs"},
    Binding{Command::next_filter, in_events, "f", "f", "show",
            "Show all, alerts, events or alert rules"},
    Binding{Command::tag, with_devices | in_jobs, "T", "T", "",
            "Tag the selection: actions apply to all that is tagged"},
    Binding{Command::untag_all, with_devices | in_jobs, "U", "U", "", "Clear all tags"},
    Binding{Command::drain, with_devices, "d", "d", "",
            "Drain: no new work, running work finishes"},
    Binding{Command::resume, with_devices, "u", "u", "", "Resume: new work may be placed here"},
    Binding{Command::cap_power, with_devices | in_power, "w", "w", "",
            "Cap the power of a pool or the site"},
    Binding{Command::inject, with_devices, "i", "i", "", "Make an emulated device faulty"},
    Binding{Command::cancel, in_jobs, "x", "x", "", "Cancel the job"},
    Binding{Command::acknowledge, in_events, "a", "a", "acknowledge", "Acknowledge the alert"},
    Binding{Command::acknowledge_all, in_events, "A", "A", "", "Acknowledge all alerts"},
    Binding{Command::redraw, in_every_view, "Ctrl-L", "Ctrl-L", "", "Redraw the screen"},
};

}  // namespace

std::span<const Binding> bindings() { return binding_table; }

bool works_in(const Binding& binding, View view) {
  return (binding.views & (1u << static_cast<unsigned>(view))) != 0;
}

bool changes_fleet(Command command) {
  return command >= Command::drain && command <= Command::acknowledge_all;
}

std::optional<Command> command_of(const Key& key, View view) {
  for (const Binding& binding : binding_table) {
    if (!works_in(binding, view)) continue;
    for (const std::string& name : split(binding.keys, ' ')) {
      if (name == key.name) return binding.command;
    }
  }
  return std::nullopt;
}

}  // namespace drover::tui
