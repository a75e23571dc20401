// Hosts of eight devices for gangs, and what the router says of the gangs there.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {

inline Policy policy_of(const std::string& text) {
  auto parsed = parse_policy(text, "test.toml");
  DROVER_REQUIRE(parsed.ok());
  return std::move(parsed).value();
}

/// GPUs; gangs of a priority above 0 may preempt those of research.
inline constexpr const char* urgent_rules = R"(
[pool.gpu]
match = { kind = "gpu" }
[class.research]
[class.nightly]
[[rule]]
name = "urgent"
when = { priority = ">0" }
preempt = { may = ["research"], grace_s = 20 }
[[rule]]
name = "rest"
)";

/// Hosts of eight H100s without replicas: 1, 2, .. say "h1", "h2", ..
struct GangHarness : RouterHarness {
  explicit GangHarness(Policy under = builtin_policy()) : RouterHarness({}, std::move(under)) {}

  void add(std::uint64_t peer, const std::string& rack = "rack-1", std::uint64_t life = 1,
           const std::vector<HeldAttempt>& held = {}) {
    add_named(peer, name(peer), rack, life, held);
  }
  void add_named(std::uint64_t peer, const std::string& host, const std::string& rack = "rack-1",
                 std::uint64_t life = 1, const std::vector<HeldAttempt>& held = {}) {
    receive(peer, Join{Role::agent, host, "drover test"});
    Register said = registration(host, life);
    said.rack = rack;
    said.held = held;
    receive(peer, said);
    receive_samples(host, ++samples_, idle_samples(8));
    hosts.emplace_back(peer, host);
  }
  static constexpr std::uint64_t client = 1000;
  static std::string name(std::uint64_t peer) { return "h" + std::to_string(peer); }

  void submit(std::uint64_t number, std::uint16_t devices) {
    Job job = train_job(number, devices);
    job.work.batch = std::max<std::uint32_t>(64, devices);
    receive(client, Submit{{job}});
    tick();
    commit();
  }
  void accept(std::uint64_t peer, std::uint64_t number, double compute_s,
              std::uint32_t attempt = 1) {
    receive(peer, Accepted{job_id(number), attempt});
    receive(peer, MemberStepTime{job_id(number), attempt, compute_s, 0.1});
    commit();
  }
  /// Two hosts, a gang of 16 over both, which has begun.
  void begin_over_two() {
    add(1);
    add(2);
    submit(1, 16);
    accept(1, 1, 1.0);
    accept(2, 1, 1.5);
    commit();
  }
  void run_with_heartbeats(int span_s) {
    for (int second = 0; second < span_s; ++second) {
      for (const auto& [peer, host] : hosts) {
        receive(peer, Heartbeat{});
        receive_samples(host, ++samples_, idle_samples(8));
      }
      wait(std::chrono::seconds(1));
      commit();
    }
  }
  JobChanged last(std::uint64_t number) const {
    JobChanged found;
    for (const JobChanged& change : published<JobChanged>()) {
      if (change.job.id == job_id(number)) found = change;
    }
    return found;
  }
  std::vector<double> steps_told(std::uint64_t peer) const {
    std::vector<double> steps;
    for (const GangStepTime& told_time : told<GangStepTime>(peer))
      steps.push_back(told_time.step_s);
    return steps;
  }
  Failed failed(std::uint64_t number, Reason reason, double device_s = 1) const {
    Failed said;
    said.job = job_id(number);
    said.attempt = 1;
    said.reason = reason;
    said.usage = {device_s, 10, 0.5};
    return said;
  }
  Finished finished(std::uint64_t number, double device_s = 1) const {
    Finished said;
    said.job = job_id(number);
    said.attempt = 1;
    said.usage = {device_s, 10, 0.5};
    said.outcome.steps = 100;
    said.outcome.run_s = 100;
    return said;
  }

  std::vector<std::pair<std::uint64_t, std::string>> hosts;

 private:
  std::uint64_t samples_ = 0;
};

}  // namespace drover::router
