// What is dropped is counted by sender, within bounds, and told now and then.
#include "router/health/sender_counters.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

const Peer samples_door{Channel::samples, 0};

std::uint64_t count_of(const Summary& summary, const std::string& sender) {
  for (const SenderCount& one : summary.undecodable_by_sender) {
    if (one.sender == sender) return one.count;
  }
  return 0;
}

/// Reports that something was no message, and lets the router answer.
void drop(RouterHarness& stage, Peer from, const std::string& sender) {
  stage.router->reject_message(stage.now, {from, sender, "found rubbish"});
  stage.tick();
}

std::vector<Event> events_from(const RouterHarness& stage, const std::string& sender) {
  std::vector<Event> events = stage.published<Event>();
  std::erase_if(events, [&](const Event& event) { return event.subject != sender; });
  return events;
}

TEST(DroppedMessages, AreCountedUnderTheSendingHost) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  drop(stage, {Channel::control, 1}, "connection 1 from 10.0.0.7");
  drop(stage, {Channel::control, 5}, "connection 5 from 10.0.0.8");
  drop(stage, {Channel::control, 5}, "connection 5 from 10.0.0.8");
  drop(stage, {Channel::control, 0}, "id \"me\" from 10.0.0.9");
  drop(stage, samples_door, "samples from 10.0.0.9");
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.undecodable, 5u);
  EXPECT_EQ(summary.undecodable_by_sender.size(), 4u);
  EXPECT_EQ(count_of(summary, "h1"), 1u);
  EXPECT_EQ(count_of(summary, "connection 5 from 10.0.0.8"), 2u);
  EXPECT_EQ(count_of(summary, "id \"me\" from 10.0.0.9"), 1u);
  EXPECT_EQ(count_of(summary, "samples from 10.0.0.9"), 1u);
}

TEST(DroppedMessages, IncludeThoseThatTheRoleMayNotSend) {
  RouterHarness stage;
  stage.receive(4, Join{Role::viewer, "top", "drover test"});
  stage.receive(4, Submit{{serve_job(1)}});
  EXPECT_EQ(count_of(stage.router->summary(stage.now), "connection 4"), 1u);
  stage.add_host(1, "h1");
  SampleBatch strange = pack("h1", RouterHarness::idle_samples(8));
  strange.columns.front().width = 3;
  stage.router->receive(stage.now, samples_door, {"h1", 9, stage.now, strange});
  stage.router->receive(stage.now, samples_door, {"h1", 10, stage.now, Heartbeat{}});
  EXPECT_EQ(count_of(stage.router->summary(stage.now), "h1"), 1u);
  EXPECT_EQ(count_of(stage.router->summary(stage.now), "samples"), 1u);
}

TEST(DroppedMessages, AreReportedAtFirstAndThenOnceAMinute) {
  RouterSettings fast;
  fast.speed = 10;  // a minute of the wall is ten of fleet time
  RouterHarness stage(fast);
  const std::string sender = "connection 5 from 10.0.0.8";
  for (int number = 0; number < 100; ++number) drop(stage, {Channel::control, 5}, sender);
  ASSERT_EQ(events_from(stage, sender).size(), 1u);
  EXPECT_EQ(events_from(stage, sender)[0].severity, Severity::warning);
  EXPECT_NE(events_from(stage, sender)[0].text.find("found rubbish"), std::string::npos);
  stage.wait(seconds(599));
  drop(stage, {Channel::control, 5}, sender);
  EXPECT_EQ(events_from(stage, sender).size(), 1u);
  stage.wait(seconds(1));
  drop(stage, {Channel::control, 5}, sender);
  ASSERT_EQ(events_from(stage, sender).size(), 2u);
  EXPECT_NE(events_from(stage, sender)[1].text.find("102"), std::string::npos);
}

TEST(DroppedMessages, OfTooManySendersAreCountedTogether) {
  RouterHarness stage;
  for (std::uint64_t number = 0; number < 1000; ++number) {
    drop(stage, samples_door, "samples from " + std::to_string(number));
  }
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.undecodable, 1000u);
  EXPECT_EQ(summary.undecodable_by_sender.size(), dropped_senders_max + 1);
  EXPECT_EQ(count_of(summary, other_senders), 1000 - dropped_senders_max);
  EXPECT_EQ(stage.published<Event>().size(), dropped_senders_max + 1);
}

TEST(DroppedMessages, AreReportedInShortPrintableText) {
  RouterHarness stage;
  stage.router->reject_message(stage.now, {samples_door, "\x1b]0;" + std::string(5000, 'y'),
                                           "\x1b[2J" + std::string(5000, 'x')});
  stage.tick();
  const Summary summary = stage.router->summary(stage.now);
  ASSERT_EQ(summary.undecodable_by_sender.size(), 1u);
  EXPECT_LT(summary.undecodable_by_sender[0].sender.size(), 120u);
  EXPECT_EQ(summary.undecodable_by_sender[0].sender.find('\x1b'), std::string::npos);
  const Event event = stage.published<Event>().back();
  EXPECT_LT(event.text.size(), 260u);
  EXPECT_EQ(event.text.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace drover::router
