// Hosts whose devices are real: they are watched, drained and alerted on as others, and never get
// work.
#include <stdexcept>

#include <gtest/gtest.h>

#include "fleet/base/search.h"
#include "fleet/codec/codec.h"
#include "router/lint/policy_file.h"
#include "tests/router/action_harness.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

Register real_host(const std::string& host, std::uint64_t life = 1,
                   const std::string& device = "h100-sxm", std::uint16_t count = 8) {
  Register said = RouterHarness::registration(host, life, device, count);
  devices::DeviceSpec spec = devices::Catalogue::embedded().device(device).value()->spec;
  spec.real = true;
  said.specs[0].text = to_toml(spec);
  return said;
}

Policy builtin_policy_with(const std::string& more) {
  auto policy = parse_policy(std::string(builtin_policy_text()) + more, "test.toml");
  if (!policy) throw std::runtime_error(policy.error().message);
  return std::move(policy).value();
}

Board board_of(std::uint16_t device, const std::string& uuid) {
  Board board;
  board.device = device;
  board.name = "NVIDIA H100 80GB HBM3";
  board.uuid = uuid;
  return board;
}

/// A real host with connection 1, and connection 9 for clients.
struct Real : RouterHarness {
  explicit Real(Policy under = builtin_policy()) : RouterHarness({}, std::move(under)) {
    receive(1, Join{Role::agent, "real-1", "drover test"});
    receive(1, real_host("real-1"));
    receive(9, Join{Role::client, "ann", "drover test"});
    pass(1);
  }
  void pass(int span_s) {
    for (int second = 0; second < span_s; ++second) {
      receive(1, Heartbeat{});
      receive_samples("real-1", ++sequence_, idle_samples(8));
      wait(seconds(1));
      commit();
    }
  }
  /// A reading of all devices with these reasons to throttle; none: the devices do not say.
  void throttled_by(double reasons) {
    std::vector<Sample> rows = idle_samples(8);
    for (Sample& row : rows) row[Metric::throttle] = reasons;
    receive(1, Heartbeat{});
    receive_samples("real-1", ++sequence_, rows);
    wait(seconds(1));
  }
  /// Whether this alert is raised about the host.
  bool is_raised(std::string_view rule) const {
    bool raised = false;
    for (const Alert& alert : published<Alert>()) {
      if (alert.rule == rule && alert.subject == "real-1") raised = alert.raised;
    }
    return raised;
  }
  std::vector<Decision> decisions_on(const Job& job) {
    forget();
    receive(9, Submit{{job}});
    pass(2);
    return published<Decision>();
  }
  HostChanged host_now() const {
    const auto changes = published<HostChanged>();
    return changes.empty() ? HostChanged{} : changes.back();
  }
  /// What a late subscriber is told of real devices.
  std::vector<BoardChanged> boards_of_snapshot() {
    forget();
    receive(9, SnapshotRequest{});
    std::vector<BoardChanged> boards;
    for (const SnapshotPart& part : told<SnapshotPart>(9)) {
      for (const std::string& bytes : part.messages) {
        const auto envelope = decode(bytes);
        if (!envelope) continue;
        if (const auto* board = std::get_if<BoardChanged>(&envelope->body))
          boards.push_back(*board);
      }
    }
    return boards;
  }

 private:
  std::uint64_t sequence_ = 0;
};

// ---- Work --------------------------------------------------------------------------------------

TEST(RealDevices, AreInPoolsAndGetNoWork) {
  Real stage;
  EXPECT_FALSE(stage.host_now().pools.empty());
  for (const Job& job : {serve_job(1), train_job(2, 4)}) {
    const auto decisions = stage.decisions_on(job);
    ASSERT_FALSE(decisions.empty());
    EXPECT_TRUE(stage.told<Assign>(1).empty());
    EXPECT_TRUE(stage.told<StartReplica>(1).empty());
    for (const Decision& decision : decisions) {
      EXPECT_EQ(decision.target, "");
      const Rejection* const watched =
          find_by(decision.rejections, &Rejection::reason, Reason::policy);
      ASSERT_NE(watched, nullptr) << decision.rule;
      EXPECT_EQ(watched->device_class, "h100-sxm");
      EXPECT_GT(watched->count, 0U);
    }
  }
}

TEST(RealDevices, WorkGoesToTheEmulatedOnesOfTheirPool) {
  Real stage;
  stage.add_host(2, "emulated-1");
  stage.receive(9, Submit{{serve_job(1)}});
  stage.tick();
  stage.commit();
  EXPECT_TRUE(stage.told<Assign>(1).empty());
  EXPECT_EQ(stage.told<Assign>(2).size(), 1U);
}

