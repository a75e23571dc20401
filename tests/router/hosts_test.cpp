// Hosts that live, fall silent and come back; the end of a run; questions.
#include <algorithm>
#include <map>

#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

// ---- Hosts -------------------------------------------------------------------------------------

TEST(Hosts, AHeartbeatIsAnsweredByALease) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  Heartbeat beat;
  beat.incarnation = {1, 1};
  stage.receive(1, beat);
  ASSERT_EQ(stage.told<Heartbeat>(1).size(), 1u);
  EXPECT_EQ(stage.told<Heartbeat>(1)[0].incarnation, (Incarnation{1, 1}));
}

TEST(Hosts, ASuspectGetsNoNewWork) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.commit();
  stage.wait(seconds(4));
  stage.receive(9, Submit{{serve_job(1)}});
  stage.wait(seconds(1));
  stage.commit();
  EXPECT_TRUE(stage.told<Assign>(1).empty());
  stage.live(1, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 1u);
}

TEST(Hosts, ALostHostMustReregister) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.wait(seconds(13));
  stage.receive(1, Heartbeat{});
  EXPECT_TRUE(stage.told<Heartbeat>(1).empty());
  EXPECT_EQ(stage.told<Reregister>(1).size(), 1u);
}

Failed given_back(const Assign& assign) {
  Failed failed;
  failed.job = assign.job.id;
  failed.attempt = assign.attempt;
  failed.reason = Reason::drain;
  failed.usage = {2, 30, 0.01};
  return failed;
}

TEST(Hosts, ThatLeaveAreGoneAtOnceAndTheirWorkGoesElsewhere) {
  Assigned stage;
  stage.receive(1, Leave{"SIGTERM", 1});
  stage.receive(1, given_back(stage.assign));
  stage.receive(1, Leave{"SIGTERM", 0});
  stage.tick();
  stage.commit();
  EXPECT_EQ(stage.published<HostChanged>().back().health, Health::left);
  EXPECT_EQ(stage.published<ReplicaChanged>().back().replica.state, ReplicaState::gone);
  const auto events = stage.published<Event>();
  EXPECT_TRUE(std::any_of(events.begin(), events.end(), [](const Event& event) {
    return event.subject == "h1" && event.text == "left: SIGTERM" &&
           event.severity == Severity::info;
  }));
  EXPECT_EQ(stage.told<ResultStored>(1).size(), 1u) << "on disk";
  EXPECT_EQ(stage.router->summary(stage.now).wasted, (Usage{2, 30, 0.01}));
  stage.add_host(2, "h2");
  stage.live(1, {{2, "h2"}});
  const auto moved = stage.told<Assign>(2);
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].attempt, 2u) << "as many attempts as a lost host would have cost";
}

TEST(Hosts, ThatAreLeavingGetNoNewWork) {
  Assigned stage;
  stage.receive(1, Leave{"SIGTERM", 1});
  stage.receive(1, given_back(stage.assign));
  stage.receive(9, Submit{{serve_job(2)}});
  stage.live(5, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 1u);
  // Another life of the host takes work again.
  stage.add_host(2, "h1", 2);
  stage.live(1, {{2, "h1"}});
  EXPECT_EQ(stage.told<Assign>(2).size(), 2u);
}

TEST(Hosts, WorkTheyDidNotReturnIsRequeuedWhenTheyLeave) {
  Assigned stage;
  stage.receive(1, Leave{"SIGTERM", 0});
  stage.tick();
  stage.commit();
  EXPECT_EQ(stage.router->summary(stage.now).queued, 1u);
  EXPECT_EQ(stage.router->summary(stage.now).running, 0u);
}

TEST(Hosts, OnlyTheConnectionOfAHostCanMakeItLeave) {
  Assigned stage;
  stage.receive(5, Join{Role::agent, "h1", "drover test"});
  stage.receive(5, Leave{"SIGTERM", 0});
  stage.receive(8, Join{Role::client, "h1", "drover test"});
  stage.receive(8, Leave{"SIGTERM", 0});
  stage.tick();
  EXPECT_EQ(stage.published<HostChanged>().back().health, Health::ok);
  EXPECT_EQ(stage.router->summary(stage.now).running, 1u);
}

