// All that a person can set about the dashboard, once for ever: one table of settings drives
// reading the file, documenting it, writing it and the page docs/dashboard.md. No file is touched
// here.
//
// The file is TOML. What it does not say is as in `Settings`; an unknown key, a name that nothing
// has, and a number out of its range are errors that name the line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/result.h"

namespace drover::tui {

/// What is shown: by the dashboard as it starts, and by each saved view.
struct ViewSettings {
  std::string view = "fleet";                  // one of view_names()
  std::string filter;                          // as in docs/filters.md; empty: everything
  std::string job_filter = "all";              // a JobFilter
  std::string map_group = "host";              // what devices on the heat map stand together by
  std::string map_metric = "utilization";      // a word of map_metrics()
  std::vector<std::string> device_columns;     // titles, "POWER" or "POWER:14"; empty: all that fit
  std::vector<std::string> sort = {"DEVICE"};  // titles, "-POWER": greatest first; at most two
  bool operator==(const ViewSettings&) const = default;
};

/// What a dashboard remembers of its fleet by default: the history of 10,000 devices as far back as
/// it is ever kept, and as much for what was heard.
inline constexpr std::uint64_t history_bytes_default = 96u << 20;

struct Settings {
  ViewSettings start;
  std::map<std::string, ViewSettings> views;  // saved, by name

  std::string theme = "dark";                    // one of theme_names()
  std::string colours = "auto";                  // one of colours_names()
  std::string ascii = "auto";                    // on, off, auto: where the locale is not UTF-8
  std::string mouse = "on";                      // on, off
  std::int64_t frame_rate = 4;                   // frames a second at most
  std::optional<std::uint64_t> bytes_per_frame;  // 0: no bound; absent, "auto": bounded under ssh
  // Bytes: one half for the history of devices, one for what was heard, which past moments are made
  // of; while one is shown, an eighth more for its sparklines.
  std::uint64_t history = history_bytes_default;
  std::string bell = "off";  // from which severity on an alert rings
  bool operator==(const Settings&) const = default;
};

/// Whether an alert so grave rings the terminal's bell.
bool rings(const Settings& settings, Severity severity);

/// What a person has asked of the settings while the dashboard runs.
struct SettingsWish {
  Settings settings;  // to go by from now on
  bool save = false;  // and to keep
};

/// `place` is the file's name as messages show it.
Result<Settings> read_settings(std::string_view text, const std::string& place);

/// The whole file with each setting: what it is for, its default as a comment, and its value.
std::string documented(const Settings& settings);
/// A file of no more than what differs from the defaults. Reading it gives the same settings.
std::string saved(const Settings& settings);

/// One setting as docs/dashboard.md has it.
struct SettingRow {
  std::string key;
  std::string otherwise;  // the default, as TOML
  std::string values;     // "dark light contrast", "1..20", "bytes"
  std::string help;
};
std::vector<SettingRow> setting_rows();

}  // namespace drover::tui
