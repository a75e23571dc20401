// The dashboard on a pseudo-terminal: keys in, a screen out, the terminal left as it was found.
#include <gtest/gtest.h>

#include <csignal>

#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

TEST(Screen, FollowsTheCursor) {
  Screen screen(10, 3);
  screen.write("one\x1b[2;3Htwo\x1b[Kx\x1b[1;2H\x1b[3b\r\nq\x1b[3");
  screen.write(";1Hend\xe2\x96\x88");
  EXPECT_EQ(screen.text(), "oxxx      \nq twox    \nend\xe2\x96\x88      \n");
}

TEST(OnATerminal, TheDashboardShowsTheFleetAndQuitsWithQ) {
  const TestFolder folder;
  const std::string endpoint = free_endpoint();
  DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("l.sqlite")});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  DroverProcess agent({"agent", "--connect", endpoint, "--name", "h-1", "--devices", "h100-sxm:8"});
  PseudoTerminal top({"top", "--connect", endpoint}, 120, 40);
  EXPECT_TRUE(top.shows("h-1")) << top.screen();
  top.type("2");
  EXPECT_TRUE(top.shows("h-1/7")) << top.screen();
  top.resize(80, 24);
  EXPECT_TRUE(top.shows("h-1/0")) << top.screen();
  top.type("q");
  ASSERT_TRUE(top.ends()) << top.screen();
  EXPECT_EQ(top.exit_code(), 0);
  EXPECT_TRUE(top.restored());
}

TEST(OnATerminal, ASignalRestoresTheTerminal) {
  const TestFolder folder;
  const std::string endpoint = free_endpoint();
  DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("l.sqlite")});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  for (const int number : {SIGTERM, SIGINT, SIGHUP}) {
    PseudoTerminal top({"top", "--connect", endpoint}, 80, 24);
    ASSERT_TRUE(top.shows("0 ")) << top.screen();
    kill(top.pid(), number);
    ASSERT_TRUE(top.ends()) << number;
    EXPECT_TRUE(top.restored()) << number;
  }
}

TEST(OnATerminal, AnUnknownTerminalGetsOneClearLine) {
  const TestFolder folder;
  const std::string endpoint = free_endpoint();
  DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("l.sqlite")});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  PseudoTerminal top({"top", "--connect", endpoint}, 80, 24, {.name = "no-such-terminal"});
  ASSERT_TRUE(top.ends()) << top.screen();
  EXPECT_EQ(top.exit_code(), 1);
  EXPECT_NE(top.screen().find("no-such-terminal"), std::string::npos) << top.screen();
  EXPECT_TRUE(top.restored());
}

TEST(OnATerminal, TheDemoFillsTheScreenAndEndsWithQ) {
  PseudoTerminal demo({"demo", "--speed", "10"}, 120, 40);
  for (const char* host : {"h100-1", "a100-1", "v5e-1", "v5e-2"}) {
    EXPECT_TRUE(demo.shows(host)) << demo.screen();
  }
  demo.type("4");
  EXPECT_TRUE(demo.shows("llama-3.1-")) << demo.screen();
  demo.type("q");
  ASSERT_TRUE(demo.ends()) << demo.screen();
  EXPECT_EQ(demo.exit_code(), 0) << demo.screen();
  EXPECT_TRUE(demo.restored());
}

}  // namespace
}  // namespace drover::commands