TEST(Hosts, ManyThatLeaveAtOnceAreNotANetworkFault) {
  RouterHarness stage;
  for (std::uint64_t number = 1; number <= 8; ++number) {
    stage.add_host(number, "h" + std::to_string(number));
  }
  for (std::uint64_t number = 1; number <= 6; ++number) stage.receive(number, Leave{"SIGTERM", 0});
  stage.live(1, {{7, "h7"}, {8, "h8"}});
  std::map<std::string, Health> health;
  for (const HostChanged& host : stage.published<HostChanged>()) {
    health[host.registration.host] = host.health;
  }
  for (std::uint64_t number = 1; number <= 8; ++number) {
    EXPECT_EQ(health["h" + std::to_string(number)], number <= 6 ? Health::left : Health::ok);
  }
}

TEST(Hosts, WorkOfAnEarlierRouterRunIsRequeuedIfItsHostStaysAway) {
  Assigned stage;
  ASSERT_TRUE(stage.restart());
  stage.add_host(7, "h2");
  stage.live(11, {{7, "h2"}});
  EXPECT_TRUE(stage.told<Assign>(7).empty());
  stage.live(3, {{7, "h2"}});
  const auto moved = stage.told<Assign>(7);
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].attempt, 2u);
}

TEST(Hosts, ALostAssignmentIsSentAgain) {
  Assigned stage;
  stage.live(11, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 1u);
  stage.live(3, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 2u);
  EXPECT_EQ(stage.told<Cancel>(1).size(), 1u);
}

/// Says Register as a host that was asked at this time and holds nothing.
void send_register(Assigned& stage, std::uint64_t peer, Instant asked_at, std::uint64_t life = 1) {
  Register registration = stage.registration("h1", life);
  registration.replicas = {RouterHarness::replica("h1", 0)};
  registration.asked_at = asked_at;
  stage.receive(peer, registration);
  stage.tick();
  stage.commit();
}

TEST(Hosts, ARegisterThatCrossesAnAssignmentDoesNotLoseIt) {
  Assigned stage;
  send_register(stage, 1, stage.now - milliseconds(1));
  EXPECT_EQ(stage.told<Assign>(1).size(), 1u);
  EXPECT_TRUE(stage.told<Cancel>(1).empty());
  stage.receive(1, finished_of(stage.assign));
  stage.commit();
  EXPECT_EQ(stage.told<ResultStored>(1).size(), 1u);
}

TEST(Hosts, ARegisterLosesWorkItOmitsButMustHaveReceived) {
  struct {
    const char* what;
    std::uint64_t peer;
    Duration asked_after;
    std::uint64_t life;
  } const cases[] = {
      {"asked after the assignment", 1, milliseconds(1), 1},
      {"on another connection", 2, milliseconds(-1), 1},
      {"of another life", 1, milliseconds(-1), 2},
  };
  for (const auto& each : cases) {
    Assigned stage;
    send_register(stage, each.peer, stage.now + each.asked_after, each.life);
    EXPECT_EQ(stage.told<Cancel>(each.peer).size(), 1u) << each.what;
  }
}

TEST(Hosts, AJoinAcceptedDoesNotOvertakeAnAssignmentAwaitingTheDisk) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{serve_job(1)}});
  stage.tick();
  stage.forget();
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  EXPECT_TRUE(stage.told<JoinAccepted>(1).empty());
  stage.commit();
  std::vector<std::size_t> kinds;
  for (const Send& send : stage.delivered) {
    if (send.to.number == 1) kinds.push_back(send.envelope.body.index());
  }
  EXPECT_EQ(kinds, (std::vector{Message(Assign{}).index(), Message(JoinAccepted{}).index()}));
}

// ---- Hosts that are let go
// -----------------------------------------------------------------------

/// The hosts that a snapshot names, and their devices' samples.
std::vector<std::string> hosts_in_snapshot(RouterHarness& stage) {
  stage.wait(std::chrono::seconds(1));
  stage.commit();
  stage.forget();
  stage.receive(8, SnapshotRequest{});
  std::vector<std::string> names;
  for (const SnapshotPart& part : stage.told<SnapshotPart>(8)) {
    for (const std::string& bytes : part.messages) {
      const Envelope envelope = decode(bytes).value();
      if (const auto* host = std::get_if<HostChanged>(&envelope.body)) {
        names.push_back(host->registration.host);
      }
    }
  }
  return names;
}

ActionReply ask_to_forget(RouterHarness& stage, const std::string& host) {
  stage.commit();  // a disk that stands still takes no orders
  stage.forget();
  stage.receive(9, ForgetHost{host});
  stage.commit();
  const auto replies = stage.told<ActionReply>(9);
  DROVER_REQUIRE(replies.size() == 1);
  return replies[0];
}

using Names = std::vector<std::string>;

