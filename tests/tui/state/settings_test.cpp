// The settings file: what may stand in it, what is said of what may not, and what is written.
#include "tui/state/settings.h"

#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

/// Every setting other than its default, and two saved views.
Settings unusual() {
  Settings settings;
  settings.start.view = "devices";
  settings.start.filter = "kind==tpu & temp>70 | job~\"a\\b\"";
  settings.start.job_filter = "running";
  settings.start.map_group = "pool";
  settings.start.map_metric = "temperature";
  settings.start.device_columns = {"DEVICE:20", "TEMP", "POWER"};
  settings.start.sort = {"-POWER", "DEVICE"};
  settings.theme = "tritanopia";
  settings.colours = "8";
  settings.ascii = "off";
  settings.mouse = "off";
  settings.frame_rate = 10;
  settings.bytes_per_frame = 0;
  settings.history = std::uint64_t{1'000'000'001};
  settings.bell = "warning";
  settings.views["hot"] = settings.start;
  settings.views["hot"].filter = "temp > 80";
  settings.views["all.of:it"] = settings.start;
  return settings;
}

Settings settings_of(const std::string& text) {
  const Result<Settings> settings = read_settings(text, "top.toml");
  EXPECT_TRUE(settings.ok()) << settings.error().message << "\n" << text;
  return settings ? *settings : Settings();
}

TEST(Settings, AnEmptyFileHasTheDefaults) { EXPECT_EQ(settings_of(""), Settings()); }

/// A setting as annotated_settings documents it.
struct SettingRow {
  std::string key, default_value, values, help;
  bool operator==(const SettingRow&) const = default;
};

std::vector<SettingRow> setting_rows(const Settings& settings) {
  static constexpr std::string_view prefix = "# default: ";
  const std::vector<std::string> lines = split(annotated_settings(settings), '\n');
  std::vector<SettingRow> rows;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    if (!lines[i].starts_with(prefix)) continue;
    const std::string line = lines[i].substr(prefix.size());  // KEY = DEFAULT
    const std::string& above = lines[i - 1];                  // # HELP (VALUES)
    const std::size_t equals = line.find(" = "), bracket = above.rfind(" (");
    rows.push_back({line.substr(0, equals), line.substr(equals + 3),
                    above.substr(bracket + 2, above.size() - bracket - 3),
                    above.substr(2, bracket - 2)});
  }
  return rows;
}

TEST(Settings, AViewThatWasRenamedIsStillUnderstood) {
  EXPECT_EQ(settings_of("view = \"data-plane\"").start.view, "telemetry");
}

TEST(Settings, PrintedSettingsRoundTrip) {
  for (const Settings& settings : {Settings(), unusual()}) {
    EXPECT_EQ(settings_of(annotated_settings(settings)), settings) << annotated_settings(settings);
    EXPECT_EQ(settings_of(saved(settings)), settings) << saved(settings);
  }
}

TEST(Settings, EverySettingIsPrintedWithItsHelpAndItsDefault) {
  const std::string text = annotated_settings(unusual());
  const std::vector<SettingRow> rows = setting_rows(unusual());
  EXPECT_EQ(rows.size(), view_settings().size() + other_settings().size());
  EXPECT_EQ(rows, setting_rows(Settings()));
  for (const SettingRow& row : rows) {
    EXPECT_NE(text.find("\n" + row.key + " = "), std::string::npos) << row.key << "\n" << text;
    EXPECT_FALSE(row.help.empty() || row.values.empty()) << row.key;
  }
}

TEST(Settings, OnlyWhatDiffersFromTheDefaultsIsSaved) {
  const std::string head =
      "# Written by drover top: the settings that differ from the defaults. For all settings:\n"
      "# drover top --print-config\n";
  EXPECT_EQ(saved(Settings()), head);
  Settings settings;
  settings.theme = "light";
  settings.history = std::uint64_t{32} << 20;
  settings.views["hot"].filter = "temp>80";
  EXPECT_EQ(saved(settings), head +
                                 "theme = \"light\"\n"
                                 "history = \"32MiB\"\n"
                                 "\n[views.\"hot\"]\n"
                                 "filter = \"temp>80\"\n");
}

TEST(Settings, ASavedViewInheritsUnsetValuesFromTheStartSettings) {
  const Settings settings = settings_of(
      "sort = \"-TEMP\"\nmap_metric = \"memory\"\n[views.hot]\nview = \"jobs\"\nsort = "
      "[\"POWER\"]\n");
  ASSERT_EQ(settings.views.size(), 1u);
  const ViewSettings& hot = settings.views.at("hot");
  EXPECT_EQ(hot.view, "jobs");
  EXPECT_EQ(hot.map_metric, "memory");
  EXPECT_EQ(hot.sort, std::vector<std::string>{"POWER"});
  EXPECT_EQ(settings.start.sort, std::vector<std::string>{"-TEMP"});
}

