#include "tui/state/command_line.h"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/canvas/theme.h"
#include "tui/state/settings_choices.h"
#include "tui/state/settings_table.h"
#include "tui/state/timeline_words.h"
#include "tui/state/update.h"
#include "tui/state/view_table.h"
#include "tui/tables/columns.h"

namespace drover::tui {
namespace {

constexpr std::size_t offers_max = 200;

template <View view>
Status show(Desk& desk, std::string_view) {
  show_view(desk.choices, view);
  return {};
}

Status show_device(Desk& desk, std::string_view argument) {
  if (!argument.empty()) {
    const auto id = parse_device_id(argument);
    if (!id) return id.error();
    if (!desk.model.find(*id)) {
      return error("found '{}', expected a device of this fleet", excerpt(argument));
    }
    desk.choices.device = *id;
  }
  return show<View::device>(desk, {});
}

constexpr std::string_view no_group = "none";

/// Of the table where that is shown, else of the map.
std::vector<std::string> grouping_words(const Desk& desk) {
  std::vector<std::string> words = grouping_names();
  if (desk.choices.view == View::devices) words.emplace_back(no_group);
  return words;
}

std::vector<std::string> metric_words(const Desk&) {
  std::vector<std::string> words;
  for (const MapMetricFacts& metric : map_metrics()) words.emplace_back(metric.word);
  return words;
}

Status go_to(Desk& desk, std::string_view argument) {
  const Covered covered{desk.cursor.timeline().first(), desk.cursor.latest(desk.now)};
  const auto at = parse_moment(argument, desk.cursor.shown(), covered);
  if (!at) return at.error();
  if (*at < covered.first || *at > covered.last) {
    return error("found '{}', there is only {} to {} of fleet time (0s to {} from the start)",
                 excerpt(argument), to_clock_text(covered.first), to_clock_text(covered.last),
                 duration_text(to_seconds(covered.last - covered.first)));
  }
  desk.cursor.go_to(*at, desk.now);
  return {};
}

Status go_live(Desk& desk, std::string_view) {
  desk.cursor.take(Command::go_live, desk.now);
  return {};
}

Status set_filter(Desk& desk, std::string_view argument) {
  const auto problem = desk.choices.narrowing.set(argument);
  return problem ? Status(Error{problem->message}) : Status{};
}

Status find(Desk& desk, std::string_view argument) {
  desk.choices.finding = std::string(argument);
  update(desk.model, desk.choices, Command::find_next, desk.now);
  return {};
}

Status choose_columns(Desk& desk, std::string_view argument) {
  std::vector<ShownColumn> wanted;
  if (!argument.empty()) {
    auto parsed = parse_columns(argument);
    if (!parsed) return parsed.error();
    wanted = std::move(*parsed);
  }
  desk.choices.devices.wanted = std::move(wanted);
  return show<View::devices>(desk, {});
}

Status sort_devices_by(Desk& desk, std::string_view argument) {
  const auto keys = parse_sort(argument);
  if (!keys) return keys.error();
  sort_by(desk.choices.devices, *keys);
  return show<View::devices>(desk, {});
}

Status set_grouping(Desk& desk, std::string_view argument) {
  const bool table = desk.choices.view == View::devices;
  const auto& names = grouping_names();
  const auto found = std::find(names.begin(), names.end(), argument);
  std::optional<Grouping> grouping;
  if (found != names.end()) {
    grouping = static_cast<Grouping>(found - names.begin());
  } else if (!table || argument != no_group) {
    return error("found '{}', expected {}", excerpt(argument),
                 fmt::join(grouping_words(desk), ", "));
  }
  if (table) {
    group_by(desk.choices.devices, grouping);
    return {};
  }
  desk.choices.grouping = *grouping;
  return show<View::fleet>(desk, {});
}

Status set_metric(Desk& desk, std::string_view argument) {
  for (const MapMetricFacts& metric : map_metrics()) {
    if (metric.word != argument) continue;
    desk.choices.metric = metric.metric;
    return show<View::fleet>(desk, {});
  }
  return error("found '{}', expected {}", excerpt(argument), fmt::join(metric_words(desk), ", "));
}

template <Command command>
Status press(Desk& desk, std::string_view) {
  update(desk.model, desk.choices, command, desk.now);
  return {};
}

/// Goes by them from now on; the shell is told.
void set(Desk& desk, Settings settings, bool save) {
  save = save || (desk.settings_wish && desk.settings_wish->save);
  desk.options.settings = settings;
  desk.settings_wish = SettingsWish{std::move(settings), save};
}

std::vector<std::string> saved_view_words(const Desk& desk) {
  std::vector<std::string> names;
  for (const auto& [name, view] : desk.options.settings.views) names.push_back(name);
  return names;
}

Status show_saved(Desk& desk, std::string_view argument) {
  const auto& views = desk.options.settings.views;
  const auto found = views.find(std::string(argument));
  if (found == views.end()) {
    return error("no saved view '{}'{}", excerpt(argument),
                 suggestion(argument, saved_view_words(desk)));
  }
  choose(found->second, desk.choices);
  return {};
}

/// What is shown, as the start or as a view of that name.
Status save(Desk& desk, std::string_view argument) {
  Settings settings = desk.options.settings;
  const ViewSettings shown = chosen(desk.choices, settings.start);
  if (argument.empty()) {
    settings.start = shown;
  } else if (!is_name(argument)) {
    return error("found '{}', expected a name of 1 to 64 of A-Z a-z 0-9 . _ : -",
                 excerpt(argument));
  } else {
    settings.views[std::string(argument)] = shown;
  }
  if (settings.views.size() > saved_views_max) {
    return error("found {} saved views, expected at most {}: save under one of their names",
                 settings.views.size(), saved_views_max);
  }
  set(desk, std::move(settings), true);
  return {};
}

std::vector<std::string> theme_words(const Desk&) { return theme_names(); }

Status choose_theme(Desk& desk, std::string_view argument) {
  if (!theme_named(argument)) {
    return error("found '{}', expected one of {}", excerpt(argument),
                 fmt::format("{}", fmt::join(theme_names(), " ")));
  }
  Settings settings = desk.options.settings;
  settings.theme = std::string(argument);
  set(desk, std::move(settings), false);
  return {};
}

/// Asks before it is done.
Status propose(Desk& desk, Result<Action> action) {
  if (const Status may = may_change(desk); !may) return may.error();
  if (!action) return action.error();
  desk.proposed = std::move(*action);
  return {};
}

Status drain(Desk& desk, std::string_view argument) {
  return propose(desk, drain_action(desk.model, desk.choices, desk.options.speed, argument, true));
}
Status resume(Desk& desk, std::string_view argument) {
  return propose(desk, drain_action(desk.model, desk.choices, desk.options.speed, argument, false));
}
Status cap(Desk& desk, std::string_view argument) {
  return propose(desk, cap_action(desk.model, desk.options.speed, argument));
}
Status cancel(Desk& desk, std::string_view argument) {
  return propose(desk, cancel_action(desk.model, desk.choices, argument));
}
Status inject(Desk& desk, std::string_view argument) {
  return propose(desk, inject_action(desk.model, desk.choices, desk.options.speed, argument));
}
Status acknowledge(Desk& desk, std::string_view argument) {
  return propose(desk, acknowledge_action(desk.model, desk.choices, argument));
}
Status apply_policy(Desk& desk, std::string_view argument) {
  return propose(desk, policy_action(argument));
}

std::vector<std::string> device_words(const Desk& desk) {
  std::vector<std::string> words;
  for (const DeviceTable::Row row : desk.model.device_order()) {
    if (words.size() >= offers_max) break;
    words.push_back(to_text(desk.model.id_of(row)));
  }
  return words;
}

std::vector<std::string> pool_words(const Desk& desk) {
  std::vector<std::string> words = {"site"};
  for (const std::string& pool : desk.model.pools()) words.push_back("pool:" + pool);
  return words;
}

std::vector<std::string> target_words(const Desk& desk) {
  std::vector<std::string> words = pool_words(desk);
  for (const HostRow& host : desk.model.hosts()) {
    if (words.size() >= offers_max) break;
    words.push_back("host:" + host.said.hello.host);
  }
  return words;
}

std::vector<std::string> column_words(const Desk&) {
  std::vector<std::string> words;
  for (const DeviceColumn& column : device_columns()) words.emplace_back(column.title);
  return words;
}

std::vector<std::string> sort_words(const Desk& desk) {
  std::vector<std::string> words = column_words(desk);
  for (const std::string& title : column_words(desk)) words.push_back("-" + title);
  return words;
}

std::vector<std::string> job_words(const Desk& desk) {
  std::vector<std::string> words;
  for (const JobLine& line : desk.choices.jobs.lines) {
    if (line.kind == JobLine::Kind::job) words.push_back(to_short_text(line.job));
  }
  return words;
}

std::vector<std::string> alert_words(const Desk& desk) {
  std::vector<std::string> words = {"all"};
  for (const News& news : raised_alerts(desk.model)) {
    if (words.size() >= offers_max) break;
    if (std::find(words.begin(), words.end(), news.rule) == words.end()) words.push_back(news.rule);
  }
  return words;
}

constexpr std::array command_table = {
    LineCommand{"fleet", "", "the whole fleet on one page", show<View::fleet>, nullptr},
    LineCommand{"devices", "", "every device as a row", show<View::devices>, nullptr},
    LineCommand{"device", "[ID]", "one device in full", show_device, device_words},
    LineCommand{"jobs", "", "jobs, and what they wait for", show<View::jobs>, nullptr},
    LineCommand{"routing", "", "decisions, and why", show<View::routing>, nullptr},
    LineCommand{"power", "", "watts, money and energy", show<View::power>, nullptr},
    LineCommand{"events", "", "alerts, and what happened", show<View::events>, nullptr},
    LineCommand{"data-plane", "", "agents, and this dashboard's own", show<View::data_plane>,
                nullptr},
    LineCommand{"help", "", "keys, commands, reasons, signs", show<View::help>, nullptr},
    LineCommand{"filter", "[EXPR]", "show only what EXPR holds for; without it everything",
                set_filter, nullptr},
    LineCommand{"columns", "[NAME[:WIDTH],..]", "those of the devices table; without it the usual",
                choose_columns, column_words},
    LineCommand{"sort", "NAME[,NAME]", "devices by one or two columns; -NAME: falling",
                sort_devices_by, sort_words},
    LineCommand{"find", "TEXT", "go to the next line with TEXT", find, nullptr},
    LineCommand{"group", "BY", "map or table by host, rack, pool, kind, state; the table: or none",
                set_grouping, grouping_words},
    LineCommand{"metric", "NAME", "what colours the fleet's map", set_metric, metric_words},
    LineCommand{"at", "TIME", "go to a time: 12:03:07, -30s, 5m from the start", go_to, nullptr},
    LineCommand{"live", "", "to now", go_live, nullptr},
    LineCommand{"view", "NAME", "what was saved under that name", show_saved, saved_view_words},
    LineCommand{"save", "[NAME]", "keep what is shown, under that name or as the start", save,
                saved_view_words},
    LineCommand{"theme", "NAME", "other colours", choose_theme, theme_words},
    LineCommand{"untag", "", "let all tags go", press<Command::untag_all>, nullptr},
    LineCommand{"drain", "[TARGET] [within SPAN]", "no new work there", drain, target_words},
    LineCommand{"resume", "[TARGET]", "new work may come there again", resume, target_words},
    LineCommand{"cap", "TARGET WATTS [for SPAN]", "hold the power of a pool or the site", cap,
                pool_words},
    LineCommand{"cancel", "[JOB..]", "end jobs", cancel, job_words},
    LineCommand{"inject", "[TARGET] FAULT [for SPAN]", "make emulated devices faulty", inject,
                target_words},
    LineCommand{"acknowledge", "[RULE [SUBJECT]]",
                "you have seen it, or all; it stays until it is over", acknowledge, alert_words},
    LineCommand{"policy", "FILE", "apply a policy", apply_policy, nullptr},
    LineCommand{"quit", "", "leave", press<Command::quit>, nullptr},
};

const LineCommand* command_named(std::string_view name) {
  const auto found = std::find_if(command_table.begin(), command_table.end(),
                                  [&](const LineCommand& command) { return command.name == name; });
  return found == command_table.end() ? nullptr : &*found;
}

struct Words {
  std::string_view name, argument;
  std::size_t argument_at = 0;  // 0: there is none yet
};

Words taken_apart(std::string_view line) {
  const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
  const std::size_t end = std::min(line.find(' ', begin), line.size());
  return {line.substr(begin, end - begin), trimmed(line.substr(end)),
          end < line.size() ? end + 1 : 0};
}

std::vector<std::string> beginning_with(std::string_view begun, std::vector<std::string> words) {
  std::erase_if(words, [&](const std::string& word) { return !word.starts_with(begun); });
  return words;
}

}  // namespace

std::span<const LineCommand> line_commands() { return command_table; }

Status run_line(Desk& desk, std::string_view line) {
  const Words words = taken_apart(line);
  if (words.name.empty()) return {};
  const LineCommand* const command = command_named(words.name);
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const LineCommand& known : command_table) names.emplace_back(known.name);
    return error("no command '{}'{}", excerpt(words.name), suggestion(words.name, names));
  }
  if (command->argument.empty() && !words.argument.empty()) {
    return error("{} takes no '{}'", command->name, excerpt(words.argument));
  }
  return command->run(desk, words.argument);
}

Offers offers_for(const Desk& desk, std::string_view line) {
  const Words words = taken_apart(line);
  if (words.argument_at == 0) {
    std::vector<std::string> names;
    for (const LineCommand& command : command_table) names.emplace_back(command.name);
    return {line.size() - words.name.size(), beginning_with(words.name, std::move(names))};
  }
  const LineCommand* const command = command_named(words.name);
  if (command == nullptr || command->words == nullptr) return {};
  const std::size_t from = line.find_last_of(" ,") + 1;
  return {from, beginning_with(line.substr(from), command->words(desk))};
}

Status may_change(const Desk& desk) {
  if (desk.cursor.replay()) return error("a recording cannot be changed");
  if (!desk.options.control) {
    return error("this dashboard only looks: start it with --control to change the fleet");
  }
  if (!desk.cursor.live()) return error("this is not now: L first");
  return {};
}

}  // namespace drover::tui