TEST(Hosts, ThatLeftDisappearAfterTenMinutes) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.add_host(2, "h2");
  stage.receive(1, Leave{"SIGINT", 0});
  stage.live(590, {{2, "h2"}});
  EXPECT_EQ(hosts_in_snapshot(stage), (Names{"h1", "h2"}));
  stage.live(20, {{2, "h2"}});
  const auto forgotten = stage.published<HostForgotten>();
  ASSERT_EQ(forgotten.size(), 1u);
  EXPECT_EQ(forgotten[0].host, "h1");
  EXPECT_EQ(hosts_in_snapshot(stage), Names{"h2"});
}

TEST(Hosts, ThatAreLostStayUntilAUserForgetsThem) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.add_host(2, "h2");
  stage.live(1'000, {{2, "h2"}});
  EXPECT_EQ(hosts_in_snapshot(stage), (Names{"h1", "h2"}));
  const ActionReply reply = ask_to_forget(stage, "h1");
  EXPECT_TRUE(reply.applied) << reply.problem;
  EXPECT_EQ(reply.targets, Names{"host:h1"});
  EXPECT_EQ(reply.summary, "h1: forgotten, with its 8 devices; it may join again");
  EXPECT_EQ(stage.published<HostForgotten>().size(), 1u);
  ASSERT_EQ(stage.published<Audit>().size(), 1u);
  EXPECT_EQ(stage.published<Audit>()[0].action, "forget");
  stage.live(2, {{2, "h2"}});
  bool over = false;
  for (const Alert& alert : stage.published<Alert>())
    over |= !alert.raised && alert.subject == "h1";
  EXPECT_TRUE(over) << "nobody misses it any more";
  EXPECT_EQ(hosts_in_snapshot(stage), Names{"h2"});
}

TEST(Hosts, ThatAreConnectedCannotBeForgotten) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive(9, Join{Role::client, "ann", "drover test"});
  EXPECT_EQ(ask_to_forget(stage, "h1").problem,
            "h1 is connected and healthy: only a host that is lost or has left can be forgotten");
  EXPECT_EQ(ask_to_forget(stage, "h7").problem, "no host h7");
  stage.wait(std::chrono::seconds(5));
  EXPECT_EQ(ask_to_forget(stage, "h1").problem,
            "h1 is suspect: only a host that is lost or has left can be forgotten");
  EXPECT_EQ(hosts_in_snapshot(stage), Names{"h1"});
}

TEST(Hosts, ThatWereForgottenMayJoinAgainAndAreChargedOnce) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive_samples("h1", 100, RouterHarness::idle_samples(8, 500));
  stage.receive(9, SetDrain{"h1/3", true, {}});
  stage.live(30, {});
  ASSERT_TRUE(ask_to_forget(stage, "h1").applied);
  EXPECT_EQ(stage.router->summary(stage.now).fleet_energy_j, 8 * 500);
  stage.receive(1, stage.registration("h1"));
  stage.receive_samples("h1", 200, RouterHarness::idle_samples(8, 600));
  EXPECT_EQ(stage.router->summary(stage.now).fleet_energy_j, 8 * 600)
      << "the same life of the agent";
  EXPECT_EQ(hosts_in_snapshot(stage), Names{"h1"});
  stage.receive(9, Submit{{train_job(1, 8)}});
  stage.live(2, {{1, "h1"}});
  EXPECT_TRUE(stage.told<Assign>(1).empty()) << "what was said about its name stays";
  stage.receive(9, SetDrain{"h1/3", false, {}});
  stage.live(2, {{1, "h1"}});
  EXPECT_EQ(stage.told<Assign>(1).size(), 1u);
}

TEST(Hosts, ThatWereForgottenCannotBeTargetsOfActions) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.add_host(2, "h2");
  stage.live(30, {{2, "h2"}});
  ASSERT_TRUE(ask_to_forget(stage, "h1").applied);
  InjectFault hang;
  hang.fault = parse_fault("hang").value();
  hang.fault.duration = seconds(60);
  for (const char* target : {"host:h1", "h1/3"}) {
    hang.target = target;
    for (const Message& action : {Message(hang), Message(SetDrain{target, true, {}}),
                                  Message(SetDrain{target, false, {}})}) {
      stage.forget();
      stage.receive(9, action);
      stage.commit();
      const auto replies = stage.told<ActionReply>(9);
      ASSERT_EQ(replies.size(), 1u);
      EXPECT_EQ(replies[0].problem, "no host \"h1\"; did you mean h2?") << target;
    }
  }
}

