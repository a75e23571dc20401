// How soon a change of the allow-list counts, by a clock of the test's own.
#include "commands/router/access_control.h"

#include "commands/connection/allow_list.h"
#include "commands/connection/session.h"
#include "tests/commands/connection/key_folder.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

/// A router's sockets with eve's key on the list, looked at for the first time at `begin`.
struct GuardedRouter : KeyFolder {
  static constexpr WallTime begin{seconds(100)};
  Sockets sockets;
  RouterAccessControl guard;
  std::string eve;  // her public key

  void SetUp() override {
    ASSERT_TRUE(make_key(folder, "router", KeyRole::router));
    ASSERT_TRUE(make_key(folder, "eve", KeyRole::view));
    ASSERT_TRUE(allow_key(folder, "eve"));
    const auto list = read_allow_list(folder);
    ASSERT_TRUE(list);
    ASSERT_EQ(list->keys.size(), 1U);
    eve = list->keys[0].key;
    const Status opened = guard.open(folder, sockets);
    ASSERT_TRUE(opened) << opened.error().message;
    guard.reload_if_changed(begin, sockets);
  }
  bool comes_in() const { return sockets.allowed_key(eve) != nullptr; }
};

// A turn of the router's loop besides, half a second at most: within 2 seconds.
TEST_F(GuardedRouter, CutsOffARevokedKeyAtItsNextCheckASecondLater) {
  ASSERT_TRUE(comes_in());
  ASSERT_TRUE(*revoke_key(folder, "eve"));
  guard.reload_if_changed(begin + milliseconds(999), sockets);
  EXPECT_TRUE(comes_in()) << "it does not look all the time";
  guard.reload_if_changed(begin + seconds(1), sockets);
  EXPECT_FALSE(comes_in());
}

TEST_F(GuardedRouter, AcceptsAnAllowedKeyAtItsNextCheck) {
  ASSERT_TRUE(*revoke_key(folder, "eve"));
  guard.reload_if_changed(begin + seconds(1), sockets);
  ASSERT_TRUE(allow_key(folder, "eve"));
  guard.reload_if_changed(begin + milliseconds(1999), sockets);
  EXPECT_FALSE(comes_in());
  guard.reload_if_changed(begin + seconds(2), sockets);
  EXPECT_TRUE(comes_in());
}

// What then becomes of the connection is in refusals_test.cpp and keyed_fleet_test.cpp.
TEST(ConnectionTimeout, MatchesTheKeysPage) {
  EXPECT_EQ(client_connection_timeout, seconds(5));
  EXPECT_EQ(agent_connection_timeout, seconds(8));
}

}  // namespace
}  // namespace drover::commands
