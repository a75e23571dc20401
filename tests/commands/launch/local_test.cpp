// The whole way through on this machine, without ssh: the same script, by `sh`.
#include <chrono>
#include <iterator>
#include <thread>

#include "tests/commands/launch/fixture.h"

namespace drover::launch {
namespace {

namespace fs = std::filesystem;
using commands::DroverProcess;
using commands::eventually;
using commands::ProcessResult;

class LaunchLocally : public LaunchFixture {
 protected:
  std::string three(const std::string& more = "") const {
    return fleet("via = \"local\"\n[[hosts]]\nhosts = \"a[1-2]\"\n[[hosts]]\nhosts = \"b\"\n" +
                 more);
  }
  static std::string state_of(const std::string& file, const std::string& host) {
    return host_in(launch({"status", file, "--json"}), host)["state"].text();
  }
  static pid_t pid_of(const std::string& file, const std::string& host) {
    const ProcessResult status = launch({"status", file, "--json"});
    return static_cast<pid_t>(host_in(status, host)["pid"].integer());
  }
};

TEST_F(LaunchLocally, UpStatusLogsAndDownWork) {
  start_router();
  const std::string file = three();
  const ProcessResult up = launch({"up", file});
  ASSERT_EQ(up.exit_code, 0) << up.out << up.err;
  EXPECT_EQ(lines_of(up.err).size(), 3U) << up.err;
  EXPECT_EQ(lines_of(up.out).size(), 4U) << up.out;
  const auto pids = agents();
  ASSERT_EQ(pids.size(), 3U);
  EXPECT_TRUE(eventually([&] {
    const auto all =
        Json::parse(commands::run_drover({"devices", "--json", "--connect", endpoint}).out);
    return all && all->size() == 3;
  }));

  const ProcessResult again = launch({"up", file, "--json"});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  for (const char* name : {"a1", "a2", "b"}) {
    EXPECT_EQ(host_in(again, name)["state"].text(), "already") << again.out;
    EXPECT_EQ(host_in(again, name)["router"].text(), "joined") << again.out;
  }
  EXPECT_EQ(agents(), pids);

  const ProcessResult logs = launch({"logs", file, "a[1-2]", "--lines", "5"});
  EXPECT_EQ(logs.exit_code, 0) << logs.out << logs.err;

  const ProcessResult down = launch({"down", file});
  EXPECT_EQ(down.exit_code, 0) << down.out << down.err;
  EXPECT_NE(down.out.find("stopped"), std::string::npos) << down.out;
  EXPECT_TRUE(agents().empty());
  EXPECT_TRUE(fs::exists(root + "/versions"));
  EXPECT_EQ(host_in(launch({"status", file, "--json"}), "b")["state"].text(), "absent");
  EXPECT_EQ(launch({"down", file, "--purge"}).exit_code, 0);
  EXPECT_FALSE(fs::exists(root));
}

TEST_F(LaunchLocally, DownDeletesOnlyWhatDroverHasMade) {
  // Somebody's folder, where no agent ever ran; then one where some did.
  for (const bool started : {false, true}) {
    const std::string names[] = {"versions/v1/file", "versions/" + std::string(32, 'a') + "/file",
                                 "keys/router.pub",  "keys/b.key",
                                 "agents/b/code.py", "agents/other/code.py"};
    for (const std::string& name : names) {
      fs::create_directories(fs::path(root + "/" + name).parent_path());
      std::ofstream(root + "/" + name) << "mine\n";
    }
    const std::string file = three();
    if (started) {
      start_router();
      ASSERT_EQ(launch({"up", file}).exit_code, 0);
    }
    const ProcessResult down = launch({"down", file, "--purge", "--json"});
    EXPECT_EQ(down.exit_code, 0) << down.out << down.err;
    EXPECT_EQ(host_in(down, "b")["state"].text(), started ? "stopped" : "absent") << down.out;
    for (const std::string& name : names) EXPECT_EQ(file_text(root + "/" + name), "mine\n") << name;
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      files += fs::is_directory(entry) ? 0 : 1;
    }
    EXPECT_EQ(files, std::size(names)) << started;
    EXPECT_FALSE(fs::exists(root + "/agents/a1")) << started;
    EXPECT_TRUE(agents().empty());
  }
}

TEST_F(LaunchLocally, AnAgentThatTheFileNoLongerListsIsShownAndStopped) {
  start_router();
  ASSERT_EQ(launch({"up", three()}).exit_code, 0);
  const std::string fewer = fleet("via = \"local\"\n[[hosts]]\nhosts = \"a[1-2]\"\n");
  const ProcessResult status = launch({"status", fewer});
  EXPECT_NE(status.out.find("also runs here: b"), std::string::npos) << status.out;
  EXPECT_EQ(status.out.find("unlisted_agents"), status.out.rfind("unlisted_agents")) << status.out;
  // Those that the file names and this call does not are no strangers.
  const ProcessResult one = launch({"down", fewer, "a1", "--json"});
  ASSERT_EQ(host_in(one, "a1")["unlisted_agents"].size(), 1U) << one.out;
  EXPECT_EQ(host_in(one, "a1")["unlisted_agents"][0].text(), "b");
  EXPECT_EQ(agents().size(), 2U);
  EXPECT_EQ(launch({"up", fewer, "--all"}).exit_code, 2);
  const ProcessResult all = launch({"down", fewer, "a1", "--all", "--json"});
  EXPECT_EQ(all.exit_code, 0) << all.out << all.err;
  EXPECT_EQ(host_in(all, "b")["state"].text(), "stopped") << all.out;
  EXPECT_EQ(agents().size(), 1U);
  EXPECT_EQ(launch({"down", fewer, "--all", "--purge"}).exit_code, 0);
  EXPECT_TRUE(agents().empty());
}

TEST_F(LaunchLocally, ChangedSettingsRestartOnlyTheirAgent) {
  start_router();
  ASSERT_EQ(launch({"up", three()}).exit_code, 0);
  const std::string changed = three("ambient = 30\n");
  const ProcessResult status = launch({"status", changed, "--json"});
  EXPECT_EQ(host_in(status, "b")["settings_differ"], Json(true)) << status.out;
  EXPECT_EQ(host_in(status, "a1")["settings_differ"], Json(false)) << status.out;
  const ProcessResult up = launch({"up", changed, "--json"});
  EXPECT_EQ(up.exit_code, 0) << up.err;
  EXPECT_EQ(host_in(up, "b")["state"].text(), "restarted") << up.out;
  EXPECT_EQ(host_in(up, "a1")["state"].text(), "already") << up.out;
  EXPECT_EQ(agents().size(), 3U);
  EXPECT_EQ(host_in(launch({"status", changed, "--json"}), "b")["settings_differ"], Json(false));
}

TEST_F(LaunchLocally, ASecondLauncherFinishesAfterOneIsKilledAnywhere) {
  start_router();
  const std::string file = three();
  for (const int wait_ms : {50, 200, 500, 1000}) {
    {
      DroverProcess killed({"launch", "up", file});
      std::this_thread::sleep_for(std::chrono::milliseconds(wait_ms));
    }  // kill -9
    const ProcessResult up = launch({"up", file});
    ASSERT_EQ(up.exit_code, 0) << wait_ms << " ms\n" << up.out << up.err;
    EXPECT_EQ(agents().size(), 3U) << wait_ms << " ms";
    const ProcessResult down = launch({"down", file, "--purge"});
    EXPECT_EQ(down.exit_code, 0) << down.out << down.err;
    EXPECT_TRUE(eventually([&] { return agents().empty(); }, std::chrono::seconds(2))) << wait_ms;
    EXPECT_FALSE(fs::exists(root)) << wait_ms << " ms";
  }
}

TEST_F(LaunchLocally, AnAgentThatWasKilledIsAFailureUntilItIsStartedAgain) {
  start_router();
  const std::string file = three();
  ASSERT_EQ(launch({"up", file}).exit_code, 0);
  kill(pid_of(file, "b"), SIGKILL);
  ASSERT_TRUE(eventually([&] { return state_of(file, "b") == "ended"; }));
  const ProcessResult status = launch({"status", file, "--json"});
  EXPECT_EQ(status.exit_code, 3) << status.out;
  EXPECT_EQ(host_in(status, "b")["ok"], Json(false)) << status.out;
  EXPECT_EQ(host_in(status, "a1")["ok"], Json(true)) << status.out;
  EXPECT_EQ(commands::only_object(status.out)["failed"].text(), "b");
  const ProcessResult people = launch({"status", file});
  EXPECT_EQ(people.exit_code, 3) << people.out;
  EXPECT_EQ(lines_of(people.out).back(), "failed: b");
  EXPECT_EQ(launch({"status", file, "b"}).exit_code, 1);
  EXPECT_EQ(host_in(launch({"up", file, "--json"}), "b")["state"].text(), "started");
  EXPECT_EQ(launch({"status", file}).exit_code, 0);
}

TEST_F(LaunchLocally, AnAgentThatWasTakenDownIsAbsentNotFailed) {
  start_router();
  const std::string file = three();
  ASSERT_EQ(launch({"up", file}).exit_code, 0);
  // Also one that had ended before: who takes it down wants none there.
  kill(pid_of(file, "b"), SIGKILL);
  ASSERT_TRUE(eventually([&] { return state_of(file, "b") == "ended"; }));
  ASSERT_EQ(launch({"down", file, "a2,b"}).exit_code, 0);
  const ProcessResult status = launch({"status", file, "--json"});
  EXPECT_EQ(status.exit_code, 0) << status.out;
  for (const char* name : {"a2", "b"}) {
    EXPECT_EQ(host_in(status, name)["state"].text(), "absent") << status.out;
    EXPECT_EQ(host_in(status, name)["ok"], Json(true)) << status.out;
  }
}

TEST_F(LaunchLocally, AnAgentWhoseProcessIsStoppedIsNotShownAsRunning) {
  start_router();
  const std::string file = three();
  ASSERT_EQ(launch({"up", file}).exit_code, 0);
  const pid_t pid = pid_of(file, "b");
  ASSERT_GT(pid, 0);
  kill(pid, SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(file, "b") == "suspended"; }))
      << state_of(file, "b");
  const ProcessResult status = launch({"status", file, "--json"});
  EXPECT_EQ(status.exit_code, 3) << status.out;
  EXPECT_EQ(commands::only_object(status.out)["failed"].text(), "b");
  EXPECT_EQ(host_in(status, "b")["ok"], Json(false)) << status.out;
  EXPECT_EQ(host_in(status, "b")["pid"].integer(), pid) << status.out;
  EXPECT_NE(host_in(status, "b")["router"].text(), "joined") << "what it said before";
  kill(pid, SIGCONT);
  ASSERT_TRUE(eventually([&] { return state_of(file, "b") == "running"; }));
  EXPECT_EQ(launch({"status", file}).exit_code, 0);
  // `up` starts another, and `down` ends by force what does not listen.
  kill(pid, SIGSTOP);
  ASSERT_TRUE(eventually([&] { return state_of(file, "b") == "suspended"; }));
  EXPECT_EQ(host_in(launch({"up", file, "--json"}), "b")["state"].text(), "restarted");
  const pid_t fresh = pid_of(file, "b");
  EXPECT_NE(fresh, pid);
  kill(fresh, SIGSTOP);
  EXPECT_EQ(host_in(launch({"down", file, "b", "--json"}), "b")["state"].text(), "killed");
  EXPECT_EQ(agents().size(), 2U);
}

