// Recorded work under every shipped policy: all of it is done, none of it where it cannot run, and
// the row adds up. The real trace's beginning where it is there (DROVER_SHARED), else work like it.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "router/lint/policy_file.h"
#include "simulator/experiment.h"
#include "tests/simulator/fleet_under_test.h"
#include "tests/studies/gavel_study.h"

namespace drover::simulator {
namespace {

constexpr std::size_t jobs = 100;
constexpr std::uint16_t of_each = 32;  // half of them spot: a gang of 16 stays in one pool
constexpr std::uint16_t gang_max = 16;

/// Training in fp32 by people who have measured it: a K80 takes six times as long as a V100.
std::vector<Arrival> work_like_it() {
  RandomStream random(1);
  std::vector<Arrival> arrivals;
  double at_s = 0;
  for (std::size_t count = 0; count < jobs; ++count) {
    const std::uint16_t gang = std::array<std::uint16_t, 4>{1, 1, 4, 8}[random.below(4)];
    Job job = training(random, "resnet-50", gang,
                       1'000 + static_cast<std::uint32_t>(random.below(100'000)));
    job.work.batch = 32U * gang;
    job.work.precisions = {Precision::fp32};
    job.work.throughputs = {{"k80", gang, 1}, {"p100-pcie", gang, 4}, {"v100-sxm2-16gb", gang, 6}};
    if (gang == 8) job.work.throughputs[0].steps_per_s = 0;
    at_s += random.exponential(600);
    arrivals.push_back({from_seconds(at_s), std::move(job)});
  }
  return arrivals;
}

std::vector<Arrival> recorded_work() {
  const char* shared = std::getenv("DROVER_SHARED");
  if (shared == nullptr) return work_like_it();
  const std::string folder = std::string(shared) + "/traces/";
  const GavelFiles files{folder + "gavel_philly_vc_ee9e8c_seed0.tsv",
                         folder + "gavel_simulation_throughputs.json"};
  if (!std::filesystem::exists(files.trace)) return work_like_it();
  auto arrivals = read_gavel(files, devices::Catalogue::embedded(), 1, jobs);
  DROVER_REQUIRE(arrivals.ok());
  return *std::move(arrivals);
}

Experiment study_under(const std::string& policy_name) {
  const std::string path = DROVER_SOURCE_DIR "/examples/policies/" + policy_name + ".toml";
  std::ifstream file(path);
  auto policy = router::parse_policy(std::string(std::istreambuf_iterator<char>(file), {}), path);
  DROVER_REQUIRE(policy.ok());
  Experiment study;
  study.hosts = gavel_fleet(of_each);
  study.policy = *std::move(policy);
  study.arrivals = recorded_work();
  drop_gangs_over(gang_max, study);
  return study;
}

TEST(Studies, EveryShippedPolicyFinishesEveryJobAndRunsNoneWhereItCannot) {
  const devices::Catalogue& catalogue = devices::Catalogue::embedded();
  for (const char* policy :
       {"cost", "energy", "latency", "balanced", "gpu-first", "tpu-first", "spot-with-floor"}) {
    SCOPED_TRACE(policy);
    const Experiment study = study_under(policy);
    const ExperimentResult row = run_experiment(study, catalogue);
    EXPECT_GT(row.jobs, jobs / 2);
    EXPECT_EQ(row.completed, row.jobs);
    EXPECT_TRUE(row.failures.empty());
    EXPECT_EQ(row.violations, std::vector<std::string>{});
    EXPECT_GE(row.assignments, row.jobs);
    EXPECT_EQ(row.wasted, Usage{});

    double by_kind_s = 0;
    for (const auto& [kind, device_s] : row.device_s) by_kind_s += device_s;
    EXPECT_NEAR(by_kind_s, row.charged.device_s, 1e-6 * row.charged.device_s);
    EXPECT_LE(row.charged.energy_j, row.fleet_energy_j * 1.001);
    EXPECT_LE(row.charged.cost_usd, row.fleet_cost_usd * 1.001);

    // Devices differ by some percent from the nominal pace that the bounds rest on.
    const ExperimentBounds bounds = bounds_of(study, catalogue);
    EXPECT_EQ(bounds.unplaceable, 0U);
    EXPECT_GE(row.completion.mean_s, bounds.completion_mean_s * 0.95);
    EXPECT_GE(row.makespan_s, bounds.makespan_s * 0.95);
    EXPECT_GE(row.charged.device_s, bounds.work_s * 3 * of_each * 0.95);
    EXPECT_LE(row.queueing.mean_s, row.completion.mean_s);
  }
}

TEST(Studies, TheSameStudyGivesTheSameRow) {
  const ExperimentResult first =
      run_experiment(study_under("balanced"), devices::Catalogue::embedded());
  const ExperimentResult second =
      run_experiment(study_under("balanced"), devices::Catalogue::embedded());
  EXPECT_EQ(first, second);
  Experiment other = study_under("balanced");
  other.seed = 2;
  EXPECT_NE(first, run_experiment(other, devices::Catalogue::embedded())) << "other devices";
}

TEST(Studies, GangsOverTheSizeLimitAreDroppedAndCounted) {
  Experiment study;
  RandomStream random(1);
  for (const std::uint16_t gang : {1, 8, 9, 16}) {
    study.arrivals.push_back({Duration{}, training(random, "resnet-50", gang, 10)});
  }
  EXPECT_EQ(drop_gangs_over(8, study), 2U);
  ASSERT_EQ(study.arrivals.size(), 2U);
  EXPECT_EQ(study.arrivals[1].job.work.devices, 8U);
}

TEST(Studies, QuantilesUseTheNearestRank) {
  std::vector<double> values_s;
  for (int value = 100; value >= 1; --value) values_s.push_back(value);
  const DurationStats spans = duration_stats(values_s);
  EXPECT_DOUBLE_EQ(spans.mean_s, 50.5);
  EXPECT_DOUBLE_EQ(spans.p50_s, 50);
  EXPECT_DOUBLE_EQ(spans.p99_s, 99);
  EXPECT_DOUBLE_EQ(spans.max_s, 100);
  EXPECT_EQ(duration_stats({}), DurationStats{});
}

}  // namespace
}  // namespace drover::simulator
