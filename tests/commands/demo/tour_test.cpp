// Runs every command of docs/tour.md, in its order.
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

/// The commands of a section, line by line.
std::vector<std::string> commands_of(const std::string& heading) {
  std::ifstream file(std::string(DROVER_SOURCE_DIR) + "/docs/tour.md");
  std::vector<std::string> commands;
  bool wanted = false;
  bool shell = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("## ")) wanted = line == "## " + heading;
    if (line.starts_with("```")) {
      shell = line == "```sh";
    } else if (wanted && shell) {
      commands.push_back(line);
    }
  }
  return commands;
}

std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  const std::regex word("[^ ]+");
  for (std::sregex_iterator it(command.begin(), command.end(), word), end; it != end; ++it) {
    words.push_back(it->str());
  }
  words.erase(words.begin());  // "drover"
  return words;
}

/// The router's endpoint as the demo's title line shows it.
std::string endpoint_on(PseudoTerminal& demo) {
  if (!demo.shows("tcp://127.0.0.1:")) return "";
  const std::string screen = demo.screen();
  std::smatch match;
  return std::regex_search(screen, match, std::regex(R"(tcp://127\.0\.0\.1:\d+)")) ? match.str()
                                                                                   : "";
}

void walk(const std::string& heading) {
  const TestFolder folder;
  std::unique_ptr<PseudoTerminal> demo;
  std::string surroundings = fmt::format("cd '{}'; ", folder.file(""));
  const auto commands = commands_of(heading);
  ASSERT_GT(commands.size(), 3U) << heading;
  for (const std::string& command : commands) {
    SCOPED_TRACE(command);
    if (command == "drover demo") {
      // Wide enough for the endpoint in the title.
      demo = std::make_unique<PseudoTerminal>(words_of(command), 160, 45);
      const std::string endpoint = endpoint_on(*demo);
      ASSERT_NE(endpoint, "") << demo->screen();
      ASSERT_TRUE(demo->shows("Story 1/8")) << demo->screen();
      ASSERT_TRUE(demo->shows("preferred pool")) << demo->screen();
      surroundings += fmt::format("export DROVER_CONNECT={}; ", endpoint);
    } else if (command.starts_with("drover top --replay ")) {
      auto words = words_of(command);
      words.back() = folder.file(words.back());
      PseudoTerminal top(words, 120, 40);
      EXPECT_TRUE(top.shows("REPLAY")) << top.screen();
      top.type("q");
      EXPECT_TRUE(top.ends()) << top.screen();
      EXPECT_EQ(top.exit_code(), 0);
    } else {
      const ProcessResult ran = run_shell(surroundings + command, std::chrono::seconds(90));
      EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
    }
  }
  if (!demo) return;
  demo->type("q");
  EXPECT_TRUE(demo->ends()) << demo->screen();
}

// The only part that needs the usual ports: the fleet file names the router's.
TEST(Tour, WorksForAnAdministratorOfSeveralHosts) {
  const TestFolder home;
  const std::string surroundings =
      fmt::format("cd '{}'; export HOME='{}' XDG_STATE_HOME='{}'; ", DROVER_SOURCE_DIR,
                  home.file(""), home.file("state"));
  const auto commands = commands_of("For an administrator of several hosts");
  ASSERT_GT(commands.size(), 3U);
  ASSERT_EQ(commands.front(), "drover router");
  DroverProcess router("/bin/sh",
                       {"-c", fmt::format("{}exec '{}' router", surroundings, DROVER_BINARY)});
  if (!router.says("router ready") && router.err().find("in use") != std::string::npos) {
    GTEST_SKIP() << router.err();
  }
  for (const std::string& command : std::span(commands).subspan(1)) {
    SCOPED_TRACE(command);
    const ProcessResult ran = run_shell(surroundings + command, std::chrono::seconds(90));
    EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  }
  EXPECT_FALSE(std::filesystem::exists(home.file(".drover")));
  router.signal(SIGTERM);
  EXPECT_TRUE(router.ends());
}

TEST(Tour, WorksForAnOperator) { walk("For an operator"); }
TEST(Tour, WorksForAnArchitect) { walk("For an architect"); }
TEST(Tour, WorksForAToolBuilder) { walk("For a tool builder"); }

}  // namespace
}  // namespace drover::commands
