// Requests that their senders may not make: each is answered, all are on record, and nobody's
// refusals hide another's.
#include "router/health/sender_counters.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

Dropped refused(std::uint64_t connection, const std::string& key, const std::string& kind,
                const std::string& address = "10.0.0.7") {
  const Peer from{Channel::control, connection};
  return {from, sender_text(from, address, key), "may not send " + kind, key, address, kind};
}

/// The rows of the ledger that are about this key, and what was published of it.
std::vector<Audit> on_record(RouterHarness& stage, const std::string& who) {
  stage.commit();
  std::vector<Audit> audits;
  for (const LedgerRow& row : stage.disk) {
    const auto envelope = decode(row.payload);
    const auto* audit = envelope ? std::get_if<Audit>(&envelope->body) : nullptr;
    if (audit != nullptr && audit->who.starts_with(who)) audits.push_back(*audit);
  }
  std::vector<Audit> published = stage.published<Audit>();
  std::erase_if(published, [&](const Audit& audit) { return !audit.who.starts_with(who); });
  EXPECT_EQ(published, audits) << "what is in the ledger is published, and the other way round";
  return audits;
}

void refuse(RouterHarness& stage, const Dropped& dropped) {
  stage.router->reject_message(stage.now, dropped);
  stage.tick();
}

TEST(Refusals, EveryRefusedRequestIsAnsweredAndNamed) {
  RouterHarness stage;
  const std::vector<std::string> kinds = {"Submit", "InjectFault", "SetDrain", "InjectFault",
                                          "InjectFault"};
  for (const std::string& kind : kinds) refuse(stage, refused(5, "eve", kind));
  const auto answers = stage.told<RequestError>(5);
  ASSERT_EQ(answers.size(), kinds.size());
  for (std::size_t at = 0; at < kinds.size(); ++at) {
    EXPECT_EQ(answers[at].what, "may not send " + kinds[at]);
  }
  stage.forget();
  refuse(stage, refused(5, "eve", "RequestError"));
  EXPECT_TRUE(stage.told<RequestError>(5).empty()) << "never a RequestError for a RequestError";
  refuse(stage, refused(5, "eve", "Join"));
  EXPECT_EQ(stage.told<JoinRejected>(5).size(), 1U) << "who introduces itself is not taken";
}

TEST(Refusals, AFloodIsLoggedOnceImmediatelyAndThenOnceAMinute) {
  RouterHarness stage;
  refuse(stage, refused(5, "eve", "Submit"));
  for (int number = 0; number < 200; ++number) refuse(stage, refused(6, "eve", "InjectFault"));
  refuse(stage, refused(7, "eve", "SetDrain", "10.0.0.8"));
  auto lines = on_record(stage, "key eve");
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0], (Audit{"key eve from 10.0.0.7", "Submit", "control endpoint", false,
                             "may not send Submit"}));
  stage.wait(seconds(61));
  lines = on_record(stage, "key eve");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(
      lines[1],
      (Audit{"key eve from 10.0.0.7", "201 more requests", "control endpoint", false,
             "InjectFault 200 times, SetDrain from 10.0.0.7, 10.0.0.8; the last: may not send "
             "SetDrain"}));
  // It goes on: a line a minute. Then it ends, and what comes later is new.
  for (int second = 0; second < 120; ++second) {
    refuse(stage, refused(6, "eve", "InjectFault"));
    stage.wait(seconds(1));
  }
  stage.wait(seconds(130));
  EXPECT_LE(on_record(stage, "key eve").size(), 5U);
  const std::size_t before = on_record(stage, "key eve").size();
  refuse(stage, refused(6, "eve", "InjectFault"));
  EXPECT_EQ(on_record(stage, "key eve").size(), before + 1);
}

TEST(Refusals, ThatWereOnlyCountedAreLoggedWhenTheRouterStops) {
  RouterHarness stage;
  for (int number = 0; number < 3; ++number) refuse(stage, refused(6, "eve", "InjectFault"));
  EXPECT_EQ(on_record(stage, "key eve").size(), 1U);
  stage.router->receive(stage.now, publish_peer, {"router", 0, stage.now, Leave{}});
  stage.wait(seconds(1));
  const auto lines = on_record(stage, "key eve");
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_EQ(lines[1].action, "2 more requests");
}

