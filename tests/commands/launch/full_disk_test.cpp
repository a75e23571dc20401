// Hosts without room: a file system of some kilobytes, in a mount namespace that goes away with its
// processes.
#include <fmt/format.h>

#include "agents/launch/order.h"
#include "tests/commands/launch/fixture.h"

namespace drover::launch {
namespace {

using commands::ProcessResult;
using commands::run_shell;

class LaunchOnAFullDisk : public LaunchFixture {
 protected:
  void SetUp() override {
    const ProcessResult trial =
        in_namespace("mount -t tmpfs -o size=4k tmpfs " + quoted(folder.path()));
    if (trial.exit_code != 0) GTEST_SKIP() << "no file system can be mounted here: " << trial.err;
  }
  static std::string quoted(const std::string& text) { return shell_quoted(text); }
  /// Runs lines of a shell where they may mount what they like.
  ProcessResult in_namespace(const std::string& lines) const {
    const std::string script = folder.write("lines", "PATH=$PATH:/usr/sbin:/sbin\n" + lines + "\n");
    return run_shell(fmt::format("unshare {} /bin/sh {}", geteuid() == 0 ? "-m" : "-rm", script),
                     std::chrono::seconds(120));
  }
  /// A line that mounts a file system with these options there.
  static std::string mounted(const std::string& place, const std::string& options) {
    return fmt::format("mkdir -p {0} && mount -t tmpfs -o {1} tmpfs {0} || exit 99\n",
                       quoted(place), options);
  }
  static std::string filled(const std::string& place) {
    return fmt::format("dd if=/dev/zero of={} bs=4k count=1000 2>/dev/null\n",
                       quoted(place + "/rest"));
  }
  static std::string launch_line(const std::string& action, const std::string& file,
                                 const std::string& output = "/dev/stdout") {
    return fmt::format("'{}' launch {} {} --json >{}\n", DROVER_BINARY, action, quoted(file),
                       output);
  }
  std::string one(const std::string& more = "") const {
    return fleet("via = \"local\"\n[[hosts]]\nhosts = \"b\"\n" + more);
  }
  void expect_no_space(const ProcessResult& up, const std::string& place) const {
    EXPECT_EQ(up.exit_code, 1) << up.out << up.err;
    EXPECT_EQ(host_in(up, "b")["state"].text(), "failed") << up.out << up.err;
    EXPECT_NE(host_in(up, "b")["detail"].text().find("no space on b:" + place + ":"),
              std::string::npos)
        << up.out;
    EXPECT_EQ(commands::only_object(up.out)["failed"].text(), "b");
  }
};

TEST_F(LaunchOnAFullDisk, AProgramWithoutDiskSpaceIsReportedInTarsWords) {
  const std::string listing = folder.file("listing");
  const ProcessResult up =
      in_namespace(mounted(root, "size=1m") + launch_line("up", one()) + "code=$?; ls -A " +
                   quoted(root + "/versions") + " >" + listing + "; exit $code");
  expect_no_space(up, root + "/versions");
  const std::string detail = host_in(up, "b")["detail"].text();
  EXPECT_NE(detail.find("the copy failed"), std::string::npos) << detail;
  EXPECT_NE(detail.find("tar: "), std::string::npos) << detail;
  EXPECT_EQ(file_text(listing), "lock\n") << "half a copy stays";
}

TEST_F(LaunchOnAFullDisk, AnyLackOfSpaceIsReportedWithHostAndFolder) {
  start_router();
  ASSERT_EQ(launch({"up", one()}).exit_code, 0);
  ASSERT_EQ(launch({"down", one()}).exit_code, 0);
  const std::string own = root + "/agents/b";
  const struct {
    const char* what;
    std::string place;    // where a file system is mounted
    const char* options;  // of one page, or one file, each
    bool fill;
  } rows[] = {
      {"the mark", folder.file("fresh"), "nr_inodes=1", false},
      {"the turn", own, "nr_inodes=1", false},
      {"the settings", own, "size=4k", true},
      {"the pid", own, "size=4k", false},
      {"the agent's word", own, "size=8k", false},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    std::string file = one();
    if (row.place != own) {
      file = folder.write("fresh.toml", "[router]\nconnect = \"" + endpoint +
                                            "\"\n[[hosts]]\nhosts = \"b\"\nvia = \"local\"\n"
                                            "devices = \"l4:1\"\nroot = \"" +
                                            row.place + "\"\n");
    }
    expect_no_space(in_namespace(mounted(row.place, row.options) +
                                 (row.fill ? filled(row.place) : "") + launch_line("up", file)),
                    row.place);
  }
}

TEST_F(LaunchOnAFullDisk, KeysWithoutDiskSpaceAreReportedAndLeaveNoPartialFile) {
  const std::string keys = folder.file("keys");
  ASSERT_EQ(commands::run_drover({"keys", "new", "router", "--dir", keys}).exit_code, 0);
  start_router();
  ASSERT_EQ(launch({"up", one()}).exit_code, 0);
  ASSERT_EQ(launch({"down", one()}).exit_code, 0);
  const std::string own = root + "/agents/b";
  const std::string keyed = folder.write(
      "keyed.toml", "[router]\nconnect = \"" + endpoint +
                        "\"\nkeys = \"keys\"\n[defaults]\nroot = \"" + root +
                        "\"\ndevices = \"l4:1\"\nvia = \"local\"\n[[hosts]]\nhosts = \"b\"\n");
  const std::string listing = folder.file("listing");
  const ProcessResult up =
      in_namespace(mounted(own, "size=4k") + filled(own) + launch_line("up", keyed) +
                   "code=$?; ls -A " + quoted(own + "/keys") + " >" + listing + "; exit $code");
  expect_no_space(up, own + "/keys");
  EXPECT_EQ(file_text(listing), "");
}

TEST_F(LaunchOnAFullDisk, ARunningAgentIsNotStoppedForOneWithoutDiskSpace) {
  start_router();
  ASSERT_EQ(launch({"up", one()}).exit_code, 0);
  ASSERT_EQ(launch({"down", one()}).exit_code, 0);
  const std::string own = root + "/agents/b";
  const std::string before = one();
  const std::string after = folder.write("after.toml", file_text(before) + "rack = \"r-2\"\n");
  const std::string first = folder.file("first");
  const std::string status = folder.file("status");
  const ProcessResult up =
      in_namespace(mounted(own, "size=64k") + launch_line("up", before, first) + filled(own) +
                   launch_line("up", after) + "code=$?\n" + launch_line("status", before, status) +
                   "exit $code");
  ASSERT_NE(file_text(first).find("\"started\""), std::string::npos) << file_text(first) << up.err;
  expect_no_space(up, own);
  EXPECT_NE(file_text(status).find("\"running\""), std::string::npos) << file_text(status);
}

}  // namespace
}  // namespace drover::launch
