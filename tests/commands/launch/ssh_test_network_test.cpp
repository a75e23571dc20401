// The set-up of the test network: a step that fails is reported with its command, its exit status
// and its last output.
#include "tests/commands/launch/ssh_test_network.h"

#include <unistd.h>

#include <fmt/format.h>

#include "tests/commands/launch/fixture.h"

namespace drover::launch {
namespace {

using commands::TestFolder;

TEST(SshTestNetworkStep, IsReportedWithItsCommandExitStatusAndLastOutput) {
  EXPECT_TRUE(run_step("echo fine >&2"));
  EXPECT_EQ(run_step("echo one >&2; echo ' two ' >&2; exit 7").error().message,
            "`echo one >&2; echo ' two ' >&2; exit 7`: exit status 7: one; two");
  EXPECT_EQ(run_step("echo out; exit 1").error().message, "`echo out; exit 1`: exit status 1: out");
  EXPECT_EQ(run_step("exit 1").error().message, "`exit 1`: exit status 1: without a word");
  EXPECT_EQ(run_step("kill -9 $$").error().message,
            "`kill -9 $$`: killed, or not done in time: without a word");
  EXPECT_EQ(run_step("printf '\\033[2J' >&2; exit 1").error().message.find('\033'),
            std::string::npos);
}

/// A program that fails in our words when its command line has `pattern`, and otherwise is itself.
class SshTestNetworkWithout : public testing::Test {
 protected:
  void SetUp() override {
    const Status possible = SshTestNetwork::possible();
    if (!possible) GTEST_SKIP() << possible.error().message;
  }
  void replace(const std::string& tool, const std::string& pattern) const {
    const std::string there = folder.write(
        tool,
        fmt::format("#!/bin/sh\ncase \"$*\" in {}) echo '{}: not today' >&2; exit 42 ;; esac\n"
                    "PATH=${{PATH#*:}}:/usr/sbin:/sbin\nexec {} \"$@\"\n",
                    pattern, tool, tool == "sshd" ? "/usr/sbin/sshd" : tool));
    std::filesystem::permissions(there, std::filesystem::perms::owner_all);
  }
  /// One step fails: what is said of it names that command and the words of the program.
  static void expect_told(const Status& status, const std::string& tool,
                          const std::string& command) {
    ASSERT_FALSE(status) << tool << " " << command;
    const std::string& message = status.error().message;
    EXPECT_NE(message.find(command), std::string::npos) << message;
    EXPECT_NE(message.find("exit status 42: "), std::string::npos) << message;
    EXPECT_NE(message.find(tool + ": not today"), std::string::npos) << message;
  }

  const TestFolder folder;
  const Environment path{"PATH", folder.path() + ":" + std::getenv("PATH")};
};

TEST_F(SshTestNetworkWithout, AnOperationTheMachineForbidsIsAReasonToSkip) {
  const struct {
    const char* tool;
    const char* pattern;
    const char* command;
  } rows[] = {
      {"ip", "'netns add'*", "ip netns add"}, {"ip", "*'type bridge'", "type bridge"},
      {"ip", "*'type veth'*", "type veth"},   {"ip", "'netns exec'*", "ip netns exec"},
      {"unshare", "*", "unshare -m"},         {"mount", "*make-rprivate*", "unshare -m"},
      {"mount", "*bind*", "unshare -m"},      {"mount", "'-t proc'*", "unshare -m"},
      {"ssh-keygen", "*", "ssh-keygen"},      {"sshd", "*", "sshd) -t"},
  };
  for (const auto& row : rows) {
    replace(row.tool, row.pattern);
    expect_told(SshTestNetwork::possible(), row.tool, row.command);
    std::filesystem::remove(folder.file(row.tool));
  }
  EXPECT_TRUE(SshTestNetwork::possible());
  // Other tests may be trying at this moment.
  const std::string own = fmt::format("drover-{}-try", getpid());
  EXPECT_EQ(commands::run_shell("ip netns list").out.find(own), std::string::npos);
}

TEST_F(SshTestNetworkWithout, AFailedSetupStepIsReportedImmediately) {
  const struct {
    const char* tool;
    const char* pattern;
    const char* command;
  } rows[] = {
      {"ip", "*' addr add '*", "addr add 10.77.0.1/24 dev bridge0"},
      {"ip", "*'addr add 10.77.0.12'*", "addr add 10.77.0.12/24 dev eth0"},
      {"ip", "*'master bridge0'*", "link set v1 master bridge0 up"},
      {"ssh-keygen", "*/host2", "ssh-keygen"},
      {"sshd", "*/config1", "host 1 does not answer"},
      {"mount", "*make-rprivate*", "host 1 does not answer"},
      {"mount", "*bind*", "host 3 does not answer"},
  };
  for (const auto& row : rows) {
    replace(row.tool, row.pattern);
    SshTestNetwork network(folder.path());
    expect_told(network.ready(), row.tool, row.command);
    std::filesystem::remove(folder.file(row.tool));
  }
}

}  // namespace
}  // namespace drover::launch
