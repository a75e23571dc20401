#include "tui/state/keymap.h"

#include <array>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

// Keys follow htop, nvtop, btop and k9s where these agree; no function key is the only way. The way
// out stands first: on narrow screens the hints, and on low ones the help page, show only so many.
constexpr std::array binding_table = {
    Binding{Command::quit, in_every_view, "q Ctrl-C", "q", "quit", "Quit"},
    Binding{Command::show_help, in_every_view, "9 ? F1", "9 ?", "help", "This page"},
    Binding{Command::ask_filter, in_every_view & ~in_help, "/", "/", "filter",
            "Show only what an expression holds for: temp>70 & kind==tpu | job~llama"},
    Binding{Command::ask_find, in_help, "/", "/", "find", "Look for a word on this page"},
    Binding{Command::ask_command, in_every_view, ":", ":", "command",
            "Type a command; Tab completes it"},
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
    Binding{Command::show_events, in_every_view, "7", "7", "",
            "Alerts and what happened, newest first"},
    Binding{Command::show_data_plane, in_every_view, "8", "8", "",
            "Agents: age of samples, gaps, rates, clocks; and this dashboard's own"},
    Binding{Command::open, in_fleet | in_devices | in_jobs | in_routing, "Enter", "Enter",
            "details", "Show what is selected in full"},
    Binding{Command::open, in_device, "Enter", "Enter", "formula",
            "What is behind the selected figure: formula, numbers, sources, error"},
    Binding{Command::open, in_events, "Enter", "Enter", "go there",
            "Go to its moment and its device"},
    Binding{Command::open, in_data_plane, "Enter", "Enter", "devices", "The host's devices"},
    Binding{Command::back, in_fleet | in_tables | in_power, "Esc", "Esc", "",
            "Close details, then let the selection go, then the filter"},
    Binding{Command::back, in_device, "Esc", "Esc", "back",
            "Close the figure, then let it go, then back to the view before"},
    Binding{Command::back, in_help, "Esc", "Esc", "back", "Back to the view before"},
    Binding{Command::pause, in_every_view & ~in_help, "Space", "Space", "pause",
            "Stop the time, and let it go on from there"},
    Binding{Command::step_back, in_every_view, "[", "[", "", "One second back"},
    Binding{Command::step_on, in_every_view, "]", "]", "", "One second on"},
    Binding{Command::previous_mark, in_every_view, "{", "{", "",
            "Back to the alert, warning or bookmark before"},
    Binding{Command::next_mark, in_every_view, "}", "}", "",
            "On to the next alert, warning or bookmark"},
    Binding{Command::bookmark, in_every_view, "m", "m", "",
            "Bookmark the moment; on a bookmark: remove it"},
    Binding{Command::loop_begin, in_every_view, "(", "(", "",
            "A loop begins at this moment; there once more: no loop"},
    Binding{Command::loop_end, in_every_view, ")", ")", "", "It ends here, and plays"},
    Binding{Command::ask_time, in_every_view, "@", "@", "",
            "Go to a time: 12:03:07, -30s, 5m from the start, 2026-11-21T12:03:07Z"},
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
    Binding{Command::left, in_device, "h Left", "h Left", "", "Select the figure before"},
    Binding{Command::right, in_device, "l Right", "l Right", "",
            "Select the next figure, also one of the limits"},
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
            "Scroll the details, else what stands above the list"},
    Binding{Command::details_up, in_long, "K", "K", "", "The same back"},
    Binding{Command::find_next, in_every_view, "n", "n", "",
            "The next line with what was looked for; asks for it first"},
    Binding{Command::find_previous, in_every_view, "N", "N", "", "The one before"},
    Binding{Command::zoom_out, in_device | in_power, "z", "z", "zoom",
            "Charts show ten times as much time, then sixty times"},
    Binding{Command::zoom_in, in_device | in_power, "Z", "Z", "", "Less time again"},
    Binding{Command::next_shade, in_fleet, "c", "c", "metric", "Colour the map by the next metric"},
    Binding{Command::previous_shade, in_fleet, "C", "C", "", "By the metric before"},
    Binding{Command::next_group, in_fleet, "b", "b", "group",
            "Group the map by host, rack, pool, kind or state"},
    Binding{Command::sort_right, in_devices, "s >", "s >", "sort", "Sort by the next column"},
    Binding{Command::sort_left, in_devices, "<", "<", "", "Sort by the column before"},
    Binding{Command::sort_second, in_devices, "S", "S", "",
            "Sort what is equal by the next column"},
    Binding{Command::next_group, in_devices, "b", "b", "",
            "Group by host, rack, pool, kind, state, or not"},
    Binding{Command::invert, in_devices, "r", "r", "invert", "Turn the order round"},
    Binding{Command::next_filter, in_jobs, "f", "f", "state",
            "Show all, running, waiting, failed or finished jobs"},
    Binding{Command::next_filter, in_events, "f", "f", "show",
            "Show all, alerts, what happened, or the rules that raise alerts"},
    Binding{Command::tag, with_devices | in_jobs, "T", "T", "",
            "Tag what is selected: actions reach all that is tagged"},
    Binding{Command::untag_all, with_devices | in_jobs, "U", "U", "", "Let all tags go"},
    Binding{Command::drain, with_devices, "d", "d", "", "Drain: no new work, what runs ends"},
    Binding{Command::resume, with_devices, "u", "u", "", "Let work come again"},
    Binding{Command::cap_power, with_devices | in_power, "w", "w", "",
            "Hold the power of a pool or of the site under so many watts"},
    Binding{Command::inject, with_devices, "i", "i", "", "Make an emulated device faulty"},
    Binding{Command::cancel, in_jobs, "x", "x", "", "Cancel the job"},
    Binding{Command::acknowledge, in_events, "a", "a", "seen",
            "Acknowledge the alert: everybody sees that somebody cares"},
    Binding{Command::acknowledge_all, in_events, "A", "A", "", "Acknowledge all alerts"},
    Binding{Command::redraw, in_every_view, "Ctrl-L", "Ctrl-L", "", "Draw the screen afresh"},
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
