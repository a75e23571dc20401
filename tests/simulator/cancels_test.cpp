// Whole fleets whose jobs are cancelled, and whose hosts are drained, at any moment and under
// faults: each job ends once, as it was said, and nothing runs on.
#include <cstdlib>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "fleet/codec/codec.h"
#include "router/lint/policy_file.h"
#include "simulator/simulation.h"
#include "tests/simulator/end_state_invariants.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

constexpr std::uint64_t first_seed = 1;
constexpr std::uint64_t cancel_seeds = 300;

/// Two hosts, a few requests and gangs that take some seconds each.
Scenario small_scenario(std::uint64_t seed) {
  Scenario scenario;
  scenario.seed = seed;
  scenario.hosts = {host("h100-1", "rack-1", "h100-sxm", 4, "", {{"llama-3.1-8b", 0, 0, {}}}),
                    host("h100-2", "rack-1", "h100-sxm", 4, "", {{"llama-3.1-8b", 0, 0, {}}})};
  scenario.router.software = "simulator";
  scenario.policy = router::builtin_policy();
  RandomStream random = RandomStream(seed).child("work");
  for (int job = 0; job < 8; ++job) {
    scenario.arrivals.push_back({from_seconds(random.uniform(1, 6)), chat(random, "llama-3.1-8b")});
  }
  for (int job = 0; job < 3; ++job) {
    scenario.arrivals.push_back(
        {from_seconds(random.uniform(1, 6)), training(random, "bert-large", 2, 20 + 10 * job)});
  }
  return scenario;
}

/// Kills of hosts and router, and partitions, in every second seed.
void add_faults(Scenario& scenario) {
  RandomStream random = RandomStream(scenario.seed).child("faults");
  if (random.chance(0.5)) return;
  if (random.chance(0.4)) {
    scenario.agent_kills.push_back(
        {from_seconds(random.uniform(2, 10)), "h100-1", from_seconds(random.uniform(0.5, 20))});
  }
  if (random.chance(0.5)) {
    scenario.router_kills.push_back(
        {from_seconds(random.uniform(2, 10)), from_seconds(random.uniform(0.2, 5))});
  }
  if (random.chance(0.4)) {
    scenario.partitions.push_back(
        {from_seconds(random.uniform(2, 10)), "h100-2", from_seconds(random.uniform(1, 20))});
  }
}

/// Most jobs, once or twice, from before they arrive until after they have ended.
void add_cancels(Scenario& scenario) {
  RandomStream random = RandomStream(scenario.seed).child("cancels");
  for (const Arrival& arrival : scenario.arrivals) {
    const std::uint64_t times = random.below(3);
    for (std::uint64_t time = 0; time < times; ++time) {
      const Duration at = arrival.at + from_seconds(random.uniform(-0.1, 4));
      scenario.actions.push_back({at, CancelJobs{{to_text(arrival.job.id)}}});
    }
  }
}

/// What stands in the ledger: how each job ended, what was charged, and whether a job was leased
/// after somebody had cancelled it.
struct Record {
  std::map<JobId, Transition> ends;
  std::map<JobId, Reason> reasons;
  std::set<JobId> cancelled, leased_again;
  double finished_s = 0, wasted_s = 0;
};

Record read(const std::vector<LedgerRow>& rows) {
  Record record;
  for (const LedgerRow& row : rows) {
    if (row.transition == Transition::leased && record.cancelled.contains(row.job)) {
      record.leased_again.insert(row.job);
    }
    if (row.payload.empty()) continue;
    const Envelope envelope = decode(row.payload).value();
    if (const auto* marked = std::get_if<CancelReply>(&envelope.body)) {
      for (const CancelResult& result : marked->results) record.cancelled.insert(result.job);
    }
    if (row.transition == Transition::finished) {
      record.ends[row.job] = row.transition;
      record.finished_s += std::get<Finished>(envelope.body).usage.device_s;
    }
    if (row.transition == Transition::failed || row.transition == Transition::returned) {
      record.wasted_s += std::get<Failed>(envelope.body).usage.device_s;
    }
    if (row.transition == Transition::failed) {
      record.ends[row.job] = row.transition;
      record.reasons[row.job] = std::get<Failed>(envelope.body).reason;
    }
  }
  return record;
}