TEST(Settings, ByteSizesMayBeNumbersStringsOrAutomatic) {
  EXPECT_EQ(settings_of("history = 2000000").history, 2'000'000u);
  EXPECT_EQ(settings_of("history = \"64MiB\"").history, std::uint64_t{64} << 20);
  EXPECT_EQ(settings_of("bytes_per_frame = \"16KiB\"").bytes_per_frame, 16'384u);
  EXPECT_EQ(settings_of("bytes_per_frame = 0").bytes_per_frame, 0u);
  EXPECT_EQ(settings_of("bytes_per_frame = \"auto\"").bytes_per_frame, std::nullopt);
}

TEST(Settings, ProblemsAreReportedWithTheirPosition) {
  struct Case {
    std::string text;
    std::string message;
  };
  const std::vector<Case> cases = {
      {"theme = ", "top.toml:1: "},
      {"\nthem = \"dark\"", "top.toml:2: them: unknown key; did you mean theme?"},
      {"theme = \"drak\"",
       "top.toml:1: theme: found 'drak', expected one of dark light contrast deuteranopia "
       "tritanopia terminal"},
      {"theme = 1", "top.toml:1: theme: found 1, expected a string"},
      {"colours = \"12\"",
       "top.toml:1: colours: found '12', expected one of auto none 8 16 256 truecolor"},
      {"colours = 256", "top.toml:1: colours: found 256, expected a string"},
      {"view = \"fleets\"", "top.toml:1: view: found 'fleets', expected one of fleet devices"},
      {"ascii = true", "top.toml:1: ascii: found true, expected a string"},
      {"ascii = \"yes\"", "top.toml:1: ascii: found 'yes', expected one of auto on off"},
      {"mouse = \"auto\"", "top.toml:1: mouse: found 'auto', expected one of on off"},
      {"bell = \"loud\"", "top.toml:1: bell: found 'loud', expected one of off critical warning"},
      {"frame_rate = 0", "top.toml:1: frame_rate: found 0, expected a whole number 1..20"},
      {"frame_rate = 21", "top.toml:1: frame_rate: found 21, expected a whole number 1..20"},
      {"frame_rate = 2.5", "top.toml:1: frame_rate: found 2.5, expected a whole number 1..20"},
      {"history = \"much\"", "top.toml:1: history: found \"much\", expected bytes or a string"},
      {"history = \"1KiB\"",
       "top.toml:1: history: found 1024 bytes, expected 1048576 to 68719476736"},
      {"bytes_per_frame = \"1GiB\"",
       "top.toml:1: bytes_per_frame: found 1073741824 bytes, expected 0 to 16777216"},
      {"bytes_per_frame = \"none\"", "top.toml:1: bytes_per_frame: found \"none\", expected bytes"},
      {"map_metric = \"heat\"",
       "top.toml:1: map_metric: found 'heat', expected one of utilization mfu"},
      {"map_group = \"row\"",
       "top.toml:1: map_group: found 'row', expected one of host rack pool kind state"},
      {"job_filter = \"late\"",
       "top.toml:1: job_filter: found 'late', expected one of all running"},
      {"device_columns = [\"DEVICE\", \"POWR\"]",
       "top.toml:1: device_columns: no column 'POWR'; did you mean POWER?"},
      {"device_columns = [\"POWER:0\"]",
       "top.toml:1: device_columns: width: found '0', expected 3 to 60"},
      {"device_columns = [3]", "top.toml:1: device_columns: found 3 in the array, expected"},
      {"sort = []", "top.toml:1: sort: found 0 names, expected 1 to 2"},
      {"sort = [\"POWER\", \"TEMP\", \"UTIL\"]",
       "top.toml:1: sort: found 3 names, expected 1 to 2"},
      {"sort = \"-AGES\"", "top.toml:1: sort: no column 'AGES'; did you mean AGE?"},
      {"filter = \"" + std::string(1001, 'x') + "\"",
       "top.toml:1: filter: found 1001 bytes, expected at most 1000"},
      {"filter = \"temp >\"", "top.toml:1: filter: "},
      {"views = 1", "top.toml:1: views: found 1, expected a table"},
      {"[views]\nhot = 1", "top.toml:2: views.hot: found 1, expected a table"},
      {"[views.hot]\ntheme = \"dark\"", "top.toml:2: views.hot.theme: unknown key"},
      {"[views.hot]\nview = \"x\"", "top.toml:2: views.hot.view: found 'x', expected one of fleet"},
      {"[views.\"a b\"]", "top.toml:1: views.\"a b\": expected a name of 1 to 64"},
      {"theme = \"\\u001b[31m\"", "top.toml:1: theme: found '^[[31m', expected one of"},
  };
  for (const Case& one : cases) {
    const Result<Settings> settings = read_settings(one.text, "top.toml");
    ASSERT_FALSE(settings.ok()) << one.text;
    EXPECT_TRUE(settings.error().message.starts_with(one.message)) << one.text << "\n"
                                                                   << settings.error().message;
  }
  std::string many;
  for (int i = 0; i < 65; ++i) many += fmt::format("[views.v{}]\n", i);
  const Result<Settings> settings = read_settings(many, "top.toml");
  ASSERT_FALSE(settings.ok());
  EXPECT_EQ(settings.error().message, "top.toml:1: views: found 65 views, expected at most 64");
}

// ---- What the dashboard does with them

std::string frame(Dashboard& dashboard, Instant now) { return dashboard.draw(now).to_text(); }

/// A line typed after `:`.
void enter(Dashboard& dashboard, const std::string& line) {
  dashboard.press(Instant{}, {":"});
  for (const char letter : line) {
    dashboard.press(Instant{}, {letter == ' ' ? "Space" : std::string(1, letter)});
  }
  dashboard.press(Instant{}, {"Enter"});
}

/// What `:save` asks the shell to keep.
Settings saved_by(Dashboard& dashboard, const std::string& line = "save") {
  enter(dashboard, line);
  const auto changes = take<SettingsChange>(dashboard);
  EXPECT_EQ(changes.size(), 1) << frame(dashboard, Instant{});
  EXPECT_FALSE(takes<SettingsChange>(dashboard)) << "asked once";
  if (changes.empty()) return {};
  EXPECT_TRUE(changes.back().save);
  return changes.back().settings;
}

TEST(Settings, DetermineHowTheDashboardStarts) {
  DashboardOptions options;
  options.settings = unusual();
  Dashboard dashboard(options, {120, 40}, Instant{});
  EXPECT_NE(frame(dashboard, Instant{}).find("by POWER, descending"), std::string::npos)
      << frame(dashboard, Instant{});
  dashboard.press(Instant{}, {"1"});
  EXPECT_NE(frame(dashboard, Instant{}).find("per pool by temperature"), std::string::npos);
}

TEST(Settings, AreSavedWithTheChoicesOfTheScreen) {
  DashboardOptions options;
  options.settings = unusual();
  Dashboard dashboard(options, {120, 40}, Instant{});
  Settings expected = unusual();
  EXPECT_EQ(saved_by(dashboard), expected);
  for (const char* key : {"1", "c", "4", "f"}) dashboard.press(Instant{}, {key});
  enter(dashboard, "filter pool:b");
  expected.start.filter = "pool:b";
  expected.start.view = "jobs";
  expected.start.map_metric = "queue";
  expected.start.job_filter = "waiting";
  EXPECT_EQ(saved_by(dashboard), expected);
}

TEST(SavedViews, AreShownByNameAndSavedFromTheScreen) {
  DashboardOptions options;
  options.settings.views["hot"] = unusual().start;
  Dashboard dashboard(options, {120, 40}, Instant{});
  EXPECT_NE(frame(dashboard, Instant{}).find("1 fleet"), std::string::npos);
  enter(dashboard, "view hot");
  EXPECT_NE(frame(dashboard, Instant{}).find("by POWER, descending"), std::string::npos)
      << frame(dashboard, Instant{});
  EXPECT_FALSE(takes<SettingsChange>(dashboard)) << "looking changes nothing";
  dashboard.press(Instant{}, {"6"});
  const Settings saved = saved_by(dashboard, "save watts");
  EXPECT_EQ(saved.start, ViewSettings()) << "the start stays";
  EXPECT_EQ(saved.views.at("watts").view, "power");
  EXPECT_EQ(saved.views.at("watts").filter, unusual().start.filter);
  enter(dashboard, "fleet");
  enter(dashboard, "view watts");
  EXPECT_EQ(saved_by(dashboard).start.view, "power");
}

TEST(SavedViews, MistakesAreReportedAndChangeNothing) {
  DashboardOptions options;
  for (int i = 0; i < 64; ++i) options.settings.views[fmt::format("v{}", i)] = {};
  const std::pair<std::string, std::string> cases[] = {
      {"view hot", "no view 'hot'"},
      {"view v633", "no view 'v633'; did you mean v33 or v63?"},
      {"save a b", "found 'a b', expected a name of 1 to 64"},
      {"save more", "found 65 saved views, expected at most 64"},
      {"theme drak", "found 'drak', expected one of dark light contrast"},
  };
  for (const auto& [line, message] : cases) {
    Dashboard dashboard(options, {120, 40}, Instant{});
    enter(dashboard, line);
    EXPECT_NE(frame(dashboard, Instant{}).find(message), std::string::npos)
        << line << "\n"
        << frame(dashboard, Instant{});
    EXPECT_FALSE(takes<SettingsChange>(dashboard)) << line;
  }
}

TEST(Settings, AThemeIsPreviewedAndKeptOnlyWhenSaved) {
  Dashboard dashboard({}, {120, 40}, Instant{});
  enter(dashboard, "theme light");
  const auto changes = take<SettingsChange>(dashboard);
  ASSERT_EQ(changes.size(), 1);
  EXPECT_EQ(changes[0].settings.theme, "light");
  EXPECT_FALSE(changes[0].save);
  EXPECT_EQ(saved_by(dashboard).theme, "light");
}

TEST(Settings, ReloadedSettingsKeepTheCurrentViewUnlessTheStartViewChanged) {
  Dashboard dashboard({}, {120, 40}, Instant{});
  dashboard.press(Instant{}, {"2"});
  Settings changed;
  changed.frame_rate = 1;
  dashboard.apply_settings(Instant{}, changed, true);
  EXPECT_EQ(saved_by(dashboard).start.view, "devices");
  EXPECT_EQ(frame(dashboard, Instant{}).find("─"), std::string::npos);
  changed.start.view = "power";
  dashboard.apply_settings(Instant{}, changed, false);
  EXPECT_EQ(saved_by(dashboard).start.view, "power");
  EXPECT_NE(frame(dashboard, Instant{}).find("─"), std::string::npos);
}

TEST(Settings, TheFrameRateIsRespected) {
  using std::chrono::milliseconds;
  for (const std::int64_t rate : {1, 4, 20}) {
    DashboardOptions options;
    options.settings.frame_rate = rate;
    options.speed = 10;  // fleet time runs ten times as fast, frames do not
    Dashboard dashboard(options, {120, 40}, Instant{});
    dashboard.draw(Instant{});
    dashboard.resize(Instant{}, {120, 40});
    dashboard.draw(Instant{});
    dashboard.receive(Instant{}, publish_peer, {"router", 1, Instant{}, Summary{}});
    const Duration pace = milliseconds(10'000 / rate);
    EXPECT_FALSE(dashboard.needs_frame()) << rate;
    dashboard.tick(Instant{pace - milliseconds(1)});
    EXPECT_FALSE(dashboard.needs_frame()) << rate;
    dashboard.tick(Instant{pace});
    EXPECT_TRUE(dashboard.needs_frame()) << rate;
  }
}

TEST(Settings, ANoteStaysUntilAKeyIsPressed) {
  Dashboard dashboard({}, {120, 40}, Instant{});
  dashboard.draw(Instant{});
  dashboard.say("top.toml:3: theme: found 'drak'");
  EXPECT_TRUE(dashboard.needs_frame());
  EXPECT_NE(frame(dashboard, Instant{}).find("found 'drak'"), std::string::npos);
  dashboard.press(Instant{}, {"2"});
  EXPECT_EQ(frame(dashboard, Instant{}).find("found 'drak'"), std::string::npos);
}

// ---- The page

std::string dashboard_page() {
  std::ifstream stream(std::string(DROVER_SOURCE_DIR) + "/docs/dashboard.md");
  return {std::istreambuf_iterator<char>(stream), {}};
}

TEST(DashboardPage, ShowsAValidFile) {
  const std::string page = dashboard_page(), fence = "```toml\n";
  const std::size_t begin = page.find(fence);
  ASSERT_NE(begin, std::string::npos);
  const std::size_t end = page.find("```", begin + fence.size());
  const Settings settings =
      settings_of(page.substr(begin + fence.size(), end - begin - fence.size()));
  EXPECT_EQ(settings.views.count("hot"), 1u);
}

TEST(DashboardPage, ListsEverySettingAndEveryTheme) {
  const std::string page = dashboard_page();
  for (const SettingRow& row : setting_rows(Settings())) {
    const std::string line = fmt::format("| `{}` | `{}` | {} | {} |\n", row.key, row.default_value,
                                         row.values, row.help);
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
  for (int i = 0; i < theme_count; ++i) {
    const ThemeFacts& theme = facts(static_cast<Theme>(i));
    const std::string line = fmt::format("| `{}` | {} |\n", theme.name, theme.help);
    EXPECT_NE(page.find(line), std::string::npos) << line;
  }
}

}  // namespace
}  // namespace drover::tui
