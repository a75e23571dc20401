#include "tui/command_line.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/actions.h"
#include "tui/canvas/theme.h"
#include "tui/dashboard_state.h"
#include "tui/page_commands.h"
#include "tui/state/timeline_text.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

using Words = std::vector<std::string>;

constexpr std::size_t completions_max = 200;

template <ViewId view>
Status show(DashboardState& state, std::string_view) {
  state.show(view);
  return {};
}

Words device_words(const DashboardState& state, std::string_view prefix) {
  Words words;
  for (const DeviceTable::Row row : state.model().device_order()) {
    if (words.size() >= completions_max) break;
    std::string word = to_text(state.model().id_of(row));
    if (word.starts_with(prefix)) words.push_back(std::move(word));
  }
  return words;
}

Status show_device(DashboardState& state, std::string_view argument) {
  if (!argument.empty()) {
    DROVER_ASSIGN(const auto id, parse_device_id(argument));
    if (!state.model().find(id)) {
      return error("no device {}{}", excerpt(argument),
                   suggestion(argument, device_words(state, {})));
    }
    return go_to(state, {DestinationKind::device, std::string(argument)});
  }
  return show<ViewId::device>(state, {});
}

constexpr std::string_view no_group = "none";

/// The groupings of the devices table if that is shown, else of the map.
Words grouping_words(const DashboardState& state, std::string_view) {
  Words words = grouping_names();
  if (state.ui().view == ViewId::devices) words.emplace_back(no_group);
  return words;
}

Words metric_words(const DashboardState&, std::string_view) { return map_metric_words(); }

Status go_to(DashboardState& state, std::string_view argument) {
  const TimeRange covered{state.cursor.timeline().first(), state.cursor.latest(state.now)};
  DROVER_ASSIGN(const auto at, parse_moment(argument, state.cursor.shown(), covered));
  if (at < covered.first || at > covered.last) {
    return error("found '{}', expected {} to {} of fleet time (0s to {} from the start)",
                 excerpt(argument), to_clock_text(covered.first), to_clock_text(covered.last),
                 duration_text(to_seconds(covered.last - covered.first)));
  }
  state.cursor.go_to(at, state.now);
  return {};
}

Status go_live(DashboardState& state, std::string_view) {
  state.cursor.go_live(state.now);
  return {};
}

Status set_filter(DashboardState& state, std::string_view argument) {
  if (const auto problem = state.ui().fleet_filter.set(argument)) return Error{problem->message};
  state.ui().narrowed_to.clear();  // the filter is the user's from here on
  return {};
}

Status find(DashboardState& state, std::string_view argument) {
  state.ui().finding = std::string(argument);
  state.views->shown().find(state.key_context(), 1);
  return {};
}

Status choose_columns(DashboardState& state, std::string_view argument) {
  std::vector<ShownColumn> wanted;
  if (!argument.empty()) {
    DROVER_ASSIGN(wanted, parse_columns(argument));
  }
  state.ui().devices.wanted = std::move(wanted);
  return show<ViewId::devices>(state, {});
}

Status sort_devices_by(DashboardState& state, std::string_view argument) {
  DROVER_ASSIGN(const auto keys, parse_sort(argument));
  sort_by(state.ui().devices, keys);
  return show<ViewId::devices>(state, {});
}

Status set_grouping(DashboardState& state, std::string_view argument) {
  const bool table = state.ui().view == ViewId::devices;
  const auto& names = grouping_names();
  const auto found = std::find(names.begin(), names.end(), argument);
  std::optional<Grouping> grouping;
  if (found != names.end()) {
    grouping = static_cast<Grouping>(found - names.begin());
  } else if (!table || argument != no_group) {
    return error("found '{}', expected {}", excerpt(argument),
                 joined(grouping_words(state, {}), ", "));
  }
  if (table) {
    state.ui().tree.shown = false;
    group_by(state.ui().devices, grouping);
    return {};
  }
  state.ui().map_grouping = *grouping;
  return show<ViewId::fleet>(state, {});
}

