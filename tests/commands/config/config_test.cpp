// drover config, and the order in which options, variables, file and defaults override each other.
#include <gtest/gtest.h>

#include <map>

#include <fmt/format.h>

#include "commands/config/setting_origins.h"
#include "commands/dashboard/environment_settings.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

/// An environment of a test's own.
Environment environment_of(const std::map<std::string, std::string>& variables) {
  return [&variables](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  };
}

TEST(EnvironmentSettings, SetEachKindOfSetting) {
  const std::map<std::string, std::string> variables = {
      {"DROVER_THEME", "light"},
      {"DROVER_VIEW", "power"},
      {"DROVER_SORT", "-POWER TEMP"},
      {"DROVER_FRAME_RATE", "9"},
      {"DROVER_HISTORY", "8MiB"},
      {"DROVER_BYTES_PER_FRAME", "auto"},
      {"DROVER_BELL", ""},
      {"DROVER_FILTER", "util > 90 and host == \"a\""}};
  tui::Settings before;
  before.bytes_per_frame = 4096;
  before.bell = "info";
  const auto read = with_environment(before, environment_of(variables));
  ASSERT_TRUE(read) << read.error().message;
  EXPECT_EQ(read->theme, "light");
  EXPECT_EQ(read->start.view, "power");
  EXPECT_EQ(read->start.sort, (std::vector<std::string>{"-POWER", "TEMP"}));
  EXPECT_EQ(read->frame_rate, 9);
  EXPECT_EQ(read->history, 8u << 20);
  EXPECT_EQ(read->bytes_per_frame, std::nullopt);
  EXPECT_EQ(read->start.filter, "util > 90 and host == \"a\"");
  EXPECT_EQ(read->bell, "info") << "an empty variable sets nothing";
  EXPECT_FALSE(environment_keys(environment_of(variables)).contains("bell"));
}

TEST(EnvironmentSettings, WithAWrongValueNameTheVariable) {
  for (const auto& [name, value] : std::map<std::string, std::string>{
           {"DROVER_THEME", "drak"}, {"DROVER_FRAME_RATE", "fast"}, {"DROVER_HISTORY", "1"}}) {
    const std::map<std::string, std::string> variables = {{name, value}};
    const auto read = with_environment({}, environment_of(variables));
    ASSERT_FALSE(read) << name;
    EXPECT_EQ(read.error().message.rfind("$" + name, 0), 0u) << read.error().message;
  }
}

TEST(SettingOrigins, OfEachSettingIsTheFirstSourceThatSetsIt) {
  const SettingSources sources{{"theme"}, {"theme", "view"}, {"theme", "view", "bell"}, true};
  std::map<std::string, std::string> origins;
  for (const SettingOrigin& each : setting_origins({}, sources)) origins[each.key] = each.origin;
  EXPECT_EQ(origins["theme"], "option");
  EXPECT_EQ(origins["view"], "$DROVER_VIEW");
  EXPECT_EQ(origins["bell"], "file");
  EXPECT_EQ(origins["mouse"], "default");
  EXPECT_EQ(origins["colours"], "$NO_COLOR");
}

/// `drover config WORDS` with a configuration folder and no variables of the caller.
ProcessResult config(const TestFolder& folder, const std::string& words,
                     const std::string& variables = "") {
  return run_shell(fmt::format("env -u DROVER_THEME -u NO_COLOR XDG_CONFIG_HOME={} {} drover {}",
                               folder.path(), variables, words));
}

TEST(Config, InitWritesAFileOnceAndCheckFindsMistakesInIt) {
  const TestFolder folder;
  const std::string path = folder.file("drover/top.toml");
  EXPECT_EQ(config(folder, "config path").out, path + "\n");
  EXPECT_NE(config(folder, "config check").out.find("no file"), std::string::npos);
  const ProcessResult first = config(folder, "config init");
  EXPECT_EQ(first.exit_code, 0) << first.err;
  EXPECT_EQ(first.out, path + "\n");
  EXPECT_EQ(config(folder, "config check").out, path + ": valid\n");
  // Each setting is there with its default, commented out.
  const std::string text = folder.read("drover/top.toml");
  std::string opened;
  for (const tui::SettingText& each : tui::setting_texts(tui::Settings())) {
    const std::string line = fmt::format("{} = {}\n", each.key, each.value);
    EXPECT_NE(text.find("\n#" + line), std::string::npos) << line << " in " << text;
    opened += line;
  }
  folder.write("drover/top.toml", opened);
  EXPECT_EQ(config(folder, "config check").out, path + ": valid\n");
  folder.write("drover/top.toml", "# mine\n\ntheme = \"drak\"\n");
  const ProcessResult again = config(folder, "config init");
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.err.find("already exists; use --force"), std::string::npos) << again.err;
  const ProcessResult wrong = config(folder, "config check");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("top.toml:3: theme: found 'drak'"), std::string::npos) << wrong.err;
  EXPECT_EQ(config(folder, "config init --force").exit_code, 0);
  EXPECT_EQ(config(folder, "config check").out, path + ": valid\n");
}

TEST(Config, OptionsOverrideVariablesAndTheseTheFile) {
  const TestFolder folder;
  folder.write("c.toml", "theme = \"contrast\"\n");
  struct Case {
    const char* variables;
    const char* words;
    std::string row;
  };
  const std::string file = folder.file("c.toml");
  const Case cases[] = {
      {"", "--no-config", "\"dark\"  default"},
      {"", "--config c.toml", "\"contrast\"  c.toml"},
      {"DROVER_THEME=light", "--config c.toml", "\"light\"  $DROVER_THEME"},
      {"DROVER_THEME=light", "--config c.toml --theme tritanopia", "\"tritanopia\"  option"},
  };
  for (const Case& each : cases) {
    const ProcessResult ran =
        run_shell(fmt::format("cd {} && env -u DROVER_THEME {} drover config print {} | sed -n "
                              "'s/^theme *//p' | sed 's/   */  /'",
                              folder.path(), each.variables, each.words));
    EXPECT_EQ(ran.out, each.row + "\n") << ran.err;
  }
  // The dashboard goes by the same order.
  const ProcessResult top = run_shell(
      fmt::format("DROVER_THEME=light drover top --config {} --print-config | grep ^theme", file));
  EXPECT_EQ(top.out, "theme = \"light\"\n") << top.err;
  const ProcessResult wrong = config(folder, "top --print-config", "DROVER_THEME=drak");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("$DROVER_THEME"), std::string::npos) << wrong.err;
}

TEST(Config, RefusesAnUnknownAction) {
  EXPECT_EQ(run_drover({"config"}).exit_code, 2);
  const ProcessResult ran = run_drover({"config", "show"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("known: init, print, check, path"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace drover::commands
