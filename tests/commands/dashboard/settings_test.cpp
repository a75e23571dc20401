// The settings file on disk, what the command line makes of it, and a dashboard that reads it
// again.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands/dashboard/dashboard_settings.h"
#include "commands/dashboard/settings_file.h"
#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;
using std::chrono::seconds;

/// A variable of the environment for the time of a test; null: unset.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) {
    if (const char* before = getenv(name); before != nullptr) before_ = before;
    set(value);
  }
  ~Variable() { set(before_ ? before_->c_str() : nullptr); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const char* value) const {
    if (value == nullptr) {
      unsetenv(name_);
    } else {
      setenv(name_, value, 1);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

tui::Settings with_theme(const std::string& theme) {
  tui::Settings settings;
  settings.theme = theme;
  return settings;
}

TEST(SettingsFile, IsFoundWhereTheSystemKeepsSettings) {
  const Variable home("HOME", "/home/me");
  {
    const Variable config("XDG_CONFIG_HOME", "/etc/mine");
    EXPECT_EQ(SettingsFile::default_path(), "/etc/mine/drover/top.toml");
  }
  for (const char* none : {static_cast<const char*>(nullptr), "", "relative"}) {
    const Variable config("XDG_CONFIG_HOME", none);
    EXPECT_EQ(SettingsFile::default_path(), "/home/me/.config/drover/top.toml");
    const Variable unplaceable("HOME", nullptr);
    EXPECT_EQ(SettingsFile::default_path(), "");
  }
}

TEST(SettingsFile, ThatIsMissingHasTheDefaults) {
  const TestFolder folder;
  EXPECT_EQ(*SettingsFile(folder.file("top.toml")).read(), tui::Settings());
  EXPECT_EQ(*SettingsFile("").read(), tui::Settings());
  EXPECT_FALSE(SettingsFile("").write({}).ok());
}

TEST(SettingsFile, RoundTripsAndIsAccessibleOnlyToItsUser) {
  const TestFolder folder;
  const std::string path = folder.file("new/drover/top.toml");
  SettingsFile file(path);
  ASSERT_TRUE(file.write(with_theme("light")).ok());
  EXPECT_EQ(*SettingsFile(path).read(), with_theme("light"));
  EXPECT_EQ(mode_of(path), 0600u);
  EXPECT_EQ(mode_of(folder.file("new")), 0700u);
  ASSERT_TRUE(file.write(with_theme("contrast")).ok());
  EXPECT_EQ(*SettingsFile(path).read(), with_theme("contrast"));
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder.file("new/drover"))) {
    EXPECT_EQ(entry.path(), path);
    ++files;
  }
  EXPECT_EQ(files, 1);
}

TEST(SettingsFile, BehindALinkIsReplacedAndTheLinkStays) {
  const TestFolder folder;
  const std::string real = folder.write("real.toml", "");
  const std::string link = folder.file("top.toml");
  fs::create_symlink(real, link);
  ASSERT_TRUE(SettingsFile(link).write(with_theme("light")).ok());
  EXPECT_TRUE(fs::is_symlink(link));
  EXPECT_EQ(*SettingsFile(real).read(), with_theme("light"));
}

TEST(SettingsFile, ThatCannotBeWrittenReportsWhyAndStaysUnchanged) {
  const TestFolder folder;
  const std::string in_the_way = folder.write("file", "theme = \"light\"\n");
  const Status status = SettingsFile(in_the_way + "/top.toml").write({});
  ASSERT_FALSE(status.ok());
  EXPECT_NE(status.error().message.find("/file"), std::string::npos) << status.error().message;
  EXPECT_EQ(folder.read("file"), "theme = \"light\"\n");
  fs::create_directory(folder.file("top.toml"));
  EXPECT_FALSE(SettingsFile(folder.file("top.toml")).write({}).ok());
  EXPECT_TRUE(fs::is_directory(folder.file("top.toml")));
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 2) << "a draft was left";
}