/// The tree of hosts in the place of the table of devices.
Status show_tree(DashboardState& state, std::string_view) {
  state.ui().tree.shown = true;
  return show<ViewId::devices>(state, {});
}

Status set_metric(DashboardState& state, std::string_view argument) {
  if (state.ui().show_map_metric(argument)) return show<ViewId::fleet>(state, {});
  return error("found '{}', expected {}", excerpt(argument), joined(map_metric_words(), ", "));
}

Status quit(DashboardState& state, std::string_view) {
  state.effects.push_back(Quit{});
  return {};
}

constexpr std::string_view as_json = "json";

Words copy_words(const DashboardState&, std::string_view) { return {std::string(as_json)}; }

Status copy(DashboardState& state, std::string_view argument) {
  if (!argument.empty() && argument != as_json) {
    return error("found '{}', expected json or nothing", excerpt(argument));
  }
  argument.empty() ? state.copy_selection() : state.copy_as_json();
  return {};
}

Status export_to(DashboardState& state, std::string_view argument) {
  return state.export_table(argument);
}

Status untag(DashboardState& state, std::string_view) {
  state.untag_all();
  return {};
}

/// Applies the settings and passes them to the shell.
void set(DashboardState& state, Settings settings, bool save) {
  state.options.settings = settings;
  state.effects.push_back(SettingsChange{std::move(settings), save});
}

Words saved_view_words(const DashboardState& state, std::string_view) {
  std::vector<std::string> names;
  for (const auto& [name, view] : state.options.settings.views) names.push_back(name);
  return names;
}

Words view_words(const DashboardState& state, std::string_view) {
  std::vector<std::string> names = view_names();
  const std::vector<std::string> saved = saved_view_words(state, {});
  names.insert(names.end(), saved.begin(), saved.end());
  return names;
}

/// A saved view comes before a view of the same name.
Status show_view(DashboardState& state, std::string_view argument) {
  const auto& views = state.options.settings.views;
  const auto found = views.find(std::string(argument));
  if (found != views.end()) {
    apply_view_settings(found->second, state.ui());
    return {};
  }
  const auto& names = view_names();
  const auto view = std::ranges::find(names, present_view_name(std::string(argument)));
  if (view == names.end()) {
    return error("no view '{}'{}", excerpt(argument), suggestion(argument, view_words(state, {})));
  }
  state.show(static_cast<ViewId>(view - names.begin()));
  return {};
}

/// Saves what is shown as the start view, or under a name.
Status save(DashboardState& state, std::string_view argument) {
  Settings settings = state.options.settings;
  const ViewSettings shown = capture_view_settings(state.ui(), settings.start);
  if (argument.empty()) {
    settings.start = shown;
  } else if (!is_name(argument)) {
    return error("found '{}', expected a name of 1 to 64 characters of A-Z a-z 0-9 . _ : -",
                 excerpt(argument));
  } else {
    settings.views[std::string(argument)] = shown;
  }
  if (settings.views.size() > saved_views_max) {
    return error("found {} saved views, expected at most {}: save under one of their names",
                 settings.views.size(), saved_views_max);
  }
  set(state, std::move(settings), true);
  return {};
}

Words theme_words(const DashboardState&, std::string_view) { return theme_names(); }

Status choose_theme(DashboardState& state, std::string_view argument) {
  std::string& theme = state.options.settings.theme;
  if (argument.empty()) {
    std::vector<std::string> others = theme_names();
    std::erase(others, theme);
    state.cursor.say(fmt::format("theme {}; others: {}", theme, joined(others, " ")));
    return {};
  }
  if (!theme_named(argument)) {
    return error("found '{}', expected one of {}", excerpt(argument), joined(theme_names(), " "));
  }
  theme = argument;
  state.follow_theme();  // it may be on the screen already
  return {};
}

Status bookmark(DashboardState& state, std::string_view argument) {
  state.set_bookmark(argument);
  return {};
}

template <ActionFunction* action>
Status propose(DashboardState& state, std::string_view argument) {
  return state.propose(action, argument);
}

