// The dashboard's settings. One table of settings drives reading, documenting and writing the
// settings file and the page docs/dashboard.md. This module does no file access.
//
// The file is TOML. Missing keys have the defaults of `Settings`. An unknown key, an unknown name
// and a number out of range are errors that give the line.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/result.h"

namespace drover::tui {

/// What the dashboard shows at its start, and what a saved view shows.
struct ViewSettings {
  std::string view = "fleet";                  // one of view_names()
  std::string filter;                          // as in docs/filters.md; empty: everything
  std::string job_filter = "all";              // a JobFilter
  std::string map_group = "host";              // how the heat map groups devices
  std::string map_metric = "utilization";      // a word of map_metrics()
  std::vector<std::string> device_columns;     // titles, "POWER" or "POWER:14"; empty: all that fit
  std::vector<std::string> sort = {"DEVICE"};  // titles, "-POWER": descending; at most two
  bool operator==(const ViewSettings&) const = default;
};

/// Default memory for history: enough for the full history of 10,000 devices, and as much again for
/// received messages.
inline constexpr std::uint64_t history_bytes_default = 96u << 20;
// Less is not enough for a small fleet; more is a mistake.
inline constexpr std::uint64_t history_bytes_min = 1u << 20, history_bytes_max = 64ull << 30;

struct Settings {
  ViewSettings start;
  std::map<std::string, ViewSettings> views;  // saved, by name

  std::string theme = "dark";                    // one of theme_names()
  std::string colours = "auto";                  // one of colours_names()
  std::string ascii = "auto";                    // on, off, auto: where the locale is not UTF-8
  std::string mouse = "on";                      // on, off
  std::int64_t frame_rate = 4;                   // frames per second at most
  std::optional<std::uint64_t> bytes_per_frame;  // 0: no limit; absent, "auto": limited under ssh
  // Bytes: one half for the history of devices, one for received messages, from which past moments
  // are rebuilt. While a past moment is shown, its sparklines take an eighth more.
  std::uint64_t history = history_bytes_default;
  std::string bell = "off";  // least severity of an alert that rings
  bool operator==(const Settings&) const = default;
};

/// Whether an alert of this severity rings the terminal's bell.
bool rings(const Settings& settings, Severity severity);

/// A change of the settings by the user while the dashboard runs.
struct SettingsChange {
  Settings settings;  // the new ones
  bool save = false;  // to the settings file, too
};

/// `place` is the file's name as messages show it.
Result<Settings> read_settings(std::string_view text, const std::string& place);

/// A complete file: for each setting its help, its default as a comment, and its value.
std::string annotated_settings(const Settings& settings);
/// A file of the settings that differ from the defaults. Reading it gives the same settings.
std::string saved(const Settings& settings);

/// A setting as the file has it: its key and its value as TOML.
struct SettingText {
  std::string_view key;
  std::string value;
};
/// All settings but saved views, in the file's order.
std::vector<SettingText> setting_texts(const Settings& settings);

/// A number of bytes, written as "96MiB"; without a value, "auto".
using AutoBytes = std::optional<std::uint64_t>;

/// A setting in `Owner`. Its type determines what the file may contain.
template <typename Owner>
using Member = std::variant<std::string Owner::*, std::vector<std::string> Owner::*,
                            std::int64_t Owner::*, std::uint64_t Owner::*, AutoBytes Owner::*>;

template <typename Owner>
struct Setting {
  std::string_view key;
  Member<Owner> member;
  std::string_view help;
  const std::vector<std::string>& (*names)() = nullptr;  // allowed texts; null: any text
  Status (*check)(const std::string& text) = nullptr;    // of a text, or of each text of a list
  std::uint64_t low = 0, high = 0;                       // range of a number or of a list's length
  std::string (*present_name)(std::string old) = nullptr;  // of a text that was renamed; or null
};

/// The settings of ViewSettings, which saved views have too, and the others, in the file's order.
std::span<const Setting<ViewSettings>> view_settings();
std::span<const Setting<Settings>> other_settings();

inline constexpr std::size_t saved_views_max = 64;

}  // namespace drover::tui
