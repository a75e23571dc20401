// The completion scripts in real shells. A shell that is not installed is skipped.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include "tests/commands/program.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

bool installed(const std::string& program) {
  return run_shell(fmt::format("command -v {} >/dev/null", program)).exit_code == 0;
}

/// What bash would insert for the unfinished line, a candidate on each line.
ProcessResult bash_completes(const std::string& line, const std::string& variables = "") {
  return run_shell(fmt::format(
      "{} bash --norc -c 'source <(drover completion bash); COMP_LINE=\"{}\"; "
      "COMP_POINT=${{#COMP_LINE}}; _drover drover; printf \"%s\\n\" \"${{COMPREPLY[@]}}\"'",
      variables, line));
}

/// The candidates that zsh's function adds.
ProcessResult zsh_completes(const std::string& words) {
  return run_shell(
      fmt::format("zsh -fc 'compdef() {{ : }}; source <(drover completion zsh); "
                  "compadd() {{ print -l -- $candidates }}; _files() {{ print FILES $* }}; "
                  "words=({}); CURRENT=$#words; _drover'",
                  words));
}

TEST(BashCompletion, CompletesVerbsOptionsAndValues) {
  if (!installed("bash")) GTEST_SKIP() << "bash is not installed";
  EXPECT_EQ(bash_completes("drover to").out, "top\n");
  EXPECT_EQ(bash_completes("drover top --theme l").out, "light\n");
  // bash has split the word at the equal sign.
  EXPECT_EQ(bash_completes("drover top --theme=l").out, "light\n");
  EXPECT_EQ(bash_completes("drover launch ").out, "up\nstatus\nlogs\ndown\n");
}

TEST(BashCompletion, CompletesNamesOfTheRunningFleetAndIsSilentWithoutOne) {
  if (!installed("bash")) GTEST_SKIP() << "bash is not installed";
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string connect = "DROVER_CONNECT=" + fleet.endpoint();
  EXPECT_EQ(bash_completes("drover drain h-1/", connect).out, "h-1/0\nh-1/1\n");
  // Behind the colon, at which bash has split the word.
  EXPECT_EQ(bash_completes("drover drain host:h", connect).out, "h-1\n");
  EXPECT_EQ(bash_completes(fmt::format("drover drain --connect {} h-1/1", fleet.endpoint())).out,
            "h-1/1\n");
  const ProcessResult none =
      bash_completes("drover drain h-1/", "DROVER_CONNECT=" + free_endpoint());
  EXPECT_EQ(none.out, "\n");
  EXPECT_EQ(none.err, "");
}

TEST(ZshCompletion, CompletesVerbsOptionsAndValues) {
  if (!installed("zsh")) GTEST_SKIP() << "zsh is not installed";
  EXPECT_EQ(zsh_completes("drover to").out, "top\n");
  EXPECT_EQ(zsh_completes("drover top --theme l").out, "light\n");
  EXPECT_EQ(zsh_completes("drover launch \"\"").out, "up\nstatus\nlogs\ndown\n");
  EXPECT_EQ(zsh_completes("drover policy check \"\"").out, "FILES\n");
}

TEST(FishCompletion, CompletesVerbsOptionsAndValues) {
  if (!installed("fish")) GTEST_SKIP() << "fish is not installed";
  const auto completes = [](const std::string& line) {
    return run_shell(
        fmt::format("fish --no-config -c 'drover completion fish | source; complete -C \"{}\"' | "
                    "cut -f1",
                    line));
  };
  EXPECT_EQ(completes("drover to").out, "top\n");
  EXPECT_EQ(completes("drover top --theme l").out, "light\n");
  EXPECT_EQ(completes("drover launch ").out, "down\nlogs\nstatus\nup\n");
}

TEST(Completion, RefusesAnUnknownShell) {
  const ProcessResult ran = run_drover({"completion", "csh"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("expected bash, zsh or fish"), std::string::npos) << ran.err;
}

}  // namespace
}  // namespace drover::commands
