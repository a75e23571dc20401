// Child processes, and what happens when the system has no descriptors left for them.
#include "commands/shell/child_process.h"

#include <poll.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <gtest/gtest.h>

namespace drover::commands {
namespace {

/// Sets the soft limit of descriptors, until it ends.
class DescriptorLimit {
 public:
  explicit DescriptorLimit(rlim_t soft) {
    getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit limit{soft, before_.rlim_max};
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  ~DescriptorLimit() { setrlimit(RLIMIT_NOFILE, &before_); }
  DescriptorLimit(const DescriptorLimit&) = delete;
  DescriptorLimit& operator=(const DescriptorLimit&) = delete;

 private:
  rlimit before_{};
};

TEST(ChildProcess, SaysWhatItSaysAndEnds) {
  auto child = start_child({"echo", "hello"});
  ASSERT_TRUE(child) << child.error().message;
  pollfd ended{child->ended.get(), POLLIN, 0};
  ASSERT_EQ(::poll(&ended, 1, 10'000), 1);
  std::string said;
  read_available(child->out, said, 100);
  EXPECT_EQ(said, "hello\n");
  int status = -1;
  EXPECT_EQ(waitpid(child->pid, &status, 0), child->pid);
  EXPECT_EQ(status, 0);
}

TEST(ChildProcess, IsAnErrorWhenThereAreNoDescriptors) {
  const DescriptorLimit none(3);
  const auto child = start_child({"true"});
  ASSERT_FALSE(child);
  EXPECT_EQ(child.error().message, "cannot start true: Too many open files");
}

TEST(DescriptorLimit, IsRaisedToWhatTheSystemAllows) {
  const DescriptorLimit few(64);
  raise_descriptor_limit();
  rlimit raised{};
  getrlimit(RLIMIT_NOFILE, &raised);
  EXPECT_EQ(raised.rlim_cur, raised.rlim_max);
}

}  // namespace
}  // namespace drover::commands