TEST_F(LaunchLocally, AnAgentWithoutARouterRunsAndSaysSo) {
  const std::string file = three();
  const ProcessResult up = launch({"up", file, "b"});
  EXPECT_EQ(up.exit_code, 0) << up.err;
  EXPECT_NE(up.out.find("not connected to its router yet"), std::string::npos) << up.out;
  start_router();
  EXPECT_TRUE(eventually([&] {
    return host_in(launch({"status", file, "b", "--json"}), "b")["router"].text() == "joined";
  }));
  const ProcessResult logs = launch({"logs", file, "b"});
  EXPECT_EQ(logs.exit_code, 0) << logs.err;
}

TEST_F(LaunchLocally, AnAgentThatExitsAtOnceIsAFailureWithItsLastOutput) {
  start_router();
  const std::string file = three();
  ASSERT_EQ(launch({"up", file, "b"}).exit_code, 0);
  ASSERT_EQ(launch({"down", file, "b"}).exit_code, 0);
  for (const auto& entry : fs::directory_iterator(root + "/versions")) {
    if (!fs::is_directory(entry)) continue;
    fs::remove(entry.path() / "drover");
    std::ofstream(entry.path() / "drover") << "#!/bin/sh\necho out of luck >&2\nexit 1\n";
    fs::permissions(entry.path() / "drover", fs::perms::owner_all);
  }
  const ProcessResult up = launch({"up", file});
  EXPECT_EQ(up.exit_code, 1) << up.out;
  EXPECT_NE(up.out.find("the agent ended: out of luck"), std::string::npos) << up.out;
  EXPECT_EQ(lines_of(up.out).back(), "failed: a[1-2],b");
}

