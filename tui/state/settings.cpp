#include "tui/state/settings.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/filter/filter.h"
#include "fleet/text/toml.h"
#include "tui/canvas/theme.h"
#include "tui/map/heat_order.h"
#include "tui/map/map_metric.h"
#include "tui/state/view_id.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/job_list.h"

namespace drover::tui {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;

// The allowed names of settings that no other table has.

const std::vector<std::string>& automatic_or_not() {
  static const std::vector<std::string> names = {"auto", "on", "off"};
  return names;
}

const std::vector<std::string>& on_or_off() {
  static const std::vector<std::string> names = {"on", "off"};
  return names;
}

const std::vector<std::string>& bells() {
  static const std::vector<std::string> names = {"off", "critical", "warning", "info"};
  return names;
}

// Checks of texts.

Status check_filter(const std::string& text) {
  const auto parsed = filter::Filter::parse(text);
  const auto* const problem = std::get_if<filter::Problem>(&parsed);
  return problem == nullptr ? Status() : Status(Error{problem->message});
}

Status check_column(const std::string& text) {
  DROVER_ASSIGN(const auto columns, parse_columns(text));
  return columns.size() == 1 ? Status() : error("found '{}', expected one column", excerpt(text));
}

Status check_sort(const std::string& text) {
  DROVER_ASSIGN(const auto keys, parse_sort(text));
  return keys.size() == 1 ? Status() : error("found '{}', expected one column", excerpt(text));
}

const std::array<Setting<ViewSettings>, 7> of_views = {{
    {"view", &ViewSettings::view, "view shown at the start", view_names, nullptr, 0, 0,
     present_view_name},
    {"filter", &ViewSettings::filter, "shows only what this filter matches; empty: the whole fleet",
     nullptr, check_filter},
    {"map_metric", &ViewSettings::map_metric, "metric that colours the heat map", map_metric_words},
    {"map_group", &ViewSettings::map_group, "grouping of devices on the heat map", grouping_names},
    {"device_columns", &ViewSettings::device_columns,
     "columns of the devices table in order, \"POWER\" or, with a width, \"POWER:14\"; empty: all "
     "that fit",
     nullptr, check_column, 0, 40},
    {"sort", &ViewSettings::sort,
     "columns by which devices are sorted; \"-POWER\" sorts descending", nullptr, check_sort, 1, 2},
    {"job_filter", &ViewSettings::job_filter, "which jobs the jobs view lists", job_filter_names},
}};

const std::array<Setting<Settings>, 8> others = {{
    {"theme", &Settings::theme, "colour theme", theme_names},
    {"colours", &Settings::colours,
     "number of colours of the terminal; truecolor: 24 bits; auto: from TERM and COLORTERM, and "
     "none "
     "if NO_COLOR is set",
     colours_names},
    {"ascii", &Settings::ascii,
     "no box, block or braille characters; auto: if the locale is not UTF-8", automatic_or_not},
    {"mouse", &Settings::mouse,
     "the dashboard receives clicks and the wheel; off: the terminal uses them to select text",
     on_or_off},
    {"frame_rate", &Settings::frame_rate, "maximum frames per second", nullptr, nullptr, 1, 20},
    {"bytes_per_frame", &Settings::bytes_per_frame,
     "maximum bytes written to the terminal at once; 0: no limit; auto: limited over ssh, "
     "to 4 KiB/s between keys",
     nullptr, nullptr, 0, 16 * mebibyte},
    {"history", &Settings::history,
     "memory for history: half for the devices' metrics, half to go back in time", nullptr, nullptr,
     history_bytes_min, history_bytes_max},
    {"bell", &Settings::bell, "lowest severity of an alert that rings the bell", bells},
}};

using toml_file::Table;

// Reading: one reader per type. For a wrong value they report a problem and keep the default.

template <typename Owner>
void check_text(Table& table, const Setting<Owner>& setting, const std::string& text) {
  if (setting.names != nullptr) {
    const std::vector<std::string>& names = setting.names();
    if (std::find(names.begin(), names.end(), text) != names.end()) return;
    table.add_problem(setting.key, fmt::format("found '{}', expected one of {}", excerpt(text),
                                               joined(names, " ")));
  } else if (setting.check != nullptr) {
    if (const Status fine = setting.check(text); !fine) {
      table.add_problem(setting.key, fine.error().message);
    }
  }
}

template <typename Owner>
void read(Table& table, const Setting<Owner>& setting, std::string& value) {
  value = table.text(setting.key, value);
  if (setting.present_name != nullptr) value = setting.present_name(std::move(value));
  check_text(table, setting, value);
}

template <typename Owner>
void read(Table& table, const Setting<Owner>& setting, std::vector<std::string>& value) {
  if (!table.has(setting.key)) return;
  value = table.texts(setting.key);
  if (value.size() < setting.low || value.size() > setting.high) {
    table.add_problem(setting.key, fmt::format("found {} names, expected {} to {}", value.size(),
                                               setting.low, setting.high));
  }
  for (const std::string& text : value) check_text(table, setting, text);
}

template <typename Owner>
void read(Table& table, const Setting<Owner>& setting, std::int64_t& value) {
  value = table.integer_in(setting.key, static_cast<std::int64_t>(setting.low),
                           static_cast<std::int64_t>(setting.high), value);
}

template <typename Owner>
void read(Table& table, const Setting<Owner>& setting, std::uint64_t& value) {
  value = table.bytes(setting.key, value);
  if (value >= setting.low && value <= setting.high) return;
  table.add_problem(setting.key, fmt::format("found {} bytes, expected {} to {}", value,
                                             setting.low, setting.high));
}

template <typename Owner>
void read(Table& table, const Setting<Owner>& setting, AutoBytes& value) {
  if (!table.has(setting.key)) return;
  if (table.holds_text(setting.key) && table.text(setting.key) == "auto") {
    value.reset();
    return;
  }
  std::uint64_t bytes = 0;
  read(table, setting, bytes);
  value = bytes;
}

template <typename Owner>
void read_all(Table& table, std::span<const Setting<Owner>> settings, Owner& owner) {
  for (const Setting<Owner>& setting : settings) {
    std::visit([&](auto member) { read(table, setting, owner.*member); }, setting.member);
  }
}

void read_views(Table& root, Settings& settings) {
  std::optional<Table> views = root.table("views");
  if (!views) return;
  const std::vector<std::string> names = views->keys();
  if (names.size() > saved_views_max) {
    root.add_problem(
        "views", fmt::format("found {} views, expected at most {}", names.size(), saved_views_max));
    return;
  }
  for (const std::string& name : names) {
    if (!is_name(name))
      views->add_problem(name, "expected a name of 1 to 64 characters of A-Z a-z 0-9 . _ : -");
    std::optional<Table> table = views->table(name);
    if (!table) return;
    // A saved view inherits missing settings from the start view.
    ViewSettings& view = settings.views.emplace(name, settings.start).first->second;
    read_all(*table, view_settings(), view);
  }
}

// Writing: one writer per type, as TOML.

std::string toml_text(const std::string& value) { return toml_file::quoted(valid_utf8(value)); }

std::string toml_text(const std::vector<std::string>& value) {
  std::vector<std::string> texts;
  for (const std::string& text : value) texts.push_back(toml_text(text));
  return fmt::format("[{}]", joined(texts, ", "));
}

std::string toml_text(std::int64_t value) { return fmt::format("{}", value); }

std::string toml_text(std::uint64_t value) {
  struct Unit {
    std::uint64_t bytes;
    const char* name;
  };
  for (const Unit& unit : {Unit{1U << 30, "GiB"}, Unit{1U << 20, "MiB"}, Unit{1U << 10, "KiB"}}) {
    if (value > 0 && value % unit.bytes == 0) {
      return fmt::format("\"{}{}\"", value / unit.bytes, unit.name);
    }
  }
  return fmt::format("{}", value);
}

std::string toml_text(const AutoBytes& value) { return value ? toml_text(*value) : "\"auto\""; }

template <typename Owner>
std::string value_text(const Setting<Owner>& setting, const Owner& owner) {
  return std::visit([&](auto member) { return toml_text(owner.*member); }, setting.member);
}

/// The allowed values as text: names, a range, or the kind of value.
template <typename Owner>
std::string values_text(const Setting<Owner>& setting) {
  if (setting.names != nullptr) return joined(setting.names(), " ");
  if (std::holds_alternative<std::int64_t Owner::*>(setting.member)) {
    return fmt::format("{} to {}", setting.low, setting.high);
  }
  if (std::holds_alternative<std::uint64_t Owner::*>(setting.member)) return "bytes";
  if (std::holds_alternative<AutoBytes Owner::*>(setting.member)) return "auto, or bytes";
  if (std::holds_alternative<std::vector<std::string> Owner::*>(setting.member))
    return "array of strings";
  return "string";
}

template <typename Owner>
std::string documented_lines(std::span<const Setting<Owner>> settings, const Owner& owner) {
  const Owner defaults;
  std::string text;
  for (const Setting<Owner>& setting : settings) {
    text += fmt::format("\n# {} ({})\n# default: {} = {}\n{} = {}\n", setting.help,
                        values_text(setting), setting.key, value_text(setting, defaults),
                        setting.key, value_text(setting, owner));
  }
  return text;
}

template <typename Owner>
std::string changed_lines(std::span<const Setting<Owner>> settings, const Owner& owner,
                          const Owner& default_value) {
  std::string text;
  for (const Setting<Owner>& setting : settings) {
    const std::string value = value_text(setting, owner);
    if (value == value_text(setting, default_value)) continue;
    text += fmt::format("{} = {}\n", setting.key, value);
  }
  return text;
}

std::string view_tables(const Settings& settings) {
  std::string text;
  for (const auto& [name, view] : settings.views) {
    text += fmt::format("\n[views.{}]\n{}", toml_file::quoted(name),
                        changed_lines(view_settings(), view, settings.start));
  }
  return text;
}

}  // namespace

