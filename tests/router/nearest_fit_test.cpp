// Whatever is suggested to somebody whose job waits would place it: fleets, work and policies are
// drawn from a seed, each suggestion is carried out, and the job then has a place.
#include <gtest/gtest.h>

#include "fleet/dice.h"
#include "router/explain.h"
#include "tests/router/small_fleet.h"

namespace drover::router {
namespace {

constexpr const char* policy_text = R"([pool.h100]
match = { model = "h100*" }
[pool.l4]
match = { model = "l4" }
[pool.v5e]
match = { model = "v5e" }
[[rule]]
name = "train"
when = { kind = "training" }
pools = ["h100", "v5e", "l4"]
[[rule]]
name = "serve"
pools = ["h100", "v5e", "l4"]
)";

struct DrawnFleet : SmallFleet {
  Dice dice;
  struct Gang {
    JobId job;
    HostIndex host;
    std::vector<std::uint16_t> devices;
    Instant until;
  };
  std::vector<Gang> gangs;

  explicit DrawnFleet(std::uint64_t seed) : SmallFleet(policy_text), dice(seed) {
    policy.stale_after_s = 1e6;  // nobody sends samples
    const HostIndex h100 = add_host("fast", "h100-sxm", 8);
    const HostIndex l4 = add_host("small", "l4", 4);
    const HostIndex v5e = add_host("slice", "tpu-v5e", 8, "2x4");
    for (const HostIndex host : {h100, l4, v5e}) occupy(host);
    if (dice.chance(0.3)) policy.limits.site_power_cap_w = dice.uniform(500, 8000);
    if (dice.chance(0.2)) policy.limits.budget_usd_per_h = dice.uniform(0.5, 30);
    if (dice.chance(0.2)) policy.rules[0].precisions = {Precision::bf16};
    if (dice.chance(0.2)) roster.set_drained(h100, static_cast<std::uint16_t>(dice.below(8)), true);
    if (dice.chance(0.1)) roster.host(l4).draining = true;
  }

  void occupy(HostIndex host) {
    const std::size_t count = roster.hosts()[host].devices.size();
    if (dice.chance(0.4)) {
      const auto device = static_cast<std::uint16_t>(dice.below(count));
      add_replica(host, 0, "llama-3.1-8b", {device});
    }
    const auto free = [&](std::uint16_t device) {
      return roster.devices().replicas[roster.hosts()[host].devices[device]] == 0;
    };
    for (std::uint16_t device = 0; device < count; ++device) {
      if (!free(device) || !dice.chance(0.4)) continue;
      const Gang gang{{7, ++jobs}, host, {device}, now + from_seconds(dice.uniform(10, 1000))};
      roster.promise_gang(now, gang.job, host, gang.devices, gang.until, 0);
      gangs.push_back(gang);
    }
  }

