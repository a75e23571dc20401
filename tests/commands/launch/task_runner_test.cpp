// Hosts that hang, refuse, or say odd things: a program of the test's own stands in for ssh. It is
// given ssh's options, the address and the command, and runs the command here.
#include <chrono>

#include "tests/commands/launch/fixture.h"

namespace drover::launch {
namespace {

namespace fs = std::filesystem;
using commands::DroverProcess;
using commands::eventually;
using commands::ProcessResult;
using namespace std::string_literals;

class LaunchTasks : public LaunchFixture {
 protected:
  std::string hosts(const std::string& nodeset) const {
    return fleet("[[hosts]]\nhosts = \"" + nodeset + "\"\n");
  }
  /// `cases` are those of a shell's `case` over the host's name; others get their command run.
  std::string ssh(const std::string& cases) const {
    return program("ssh", "while [ $# -gt 2 ]; do shift; done\ncase $1 in\n" + cases +
                              "\n*) exec sh -c \"$2\" ;;\nesac\n");
  }
};

TEST_F(LaunchTasks, AHostThatHangsDoesNotDelayTheOthers) {
  start_router();
  const Environment program("DROVER_SSH",
                            ssh("n2) sleep 98765 ;;\n"
                                "n4) echo 'Host key verification failed.' >&2; exit 255 ;;"));
  const ProcessResult asked = launch({"status", hosts("n[1-4]"), "--timeout", "6s", "--json"});
  EXPECT_EQ(asked.exit_code, 3) << asked.out << asked.err;
  EXPECT_EQ(host_in(asked, "n1")["state"].text(), "absent") << asked.out;
  EXPECT_EQ(host_in(asked, "n3")["state"].text(), "absent") << asked.out;
  EXPECT_EQ(host_in(asked, "n2")["state"].text(), "timed out") << asked.out;
  EXPECT_EQ(host_in(asked, "n4")["state"].text(), "unreachable") << asked.out;
  EXPECT_NE(host_in(asked, "n4")["detail"].text().find("host key"), std::string::npos) << asked.out;
  EXPECT_EQ(commands::only_object(asked.out)["failed"].text(), "n[2,4]");
  EXPECT_LT(host_in(asked, "n1")["duration_s"].number(),
            host_in(asked, "n2")["duration_s"].number());
}

TEST_F(LaunchTasks, FailuresAreNamedAsANodesetInTheLastLine) {
  const Environment program("DROVER_SSH", ssh("n0[2-4]) echo 'ssh: no way' >&2; exit 255 ;;"));
  const std::string file = hosts("n[01-05]");
  const ProcessResult some = launch({"status", file});
  EXPECT_EQ(some.exit_code, 3);
  EXPECT_EQ(lines_of(some.out).back(), "failed: n[02-04]") << some.out;
  const ProcessResult all = launch({"status", file, "--hosts", "n[02,04]"});
  EXPECT_EQ(all.exit_code, 1);
  EXPECT_EQ(lines_of(all.out).back(), "failed: n[02,04]") << all.out;
  const ProcessResult none = launch({"status", file, "--hosts", "n[01,05]"});
  EXPECT_EQ(none.exit_code, 0);
  EXPECT_EQ(none.out.find("failed"), std::string::npos) << none.out;
}

TEST_F(LaunchTasks, NoMoreThanTheFanOutWorkAtOnce) {
  const std::string log = folder.file("count");
  const Environment program("DROVER_SSH", ssh("*) echo start >>'" + log +
                                              "'; sleep 0.3; echo end >>'" + log + "'; exit 1 ;;"));
  launch({"status", hosts("n[1-7]"), "--fanout", "2"});
  int now = 0;
  int most = 0;
  for (const std::string& line : lines_of(file_text(log))) {
    now += line == "start" ? 1 : -1;
    most = std::max(most, now);
  }
  EXPECT_EQ(lines_of(file_text(log)).size(), 14U);
  EXPECT_EQ(most, 2);
}

TEST_F(LaunchTasks, AnInterruptedCopyIsNeverUsed) {
  const Environment program("DROVER_SSH",
                            ssh("n1) dd bs=1 count=60000 2>/dev/null | sh -c \"$2\"; exit 1 ;;"));
  const ProcessResult up = launch({"up", hosts("n1")});
  EXPECT_EQ(up.exit_code, 1);
  EXPECT_NE(up.out.find("the copy failed"), std::string::npos) << up.out;
  for (const auto& entry : fs::directory_iterator(root + "/versions")) {
    EXPECT_FALSE(fs::is_directory(entry)) << entry.path();
  }
}

TEST_F(LaunchTasks, HostOutputIsSanitizedAndTruncated) {
  const Environment program(
      "DROVER_SSH",
      ssh("n1) printf 'noise\\033[2J\\n@drover failed \\033]0;title\\007gone\\n'; exit 1 ;;\n"
          "n2) printf '\\033[31mred\\n' >&2; exit 255 ;;\n"
          "n3) yes '@drover log x' | head -c 50000000; exit 1 ;;"));
  const ProcessResult status = launch({"status", hosts("n[1-3]")});
  EXPECT_EQ((status.out + status.err).find('\x1b'), std::string::npos);
  EXPECT_NE(status.out.find("^[]0;title^Ggone"), std::string::npos) << status.out;
  EXPECT_NE(status.out.find("^[[31mred"), std::string::npos) << status.out;
}

TEST_F(LaunchTasks, AnInterruptedLauncherReportsUnknownHostsAndEndsItsChildren) {
  const std::string mark = folder.file("asleep");
  const Environment program("DROVER_SSH", ssh("n2) echo >'" + mark + "'; exec sleep 98764 ;;"));
  DroverProcess up({"launch", "status", hosts("n[1-3]"), "--fanout", "1"});
  ASSERT_TRUE(eventually([&] { return fs::exists(mark); }));
  const auto asleep = processes_with("sleep\00098764"s);
  up.signal(SIGINT);
  const ProcessResult ended = up.wait();
  EXPECT_EQ(ended.exit_code, 3) << ended.out << ended.err;
  EXPECT_NE(ended.out.find("n2    unknown"), std::string::npos) << ended.out;
  EXPECT_NE(ended.out.find("n3    not started"), std::string::npos) << ended.out;
  EXPECT_EQ(lines_of(ended.out).back(), "failed: n[2-3]");
  for (const pid_t pid : asleep) EXPECT_NE(kill(pid, 0), 0) << pid;
}

}  // namespace
}  // namespace drover::launch