Words pool_words(const DashboardState& state, std::string_view) {
  Words words = {"site"};
  for (const std::string& pool : state.model().pools()) words.push_back("pool:" + pool);
  return words;
}

Words target_words(const DashboardState& state, std::string_view prefix) {
  Words words = pool_words(state, {});
  for (const HostRow& host : state.model().hosts()) {
    if (words.size() >= completions_max) break;
    std::string word = "host:" + host.reported.registration.host;
    if (word.starts_with(prefix)) words.push_back(std::move(word));
  }
  return words;
}

Words column_words(const DashboardState&, std::string_view) {
  Words words;
  for (const DeviceColumn& column : device_columns()) words.emplace_back(column.title);
  return words;
}

Words sort_words(const DashboardState& state, std::string_view) {
  Words words = column_words(state, {});
  for (const std::string& title : column_words(state, {})) words.push_back("-" + title);
  return words;
}

Words job_words(const DashboardState& state, std::string_view) {
  Words words;
  for (const JobLine& line : state.ui().jobs.lines) {
    if (line.kind == JobLine::Kind::job) words.push_back(to_short_text(line.job));
  }
  return words;
}

Words raised_rule_words(const DashboardState& state, std::string_view prefix) {
  Words words = {"all"};
  for (const LogEntry& entry : raised_alerts(state.model())) {
    if (words.size() >= completions_max) break;
    if (!entry.rule.starts_with(prefix)) continue;
    if (std::find(words.begin(), words.end(), entry.rule) == words.end())
      words.push_back(entry.rule);
  }
  return words;
}

constexpr std::array command_table = {
    LineCommand{"fleet", "", "the whole fleet on one page", show<ViewId::fleet>},
    LineCommand{"devices", "", "every device as a row", show<ViewId::devices>},
    LineCommand{"device", "[ID]", "one device in full", show_device, device_words},
    LineCommand{"jobs", "", "jobs and why they wait", show<ViewId::jobs>},
    LineCommand{"routing", "", "decisions and their reasons", show<ViewId::routing>},
    LineCommand{"power", "", "power, cost and energy", show<ViewId::power>},
    LineCommand{"events", "", "alerts and events", show<ViewId::events>},
    LineCommand{"telemetry", "", "agents, and this dashboard's statistics",
                show<ViewId::telemetry>},
    LineCommand{"users", "", "who uses it, by tenant and user", show<ViewId::users>},
    LineCommand{"help", "", "keys, commands, reasons, symbols", show<ViewId::help>},
    LineCommand{"filter", "[EXPR]", "show only what matches EXPR; without it everything",
                set_filter},
    LineCommand{"columns", "[NAME[:WIDTH],..]",
                "set the table's columns; without names: the default", choose_columns,
                column_words},
    LineCommand{"sort", "NAME[,NAME]", "sort devices by one or two columns; -NAME: descending",
                sort_devices_by, sort_words},
    LineCommand{"find", "TEXT", "go to the next line with TEXT", find},
    LineCommand{"group", "BY", "group by host, rack, pool, kind or state; none: tables only",
                set_grouping, grouping_words},
    LineCommand{"tree", "", "racks, hosts and devices as a tree", show_tree},
    LineCommand{"metric", "NAME", "colour the map by a metric", set_metric, metric_words},
    LineCommand{"at", "TIME", "go to a time: 12:03:07, -30s, 5m from the start", go_to},
    LineCommand{"live", "", "go to now", go_live},
    LineCommand{"mark", "", "mark this moment", mark_moment},
    LineCommand{"changes", "", "what is different from the marked moment", show_changes},
    LineCommand{"topology", "[HOST]", "how the devices of a host are connected", show_topology,
                host_words},
    LineCommand{"view", "NAME", "show a view or a saved view", show_view, view_words},
    LineCommand{"save", "[NAME]", "save the current view; without NAME: as the start view", save,
                saved_view_words},
    LineCommand{"why", "[JOB|DEVICE]", "why a job waits or runs there; why a device is idle",
                explain_named, known_job_words},
    LineCommand{"theme", "[NAME]", "show a theme while it is typed; without NAME: list them",
                choose_theme, theme_words},
    LineCommand{"bookmark", "[TEXT]", "bookmark this moment, with a text", bookmark},
    LineCommand{"copy", "[json]", "copy the selection; json: its rows as JSON", copy, copy_words},
    LineCommand{"export", "[FILE]", "export the view's table as CSV into a new file", export_to},
    LineCommand{"untag", "", "clear all tags", untag},
    LineCommand{"drain", "[TARGET] [within SPAN]", "stop new work", propose<drain_action>,
                target_words},
    LineCommand{"resume", "[TARGET]", "allow new work", propose<resume_action>, target_words},
    LineCommand{"cap", "TARGET WATTS [for SPAN]", "cap the power of a pool or the site",
                propose<cap_action>, pool_words},
    LineCommand{"cancel", "[JOB..]", "cancel jobs", propose<cancel_action>, job_words},
    LineCommand{"inject", "[TARGET] FAULT [for SPAN]", "inject a fault into emulated devices",
                propose<inject_action>, target_words},
    LineCommand{"acknowledge", "[RULE [SUBJECT]]",
                "acknowledge alerts, shown to all viewers until they clear",
                propose<acknowledge_action>, raised_rule_words},
    LineCommand{"policy", "FILE", "apply a policy", propose<policy_action>},
    LineCommand{"quit", "", "quit", quit},
};