TEST(Refusals, DeferralsAreAllAnsweredReportedOnceAMinuteAndNotCountedAsRefusals) {
  RouterHarness stage;
  Dropped put_off = refused(6, "eve", "");
  put_off.retryable = true;
  put_off.why = "too much waits";
  for (int number = 0; number < 50; ++number) refuse(stage, put_off);
  const auto answers = stage.told<RequestError>(6);
  ASSERT_EQ(answers.size(), 50U);
  for (const RequestError& answer : answers) {
    EXPECT_EQ(answer, (RequestError{"too much waits", true}));
  }
  const auto told = stage.published<Event>();
  EXPECT_EQ(std::count_if(told.begin(), told.end(),
                          [](const Event& one) {
                            return one.text.find("rejected for now, 1 so far: too much waits") !=
                                   std::string::npos;
                          }),
            1);
  EXPECT_TRUE(on_record(stage, "key eve").empty());
  EXPECT_EQ(stage.router->summary(stage.now).undecodable, 0U);
}

TEST(Refusals, NoClientHidesAnotherClientsKey) {
  RouterHarness stage;
  for (std::uint64_t number = 10; number < 90; ++number) {
    refuse(stage, refused(number, "eve", "InjectFault"));
  }
  for (int stranger = 0; stranger < 500; ++stranger) {
    const std::string address = "10.1.0." + std::to_string(stranger);
    refuse(
        stage,
        {{Channel::control, 0}, "unknown peers from " + address, "no key", {}, address, "connect"});
  }
  for (int key = 0; key < 100; ++key) {
    const std::string name = "k" + std::to_string(key) + "x";
    refuse(stage, refused(1000 + static_cast<std::uint64_t>(key), name, "Submit"));
    EXPECT_EQ(on_record(stage, "key " + name).size(), 1U) << name;
  }
  EXPECT_EQ(on_record(stage, "key eve").size(), 1U);
  EXPECT_EQ(on_record(stage, "unknown peers").size(), refused_unkeyed_max + 1);
}

TEST(Refusals, OfPersistentStrangersAreReportedLessAndLessOften) {
  RouterHarness stage;
  const Dropped stranger{
      {Channel::control, 0}, "unknown peers from 10.0.0.9", "no key", {}, "10.0.0.9", "connect"};
  for (int time = 0; time < 3 * 64; ++time) {  // more than an hour
    refuse(stage, stranger);
    refuse(stage, refused(5, "eve", "Submit"));
    stage.wait(seconds(20));
  }
  EXPECT_LE(on_record(stage, "unknown peers").size(), 8U);
  EXPECT_GE(on_record(stage, "unknown peers").size(), 5U);
  EXPECT_GE(on_record(stage, "key eve").size(), 60U);
}

TEST(Refusals, AreCountedAndAlertedPerKeyNotPerConnection) {
  RouterHarness stage;
  for (std::uint64_t number = 10; number < 90; ++number) {
    refuse(stage, refused(number, "eve", "InjectFault"));
  }
  const Summary summary = stage.router->summary(stage.now);
  ASSERT_EQ(summary.undecodable_by_sender.size(), 1U);
  EXPECT_EQ(summary.undecodable_by_sender[0], (SenderCount{"key eve from 10.0.0.7", 80}));
  stage.wait(seconds(5));
  std::vector<Alert> alerts = stage.published<Alert>();
  std::erase_if(alerts, [](const Alert& alert) { return alert.rule != "undecodable"; });
  ASSERT_FALSE(alerts.empty());
  for (const Alert& alert : alerts) EXPECT_EQ(alert.subject, "key eve from 10.0.0.7");
  EXPECT_EQ(
      std::count_if(alerts.begin(), alerts.end(), [](const Alert& a) { return !a.text_only; }), 1);
}

TEST(Refusals, StrangersDoNotPushAKeyOutOfTheCounts) {
  RouterHarness stage;
  for (int stranger = 0; stranger < 200; ++stranger) {
    refuse(stage,
           {{Channel::control, 0}, "unknown peers from " + std::to_string(stranger), "no key"});
  }
  refuse(stage, refused(5, "sue", "InjectFault"));
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.undecodable, 201U);
  EXPECT_EQ(summary.undecodable_by_sender.size(), 65U);
  EXPECT_TRUE(std::any_of(summary.undecodable_by_sender.begin(),
                          summary.undecodable_by_sender.end(), [](const SenderCount& one) {
                            return one == SenderCount{"key sue from 10.0.0.7", 1};
                          }));
}

TEST(Refusals, WithoutKeysAreLoggedPerConnection) {
  RouterHarness stage;
  stage.receive(4, Join{Role::viewer, "top", "drover test"});
  for (int number = 0; number < 10; ++number) stage.receive(4, Submit{{serve_job(1)}});
  const auto answers = stage.told<RequestError>(4);
  ASSERT_EQ(answers.size(), 10U);
  EXPECT_EQ(answers[9].what, "a viewer may not send Submit");
  EXPECT_EQ(on_record(stage, "connection 4"),
            (std::vector<Audit>{{"connection 4", "Submit", "control endpoint", false,
                                 "a viewer may not send Submit"}}));
}

}  // namespace
}  // namespace drover::router
