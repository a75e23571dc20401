#include "tui/keymap.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/actions.h"
#include "tui/dashboard_state.h"

namespace drover::tui {
namespace {

constexpr ViewSet in_fleet = only(ViewId::fleet), in_devices = only(ViewId::devices),
                  in_device = only(ViewId::device), in_jobs = only(ViewId::jobs),
                  in_routing = only(ViewId::routing), in_power = only(ViewId::power),
                  in_events = only(ViewId::events), in_telemetry = only(ViewId::telemetry),
                  in_users = only(ViewId::users), in_help = only(ViewId::help);
constexpr ViewSet in_tables =
    in_devices | in_jobs | in_routing | in_events | in_telemetry | in_users;
constexpr ViewSet in_long = in_fleet | in_device | in_jobs | in_routing | in_power;
constexpr ViewSet with_devices = in_fleet | in_devices | in_device | in_telemetry;

// What the keys do.

template <ViewId view>
void show(DashboardState& state) {
  state.show(view);
}

template <int step>
void step_view(DashboardState& state) {
  ViewId view = state.ui().view;
  advance(view, view_count, step);
  state.show(view);
}

template <Move direction>
void move(DashboardState& state) {
  state.views->shown().move(state.key_context(), direction);
}

void open(DashboardState& state) { state.open(); }

void back(DashboardState& state) { state.back(); }

template <int step>
void find(DashboardState& state) {
  if (state.ui().view == ViewId::help) state.ui().whole_help = true;
  if (state.ui().finding.empty()) return state.start_prompt(PromptKind::find, {});
  state.views->shown().find(state.key_context(), step);
}

template <int step>
void scroll_details(DashboardState& state) {
  int& top = state.ui().details_top;
  top = std::max(0, top + step);  // the end is limited by the next layout
}

template <int step>
void zoom(DashboardState& state) {
  const auto range = state.views->shown().chart_range(state.frame());
  if (range) state.ui().chart_span = step_span(range->span, step);
}

/// From the keys of one view to the whole list, and back.
void turn_help(DashboardState& state) { state.ui().whole_help = !state.ui().whole_help; }

/// A text is found in the whole list.
void find_in_help(DashboardState& state) {
  state.ui().whole_help = true;
  state.start_prompt(PromptKind::find, {});
}

void search(DashboardState& state) { state.start_search(); }

/// From the table of devices to the tree of hosts, and back.
void toggle_tree(DashboardState& state) {
  HostTree& tree = state.ui().tree;
  tree.shown = !tree.shown;
  tree.forget();
}

/// Groups the table, which takes the place of the tree.
void group_devices(DashboardState& state) {
  if (state.ui().tree.shown) toggle_tree(state);
  step_grouping(state.ui().devices);
}

/// Folds or unfolds the selected line of the tree, of a device that of its host. In the table the
/// key sets the speed of the past, as in every view.
template <bool folded>
void fold_line(DashboardState& state) {
  UiState& ui = state.ui();
  if (!ui.as_tree()) return state.cursor.change_rate(folded ? -1 : 1, state.now);
  fold_selection(ui.tree, state.model(), ui.device, folded);
}

void fold_all(DashboardState& state) {
  UiState& ui = state.ui();
  if (!ui.as_tree()) return state.cursor.say("nothing to fold: t shows the tree of hosts");
  fold_or_unfold_all(ui.tree);
}

void copy(DashboardState& state) { state.copy_selection(); }
void copy_json(DashboardState& state) { state.copy_as_json(); }
void export_shown(DashboardState& state) {
  if (const Status done = state.export_table({}); !done) state.cursor.say(done.error().message);
}

void sort_by_chosen(DashboardState& state) {
  DeviceList& devices = state.ui().devices;
  if (devices.chosen_column < 0) return state.cursor.say("no column is chosen: h and l choose one");
  sort_by(devices, devices.chosen_column);
}

void tag(DashboardState& state) { state.views->shown().tag(state.key_context()); }

void compare(DashboardState& state) { state.compare(); }

void explain_shown(DashboardState& state) {
  if (const Status done = state.explain_selected(); !done) state.cursor.say(done.error().message);
}

void untag_all(DashboardState& state) { state.untag_all(); }

void open_changes(DashboardState& state) { state.show_changes(); }

void open_topology(DashboardState& state) {
  if (state.ui().shows(DevicePlace::topology)) return state.back();
  const auto host = state.selected_host();
  if (!host) return state.cursor.say("no host or device is selected");
  state.show_topology(*host);
}

/// Changes what a view shows.
template <auto UiState::*shown, auto function, auto... arguments>
void in_view(DashboardState& state) {
  function(state.ui().*shown, arguments...);
}

/// Calls a function of the playback cursor.
template <auto function, auto... arguments>
void in_time(DashboardState& state) {
  (state.cursor.*function)(arguments..., state.now);
}

template <PromptKind kind>
void ask(DashboardState& state) {
  state.start_prompt(kind, {});
}

void ask_filter(DashboardState& state) {
  state.start_prompt(PromptKind::filter, state.ui().fleet_filter.text());
}

/// Proposes a change of the fleet for what is selected.
template <ActionFunction* action>
void change(DashboardState& state) {
  state.propose_and_ask(action, {});
}

void acknowledge_all(DashboardState& state) { state.propose_and_ask(acknowledge_action, "all"); }

/// The pool that is chosen on the screen, else the first one of the selected device; "" if there is
/// none.
std::string pool_to_cap(const DashboardState& state) {
  const UiState& ui = state.ui();
  if (ui.view == ViewId::power && ui.pool) return *ui.pool;
  const bool on_map = ui.view == ViewId::fleet && ui.map_grouping == Grouping::pool;
  if (on_map && ui.map_group) {
    // A group may also be a set of pools, or of devices that are in none.
    const std::vector<std::string>& pools = state.model().pools();
    if (std::ranges::find(pools, *ui.map_group) != pools.end()) return *ui.map_group;
  }
  const auto row = state.selected_row();
  return std::string(row ? state.model().first_pool_of(*row) : std::string_view());
}

/// Begins the line of a change that needs further arguments.
void cap_power(DashboardState& state) {
  const std::string pool = pool_to_cap(state);
  state.start_change(pool.empty() ? "cap site " : fmt::format("cap pool:{} ", pool));
}

void inject(DashboardState& state) {
  const bool names = state.ui().tagged_devices.empty() && state.selected_row();
  state.start_change(names ? fmt::format("inject {} ", to_text(*state.ui().device)) : "inject ");
}

void toggle_story(DashboardState& state) {
  if (!state.options.story) return state.cursor.say("no story to pause: Space pauses time");
  state.effects.push_back(ToggleStory{});
}

/// Follows the story, from now on; or no longer.
void toggle_following(DashboardState& state) {
  if (!state.can_follow_story()) return state.cursor.say("no story to follow");
  bool& follows = state.ui().follows_story;
  follows = !follows;
  if (!follows) return;
  state.cursor.go_live(state.now);
  state.followed_chapter.reset();
  state.follow_story();
}

void quit(DashboardState& state) { state.effects.push_back(Quit{}); }

void toggle_bookmark(DashboardState& state) { state.toggle_bookmark(); }

void redraw(DashboardState&) {}  // each key causes a frame

// Keys follow htop, nvtop, btop and k9s where these agree; no command needs a function key. Quit
// and help come first, because the hints of narrow screens and the help page of low ones are cut.
constexpr std::array binding_table = {
    Binding{quit, in_every_view, "q Ctrl-C", "q", "quit", "Quit"},
    Binding{show<ViewId::help>, in_every_view & ~in_help, "? F1", "?", "help",
            "The keys of this view; pressed again, this list"},
    Binding{turn_help, in_help, "? F1", "?", "all keys", "The keys of one view, or all"},
    Binding{ask_filter, in_every_view & ~in_help, "/", "/", "filter",
            "Show only matches: temp>70 & kind==tpu | job~llama"},
    Binding{find_in_help, in_help, "/", "/", "find", "Find a text on this page"},
    Binding{ask<PromptKind::command>, in_every_view, ":", ":", "command",
            "Type a command; Tab completes it"},
    Binding{search, in_every_view, "Ctrl-P", "Ctrl-P", "find",
            "Find any view, device, host, pool, job, rule or command by a few letters"},
    Binding{step_view<1>, in_every_view, "Tab", "Tab", "next view", "Next view"},
    Binding{step_view<-1>, in_every_view, "Shift-Tab", "S-Tab", "", "Previous view"},
    Binding{show<ViewId::fleet>, in_every_view, "1", "1", "", "The whole fleet on one page"},
    Binding{show<ViewId::devices>, in_every_view, "2", "2", "", "Every device as a row"},
    Binding{show<ViewId::device>, in_every_view, "3", "3", "", "One device: history, work, faults"},
    Binding{show<ViewId::jobs>, in_every_view, "4", "4", "", "Jobs and why they wait"},
    Binding{show<ViewId::routing>, in_every_view, "5", "5", "",
            "Decisions: where jobs were placed, and why"},
    Binding{show<ViewId::power>, in_every_view, "6", "6", "",
            "Power against caps, cost and energy"},
    Binding{show<ViewId::events>, in_every_view, "7", "7", "", "Alerts and events, newest first"},
    Binding{show<ViewId::telemetry>, in_every_view, "8", "8", "",
            "Hosts: sample age, losses, rates, clocks; this dashboard"},
    Binding{show<ViewId::users>, in_every_view, "9", "9", "",
            "Who uses it: devices, power and jobs by tenant and user"},
    Binding{open, in_fleet | in_devices | in_jobs | in_routing, "Enter", "Enter", "details",
            "Show details of the selection"},
    Binding{open, in_device, "Enter", "Enter", "explain",
            "Explain the value: its formula, or why it is N/A"},
    Binding{open, in_events, "Enter", "Enter", "go there",
            "Go to the moment and the device or job; open a group"},
    Binding{open, in_telemetry, "Enter", "Enter", "devices", "The host's devices"},
    Binding{open, in_power, "Enter", "Enter", "devices", "The chosen pool's devices"},
    Binding{open, in_users, "Enter", "Enter", "devices", "The user's devices, or waiting jobs"},
    Binding{back, in_fleet | in_tables | in_power, "Esc", "Esc", "",
            "Close details, then clear the selection, then the filter; in the tree, to the parent"},
    Binding{back, in_device, "Esc", "Esc", "back",
            "Close the details, then clear the selection, then go back"},
    Binding{back, in_help, "Esc", "Esc", "back", "Back to the previous view"},
    Binding{in_time<&PlaybackCursor::pause_or_go_on>, in_every_view & ~in_help, "Space", "Space",
            "pause", "Pause and resume"},
    Binding{in_time<&PlaybackCursor::step, -1>, in_every_view, "[", "[", "", "One second back"},
    Binding{in_time<&PlaybackCursor::step, 1>, in_every_view, "]", "]", "", "One second forward"},
    Binding{in_time<&PlaybackCursor::jump, false>, in_every_view, "{", "{", "",
            "Previous alert, warning or bookmark"},
    Binding{in_time<&PlaybackCursor::jump, true>, in_every_view, "}", "}", "",
            "Next alert, warning or bookmark"},
    Binding{toggle_bookmark, in_every_view, "m", "m", "",
            "Mark this moment with a bookmark, or remove it"},
    Binding{open_changes, in_every_view & ~in_help, "M", "M", "",
            "What is different from the moment marked last; again: back"},
    Binding{in_time<&PlaybackCursor::begin_loop>, in_every_view, "(", "(", "",
            "Start a loop here; press again at that moment to remove it"},
    Binding{in_time<&PlaybackCursor::end_loop>, in_every_view, ")", ")", "",
            "End the loop here and play it"},
    Binding{ask<PromptKind::time>, in_every_view, "@", "@", "",
            "Go to a time: 12:03:07, -30s, 5m from the start, 2026-11-21T12:03:07Z"},
    Binding{in_time<&PlaybackCursor::go_live>, in_every_view, "L", "L", "",
            "Go to now; in a replay, to its end"},
    Binding{in_time<&PlaybackCursor::change_rate, 1>, in_every_view & ~in_devices, "+ =", "+", "",
            "Play the past or a replay faster"},
    Binding{in_time<&PlaybackCursor::change_rate, -1>, in_every_view & ~in_devices, "-", "-", "",
            "Play slower, down to a tenth"},
    Binding{fold_line<false>, in_devices, "+ =", "+", "",
            "Tree: unfold the line; table: play the past faster"},
    Binding{fold_line<true>, in_devices, "-", "-", "",
            "Tree: fold the line, or the host of the device; table: play slower"},
    Binding{fold_all, in_devices, "*", "*", "", "Tree: unfold all lines, or fold all"},
    Binding{toggle_story, in_every_view, "p", "p", "", "Pause or resume the demo's story"},
    Binding{toggle_following, in_every_view, "P", "P", "",
            "Let the screen follow the story, or keep this view"},
    Binding{move<Move::up>, in_every_view & ~in_device, "k Up", "k Up", "", "Move up"},
    Binding{move<Move::down>, in_every_view & ~in_device, "j Down", "j Down", "", "Move down"},
    Binding{move<Move::up>, in_device, "k Up", "k Up", "", "Previous device in the table's order"},
    Binding{move<Move::down>, in_device, "j Down", "j Down", "", "Next device"},
    Binding{move<Move::left>, in_fleet, "h Left", "h Left", "",
            "Move left in the map; from a group's first device to its name"},
    Binding{move<Move::right>, in_fleet, "l Right", "l Right", "", "Move right in the map"},
    Binding{move<Move::left>, in_devices, "h Left", "h Left", "", "Choose the column to the left"},
    Binding{move<Move::right>, in_devices, "l Right", "l Right", "",
            "Choose the column to the right"},
    Binding{move<Move::left>, in_power | in_routing, "h Left", "h Left", "",
            "Choose the previous pool; Enter shows its devices"},
    Binding{move<Move::right>, in_power | in_routing, "l Right", "l Right", "",
            "Choose the next pool; Enter shows its devices"},
    Binding{sort_by_chosen, in_devices, "o", "o", "",
            "Sort by the chosen column; again: reverse the order"},
    Binding{move<Move::left>, in_jobs, "h Left", "h Left", "",
            "The histogram of the previous class"},
    Binding{move<Move::right>, in_jobs, "l Right", "l Right", "",
            "The histogram of the next class"},
    Binding{move<Move::left>, in_device, "h Left", "h Left", "", "Select the previous metric"},
    Binding{move<Move::right>, in_device, "l Right", "l Right", "",
            "Select the next metric or limit"},
    Binding{move<Move::page_up>, in_every_view, "PgUp Ctrl-B", "PgUp", "", "Move up one screen"},
    Binding{move<Move::page_down>, in_every_view & ~in_help, "PgDn Ctrl-F", "PgDn", "",
            "Move down one screen"},
    Binding{move<Move::page_down>, in_help, "PgDn Ctrl-F Space", "PgDn Space", "",
            "Move down one screen"},
    Binding{move<Move::half_up>, in_every_view, "Ctrl-U", "Ctrl-U", "", "Move up half a screen"},
    Binding{move<Move::half_down>, in_every_view, "Ctrl-D", "Ctrl-D", "",
            "Move down half a screen"},
    Binding{move<Move::wheel_up>, in_every_view, "WheelUp", "wheel", "",
            "Scroll, or move in the map"},
    Binding{move<Move::wheel_down>, in_every_view, "WheelDown", "", "", ""},
    Binding{move<Move::first>, in_every_view, "g Home", "g Home", "", "Go to the top"},
    Binding{move<Move::last>, in_every_view, "G End", "G End", "", "Go to the end"},
    Binding{scroll_details<1>, in_long, "J", "J", "",
            "Scroll down the map, the details, or the page above the list"},
    Binding{scroll_details<-1>, in_long, "K", "K", "", "Scroll up"},
    Binding{find<1>, in_every_view, "n", "n", "",
            "Find the next line that contains a text (asks for it first)"},
    Binding{find<-1>, in_every_view, "N", "N", "", "Find the previous line"},
    Binding{zoom<1>, in_fleet | in_device | in_power | in_events, "z", "z", "more time",
            "Charts show more of the past, up to 2 hours"},
    Binding{zoom<-1>, in_fleet | in_device | in_power | in_events, "Z", "Z", "",
            "Charts show less of the past"},
    Binding{in_view<&UiState::map_metric, advance<MapMetric>, map_metric_count, 1>, in_fleet, "c",
            "c", "metric", "Colour the map by the next metric"},
    Binding{in_view<&UiState::map_metric, advance<MapMetric>, map_metric_count, -1>, in_fleet, "C",
            "C", "", "Colour the map by the previous metric"},
    Binding{in_view<&UiState::map_grouping, advance<Grouping>, grouping_count, 1>, in_fleet, "b",
            "b", "group", "Group the map by host, rack, pool, kind or state"},
    Binding{in_view<&UiState::devices, step_sort, 1>, in_devices, "s >", "s >", "sort",
            "Sort by the next column"},
    Binding{in_view<&UiState::devices, step_sort, -1>, in_devices, "<", "<", "",
            "Sort by the previous column"},
    Binding{in_view<&UiState::devices, step_secondary_sort>, in_devices, "S", "S", "",
            "Next secondary sort column"},
    Binding{toggle_tree, in_devices, "t", "t", "tree",
            "Racks, hosts and devices as a tree with sums; again: the table"},
    Binding{group_devices, in_devices, "b", "b", "",
            "Group by host, rack, pool, kind, state or not at all"},
    Binding{in_view<&UiState::devices, invert>, in_devices, "r", "r", "invert",
            "Reverse the sort order"},
    Binding{in_view<&UiState::users, step_user_sort, 1>, in_users, "s >", "s >", "sort",
            "Sort by the next column"},
    Binding{in_view<&UiState::users, step_user_sort, -1>, in_users, "<", "<", "",
            "Sort by the previous column"},
    Binding{in_view<&UiState::users, invert_users>, in_users, "r", "r", "invert",
            "Reverse the sort order"},
    Binding{in_view<&UiState::jobs, step_job_filter>, in_jobs, "f", "f", "state",
            "Show all, running, waiting, failed or finished jobs"},
    Binding{in_view<&UiState::log, step_log_filter>, in_events, "f", "f", "show",
            "Show all, alerts, events or alert rules"},
    Binding{explain_shown, in_jobs | in_routing, "W", "W", "why",
            "Why the job waits or runs there, and what would help; again: back"},
    Binding{explain_shown, in_fleet | in_devices | in_device, "W", "W", "",
            "Why the device is idle, or why its job runs there; again: back"},
    Binding{copy, in_every_view & ~(in_help | in_power), "y", "y", "",
            "Copy the selection to the clipboard (OSC 52)"},
    Binding{copy_json, in_every_view & ~(in_help | in_power), "Y", "Y", "",
            "Copy the selection as JSON"},
    Binding{export_shown, in_tables | in_power, "e", "e", "",
            "Export the view's table as CSV into the current folder"},
    Binding{tag, with_devices | in_jobs, "T", "T", "",
            "Tag the selection: actions apply to all that is tagged"},
    Binding{compare, in_fleet | in_devices | in_device, "v", "v", "",
            "Compare two to four tagged devices in charts; again: back"},
    Binding{open_topology, with_devices, "H", "H", "",
            "How the devices of the host are connected; again: back"},
    Binding{untag_all, with_devices | in_jobs, "U", "U", "", "Clear all tags"},
    Binding{change<drain_action>, with_devices, "d", "d", "",
            "Drain: no new work, running work finishes"},
    Binding{change<resume_action>, with_devices, "u", "u", "",
            "Resume: new work may be placed here"},
    Binding{cap_power, with_devices | in_power, "w", "w", "",
            "Cap the power of a pool or the site"},
    Binding{inject, with_devices, "i", "i", "", "Make an emulated device faulty"},
    Binding{change<cancel_action>, in_jobs, "x", "x", "", "Cancel the job"},
    Binding{change<acknowledge_action>, in_events, "a", "a", "acknowledge",
            "Acknowledge the alert"},
    Binding{acknowledge_all, in_events, "A", "A", "", "Acknowledge all alerts"},
    Binding{redraw, in_every_view, "Ctrl-L", "Ctrl-L", "", "Redraw the screen"},
};

}  // namespace

std::span<const Binding> bindings() { return binding_table; }

bool takes_over(const Binding& binding) {
  return binding.run != toggle_story && binding.run != toggle_following && binding.run != redraw;
}

bool works_in(const Binding& binding, ViewId view) { return (binding.views & only(view)) != 0; }

const Binding* binding_of(const Key& key, ViewId view) {
  const auto found = std::ranges::find_if(binding_table, [&](const Binding& binding) {
    return works_in(binding, view) && std::ranges::count(split(binding.keys, ' '), key.name) > 0;
  });
  return found == binding_table.end() ? nullptr : &*found;
}

}  // namespace drover::tui
