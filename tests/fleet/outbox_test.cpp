#include "fleet/outbox.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

Send send_numbered(std::uint64_t number, std::uint64_t after_write) {
  Send send;
  send.to = router_peer;
  send.envelope.sequence = number;
  send.envelope.body = SummaryRequest{};
  send.after_write = after_write;
  return send;
}

std::vector<std::uint64_t> numbers(const std::vector<Send>& sends) {
  std::vector<std::uint64_t> listed;
  for (const Send& send : sends) listed.push_back(send.envelope.sequence);
  return listed;
}

using Numbers = std::vector<std::uint64_t>;

TEST(PendingSends, PassesSendsThatWaitForNothing) {
  PendingSends held;
  EXPECT_EQ(numbers(held.hold_or_pass({send_numbered(1, 0), send_numbered(2, 0)})),
            (Numbers{1, 2}));
  EXPECT_EQ(held.size(), 0U);
}

TEST(PendingSends, HoldsASendUntilItsWriteIsCommitted) {
  PendingSends held;
  EXPECT_EQ(
      numbers(held.hold_or_pass({send_numbered(1, 3), send_numbered(2, 0), send_numbered(3, 4)})),
      (Numbers{2}));
  EXPECT_EQ(numbers(held.release_up_to(2)), Numbers{});
  EXPECT_EQ(numbers(held.release_up_to(3)), (Numbers{1}));
  EXPECT_EQ(numbers(held.release_up_to(4)), (Numbers{3}));
  EXPECT_EQ(held.size(), 0U);
}

TEST(PendingSends, OneCommitReleasesAllThatItCoversInOrder) {
  PendingSends held;
  EXPECT_TRUE(
      held.hold_or_pass({send_numbered(1, 2), send_numbered(2, 1), send_numbered(3, 9)}).empty());
  EXPECT_EQ(numbers(held.release_up_to(5)), (Numbers{1, 2}));
  EXPECT_EQ(held.size(), 1U);
}

TEST(PendingSends, PassesSendsThatAreAlreadyCommitted) {
  PendingSends held;
  EXPECT_TRUE(held.release_up_to(7).empty());
  EXPECT_EQ(numbers(held.hold_or_pass({send_numbered(1, 7), send_numbered(2, 8)})), (Numbers{1}));
}

TEST(PendingSends, AnOlderCommitUndoesNothing) {
  PendingSends held;
  EXPECT_TRUE(held.release_up_to(7).empty());
  EXPECT_TRUE(held.release_up_to(3).empty());
  EXPECT_EQ(numbers(held.hold_or_pass({send_numbered(1, 6)})), (Numbers{1}));
}

}  // namespace
}  // namespace drover
