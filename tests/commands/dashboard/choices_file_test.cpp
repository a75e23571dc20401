// The file of what the user chose: written beside other dashboards, set aside when broken; and a
// dashboard on a terminal that finds it again.
#include "commands/dashboard/choices_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <csignal>
#include <filesystem>

#include "commands/shell/file_descriptor.h"
#include "tests/commands/dashboard/screen.h"
#include "tests/commands/folder.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

namespace fs = std::filesystem;

tui::Choices with_command(const std::string& line) {
  tui::Choices choices;
  choices.typed["commands"] = {line};
  return choices;
}

std::vector<std::string> commands_in(const std::string& path) {
  ChoicesFile file(path);
  return file.read().choices.typed["commands"];
}

TEST(ChoicesFile, KeepsWhatTwoDashboardsChose) {
  const TestFolder folder;
  const std::string path = folder.file("new/drover/top.toml");
  ChoicesFile one(path), other(path);
  one.begin({});
  other.begin({});
  one.keep(with_command("one"));
  EXPECT_EQ(one.go_on(), "");
  other.finish(with_command("other"));
  EXPECT_EQ(commands_in(path), (std::vector<std::string>{"one", "other"}));
  EXPECT_EQ(mode_of(path), 0600u);
  EXPECT_EQ(mode_of(folder.file("new")), 0700u);
}

TEST(ChoicesFile, NeverWaitsForTheLockOfAnother) {
  const TestFolder folder;
  const std::string path = folder.file("top.toml");
  ChoicesFile file(path);
  file.begin({});
  file.keep(with_command("one"));
  {
    const FileDescriptor lock(open((path + ".lock").c_str(), O_RDWR | O_CREAT, 0600));
    ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
    EXPECT_EQ(file.go_on(), "");
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(file.go_on(), "");
  EXPECT_EQ(commands_in(path), std::vector<std::string>{"one"});
}

TEST(ChoicesFile, ThatIsBrokenIsToldOfAndSetAside) {
  const TestFolder folder;
  const std::string path = folder.write("top.toml", "sort = [");
  ChoicesFile file(path);
  const auto found = file.read();
  EXPECT_EQ(found.choices, tui::Choices());
  EXPECT_NE(found.problem.find("top.toml:1: "), std::string::npos) << found.problem;
  EXPECT_NE(found.problem.find("; set aside as " + path + ".broken"), std::string::npos);
  EXPECT_EQ(found.problem.find('\n'), std::string::npos);
  EXPECT_EQ(folder.read("top.toml.broken"), "sort = [");
  file.begin({});
  file.finish(with_command("next"));
  EXPECT_EQ(commands_in(path), std::vector<std::string>{"next"});
}

TEST(ChoicesFile, ThatCannotBeWrittenIsToldOfOnce) {
  const TestFolder folder;
  ChoicesFile file(folder.write("file", "") + "/top.toml");
  EXPECT_EQ(file.read().problem, "");
  file.begin({});
  file.keep(with_command("one"));
  EXPECT_NE(file.go_on().find("is not kept: "), std::string::npos);
  file.keep(with_command("two"));
  EXPECT_EQ(file.go_on(), "");
  EXPECT_NE(file.finish(with_command("two")).find("is not kept: "), std::string::npos)
      << "and at the end";
}

TEST(ChoicesFile, IsNotNeededIfNothingWasChosen) {
  const TestFolder folder;
  ChoicesFile file(folder.write("file", "") + "/top.toml");
  file.begin(with_command("one"));
  EXPECT_EQ(file.finish(with_command("one")), "");
}

TEST(ChoicesFile, ThatAnotherLocksUntilTheEndIsToldOf) {
  const TestFolder folder;
  const std::string path = folder.file("top.toml");
  ChoicesFile file(path);
  file.begin({});
  const FileDescriptor lock(open((path + ".lock").c_str(), O_RDWR | O_CREAT, 0600));
  ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
  EXPECT_EQ(file.finish(with_command("one")),
            "what you chose is not kept: another dashboard locks " + path);
}

class KeptChoices : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_.file("drover"));
    ASSERT_TRUE(router_.says("router ready")) << router_.err();
  }
  std::vector<std::string> top(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"top", "--connect", endpoint_});
    return more;
  }
  PseudoTerminalOptions at_home() const { return {.state_home = folder_.path()}; }
  bool kept(const std::string& text) {
    return eventually([&] {
      return fs::exists(path_) && folder_.read("drover/top.toml").find(text) != std::string::npos;
    });
  }

  const TestFolder folder_;
  const std::string path_ = folder_.file("drover/top.toml");
  const std::string endpoint_ = free_endpoint();
  DroverProcess router_{{"router", "--listen", endpoint_, "--ledger", folder_.file("l.sqlite")}};
};

TEST_F(KeptChoices, SurviveARestartAndAKill) {
  {
    PseudoTerminal top(this->top(), 120, 40, at_home());
    ASSERT_TRUE(top.shows("q quit")) << top.screen();
    top.type(":columns DEVICE,POWER:14\r:bookmark the roll-out\r");
    EXPECT_TRUE(top.shows("the roll-out")) << top.screen();
    ASSERT_TRUE(kept("the roll-out")) << "soon after the key";
    kill(top.pid(), SIGKILL);
    ASSERT_TRUE(top.ends());
  }
  {
    PseudoTerminal top(this->top(), 120, 40, at_home());
    ASSERT_TRUE(top.shows("q quit")) << top.screen();
    top.type(":\x1b[A");
    EXPECT_TRUE(top.shows(":bookmark the roll-out_")) << top.screen();
    top.type("\x15sort -POWER\rq");
    ASSERT_TRUE(top.ends()) << top.screen();
  }
  EXPECT_TRUE(kept("\"sort -POWER\"")) << "at the end, at once";
  EXPECT_TRUE(kept("device_columns = [\"DEVICE\", \"POWER:14\"]"));
  EXPECT_TRUE(kept("sort = [\"-POWER\"]"));
  EXPECT_TRUE(kept("router " + endpoint_));
}

