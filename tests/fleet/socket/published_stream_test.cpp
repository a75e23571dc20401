// What a client makes of the published stream and of snapshots, message by message.
#include "fleet/socket/published_stream.h"

#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "fleet/socket/socket.h"

namespace drover {
namespace {

using std::chrono::seconds;

constexpr Instant start{seconds(1'700'000'000)};
constexpr Peer publish = publish_peer;

Envelope host(std::uint64_t sequence, const std::string& name) {
  HostChanged changed;
  changed.registration.host = name;
  return {"router", sequence, start, changed};
}

Envelope event(std::uint64_t sequence) {
  return {"router", sequence, start, Event{Severity::info, "h", "text"}};
}

Envelope part(std::uint64_t snapshot, std::uint32_t number, std::uint32_t parts, std::uint64_t at,
              const std::vector<Envelope>& messages) {
  SnapshotPart body{snapshot, number, parts, at, {}};
  for (const Envelope& message : messages) body.messages.push_back(encode(message));
  return {"router", 1, start, body};
}

std::vector<std::string> names(const std::vector<std::string>& messages) {
  std::vector<std::string> names;
  for (const std::string& bytes : messages) {
    names.push_back(std::get<HostChanged>(decode(bytes)->body).registration.host);
  }
  return names;
}

TEST(PublishedStream, UpdatesNewerThanTheSnapshotFollowIt) {
  PublishedStream stream(seconds(1));
  EXPECT_TRUE(stream.take_snapshot_request(start));
  EXPECT_FALSE(stream.take_snapshot_request(start)) << "one request is enough";
  EXPECT_TRUE(stream.receive(start, publish, host(5, "a")).is_new);
  EXPECT_TRUE(stream.receive(start, publish, host(6, "b")).is_new);
  EXPECT_FALSE(stream.receive(start, router_peer, part(1, 1, 2, 5, {host(0, "y")})).snapshot);
  const auto heard = stream.receive(start, router_peer, part(1, 0, 2, 5, {host(0, "x")}));
  ASSERT_TRUE(heard.snapshot);
  EXPECT_EQ(names(*heard.snapshot), (std::vector<std::string>{"x", "y", "b"}));
  EXPECT_EQ(stream.next_deadline(), never) << "nothing is missing";
}

TEST(PublishedStream, HoldsASnapshotUntilTheUpdatesItOvertookArrive) {
  PublishedStream stream(seconds(1));
  ASSERT_TRUE(stream.take_snapshot_request(start));
  EXPECT_TRUE(stream.receive(start, publish, host(5, "a")).is_new);
  EXPECT_FALSE(stream.receive(start, router_peer, part(1, 0, 1, 7, {host(0, "x")})).snapshot);
  const auto late = stream.receive(start, publish, host(6, "b"));
  EXPECT_TRUE(late.is_new) << "state as well: it has happened";
  EXPECT_FALSE(late.snapshot);
  const auto last = stream.receive(start, publish, host(7, "c"));
  EXPECT_TRUE(last.is_new);
  EXPECT_EQ(last.lost, 0U);
  ASSERT_TRUE(last.snapshot);
  EXPECT_EQ(names(*last.snapshot), (std::vector<std::string>{"x"}));
  EXPECT_EQ(stream.next_deadline(), never);
}

TEST(PublishedStream, StopsWaitingForLostUpdates) {
  PublishedStream stream(seconds(1));
  ASSERT_TRUE(stream.take_snapshot_request(start));
  EXPECT_TRUE(stream.receive(start, publish, host(5, "a")).is_new);
  EXPECT_FALSE(stream.receive(start, router_peer, part(1, 0, 1, 7, {host(0, "x")})).snapshot);
  const auto next = stream.receive(start, publish, host(9, "d"));
  EXPECT_EQ(next.lost, 3U);
  ASSERT_TRUE(next.snapshot);
  EXPECT_EQ(names(*next.snapshot), (std::vector<std::string>{"x", "d"}));
  EXPECT_TRUE(stream.take_snapshot_request(start + seconds(1)))
      << "what the snapshot could not bring";
}

TEST(PublishedStream, IgnoresStateThatTheFirstSnapshotAlreadyContains) {
  PublishedStream stream(seconds(1));
  ASSERT_TRUE(stream.take_snapshot_request(start));
  ASSERT_TRUE(stream.receive(start, router_peer, part(1, 0, 1, 7, {host(0, "x")})).snapshot);
  EXPECT_FALSE(stream.receive(start, publish, host(6, "old")).is_new);
  EXPECT_TRUE(stream.receive(start, publish, event(7)).is_new) << "an event sets nothing back";
  EXPECT_TRUE(stream.receive(start, publish, host(8, "new")).is_new);
}

TEST(PublishedStream, CountsLostMessagesAndRequestsANewSnapshot) {
  PublishedStream stream(seconds(1));
  ASSERT_TRUE(stream.take_snapshot_request(start));
  stream.receive(start, router_peer, part(1, 0, 1, 4, {}));
  EXPECT_EQ(stream.receive(start, publish, event(5)).lost, 0U);
  EXPECT_EQ(stream.receive(start, publish, event(9)).lost, 3U);
  EXPECT_FALSE(stream.take_snapshot_request(start)) << "at most one a second";
  EXPECT_TRUE(stream.take_snapshot_request(start + seconds(1)));
  EXPECT_FALSE(stream.take_snapshot_request(start + seconds(5)));
  EXPECT_TRUE(stream.take_snapshot_request(start + seconds(6))) << "the answer was lost";
}

TEST(PublishedStream, RequestsASnapshotAfterTheRouterRestarts) {
  PublishedStream stream(seconds(1));
  ASSERT_TRUE(stream.take_snapshot_request(start));
  stream.receive(start, router_peer, part(1, 0, 1, 400, {}));
  EXPECT_TRUE(stream.receive(start, publish, host(401, "a")).is_new);
  const auto heard = stream.receive(start, publish, host(1, "b"));
  EXPECT_TRUE(heard.restarted);
  EXPECT_TRUE(heard.is_new);
  EXPECT_TRUE(stream.take_snapshot_request(start + seconds(1)));
}

TEST(PublishedStream, PassesSamplesThroughWithoutCountingThem) {
  PublishedStream stream(seconds(1));
  EXPECT_TRUE(stream.receive(start, publish, {"h", 700, start, SampleBatch{"h", {}, {}}}).is_new);
  EXPECT_EQ(stream.receive(start, publish, event(1)).lost, 0U);
}

TEST(PublishedStream, IgnoresUnrequestedSnapshotParts) {
  PublishedStream stream(seconds(1));
  EXPECT_FALSE(stream.receive(start, router_peer, part(1, 0, 1, 4, {})).snapshot);
  ASSERT_TRUE(stream.take_snapshot_request(start));
  EXPECT_FALSE(stream.receive(start, router_peer, part(1, 3, 2, 4, {})).snapshot);
  EXPECT_FALSE(stream.receive(start, router_peer, part(1, 0, 0, 4, {})).snapshot);
}

}  // namespace
}  // namespace drover