TEST(SettingsFile, IsReadAgainOnceAfterEachChange) {
  const TestFolder folder;
  SettingsFile file(folder.write("top.toml", "theme = \"light\"\n"));
  ASSERT_TRUE(file.read().ok());
  WallTime now{seconds(100)};
  EXPECT_FALSE(file.read_if_changed(now));
  folder.write("top.toml", "theme = \"contrast\"\n");
  EXPECT_FALSE(file.read_if_changed(now + std::chrono::milliseconds(999))) << "too early to look";
  const auto changed = file.read_if_changed(now + seconds(1));
  ASSERT_TRUE(changed && changed->ok());
  EXPECT_EQ(**changed, with_theme("contrast"));
  EXPECT_FALSE(file.read_if_changed(now + seconds(2)));

  folder.write("top.toml", "theme = \"drak\"\n");
  const auto broken = file.read_if_changed(now + seconds(3));
  ASSERT_TRUE(broken && !broken->ok());
  EXPECT_NE(broken->error().message.find("top.toml:1: theme: found 'drak'"), std::string::npos);
  EXPECT_FALSE(file.read_if_changed(now + seconds(4))) << "told once";

  fs::remove(file.path());
  EXPECT_FALSE(file.read_if_changed(now + seconds(5))) << "it may be about to be replaced";
  folder.write("top.toml", "");
  EXPECT_TRUE(file.read_if_changed(now + seconds(6)));
  ASSERT_TRUE(file.write(with_theme("light")).ok());
  EXPECT_FALSE(file.read_if_changed(now + seconds(7))) << "what it wrote itself is known";
}

TEST(DashboardSettings, OfTheCommandLineOverrideThoseOfTheFile) {
  tui::Settings of_file = with_theme("light");
  of_file.start.view = "jobs";
  of_file.colours = "8";
  EXPECT_EQ(CommandLineSettings{}.over(of_file), of_file);
  tui::Settings expected = of_file;
  expected.theme = "dark";
  expected.ascii = "on";
  expected.mouse = "off";
  expected.history = 1u << 20;
  expected.bytes_per_frame = 256;
  CommandLineSettings given;
  given.theme = "dark";
  given.ascii = given.no_mouse = true;
  given.history = expected.history;
  given.bytes_per_frame = 256;
  EXPECT_EQ(given.over(of_file), expected);
}

TEST(DashboardSettings, AsciiFollowsTheLocaleOrTheSetting) {
  tui::Settings settings;
  EXPECT_TRUE(use_ascii(settings, false));
  EXPECT_FALSE(use_ascii(settings, true));
  settings.ascii = "on";
  EXPECT_TRUE(use_ascii(settings, true));
  settings.ascii = "off";
  EXPECT_FALSE(use_ascii(settings, false));
}

TEST(DashboardSettings, ArePassedToTheTerminal) {
  tui::Settings settings;
  const tui::TerminalOptions usual = terminal_options(settings);
  EXPECT_EQ(usual.colours, tui::Colours::detect);
  EXPECT_EQ(usual.theme, tui::Theme::dark);
  EXPECT_FALSE(usual.unicode);
  EXPECT_TRUE(usual.mouse);
  EXPECT_EQ(usual.bytes_per_frame, std::nullopt) << "the terminal knows whether ssh is between";
  settings.colours = "8";
  settings.theme = "light";
  settings.ascii = settings.mouse = "off";
  settings.bytes_per_frame = 1000;
  const tui::TerminalOptions chosen = terminal_options(settings);
  EXPECT_EQ(chosen.colours, tui::Colours::eight);
  EXPECT_EQ(chosen.theme, tui::Theme::light);
  EXPECT_TRUE(chosen.unicode);
  EXPECT_FALSE(chosen.mouse);
  EXPECT_EQ(chosen.bytes_per_frame, 1000u);
  settings.bytes_per_frame = 0;
  EXPECT_EQ(terminal_options(settings).bytes_per_frame, tui::frame_bytes_unlimited);
}