TEST_F(KeptChoices, GiveWayToSettingsAndAreNotReadWithoutAFile) {
  const std::string config = folder_.write("config.toml", "sort = \"-TEMP\"\n");
  folder_.write("drover/top.toml", "sort = [\"-POWER\"]\n");
  for (const auto& [words, shown] :
       {std::pair(std::vector<std::string>{}, "POWER W▼"),
        std::pair(std::vector<std::string>{"--config", config}, "TEM▼"),
        std::pair(std::vector<std::string>{"--no-config"}, "DEVICE▲")}) {
    std::vector<std::string> all = words;
    all.insert(all.end(), {"--view", "devices"});
    PseudoTerminal top(this->top(all), 200, 40, at_home());
    EXPECT_TRUE(top.shows(shown)) << top.screen();
    top.type("q");
    ASSERT_TRUE(top.ends());
  }
  EXPECT_EQ(folder_.read("drover/top.toml"), "sort = [\"-POWER\"]\n");
}

TEST_F(KeptChoices, ThatAreBrokenNeverPreventTheStart) {
  folder_.write("drover/top.toml", "typed = 3\n");
  PseudoTerminal top(this->top(), 200, 40, at_home());
  EXPECT_TRUE(top.shows("what was chosen before is lost")) << top.screen();
  top.type("2q");
  ASSERT_TRUE(top.ends()) << top.screen();
  EXPECT_EQ(top.exit_code(), 0);
  EXPECT_EQ(folder_.read("drover/top.toml.broken"), "typed = 3\n");
}

TEST_F(KeptChoices, ThatCannotBeWrittenAreToldOfAtTheEnd) {
  PseudoTerminalOptions options;
  options.state_home = folder_.write("file", "");
  options.err_path = folder_.file("err.txt");
  PseudoTerminal top(this->top(), 120, 40, options);
  ASSERT_TRUE(top.shows("q quit")) << top.screen();
  top.type(":bookmark the roll-out\r");
  EXPECT_TRUE(top.shows("the roll-out")) << top.screen();
  top.type("q");
  ASSERT_TRUE(top.ends()) << top.screen();
  EXPECT_EQ(top.exit_code(), 0);
  EXPECT_NE(folder_.read("err.txt").find("drover top: what you chose is not kept: "),
            std::string::npos)
      << folder_.read("err.txt");
}

// A theme is on the screen while its name is typed; Esc brings the former back.
TEST_F(KeptChoices, AThemeIsShownWhileItIsTyped) {
  const std::string dark = "\x1b[38;5;252m", light = "\x1b[38;5;235m";
  PseudoTerminal top(this->top({"--no-config"}), 120, 40);
  ASSERT_TRUE(top.shows("q quit")) << top.screen();
  const auto shows_colour = [&](std::size_t from, const std::string& colour) {
    return eventually([&] {
      (void)top.shows("", std::chrono::seconds(0));  // takes what is written
      return top.output().find(colour, from) != std::string::npos;
    });
  };
  top.type(":theme ligh");
  EXPECT_TRUE(top.shows(":theme ligh_")) << top.screen();
  EXPECT_EQ(top.output().find(light), std::string::npos);
  std::size_t until_then = top.output().size();
  top.type("t");
  EXPECT_TRUE(shows_colour(until_then, light));
  until_then = top.output().size();
  top.type("\x1b");
  EXPECT_TRUE(shows_colour(until_then, dark));
  top.type("q");
  ASSERT_TRUE(top.ends()) << top.screen();
}

TEST_F(KeptChoices, ColoursFollowTheEnvironment) {
  struct Case {
    const char *terminal, *colour_term;
    std::vector<std::string> words;
    const char* sequence;  // of the title
    bool direct;           // 24 bits in the cells of the map
  };
  DroverProcess agent({"agent", "--connect", endpoint_, "--name", "h-1", "--devices", "l4:2"});
  for (const Case& c :
       std::vector<Case>{{"xterm-256color", "truecolor", {}, "\x1b[38;5;252m", true},
                         {"xterm-256color", "24bit", {}, "\x1b[38;5;252m", true},
                         {"xterm-256color", "", {}, "\x1b[38;5;252m", false},
                         {"xterm-256color", "truecolor", {"--colours", "8"}, "\x1b[37m", false},
                         {"xterm-256color", "", {"--theme", "terminal"}, "\x1b[36m", false},
                         {"xterm", "", {}, "\x1b[37m", false}}) {
    PseudoTerminal top(this->top(c.words), 120, 40,
                       {.name = c.terminal, .colour_term = c.colour_term});
    ASSERT_TRUE(top.shows("h-1")) << top.screen();
    const auto has_direct = [&] { return top.output().find("\x1b[48;2;") != std::string::npos; };
    if (c.direct) {
      EXPECT_TRUE(eventually([&] {
        (void)top.shows("", std::chrono::seconds(0));  // takes what is written
        return has_direct();
      })) << c.colour_term;
    }
    EXPECT_NE(top.output().find(c.sequence), std::string::npos) << c.terminal << c.colour_term;
    top.type("q");
    ASSERT_TRUE(top.ends());
    EXPECT_EQ(has_direct(), c.direct) << c.terminal << c.colour_term;
  }
}

}  // namespace
}  // namespace drover::commands
