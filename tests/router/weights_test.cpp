// What a weight promises: with 0.8 on one scorer of times, dollars or joules no place is chosen
// that takes more than a third more of it than the best one.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"
#include "router/decision/criteria.h"
#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

constexpr const char* one_weighed_pool = R"([pool.all]
match = {}
[[rule]]
name = "all"
pools = ["all"]
score = { cost = 1 }
)";

struct Weighed {
  Scorer scorer;
  std::vector<double> CandidateTable::*value;
};
const Weighed weighed[] = {
    {Scorer::start_time, &CandidateTable::start_s},
    {Scorer::finish_time, &CandidateTable::finish_s},
    {Scorer::latency, &CandidateTable::first_token_s},
    {Scorer::cost, &CandidateTable::cost_usd},
    {Scorer::energy, &CandidateTable::energy_j},
};

void weigh(DecisionFixture& fleet, Scorer most, double weight, Scorer other) {
  Rule& rule = fleet.policy.rules[0];
  rule.weights = {};
  rule.weights[static_cast<std::size_t>(most)] = weight;
  rule.weights[static_cast<std::size_t>(other)] += 1 - weight;
}

/// Replicas that differ in price, in speed, in heat and in how full they are.
void draw_replicas(DecisionFixture& fleet, RandomStream& random) {
  const std::uint64_t hosts = 2 + random.below(8);
  for (std::uint64_t number = 0; number < hosts; ++number) {
    const HostIndex host = fleet.add_host("h" + std::to_string(number), "h100-sxm", 1);
    fleet.fleet_state.host(host).price_factor = 0.5 + 2 * random.uniform();
    const ReplicaIndex replica = fleet.add_replica(host, 0, "llama-3.1-8b", {0});
    const double pace = 0.5 + 1.5 * random.uniform();
    for (int n = 0; n < 30; ++n) {
      fleet.estimator.learn(fleet.fleet_state.hosts()[host].groups[0], WorkKind::serve,
                            "llama-3.1-8b", 1, pace, 1);
    }
    for (std::uint64_t n = random.below(7); n > 0; --n) {
      fleet.fleet_state.reserve_request(fleet.now, replica, 10 * random.uniform(), fleet.now);
    }
    fleet.sample(host, {{Metric::temperature, 30 + 50 * random.uniform()},
                        {Metric::power, 100 + 500 * random.uniform()},
                        {Metric::power_cap, 700}});
  }
}

TEST(Weights, AnEightyPercentWeightNeverPicksACandidateMoreThanAThirdWorseThanTheBest) {
  const Scorer others[] = {Scorer::queue, Scorer::temperature, Scorer::power_headroom, Scorer::cost,
                           Scorer::finish_time};
  RandomStream random(8);
  double worst = 1;
  for (int round = 0; round < 300; ++round) {
    DecisionFixture fleet(one_weighed_pool);
    draw_replicas(fleet, random);
    Job job = fleet.request();
    // Long enough that what a scorer calls a trifle is one (criteria_scorers.cpp).
    job.work.output_tokens = 2000;
    job.work.input_tokens = 60'000;
    const Weighed& by = weighed[static_cast<std::size_t>(round) % std::size(weighed)];
    weigh(fleet, by.scorer, 0.8, others[random.below(std::size(others))]);
    const PlacementResult result = fleet.decide(job);
    ASSERT_TRUE(result.place);
    const DecisionScratch& scratch = fleet.estimator.scratch();
    const double trifle = std::find_if(scorers().begin(), scorers().end(), [&](const auto& row) {
                            return row.scorer == by.scorer;
                          })->scale;
    double best = 1e300, chosen = 0;
    for (const std::uint32_t row : scratch.feasible) {
      const double value = (scratch.rows.*by.value)[row] + trifle;
      best = std::min(best, value);
      if (scratch.rows.replica[row] == *result.place->replica) chosen = value;
    }
    EXPECT_LE(chosen, best * 4 / 3 * (1 + 1e-9)) << to_text(by.scorer) << ", round " << round;
    worst = std::max(worst, chosen / best);
  }
  EXPECT_GT(worst, 1.05) << "the other fifth does choose among those that are near";
}

/// Of two groups the dearer is filled by the job, and the other one stays all but empty.
std::string chosen_at(double price, double weight) {
  DecisionFixture fleet(one_weighed_pool);
  weigh(fleet, Scorer::cost, weight, Scorer::fragmentation);
  const HostIndex filled = fleet.add_host("filled", "h100-sxm", 1);
  fleet.add_host("wide", "h100-sxm", 64);
  fleet.fleet_state.host(filled).price_factor = price;
  Job job = fleet.training(1);
  job.work.steps = 1'000'000;
  return fleet.decide(job).decision.target;
}

TEST(Weights, OfEightyPercentLetTheOthersDecideOnlyUpToAThirdMore) {
  EXPECT_EQ(chosen_at(1.32, 0.8), "filled/0");
  EXPECT_EQ(chosen_at(1.34, 0.8), "wide/0");
  EXPECT_EQ(chosen_at(1.34, 0.75), "filled/0") << "with less weight the others allow more";
}

}  // namespace
}  // namespace drover::router
