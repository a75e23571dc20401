#include "agents/launch/order.h"

#include <gtest/gtest.h>

#include "agents/launch/tar.h"
#include "tests/commands/program.h"

namespace drover::launch {
namespace {

using commands::ProcessResult;
using commands::run_shell;
using commands::TestFolder;

TEST(Order, EveryWordReachesTheShellAsItIs) {
  const std::string words[] = {"plain",       "two words",          "it's", "$HOME `id` $(id)",
                               "a\"b\\c",     "line\nbreak",        "*",    "",
                               "'; rm -rf ~", "\x1b[31mred\x1b[0m", "-n"};
  for (const std::string& word : words) {
    const ProcessResult ran = run_shell("printf %s " + shell_quoted(word));
    EXPECT_EQ(ran.out, word);
  }
}

TEST(Order, TheScriptIsReadFromStdinAndLeavesTheRest) {
  const std::string script = "printf '%s' \"script \"\ncat\n";
  const ProcessResult ran = run_shell("printf %s " + shell_quoted(script + "cargo") + " | " +
                                      reading_command(script.size(), 10));
  EXPECT_EQ(ran.out, "script cargo");
}

TEST(Order, TheScriptIsPortable) {
  const TestFolder folder;
  const std::string script = folder.write("script", script_of({}));
  EXPECT_EQ(run_shell("dash -n " + script).err, "");
  EXPECT_EQ(run_shell("bash --posix -n " + script).err, "");
}

TEST(Order, SecretsGoOnlyWhereTheyAreStored) {
  Order order;
  order.router_key = "the router's";
  order.agent_key = "the secret";
  for (const LaunchAction action : {LaunchAction::status, LaunchAction::logs, LaunchAction::down}) {
    order.action = action;
    EXPECT_EQ(script_of(order).find(order.agent_key), std::string::npos);
  }
  order.action = LaunchAction::up;
  EXPECT_NE(script_of(order).find("agent_key='the secret'"), std::string::npos);
}

TEST(Order, AnswersAreParsedAmidNoise) {
  const Answer answer = parse_answer(
      "JoinAccepted to node01!\n@drover pid 42\n@drover since 1000\n@drover now 1090\n"
      "@drover router joined\n  @drover failed no\n@drover version abc\n@drover differs\n"
      "@drover copied\n@drover also node07\n@drover also ..\n@drover also -x\n@drover did "
      "restarted\nbye");
  EXPECT_EQ(answer.did, "restarted");
  EXPECT_EQ(answer.failure, "");
  EXPECT_EQ(answer.pid, 42);
  EXPECT_EQ(answer.age_s, 90);
  EXPECT_EQ(answer.router, "joined");
  EXPECT_EQ(answer.version, "abc");
  EXPECT_TRUE(answer.differs);
  EXPECT_TRUE(answer.copied);
  EXPECT_EQ(answer.unlisted_agents, std::vector<std::string>{"node07"});
}

TEST(Order, HostileAnswersAreHarmless) {
  const Answer answer = parse_answer(
      "@drover did \x1b]0;x\x07\n@drover pid 99999999999999999999\n"
      "@drover since -5\n@drover log \x1b[2J\xff\n@drover \n@drover log " +
      std::string(100'000, 'x') + "\n@drover failed");
  EXPECT_EQ(answer.did, "^[]0;x^G");
  ASSERT_EQ(answer.log.size(), 2U);
  EXPECT_EQ(answer.log[0], "^[[2J\\xff");
  EXPECT_LT(answer.log[1].size(), 2100U);
}

TEST(ContentName, DependsOnEveryByteAndBoundary) {
  const std::string text(1000, 'a');
  const std::string first = content_name({text});
  EXPECT_EQ(first.size(), 32U);
  EXPECT_EQ(content_name({text}), first);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string other = text;
    other[i] = 'b';
    EXPECT_NE(content_name({other}), first) << i;
  }
  EXPECT_NE(content_name({text + std::string(1, '\0')}), first);
  EXPECT_NE(content_name({"ab", "c"}), content_name({"a", "bc"}));
  EXPECT_NE(content_name({"", "a"}), content_name({"a", ""}));
}

TEST(Tar, EveryFileRoundTrips) {
  const TestFolder folder;
  std::string tar;
  std::string large(1'000'000, 'x');
  large[12'345] = '\0';
  add_to_tar(tar, "drover", 0755, large);
  add_to_tar(tar, "empty", 0644, "");
  add_to_tar(tar, "lib/" + std::string(96, 'n'), 0755, std::string(512, 'y'));
  end_tar(tar);
  const std::string path = folder.write("a.tar", tar);
  const std::string there = folder.write("drover.expected", large);
  const ProcessResult ran =
      run_shell("cd '" + folder.file("") + "' && tar -x -o -f a.tar 2>&1 && cmp drover '" + there +
                "' && stat -c '%A %s' drover empty lib/n*");
  EXPECT_EQ(ran.exit_code, 0) << ran.out << ran.err;
  EXPECT_NE(ran.out.find("-rwxr-xr-x 1000000\n-rw-r--r-- 0\n-rwxr-xr-x 512\n"), std::string::npos)
      << ran.out;
}

}  // namespace
}  // namespace drover::launch