const LineCommand* command_named(std::string_view name) {
  const std::string present = present_view_name(std::string(name));
  const auto found = std::ranges::find(command_table, present, &LineCommand::name);
  return found == command_table.end() ? nullptr : &*found;
}

std::vector<std::string> command_names() { return names_of(command_table, &LineCommand::name); }

/// What a mistyped first word may have meant.
std::vector<std::string> names_to_suggest(const DashboardState& state) {
  std::vector<std::string> names = command_names();
  for (std::string& word : destination_words(state, {})) names.push_back(std::move(word));
  return names;
}

struct SplitLine {
  std::string_view name, argument;
  std::size_t argument_at = 0;  // 0: no argument yet
};

SplitLine split_line(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  return {line.substr(begin, end - begin), trimmed(line.substr(end)),
          end < line.size() ? end + 1 : 0};
}

std::vector<std::string> beginning_with(std::string_view prefix, std::vector<std::string> words) {
  std::erase_if(words, [&](const std::string& word) { return !word.starts_with(prefix); });
  return words;
}

}  // namespace

std::span<const LineCommand> line_commands() { return command_table; }

Status run_command_line(DashboardState& state, std::string_view line) {
  const SplitLine words = split_line(line);
  if (words.name.empty()) return {};
  const LineCommand* const command = command_named(words.name);
  if (command == nullptr) {
    if (words.argument.empty() && go_to_named(state, words.name)) return {};
    return error("no command '{}'{}", excerpt(words.name),
                 suggestion(words.name, names_to_suggest(state)));
  }
  if (command->argument.empty() && !words.argument.empty()) {
    return error("{} takes no '{}'", command->name, excerpt(words.argument));
  }
  return command->run(state, words.argument);
}

Completions completions_for(const DashboardState& state, std::string_view line) {
  const SplitLine words = split_line(line);
  if (words.argument_at == 0) {
    std::vector<std::string> names = beginning_with(words.name, command_names());
    if (!words.name.empty()) {
      for (std::string& word : destination_words(state, words.name))
        names.push_back(std::move(word));
    }
    return {line.size() - words.name.size(), std::move(names)};
  }
  const LineCommand* const command = command_named(words.name);
  if (command == nullptr || command->words == nullptr) return {};
  const std::size_t from = line.find_last_of(" ,") + 1;
  const std::string_view prefix = line.substr(from);
  return {from, beginning_with(prefix, command->words(state, prefix))};
}

}  // namespace drover::tui