/// The answers that clients got are true of the ends.
void expect_answers_kept(const Simulation& world, const Record& record) {
  for (const CancelReply& reply : world.seen().cancels) {
    const CancelResult& result = reply.results.at(0);
    if (result.status == CancelStatus::unknown) continue;
    ASSERT_TRUE(record.ends.contains(result.job)) << result.asked;
    const bool failed = record.ends.at(result.job) == Transition::failed;
    const bool cancelled = failed && record.reasons.at(result.job) == Reason::cancelled;
    const bool may_be_cancelled = result.status != CancelStatus::ended;
    const bool may_be_other = result.status != CancelStatus::cancelled;
    EXPECT_TRUE(cancelled ? may_be_cancelled : may_be_other) << result.asked;
    if (result.status == CancelStatus::cancelling) {
      EXPECT_TRUE(cancelled || !failed) << result.asked;
    }
  }
}

TEST(Cancels, RacingWithCompletionsLeaveEachJobOneEndAndNothingRunning) {
  const char* asked = std::getenv("DROVER_SEED");
  const std::uint64_t first = asked ? std::strtoull(asked, nullptr, 10) : first_seed;
  std::map<CancelStatus, int> answers;
  int finished_although = 0;
  for (std::uint64_t seed = first; seed < first + (asked ? 1 : cancel_seeds); ++seed) {
    SCOPED_TRACE("DROVER_SEED=" + std::to_string(seed));
    Scenario scenario = small_scenario(seed);
    add_faults(scenario);
    add_cancels(scenario);
    Simulation world(std::move(scenario), devices::Catalogue::embedded());
    std::map<std::pair<std::string, std::uint16_t>, double> running;
    world.subscriber = [&](const Envelope& envelope) {
      const auto* batch = std::get_if<SampleBatch>(&envelope.body);
      if (batch == nullptr) return;
      for (const Sample& row : unpack(*batch)) {
        running[{batch->host, row.device}] = row[Metric::running];
      }
    };
    world.run_for(seconds(90));
    expect_end_state_invariants(world, "cancelled");
    const Record record = read(world.ledger());
    expect_answers_kept(world, record);
    EXPECT_TRUE(record.leased_again.empty());
    const Summary sums = world.summary();
    EXPECT_NEAR(sums.charged.device_s, record.finished_s, 1e-6);
    EXPECT_NEAR(sums.wasted.device_s, record.wasted_s, 1e-6);
    EXPECT_EQ(sums.queued + sums.running, 0U);
    for (const auto& [device, count] : running) EXPECT_EQ(count, 0) << device.first;
    for (const CancelReply& reply : world.seen().cancels) ++answers[reply.results.at(0).status];
    for (const JobId& job : record.cancelled) {
      finished_although += record.ends.at(job) == Transition::finished ? 1 : 0;
    }
    if (testing::Test::HasFailure()) break;
  }
  if (asked) return;
  for (const CancelStatus status : {CancelStatus::cancelled, CancelStatus::cancelling,
                                    CancelStatus::ended, CancelStatus::unknown}) {
    EXPECT_GT(answers[status], 0) << to_text(status) << ": the seeds meet every case";
  }
  EXPECT_GT(finished_although, 0) << "some results were under way";
}

TEST(Drains, KeepNewWorkAwayAndLoseNothingUnderFaults) {
  int called_off = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    SCOPED_TRACE(seed);
    Scenario scenario = small_scenario(seed);
    add_faults(scenario);
    RandomStream random = RandomStream(seed).child("drains");
    const Duration at = from_seconds(random.uniform(1, 6));
    const Duration deadline = from_seconds(random.uniform(0.05, 1));
    scenario.actions = {{at, SetDrain{"host:h100-1", true, deadline}},
                        {seconds(60), SetDrain{"host:h100-1", false, {}}}};
    Simulation world(std::move(scenario), devices::Catalogue::embedded());
    std::set<std::uint16_t> drained;
    int placed = 0;
    world.subscriber = [&](const Envelope& envelope) {
      if (const auto* device = std::get_if<DeviceChanged>(&envelope.body)) {
        if (device->host == "h100-1" && device->drained) drained.insert(device->device);
        if (device->host == "h100-1" && !device->drained) drained.erase(device->device);
      }
      const auto* decision = std::get_if<Decision>(&envelope.body);
      if (decision == nullptr || drained.size() < 4) return;
      placed += decision->target.starts_with("h100-1/") ? 1 : 0;
    };
    world.run_for(minutes(5));
    expect_end_state_invariants(world, "drained");
    EXPECT_EQ(placed, 0);
    EXPECT_TRUE(drained.empty());
    EXPECT_EQ(world.summary().failed, 0U) << "going elsewhere spends no attempt";
    for (const LedgerRow& row : world.ledger()) {
      if (row.transition != Transition::returned) continue;
      called_off += std::get<Failed>(decode(row.payload)->body).reason == Reason::drain ? 1 : 0;
    }
    if (testing::Test::HasFailure()) break;
  }
  EXPECT_GT(called_off, 0) << "the deadline met work that ran";
}

}  // namespace
}  // namespace drover::simulator