TEST(TopConfig, PrintsTheSettingsInEffectAndSavesThemWhereTheyAreRead) {
  const TestFolder folder;
  const Variable config("XDG_CONFIG_HOME", folder.path().c_str());
  const ProcessResult saved = run_drover({"top", "--theme", "light", "--save-config"});
  EXPECT_EQ(saved.exit_code, 0) << saved.err;
  EXPECT_EQ(saved.out, folder.file("drover/top.toml") + "\n");
  const ProcessResult printed = run_drover({"top", "--print-config", "--view", "power"});
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  tui::Settings expected = with_theme("light");
  expected.start.view = "power";
  EXPECT_EQ(printed.out, tui::annotated_settings(expected));
  EXPECT_EQ(run_drover({"top", "--print-config", "--no-config"}).out,
            tui::annotated_settings(tui::Settings()));
}

TEST(TopConfig, MistakesGetOneClearLine) {
  const TestFolder folder;
  const std::string broken = folder.write("broken.toml", "\nthem = \"dark\"\n");
  struct Case {
    std::vector<std::string> words;
    int exit_code;
    std::string said;
  };
  const std::vector<Case> cases = {
      {{"top", "--config", broken}, 2, "broken.toml:2: them: unknown key; did you mean theme?"},
      {{"top", "--config", folder.file("absent")}, 1, "absent: no such file"},
      {{"top", "--config", folder.path()}, 1, "is a folder"},
      {{"top", "--config", broken, "--no-config"}, 2, "exclude each other"},
      {{"top", "--save-config", "--no-config"}, 2, "exclude each other"},
      {{"top", "--print-config", "--save-config"}, 2, "exclude each other"},
      {{"top", "--theme", "drak"}, 2, "--theme: unknown 'drak'; did you mean dark?"},
      {{"top", "--colours", "12"}, 2, "--colours: unknown '12'"},
      {{"top", "--no-colour", "--colours", "8"}, 2, "exclude each other"},
      {{"frame", "--theme", "light"}, 2, "--theme and --colours work only with --ansi"},
      {{"frame", "--config", broken}, 2, "unknown option --config"},
  };
  for (const Case& one : cases) {
    const ProcessResult ran = run_drover(one.words);
    EXPECT_EQ(ran.exit_code, one.exit_code) << one.said << ran.err;
    EXPECT_NE(ran.err.find(one.said), std::string::npos) << ran.err;
    EXPECT_EQ(std::count(ran.err.begin(), ran.err.end(), '\n'), 1) << ran.err;
  }
}

/// A router without a fleet, for a dashboard to look at.
class TopSettings : public ::testing::Test {
 protected:
  void SetUp() override { ASSERT_TRUE(router_.says("router ready")) << router_.err(); }
  std::vector<std::string> top(std::vector<std::string> more) const {
    more.insert(more.begin(), {"top", "--connect", endpoint_});
    return more;
  }
  /// What was written to the terminal until it ended with q.
  static std::string written(PseudoTerminal& top) {
    EXPECT_TRUE(top.shows("q quit")) << top.screen();
    top.type("q");
    EXPECT_TRUE(top.ends());
    return top.output();
  }

  const TestFolder folder_;
  const std::string endpoint_ = free_endpoint();
  DroverProcess router_{{"router", "--listen", endpoint_, "--ledger", folder_.file("l.sqlite")}};
};

/// In one step: what is half written would be read too.
void replace(const TestFolder& folder, const std::string& text) {
  fs::rename(folder.write("top.toml.new", text), folder.file("top.toml"));
}

