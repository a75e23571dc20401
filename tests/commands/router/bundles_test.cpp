// How long published messages wait for others, and how large a bundle of them grows.
#include "commands/router/bundles.h"

#include <gtest/gtest.h>

#include "fleet/codec/limits.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
constexpr WallTime began{std::chrono::hours(1)};

TEST(Bundles, HoldMessagesOfAllTopicsInTheirOrder) {
  Bundles bundles;
  bundles.add(began, Topic::samples, "one");
  bundles.add(began, Topic::state, "two");
  bundles.add(began, Topic::samples, "three");
  const std::vector<Bundle> taken = bundles.take_all();
  ASSERT_EQ(taken.size(), 1u);
  EXPECT_EQ(taken[0].messages, (std::vector<std::string>{"one", "two", "three"}));
  EXPECT_TRUE(bundles.take_all().empty());
}

TEST(Bundles, LetSamplesWaitAQuarterOfASecondAndChangesAFifthOfThat) {
  Bundles bundles;
  EXPECT_EQ(bundles.next_deadline(), WallTime::max()) << "nothing waits";
  bundles.add(began, Topic::samples, "sample");
  EXPECT_EQ(bundles.next_deadline(), began + milliseconds(250));
  EXPECT_TRUE(bundles.take_due(began + milliseconds(249)).empty());
  bundles.add(began + milliseconds(100), Topic::events, "event");
  EXPECT_EQ(bundles.next_deadline(), began + milliseconds(150)) << "samples go with it";
  EXPECT_EQ(bundles.take_due(began + milliseconds(150)).size(), 1u);
  EXPECT_EQ(bundles.next_deadline(), WallTime::max());
}

TEST(Bundles, GoOutAtOnceWhenTheyAreFull) {
  Bundles bundles;
  const std::string third(bundle_bytes_max / 3, 'x');
  for (int i = 0; i < 4; ++i) bundles.add(began, Topic::samples, third);
  const std::vector<Bundle> taken = bundles.take_due(began);
  ASSERT_EQ(taken.size(), 2u);
  EXPECT_EQ(taken[0].messages.size(), 3u);
  EXPECT_EQ(taken[1].messages.size(), 1u);
  for (std::size_t i = 0; i <= codec::bundle_messages_max; ++i)
    bundles.add(began, Topic::state, "");
  EXPECT_EQ(bundles.take_due(began).front().messages.size(), codec::bundle_messages_max);
}

TEST(Bundles, HoldAMessageThatIsTooLargeByItself) {
  Bundles bundles;
  bundles.add(began, Topic::state, "small");
  bundles.add(began, Topic::state, std::string(bundle_bytes_max + 1, 'x'));
  bundles.add(began, Topic::state, "small");
  const std::vector<Bundle> taken = bundles.take_all();
  ASSERT_EQ(taken.size(), 3u);
  EXPECT_EQ(taken[1].messages.size(), 1u);
}

}  // namespace
}  // namespace drover::commands
