// Studies of whole fleets under the virtual clock:
//
//   drover_studies gavel TRACE THROUGHPUTS [--each 72] [--jobs 2000] [--policy NAME] [--seed 1]
//
// runs the trace under every policy of examples/policies and the one built into the program.
//
//   drover_studies storms [--from 1] [--to 5000] [--policy NAME]
//
// lives through a storm for each seed (tests/simulator/storms.h), the policies taking turns, and
// tells every promise that was broken.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/simulator/storms.h"
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
    if (word.starts_with("--") && i + 1 < count) {
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

void print_row(const std::string& name, const StudyResult& row, double wall_s) {
  constexpr double hour = 3600, day = 86400, mwh = 3.6e9;
  double device_s = 0;
  for (const auto& [kind, each_s] : row.device_s) device_s += each_s;
  std::string kinds;
  for (const auto& [kind, each_s] : row.device_s) {
    kinds += fmt::format(" {} {:.0f}%", kind, 100 * each_s / device_s);
  }
  fmt::print(
      "| {} | {}/{} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.1f} | {:.0f} | {:.2f} | {:.0f} | "
      "{:.2f} | {:.1f} | {} | {} | {} |{} | {:.1f} s, {:.2g} s/s, {} events\n",
      name, row.completed, row.jobs, row.makespan_s / day, row.completion.mean_s / hour,
      row.completion.p50_s / hour, row.completion.p99_s / hour, row.queueing.mean_s / hour,
      row.charged.cost_usd, row.charged.energy_j / mwh, row.fleet_cost_usd,
      row.fleet_energy_j / mwh, row.wasted.device_s / hour, counts_text(row.fallbacks),
      counts_text(row.failures), row.exclusions.size(), kinds, wall_s, row.simulated_s / wall_s,
      row.events);
  for (std::size_t i = 0; i < row.exclusions.size() && i < 10; ++i) {
    fmt::print("  {}\n", row.exclusions[i]);
  }
  std::fflush(stdout);
}

int fail(const Error& problem) {
  fmt::print(stderr, "drover_studies: {}\n", problem.message);
  return 1;
}

int gavel(const Words& words) {
  const devices::Catalogue& catalogue = devices::Catalogue::embedded();
  Study study;
  study.seed = words.number("seed", 1);
  study.hosts = gavel_fleet(static_cast<std::uint16_t>(words.number("each", 72)));
  study.speed = static_cast<double>(words.number("speed", 3600));
  auto arrivals = read_gavel({words.plain[1], words.plain[2]}, catalogue, study.seed,
                             words.number("jobs", 1'000'000));
  if (!arrivals) return fail(arrivals.error());
  study.arrivals = *std::move(arrivals);
  const std::uint64_t left_out =
      words.number("spread", 0) != 0 ? 0 : leave_out_larger_than_a_group(study);
  const StudyBounds bounds = bounds_of(study, catalogue);
  fmt::print(
      "{} jobs, {} left out as too large for a group; no policy can beat a mean JCT of {:.1f} h, a "
      "makespan of {:.1f} d (the longest job {:.1f} d, all work {:.1f} d); homeless {}\n",
      study.arrivals.size(), left_out, bounds.completion_mean_s / 3600, bounds.makespan_s / 86400,
      bounds.longest_s / 86400, bounds.work_s / 86400, bounds.homeless);
  const auto only = words.options.find("policy");
  for (const std::string& name : policies) {
    if (only != words.options.end() && only->second != name) continue;
    Result<router::Policy> policy = policy_of(name);
    if (!policy) return fail(policy.error());
    study.policy = *std::move(policy);
    const auto began = std::chrono::steady_clock::now();
    const StudyResult row = run_study(study, catalogue);
    const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
    print_row(name, row, wall.count());
  }
  return 0;
}

int storms(const Words& words) {
  const std::uint64_t from = words.number("from", 1), to = words.number("to", 5000);
  const auto only = words.options.find("policy");
  std::vector<router::Policy> all;
  for (const std::string& name : policies) {
    if (only != words.options.end() ? only->second != name : name == "builtin") continue;
    Result<router::Policy> policy = policy_of(name);
    if (!policy) return fail(policy.error());
    all.push_back(*std::move(policy));
  }
  if (all.empty()) return fail(Error{"--policy: no such policy"});
  StormReport sum;
  std::uint64_t bad = 0;
  const auto began = std::chrono::steady_clock::now();
  for (std::uint64_t seed = from; seed <= to; ++seed) {
    const StormReport report = live_through(storm_of(seed, all[seed % all.size()]));
    for (const std::string& what : report.broken) fmt::print("seed {}: {}\n", seed, what);
    if (!report.broken.empty()) ++bad;
    sum += report;
    if (seed % 100 == 0 || seed == to) {
      const std::chrono::duration<double> wall = std::chrono::steady_clock::now() - began;
      fmt::print(
          "{} seeds in {:.0f} s, {} with broken promises; {} jobs, {} finished, {} failed, {} "
          "attempts, {} taken back, {} late results, {} router lives, {} faults, {} assignments "
          "checked, {} looks\n",
          seed - from + 1, wall.count(), bad, sum.jobs, sum.finished, sum.failed, sum.attempts,
          sum.returned, sum.stale, sum.router_lives, sum.faults, sum.assignments, sum.looks);
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
             "drover_studies storms [--from N] [--to N]\ndrover_studies gavel TRACE THROUGHPUTS "
             "[--each N] [--jobs N] [--policy P]\n");
  return 2;
}
