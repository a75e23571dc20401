// What happens to terminals: they are resized, stopped, slow, cut off, and pasted into. The
// dashboard goes on, or exits cleanly and leaves the terminal as it was found.
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <optional>
#include <thread>

#include "commands/shell/files.h"
#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

class TerminalSurvival : public testing::Test {
 protected:
  void SetUp() override {
    router_.emplace(std::vector<std::string>{"router", "--listen", endpoint_, "--ledger",
                                             folder_.file("l.sqlite")});
    ASSERT_TRUE(router_->says("router ready")) << router_->err();
    agent_.emplace(std::vector<std::string>{"agent", "--connect", endpoint_, "--name", "h-1",
                                            "--devices", "h100-sxm:8"});
  }

  std::vector<std::string> top(const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {"top", "--connect", endpoint_};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  TestFolder folder_;
  std::string endpoint_ = free_endpoint();
  std::optional<DroverProcess> router_, agent_;
};

TEST_F(TerminalSurvival, APasteIsNotTreatedAsKeysAndMouseReportingIsEnabled) {
  PseudoTerminal top(this->top(), 120, 40);
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  EXPECT_NE(top.output().find("\x1b[?1006h"), std::string::npos);
  top.type("\x1b[200~q\x03\x1b[201~\x1b[<0;300;90M\x1b[<65;3;3M");
  top.type("2");
  EXPECT_TRUE(top.shows("h-1/7")) << "the q was text: " << top.screen();
  top.type("q");
  ASSERT_TRUE(top.ends()) << top.screen();
  EXPECT_EQ(top.exit_code(), 0);
  EXPECT_TRUE(top.restored());
}

TEST_F(TerminalSurvival, TheMouseIsLeftAloneWhenAskedTo) {
  for (const auto& [words, name] :
       {std::pair(top({"--no-mouse"}), "xterm-256color"), std::pair(top(), "vt100")}) {
    PseudoTerminal terminal(words, 120, 40, {.name = name});
    ASSERT_TRUE(terminal.shows("h-1")) << name << terminal.screen();
    EXPECT_EQ(terminal.output().find("\x1b[?100"), std::string::npos) << name;
    terminal.type("\x1b[B2");
    EXPECT_TRUE(terminal.shows("h-1/7")) << name << terminal.screen();
    terminal.type("q");
    ASSERT_TRUE(terminal.ends()) << name;
    EXPECT_TRUE(terminal.restored()) << name;
  }
}

TEST_F(TerminalSurvival, TheScreenIsRedrawnAfterAStop) {
  PseudoTerminal top(this->top(), 120, 40);
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  for (int round = 0; round < 3; ++round) {
    kill(top.pid(), SIGSTOP);
    rest();
    top.give_to_shell();
    EXPECT_FALSE(top.raw());
    kill(top.pid(), SIGCONT);
    EXPECT_TRUE(top.shows("Replicas")) << top.screen();
    EXPECT_TRUE(top.shows("h-1")) << top.screen();
    EXPECT_TRUE(top.raw());
  }
  top.type("q");
  ASSERT_TRUE(top.ends());
  EXPECT_TRUE(top.restored());
}

TEST_F(TerminalSurvival, AStormOfResizesIsDrawnAtALimitedRate) {
  PseudoTerminal top(this->top(), 120, 40);
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  const std::size_t before = count_of(top.output(), "\x1b[2J");
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < 2000; ++i) {
    top.resize(1 + i % 150, 1 + i % 50);
    kill(top.pid(), SIGWINCH);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  top.resize(120, 40);
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  const double took =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_LE(static_cast<double>(count_of(top.output(), "\x1b[2J") - before), 31 * took + 5);
  top.type("q");
  ASSERT_TRUE(top.ends());
  EXPECT_EQ(top.exit_code(), 0);
}

TEST_F(TerminalSurvival, AnySizeWillDoAndItGrowsBack) {
  PseudoTerminal top(this->top(), 1, 1);
  for (const auto& [columns, rows] :
       {std::pair(1, 1), {2, 1}, {1, 60}, {200, 1}, {19, 3}, {20, 3}, {400, 120}, {1, 1}}) {
    top.resize(columns, rows);
    rest();
    top.resize(120, 40);
    ASSERT_TRUE(top.shows("h-1")) << columns << "x" << rows << "\n" << top.screen();
  }
  top.resize(1, 1);
  top.type("q");
  ASSERT_TRUE(top.ends());
  EXPECT_EQ(top.exit_code(), 0);
  EXPECT_TRUE(top.restored());
}

TEST_F(TerminalSurvival, KeysAreHandledWhileTheTerminalAcceptsNoOutput) {
  PseudoTerminal top(this->top(), 200, 60);
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  top.set_deaf(true);
  for (int i = 0; i < 60; ++i) {
    top.type(i % 2 == 0 ? "7" : "1");  // far more than a terminal's buffer
    rest();
  }
  top.type("2");
  top.set_deaf(false);
  EXPECT_TRUE(top.shows("h-1/7")) << "it was late, not lost: " << top.screen();
  top.set_deaf(true);
  for (int i = 0; i < 60; ++i) {
    top.type(i % 2 == 0 ? "7" : "1");
    rest();
  }
  top.type("q");
  ASSERT_TRUE(top.ends(seconds(10))) << "it waits for a terminal that is stopped";
  EXPECT_EQ(top.exit_code(), 0);
}

TEST_F(TerminalSurvival, AFrameSentInPiecesArrivesWhole) {
  PseudoTerminal top(this->top({"--frame-bytes", "256"}), 120, 40);
  EXPECT_TRUE(top.shows("h-1")) << top.screen();
  top.type("?");
  EXPECT_TRUE(top.shows("all keys and signs; quit")) << top.screen();
  EXPECT_TRUE(top.shows("back")) << "the last row: " << top.screen();
  top.type("q");
  ASSERT_TRUE(top.ends());
  EXPECT_TRUE(top.restored());
}

TEST_F(TerminalSurvival, ALostTerminalEndsTheProgramWithOneLine) {
  PseudoTerminal top(this->top(), 80, 24, {.err_path = folder_.file("err")});
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  top.hang_up();
  ASSERT_TRUE(top.ends(seconds(10)));
  EXPECT_EQ(top.exit_code(), 1);
  const auto said = read_file(folder_.file("err"));
  ASSERT_TRUE(said);
  EXPECT_NE(said->find("the terminal is gone"), std::string::npos) << *said;
  EXPECT_EQ(count_of(*said, "\n"), 1u) << *said;
}

TEST_F(TerminalSurvival, EndOfInputEndsTheProgramAndRestoresTheTerminal) {
  PseudoTerminal top(this->top(), 80, 24, {.err_path = folder_.file("err"), .input_apart = true});
  ASSERT_TRUE(top.shows("h-1")) << top.screen();
  top.hang_up_input();
  ASSERT_TRUE(top.ends(seconds(10)));
  EXPECT_EQ(top.exit_code(), 1);
  EXPECT_TRUE(top.restored());
  const auto said = read_file(folder_.file("err"));
  ASSERT_TRUE(said);
  EXPECT_NE(said->find("the terminal is gone"), std::string::npos) << *said;
}

}  // namespace
}  // namespace drover::commands