std::span<const Setting<ViewSettings>> view_settings() { return of_views; }
std::span<const Setting<Settings>> other_settings() { return others; }

Result<Settings> read_settings(std::string_view text, const std::string& place) {
  DROVER_ASSIGN(auto root, Table::parse(text, place));
  Settings settings;
  read_all(root, view_settings(), settings.start);
  read_all(root, other_settings(), settings);
  read_views(root, settings);
  DROVER_TRY(root.finish());
  return settings;
}

std::string annotated_settings(const Settings& settings) {
  return "# Settings of drover top. Command line options override them.\n" +
         documented_lines(view_settings(), settings.start) +
         documented_lines(other_settings(), settings) +
         "\n# Each saved view has a table [views.NAME] with the settings from view to job_filter.\n"
         "# Settings missing there have the values above.\n" +
         view_tables(settings);
}

std::vector<SettingText> setting_texts(const Settings& settings) {
  std::vector<SettingText> texts;
  for (const auto& setting : of_views) {
    texts.push_back({setting.key, value_text(setting, settings.start)});
  }
  for (const auto& setting : others) texts.push_back({setting.key, value_text(setting, settings)});
  return texts;
}

std::string saved(const Settings& settings) {
  const Settings defaults;
  return "# Written by drover top: the settings that differ from the defaults. For all settings:\n"
         "# drover top --print-config\n" +
         changed_lines(view_settings(), settings.start, defaults.start) +
         changed_lines(other_settings(), settings, defaults) + view_tables(settings);
}

bool rings(const Settings& settings, Severity severity) {
  constexpr std::array severities = {Severity::info, Severity::warning, Severity::critical};
  return std::any_of(severities.begin(), severities.end(), [&](Severity least) {
    return to_text(least) == settings.bell && severity >= least;
  });
}

}  // namespace drover::tui