TEST(RealDevices, WhySaysThatTheyAreOnlyWatched) {
  Real stage;
  stage.decisions_on(train_job(1, 4));
  const WhyReply reply = stage.router->why(stage.now, to_text(job_id(1)));
  ASSERT_FALSE(reply.candidates.empty());
  for (const CandidateStatus& candidate : reply.candidates) {
    EXPECT_NE(std::find(candidate.reasons.begin(), candidate.reasons.end(), Reason::policy),
              candidate.reasons.end());
  }
}

TEST(RealDevices, DoNotCountInTheShareOfATenantThatMayNotBorrow) {
  Policy policy = builtin_policy();
  policy.limits.tenants["guest"] = {0.5, false};
  policy.limits.tenants["home"] = {0.5, false};
  Real stage(std::move(policy));
  stage.add_host(2, "emulated-1");
  Job job = train_job(1, 3);
  Job more = train_job(2, 3);
  job.tenant = more.tenant = "guest";
  stage.receive(9, Submit{{job, more}});
  stage.tick();
  stage.commit();
  EXPECT_EQ(stage.told<Assign>(2).size(), 1U) << "half of 8 devices, not of 16";
}

// ---- Unreachable -------------------------------------------------------------------------------

TEST(RealDevices, AnUnreachableHostIsLostAtOnceWithItsReason) {
  Real stage;
  stage.forget();
  stage.receive(1, HostUnreachable{"connection refused\n\x1b[31m"});
  const HostChanged lost = stage.host_now();
  EXPECT_EQ(lost.health, Health::lost);
  EXPECT_EQ(lost.why.find("connection refused"), 0U) << lost.why;
  EXPECT_EQ(lost.why.find('\x1b'), std::string::npos);
  bool told = false;
  for (const Event& event : stage.published<Event>()) {
    told = told || (event.subject == "real-1" && event.severity == Severity::critical &&
                    event.text.find("connection refused") != std::string::npos);
  }
  EXPECT_TRUE(told);
}

TEST(RealDevices, AnUnreachableHostIsAskedToRegisterAndComesBackWithIt) {
  Real stage;
  stage.receive(1, HostUnreachable{"connection refused"});
  stage.forget();
  stage.receive(1, HostUnreachable{"connection refused"});
  EXPECT_TRUE(stage.published<HostChanged>().empty()) << "it is lost already";
  stage.receive(1, Heartbeat{});
  EXPECT_EQ(stage.told<Reregister>(1).size(), 1U);
  stage.receive(1, real_host("real-1"));
  EXPECT_EQ(stage.host_now().health, Health::ok);
  EXPECT_EQ(stage.host_now().why, "");
}

TEST(RealDevices, ReasonsAreCut) {
  Real stage;
  stage.receive(1, HostUnreachable{std::string(4000, 'x')});
  EXPECT_EQ(stage.host_now().health, Health::lost);
  EXPECT_EQ(stage.host_now().why, std::string(200, 'x'));
}

TEST(RealDevices, ASuspectHostSaysWhyUntilItIsHeardAgain) {
  Real stage;
  stage.wait(seconds(4));
  EXPECT_EQ(stage.host_now().health, Health::suspect);
  EXPECT_EQ(stage.host_now().why, "no heartbeat for 3 s");
  stage.pass(1);
  EXPECT_EQ(stage.host_now().health, Health::ok);
  EXPECT_EQ(stage.host_now().why, "");
}

// ---- What they say about themselves ------------------------------------------------------------

TEST(RealDevices, LateSubscribersGetTheLastReportOfEach) {
  Real stage;
  stage.forget();
  stage.receive(1, BoardReport{board_of(0, "a")});
  stage.receive(1, BoardReport{board_of(1, "b")});
  EXPECT_EQ(stage.published<BoardChanged>().size(), 2U);
  stage.receive(1, BoardReport{board_of(1, "b")});
  EXPECT_EQ(stage.published<BoardChanged>().size(), 2U) << "it has not changed";
  stage.receive(1, BoardReport{board_of(1, "c")});
  const auto boards = stage.boards_of_snapshot();
  ASSERT_EQ(boards.size(), 2U);
  EXPECT_EQ(boards[0].host, "real-1");
  EXPECT_EQ(boards[0].board.uuid, "a");
  EXPECT_EQ(boards[1].board.uuid, "c");
}