bool holds(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(TopSettings, ChangedAtRuntimeApplyImmediatelyUnlessInvalid) {
  const std::string file = folder_.write("top.toml", "theme = \"light\"\n");
  PseudoTerminal top(this->top({"--config", file}), 120, 40);
  ASSERT_TRUE(top.shows("q quit")) << top.screen();
  const std::string light_title = "38;5;235", contrast_title = "38;5;16m\x1b[48;5;231m";
  EXPECT_TRUE(holds(top.output(), light_title));
  replace(folder_, "theme = \"contrast\"\nview = \"power\"\n");
  EXPECT_TRUE(top.shows("settings reloaded")) << top.screen();
  EXPECT_TRUE(holds(top.output(), contrast_title));
  EXPECT_TRUE(top.shows("Power by pool")) << top.screen();
  top.type("2");
  EXPECT_TRUE(top.shows("DEVICE▲")) << top.screen();
  replace(folder_, "theme = \"drak\"\n");
  EXPECT_TRUE(top.shows("settings unchanged")) << top.screen();
  EXPECT_TRUE(top.shows("DEVICE▲")) << top.screen();
  written(top);
  EXPECT_EQ(top.exit_code(), 0);
  EXPECT_TRUE(top.restored());
}

TEST_F(TopSettings, LeaveTheMouseToTheTerminalWhenTheFileSaysSo) {
  const std::string file = folder_.write("top.toml", "mouse = \"on\"\n");
  PseudoTerminal top(this->top({"--config", file}), 120, 40);
  ASSERT_TRUE(top.shows("q quit")) << top.screen();
  const std::string on = "\x1b[?1000h", off = "\x1b[?1000l";
  EXPECT_TRUE(holds(top.output(), on));
  EXPECT_FALSE(holds(top.output(), off));
  replace(folder_, "mouse = \"off\"\n");
  EXPECT_TRUE(top.shows("settings reloaded")) << top.screen();
  EXPECT_TRUE(holds(top.output(), off));
  const std::size_t until_then = top.output().size();
  replace(folder_, "mouse = \"on\"\nview = \"power\"\n");
  EXPECT_TRUE(top.shows("Power by pool")) << top.screen();
  EXPECT_TRUE(holds(top.output().substr(until_then), on));
  written(top);
  EXPECT_EQ(top.exit_code(), 0);
  EXPECT_TRUE(top.restored());
}

TEST_F(TopSettings, ChosenAtRuntimeAreSavedWhereTheyAreRead) {
  const std::string file = folder_.write("top.toml", "mouse = \"off\"\n");
  PseudoTerminal top(this->top({"--config", file}), 120, 40);
  ASSERT_TRUE(top.shows("q quit")) << top.screen();
  EXPECT_FALSE(holds(top.output(), "\x1b[?1000h")) << "the mouse is the terminal's";
  EXPECT_FALSE(holds(top.output(), "38;5;235"));
  top.type("6:theme light\r");
  EXPECT_TRUE(top.shows("Power by pool")) << top.screen();
  top.type(":save\r");
  EXPECT_TRUE(top.shows("settings saved: " + file)) << top.screen();
  EXPECT_TRUE(holds(top.output(), "38;5;235")) << "the title of the light theme";
  tui::Settings expected = with_theme("light");
  expected.start.view = "power";
  expected.mouse = "off";
  EXPECT_EQ(folder_.read("top.toml"), tui::saved(expected));
  written(top);
  EXPECT_EQ(top.exit_code(), 0);
}

TEST_F(TopSettings, WithoutAFileSayThatTheyCannotBeSaved) {
  PseudoTerminal top(this->top({"--no-config"}), 120, 40);
  ASSERT_TRUE(top.shows("q quit")) << top.screen();
  top.type(":save\r");
  EXPECT_TRUE(top.shows("settings not saved: no settings file to write")) << top.screen();
  written(top);
}

TEST_F(TopSettings, HonorNoColorUnlessColoursAreRequested) {
  const std::string coloured = folder_.write("coloured.toml", "colours = \"256\"\n");
  const std::string plain = folder_.write("plain.toml", "colours = \"none\"\n");
  const std::string rich = "\x1b[38;5;";
  struct Case {
    const char* no_color;
    std::vector<std::string> words;
    bool rich;
  };
  const std::vector<Case> cases = {
      {"1", {"--no-config"}, false},
      {"", {"--no-config"}, true},
      {"1", {"--colours", "256"}, true},
      {"1", {"--config", coloured}, true},
      {"1", {"--config", coloured, "--no-colour"}, false},
      {nullptr, {"--config", plain}, false},
      {nullptr, {"--config", plain, "--colours", "auto"}, true},
      {nullptr, {"--colours", "8"}, false},
  };
  for (const Case& one : cases) {
    const Variable variable("NO_COLOR", one.no_color);
    PseudoTerminal top(this->top(one.words), 80, 24);
    EXPECT_EQ(holds(written(top), rich), one.rich) << fmt::format("{}", fmt::join(one.words, " "));
  }
}

}  // namespace
}  // namespace drover::commands