TEST_F(LaunchLocally, AnIncompatibleHostIsRefusedBeforeAnythingIsCopied) {
  const struct {
    const char* tool;
    const char* script;
    const char* refusal;
  } rows[] = {
      {"uname", "echo armv9\n", "this host is armv9, the binary is for"},
      {"getconf", "echo 'glibc 2.5'\n", "this host has glibc 2.5, the binary needs 2."},
      {"getconf", "echo 'getconf: unknown' >&2; exit 1\n", "found no glibc on this host"},
  };
  const Environment path("PATH", folder.file("") + ":" + std::getenv("PATH"));
  for (const auto& row : rows) {
    program(row.tool, row.script);
    const ProcessResult up = launch({"up", three(), "b"});
    EXPECT_EQ(up.exit_code, 1);
    EXPECT_NE(up.out.find(row.refusal), std::string::npos) << up.out;
    EXPECT_FALSE(fs::exists(root));
    fs::remove(folder.file(row.tool));
  }
}

TEST_F(LaunchLocally, ACopyFailureShowsTarsMessageSanitizedAndShortened) {
  const Environment path("PATH", folder.file("") + ":" + std::getenv("PATH"));
  program("tar",
          "printf 'tar: \\033[31mno luck\\nand no %0900d\\n' 7 >&2\n"
          "printf 'a third line\\n' >&2; exit 2\n");
  const ProcessResult up = launch({"up", three(), "b", "--json"});
  EXPECT_EQ(up.exit_code, 1);
  const std::string detail = host_in(up, "b")["detail"].text();
  EXPECT_TRUE(detail.starts_with("the copy failed: tar: ^[[31mno luck; and no 000")) << detail;
  EXPECT_EQ(detail.find("third"), std::string::npos) << detail;
  EXPECT_LT(detail.size(), 300U);
}

TEST_F(LaunchLocally, AnOrphanedAgentExitsByItself) {
  DroverProcess agent({"agent", "--connect", endpoint, "--name", "lonely", "--devices", "l4:1",
                       "--exit-after-silence", "1s", "--log", folder.file("log")});
  EXPECT_EQ(agent.wait().exit_code, 1);
  EXPECT_NE(
      file_text(folder.file("log")).find("no answer from a router at " + endpoint + " for 1.0s"),
      std::string::npos)
      << file_text(folder.file("log"));
}

}  // namespace
}  // namespace drover::launch