  Job draw_job() {
    if (dice.chance(0.3)) {
      Job job = request();
      job.work.input_tokens = static_cast<std::uint32_t>(dice.uniform(100, 200'000));
      return job;
    }
    constexpr std::array<std::uint16_t, 5> sizes = {1, 2, 4, 6, 8};
    Job job = training(sizes[dice.below(sizes.size())]);
    job.work.steps = static_cast<std::uint32_t>(dice.uniform(10, 100'000));
    if (dice.chance(0.3)) job.deadline = from_seconds(dice.uniform(1, 10'000));
    if (dice.chance(0.3)) job.work.precisions = {Precision::fp16};
    if (dice.chance(0.1)) job.work.precisions = {Precision::fp4};
    if (dice.chance(0.3)) job.work.loss_scaling = true;
    return job;
  }

  /// Gangs that have ended by then give their devices back.
  void pass(double seconds) {
    now += from_seconds(seconds + 1e-3);
    for (const Gang& gang : gangs) {
      if (gang.until <= now) roster.release_gang(gang.job, gang.host, gang.devices);
    }
  }
  void free_of_replicas(const std::string& target) {
    const std::vector<ReplicaEntry> all = roster.replicas();
    for (const ReplicaEntry& entry : all) {
      const std::string& host = roster.hosts()[entry.host].hello.host;
      if (!target.starts_with(host + "/")) continue;
      Replica gone = entry.replica;
      gone.state = ReplicaState::gone;
      roster.apply(now, entry.host, gone);
    }
  }
  void resume_all() {
    for (HostIndex host = 0; host < roster.hosts().size(); ++host) {
      roster.host(host).draining = false;
      for (std::uint16_t device = 0; device < roster.hosts()[host].devices.size(); ++device) {
        roster.set_drained(host, device, false);
      }
    }
  }
};

Precision precision_in(const std::string& change) {
  return *parse_precision(change.substr(0, change.find(' ')));
}

/// Does what the suggestion says; false where that is no matter of job, policy or time.
bool carry_out(const NearestFit& fit, DrawnFleet& fleet, Job& job) {
  Limits& limits = fleet.policy.limits;
  switch (fit.reason) {
    case Reason::capacity:
      if (fit.change.find("without replica") != std::string::npos) {
        fleet.free_of_replicas(fit.target);
      }
      fleet.pass(fit.amount);
      return job.deadline == Duration{0};
    case Reason::deadline:
      job.deadline += from_seconds(fit.amount + 1);
      return true;
    case Reason::power_cap:
      limits.site_power_cap_w += fit.amount + 1;
      return true;
    case Reason::budget:
      limits.budget_usd_per_h += fit.amount + 0.01;
      return true;
    case Reason::drain:
      fleet.resume_all();
      return true;
    case Reason::precision: {
      const Precision precision = precision_in(fit.change);
      if (!job.work.precisions.empty()) job.work.precisions.push_back(precision);
      for (Rule& rule : fleet.policy.rules) {
        if (!rule.precisions.empty()) rule.precisions.push_back(precision);
      }
      return true;
    }
    case Reason::topology:
      job.work.devices = static_cast<std::uint16_t>(std::stoi(fit.change));
      return true;
    case Reason::context:
      job.work.input_tokens -= static_cast<std::uint32_t>(fit.amount);
      return true;
    default:
      return false;
  }
}

TEST(NearestFit, EachSuggestionPlacesTheJobWhenItIsCarriedOut) {
  int told = 0;
  std::map<Reason, int> carried_out;
  for (std::uint64_t seed = 1; seed <= 150; ++seed) {
    std::vector<NearestFit> fits;
    {
      DrawnFleet fleet(seed);
      const Job job = fleet.draw_job();
      if (fleet.decide(job).place) continue;
      fits = nearest_fits(fleet.roster, fleet.policy, fleet.estimator, fleet.ask(job), fleet.now);
    }
    for (const NearestFit& fit : fits) {
      ++told;
      DrawnFleet fleet(seed);
      Job job = fleet.draw_job();
      const Instant submitted = fleet.now;
      if (!carry_out(fit, fleet, job)) continue;
      ++carried_out[fit.reason];
      Ask ask = fleet.ask(job);
      ask.submitted = submitted;
      // A request may have to wait until a replica is loaded there.
      const bool loads = fit.change.find("to load the model") != std::string::npos;
      const Verdict verdict = loads ? fleet.decide_replica(job) : fleet.decide(ask);
      EXPECT_TRUE(verdict.place) << "seed " << seed << ": " << fit.change << " on " << fit.target
                                 << " (" << to_text(fit.reason) << ") leaves it waiting for "
                                 << to_text(
                                        verdict.decision.fallback_reason.value_or(Reason::ended));
    }
  }
  EXPECT_GT(told, 60);
  for (const Reason reason : {Reason::capacity, Reason::deadline, Reason::power_cap,
                              Reason::precision, Reason::topology}) {
    EXPECT_GT(carried_out[reason], 0) << to_text(reason);
  }
}

TEST(NearestFit, OfATrainingInFp16AnEmptySliceWantsAnotherPrecisionAndNothingElse) {
  SmallFleet fleet(policy_text);
  fleet.add_host("slice", "tpu-v5e", 8, "2x4");
  Job job = fleet.training(8);
  job.work.precisions = {Precision::fp16};
  job.work.loss_scaling = true;
  fleet.decide(job);
  const auto standings = standings_of(fleet.roster, fleet.policy, fleet.estimator.scratch().record);
  ASSERT_EQ(standings.size(), 1U);
  EXPECT_EQ(standings[0].reasons, std::vector<Reason>{Reason::precision}) << "it is free";
  const auto fits =
      nearest_fits(fleet.roster, fleet.policy, fleet.estimator, fleet.ask(job), fleet.now);
  ASSERT_EQ(fits.size(), 1U);
  EXPECT_EQ(fits[0].change, "bf16 allowed");
}

}  // namespace
}  // namespace drover::router