TEST(Hosts, ThatWereForgottenDoNotComeBackWithAnotherPolicy) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.add_host(2, "h2");
  stage.live(30, {{2, "h2"}});
  ASSERT_TRUE(ask_to_forget(stage, "h1").applied);
  stage.forget();
  ApplyPolicy other;
  other.text =
      "[policy]\nname = \"other\"\nversion = 99\n[pool.all]\nmatch = { kind = \"gpu\" }\n"
      "[[rule]]\nname = \"r\"\npools = [\"all\"]\n";
  other.place = "other.toml";
  stage.receive(9, other);
  stage.commit();
  ASSERT_TRUE(stage.told<ActionReply>(9).at(0).applied) << stage.told<ActionReply>(9)[0].problem;
  for (const HostChanged& host : stage.published<HostChanged>())
    EXPECT_EQ(host.registration.host, "h2");
}

TEST(Hosts, EnergyCountersMayRestart) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  for (const auto& [sequence, counter] : {std::pair{2, 100.0}, {3, 150.0}, {4, 20.0}, {5, 30.0}}) {
    stage.receive_samples("h1", static_cast<std::uint64_t>(sequence),
                          RouterHarness::idle_samples(8, counter));
  }
  EXPECT_NEAR(stage.router->summary(stage.now).fleet_energy_j, 8 * (150 + 30), 1e-6);
}

TEST(Hosts, CostIsDeviceHoursTimesPrice) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  const double price =
      devices::Catalogue::embedded().device("h100-sxm").value()->spec.price.usd_per_h;
  stage.live(36, {{1, "h1"}});
  EXPECT_NEAR(stage.router->summary(stage.now).fleet_cost_usd, price * 8 * 0.01, 1e-9);
}

// ---- The end, and questions --------------------------------------------------------------------

TEST(EndRun, FailsOpenJobsAndRepliesOnceAllIsOnDisk) {
  Assigned stage;
  stage.receive(9, Submit{{serve_job(2), train_job(3, 8)}});
  stage.receive(9, EndRunRequest{});
  EXPECT_TRUE(stage.told<Summary>(9).empty());
  stage.commit();
  const auto summaries = stage.told<Summary>(9);
  ASSERT_EQ(summaries.size(), 1u);
  EXPECT_EQ(summaries[0].failures.at(Reason::ended), 3u);
  EXPECT_EQ(summaries[0].queued + summaries[0].running, 0u);
  ASSERT_EQ(stage.told<Cancel>(1).size(), 1u);
  stage.forget();
  stage.receive(9, Submit{{serve_job(4)}});
  stage.commit();
  EXPECT_EQ(stage.told<SubmitReply>(9)[0].results[0].reason, Reason::ended);
}

TEST(Queries, WhyAcceptsAnIdPrefix) {
  Assigned stage;
  stage.receive(8, WhyRequest{to_text(job_id(1))});
  stage.receive(8, WhyRequest{"zz"});
  stage.receive(8, WhyRequest{"00"});
  const auto replies = stage.told<WhyReply>(8);
  ASSERT_EQ(replies.size(), 3u);
  ASSERT_EQ(replies[0].decisions.size(), 1u);
  EXPECT_EQ(replies[0].decisions[0].target, "h1/r0");
  EXPECT_NE(replies[1].problem, "");
  EXPECT_TRUE(replies[2].job.has_value());
}

TEST(Queries, ForJobsReturnABoundedList) {
  RouterHarness stage;
  for (std::uint64_t number = 1; number <= 1500; ++number) {
    stage.receive(9, Submit{{serve_job(number)}});
  }
  stage.receive(8, JobsRequest{});
  const auto replies = stage.told<JobsReply>(8);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_LE(replies[0].jobs.size(), 1000u);
  EXPECT_EQ(replies[0].jobs.size() + replies[0].left_out, 1500u);
  EXPECT_LE(encode({"router", 1, {}, replies[0]}).size(), message_bytes_max);
}

TEST(Queries, TheQueueDoesNotRepeatAKnownDecision) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  for (std::uint64_t number = 1; number <= 500; ++number) {
    stage.receive(9, Submit{{serve_job(number, "llama-3.1-70b")}});
  }
  stage.tick();
  EXPECT_LE(stage.router->summary(stage.now).decisions, 2u);
  EXPECT_EQ(stage.published<Decision>().size(), 1u);
  EXPECT_EQ(stage.router->summary(stage.now).queued_for.at(Reason::capacity), 500u);
}

}  // namespace
}  // namespace drover::router
