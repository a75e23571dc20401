// Studies of whole fleets under the virtual clock:
//
//   drover_studies gavel TRACE THROUGHPUTS [--each 72] [--seeds 1] [--jobs 2000] [--policy NAME]
//                  [--largest-gang N] [--speed 3600]
//
// runs the trace under every policy of examples/policies and the one built into the program. With
// --largest-gang 8 jobs that ask for more devices are left out.
//
//   drover_studies storms [--from 1] [--to 5000] [--policy NAME] [--surfaces]
//
// lives through a storm for each seed (tests/simulator/fault_storms.h), the policies taking turns,
// and tells every promise that was broken. With --surfaces all surfaces are held against each other
// and against the devices meanwhile (tests/commands/consistency/watch.h).
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "router/lint/policy_file.h"
#include "tests/commands/consistency/watch.h"
#include "tests/simulator/fault_storms.h"
#include "tests/studies/gavel_study.h"

namespace drover::simulator {
namespace {

const std::vector<std::string> policies = {"cost",      "energy",    "latency",         "balanced",
                                           "gpu-first", "tpu-first", "spot-with-floor", "builtin"};

struct Words {
  std::vector<std::string> plain;
  std::map<std::string, std::string> options;
  std::uint64_t number(const std::string& name, std::uint64_t otherwise) const {
    const auto found = options.find(name);
    return found == options.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
  }
};

Words read_words(int count, char** words) {
  Words read;
  for (int i = 1; i < count; ++i) {
    const std::string word = words[i];
    if (word == "--surfaces") {
      read.options[word.substr(2)] = "on";
    } else if (word.starts_with("--") && i + 1 < count) {
      read.options[word.substr(2)] = words[++i];
    } else {
      read.plain.push_back(word);
    }
  }
  return read;
}

Result<router::Policy> policy_of(const std::string& name) {
  if (name == "builtin") return router::builtin_policy();
  const std::string path = DROVER_SOURCE_DIR "/examples/policies/" + name + ".toml";
  std::ifstream file(path);
  if (!file) return error("{}: cannot be read", path);
  return router::parse_policy(std::string(std::istreambuf_iterator<char>(file), {}), path);
}

std::string counts_text(const std::map<Reason, std::uint64_t>& counts) {
  std::string text;
  for (const auto& [reason, count] : counts) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", to_text(reason), count);
  }
  return text.empty() ? "-" : text;
}

/// One policy over all seeds.
struct Row {
  std::string name;
  std::vector<ExperimentResult> runs;
  double wall_s = 0;
};

template <typename Value>
std::string mean_text(const Row& row, Value value, double unit, int digits, bool range = false) {
  double sum = 0, least = 1e300, most = 0;
  for (const ExperimentResult& run : row.runs) {
    const double each = value(run) / unit;
    sum += each;
    least = std::min(least, each);
    most = std::max(most, each);
  }
  const std::string mean =
      fmt::format("{:.{}f}", sum / static_cast<double>(row.runs.size()), digits);
  if (!range || row.runs.size() == 1) return mean;
  return fmt::format("{} ({:.{}f}..{:.{}f})", mean, least, digits, most, digits);
}

std::string kinds_text(const Row& row) {
  std::map<std::string, double> by_kind;
  double all_s = 0;
  for (const ExperimentResult& run : row.runs) {
    for (const auto& [kind, device_s] : run.device_s) {
      by_kind[kind] += device_s;
      all_s += device_s;
    }
  }
  std::string text;
  for (const auto& [kind, device_s] : by_kind) {
    text += fmt::format("{}{:.0f}", text.empty() ? "" : " / ", 100 * device_s / all_s);
  }
  return text;
}

/// Of the first seed: a mean of counts would be no count.
void print_row(const Row& row) {
  constexpr double hour = 3600, day = 86400, mwh = 3.6e9, thousand = 1000;
  using R = ExperimentResult;
  const std::vector<std::string> cells = {
      row.name,
      fmt::format("{} of {}", row.runs[0].completed, row.runs[0].jobs),
      mean_text(
          row, [](const R& run) { return run.makespan_s; }, day, 0, true),
      mean_text(
          row, [](const R& run) { return run.completion.mean_s; }, hour, 1, true),
      mean_text(
          row, [](const R& run) { return run.completion.p50_s; }, hour, 1),
      mean_text(
          row, [](const R& run) { return run.completion.p99_s; }, hour, 0),
      mean_text(
          row, [](const R& run) { return run.queueing.mean_s; }, hour, 1),
      mean_text(
          row, [](const R& run) { return run.charged.cost_usd; }, thousand, 1),
      mean_text(
          row, [](const R& run) { return run.charged.energy_j; }, mwh, 1),
      mean_text(
          row, [](const R& run) { return run.fleet_energy_j; }, mwh, 1),
      kinds_text(row),
      counts_text(row.runs[0].fallbacks),
      counts_text(row.runs[0].failures),
      mean_text(
          row, [](const R& run) { return run.wasted.device_s; }, hour, 1),
      mean_text(
          row, [](const R& run) { return double(run.violations.size()); }, 1, 0),
      fmt::format("{:.1f}", row.wall_s / static_cast<double>(row.runs.size())),
      mean_text(
          row, [](const R& run) { return run.simulated_s; },
          row.wall_s * 1e6 / static_cast<double>(row.runs.size()), 1)};
  fmt::print("| {} |\n", fmt::join(cells, " | "));
  for (const ExperimentResult& run : row.runs) {
    for (std::size_t i = 0; i < run.violations.size() && i < 10; ++i) {
      fmt::print("  excluded: {}\n", run.violations[i]);
    }
  }
  std::fflush(stdout);
}

constexpr const char* headings =
    "| policy | done | makespan d | JCT mean h | p50 h | p99 h | queueing h | k$ | MWh | fleet MWh "
    "| "
    "K80 / P100 / V100 % | fallbacks | failures | wasted h | excluded | wall s | simulated Ms/s |\n"
    "|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|\n";

int fail(const Error& problem) {
  fmt::print(stderr, "drover_studies: {}\n", problem.message);
  return 1;
}

void print_bounds(const Experiment& study, std::uint64_t left_out, const ExperimentBounds& bounds) {
  constexpr double hour = 3600, day = 86400;
  fmt::print(
      "{} jobs ({} gangs left out). What no policy can beat: a mean JCT of {:.1f} "
      "h, "
      "each job alone on its best devices; a makespan of {:.1f} d, the longest job's end; {:.1f} d "
      "of work for all devices together. {} jobs that nothing here can run.\n\n",
      study.arrivals.size(), left_out, bounds.completion_mean_s / hour, bounds.longest_s / day,
      bounds.work_s / day, bounds.unplaceable);
}

int gavel(const Words& words) {
  const devices::Catalogue& catalogue = devices::Catalogue::embedded();
  Experiment study;
  study.hosts = gavel_fleet(static_cast<std::uint16_t>(words.number("each", 72)));
  study.speed = static_cast<double>(words.number("speed", 3600));
  auto arrivals =
      read_gavel({words.plain[1], words.plain[2]}, catalogue, 1, words.number("jobs", 1'000'000));
  if (!arrivals) return fail(arrivals.error());
  study.arrivals = *std::move(arrivals);
  const std::uint64_t left_out = drop_gangs_over(words.number("largest-gang", 4096), study);
  print_bounds(study, left_out, bounds_of(study, catalogue));
  fmt::print(headings);
  const auto only = words.options.find("policy");
  for (const std::string& name : policies) {
    if (only != words.options.end() && only->second != name) continue;
    Result<router::Policy> policy = policy_of(name);
    if (!policy) return fail(policy.error());
    study.policy = *std::move(policy);
    Row row;
    row.name = name;
    const auto began = std::chrono::steady_clock::now();
    for (study.seed = 1; study.seed <= words.number("seeds", 1); ++study.seed) {
      row.runs.push_back(run_experiment(study, catalogue));
    }
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
    row.wall_s = wall.count();
    print_row(row);
  }
  return 0;
}

int storms(const Words& words) {
  const std::uint64_t from = words.number("from", 1), to = words.number("to", 5000);
  const auto only = words.options.find("policy");
  std::vector<router::Policy> all = storm_policies(DROVER_SOURCE_DIR);
  if (only != words.options.end()) {
    Result<router::Policy> policy = policy_of(only->second);
    if (!policy) return fail(policy.error());
    all = {*std::move(policy)};
  }
  FaultStormReport sum;
  std::uint64_t bad = 0, compared = 0;
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t seed = from; seed <= to; ++seed) {
    commands::ConsistencyWatch watch;
    StormObserver* const onlooker = words.options.contains("surfaces") ? &watch : nullptr;
    const FaultStormReport report =
        run_fault_storm(random_fault_storm(seed, all[seed % all.size()]), onlooker);
    compared += watch.compared();
    for (const std::string& what : report.broken) fmt::print("seed {}: {}\n", seed, what);
    if (!report.broken.empty()) ++bad;
    sum += report;
    if (seed % 100 == 0 || seed == to) {
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
      fmt::print(
          "{} seeds in {:.0f} s, {} with broken promises; {} jobs, {} finished, {} failed, {} "
          "cancelled, {} attempts, {} taken back, {} late results, {} router lives, {} faults, {} "
          "assignments "
          "checked, {} looks, {} times asked why, {} times all surfaces\n",
          seed - from + 1, wall.count(), bad, sum.jobs, sum.finished, sum.failed, sum.cancelled,
          sum.attempts, sum.returned, sum.stale, sum.router_lives, sum.faults, sum.assignments,
          sum.looks, sum.asked_why, compared);
      std::fflush(stdout);
    }
  }
  return bad == 0 ? 0 : 1;
}

}  // namespace
}  // namespace drover::simulator

int main(int count, char** words) {
  const auto read = drover::simulator::read_words(count, words);
  if (read.plain.size() == 3 && read.plain[0] == "gavel") return drover::simulator::gavel(read);
  if (read.plain.size() == 1 && read.plain[0] == "storms") return drover::simulator::storms(read);
  fmt::print(stderr,
             "drover_studies storms [--from N] [--to N] [--policy P] [--surfaces]\ndrover_studies "
             "gavel TRACE THROUGHPUTS "
             "[--each N] [--jobs N] [--policy P]\n");
  return 2;
}