TEST(RealDevices, ReportsOfDevicesThatAHostDoesNotHaveAreDropped) {
  Real stage;
  stage.forget();
  stage.receive(1, BoardReport{board_of(8, "a")});
  EXPECT_TRUE(stage.published<BoardChanged>().empty());
  EXPECT_TRUE(stage.boards_of_snapshot().empty());
}

TEST(RealDevices, ReportsAreForgottenWithTheLifeOfTheirAgent) {
  Real stage;
  stage.receive(1, BoardReport{board_of(0, "a")});
  stage.receive(1, real_host("real-1"));
  EXPECT_EQ(stage.boards_of_snapshot().size(), 1U) << "the same agent, asked again";
  stage.receive(2, Join{Role::agent, "real-1", "drover test"});
  stage.receive(2, real_host("real-1", 2));
  EXPECT_TRUE(stage.boards_of_snapshot().empty());
}

TEST(RealDevices, ReportsAreForgottenWithTheirHost) {
  Real stage;
  stage.receive(1, BoardReport{board_of(0, "a")});
  stage.receive(1, Leave{"SIGTERM", 0});
  stage.receive(9, ForgetHost{"real-1"});
  stage.wait(seconds(2));
  stage.commit();
  EXPECT_TRUE(stage.boards_of_snapshot().empty());
  stage.receive(3, Join{Role::agent, "other-1", "drover test"});
  stage.receive(3, real_host("other-1"));
  EXPECT_TRUE(stage.boards_of_snapshot().empty()) << "it has the rows of the other, not its boards";
}

// ---- Drains, alerts ----------------------------------------------------------------------------

TEST(RealDevices, CanBeDrained) {
  Real stage;
  stage.forget();
  stage.receive(9, SetDrain{"device:real-1/3", true, {}});
  stage.commit();
  const auto changes = stage.published<DeviceChanged>();
  ASSERT_EQ(changes.size(), 1U);
  EXPECT_EQ(changes[0].device, 3);
  EXPECT_TRUE(changes[0].drained);
}

TEST(RealDevices, CannotBeMadeFaulty) {
  Real stage;
  stage.add_host(2, "emulated-1");
  stage.forget();
  InjectFault inject;
  inject.fault = *parse_fault("hang");
  inject.fault.duration = seconds(60);
  inject.target = "host:real-1";
  stage.receive(9, inject);
  inject.target = "rack:rack-1";
  stage.receive(9, inject);
  stage.commit();
  const auto replies = stage.told<ActionReply>(9);
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_EQ(replies[0].problem, "only emulated devices can have faults: those of real-1 are real");
  EXPECT_TRUE(replies[1].applied) << replies[1].problem;
  EXPECT_TRUE(stage.told<ApplyFault>(1).empty());
  EXPECT_EQ(stage.told<ApplyFault>(2).size(), 1U);
  for (const DeviceChanged& changed : stage.published<DeviceChanged>()) {
    EXPECT_EQ(changed.host, "emulated-1");
  }
}

TEST(RealDevices, AreHotOnlyWhileTheySaySo) {
  Real stage;
  const auto throttle_for_s = [&](double reasons, int span_s) {
    for (int second = 0; second < span_s; ++second) stage.throttled_by(reasons);
  };
  throttle_for_s(throttle_hw_thermal_slowdown, 30);
  EXPECT_TRUE(stage.is_raised("throttling"));
  throttle_for_s(absent, 60);
  EXPECT_FALSE(stage.is_raised("throttling")) << "the last known reasons are no news";
}

TEST(RealDevices, RulesOfAlertsSeeThemAndTheirUsers) {
  Real stage(
      builtin_policy_with("\n[[alert]]\nname = \"ann\"\nwhen = \"origin == real & tenant == ann\"\n"
                          "for = \"0s\"\nclear_for = \"0s\"\n"));
  stage.add_host(2, "emulated-1");
  Board board = board_of(2, "a");
  board.processes = {{7, "ann", "python3", "ann", std::nullopt, std::nullopt}};
  stage.receive(1, BoardReport{board});
  stage.pass(3);
  std::vector<std::string> raised;
  for (const Alert& alert : stage.published<Alert>()) {
    if (alert.rule == "ann" && alert.raised) raised.push_back(alert.subject);
  }
  EXPECT_EQ(raised, (std::vector<std::string>{"real-1/2"}));
}

}  // namespace
}  // namespace drover::router
