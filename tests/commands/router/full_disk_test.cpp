// A router whose ledger stands on a small file system of the test's own, which really is full.
#include <chrono>
#include <csignal>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/commands/folder.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

/// A file system of 4 MiB in a namespace that lasts as long as this. Programs run in it with
/// `nsenter`, so it outlives each of them.
class SmallDisk {
 public:
  SmallDisk()
      : holder_("/bin/sh", {"-c",
                            "exec unshare --user --map-root-user --mount /bin/sh -c 'mount "
                            "-t tmpfs -o size=4m drover " +
                                folder_.path() + " && echo mounted && exec sleep 600'"}) {}

  /// False where this user, or this machine, has no namespaces.
  bool ready() { return holder_.says("mounted"); }
  std::string trouble() const { return holder_.err(); }
  std::string file(const std::string& name) const { return folder_.file(name); }

  /// The words of a program that runs there.
  std::vector<std::string> inside(const std::string& line) const {
    return {"-c", "exec nsenter --user --mount --preserve-credentials --target " +
                      std::to_string(holder_.pid()) + " " + line};
  }
  /// To the last byte. `dd` ends with a failure, as there is no more room.
  void fill() const { run("dd if=/dev/zero of=" + file("filler") + " bs=4k"); }
  void make_room() const { run("rm " + file("filler")); }

 private:
  void run(const std::string& line) const { DroverProcess("/bin/sh", inside(line)).wait(); }

  TestFolder folder_;
  DroverProcess holder_;
};

std::vector<std::string> submit_words(const std::string& endpoint) {
  return {"submit",  "--connect", endpoint,  "--kind", "train",     "--model", "bert-large",
          "--steps", "3",         "--batch", "8",      "--seq-len", "128",     "--json"};
}

TEST(FullDisk, ATerminatedRouterReportsLostRowsAndKeepsAcknowledgedOnes) {
  SmallDisk disk;
  if (!disk.ready()) GTEST_SKIP() << "no file system in a namespace: " << disk.trouble();
  const std::string endpoint = free_endpoint();
  const std::string line = std::string(DROVER_BINARY) + " router --listen " + endpoint +
                           " --ledger " + disk.file("ledger.sqlite");
  auto router = std::make_unique<DroverProcess>("/bin/sh", disk.inside(line));
  ASSERT_TRUE(router->says("router ready")) << router->err();
  const ProcessResult kept = run_drover(submit_words(endpoint));
  ASSERT_EQ(kept.exit_code, 0) << kept.err;

  std::this_thread::sleep_for(std::chrono::seconds(2));  // until sums have been published
  disk.fill();
  // Whoever submits now waits for an acknowledgement that does not come.
  DroverProcess waiting(submit_words(endpoint));
  ASSERT_TRUE(router->says("its disk is full: nothing is acknowledged until there is space"))
      << router->err();
  const ProcessResult asked = run_drover({"status", "--connect", endpoint, "--json"});
  EXPECT_EQ(asked.exit_code, 0) << "what only asks is answered: " << asked.err;
  router->signal(SIGTERM);
  const ProcessResult ended = router->wait();
  EXPECT_EQ(ended.exit_code, 1) << "it ends by itself: " << ended.err;
  EXPECT_NE(ended.err.find("the disk is full, the last rows are lost"), std::string::npos)
      << ended.err;

  disk.make_room();
  router = std::make_unique<DroverProcess>("/bin/sh", disk.inside(line));
  ASSERT_TRUE(router->says("router ready")) << router->err();
  // Its client has kept the job that was never acknowledged, and submits it again.
  const ProcessResult late = waiting.wait();
  EXPECT_EQ(late.exit_code, 0) << late.err;
  const ProcessResult jobs = run_drover({"jobs", "--connect", endpoint, "--json"});
  EXPECT_EQ(only_object(jobs.out)["jobs"].size(), 2u) << jobs.out << jobs.err;
}

}  // namespace
}  // namespace drover::commands
