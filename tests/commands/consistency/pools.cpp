// Pools: the dashboard's table, what the router sums up, and the devices that both are about.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "fleet/base/text.h"
#include "tests/commands/consistency/watch.h"

namespace drover::commands {
namespace {

/// Samples come once a second, and the summary with its sums as often: work may have begun or ended
/// in between.
constexpr double watts_share_apart = 0.25;
constexpr double watts_apart = 50;
constexpr double dollars_apart = 1e-6;

constexpr std::array<const char*, 6> counts = {"devices",  "reporting", "suspect",
                                               "unusable", "drained",   "lost"};

/// What the rows of the devices come to, by pool and column.
using PoolSums = std::map<std::string, std::map<std::string, double>>;

PoolSums sums_of(const Table& devices) {
  PoolSums sums;
  for (std::size_t row = 0; row < devices.size(); ++row) {
    const auto states = split(devices.text(row, "state"), ' ');
    const auto is = [&](const char* state) {
      return std::find(states.begin(), states.end(), state) != states.end();
    };
    if (is("left")) continue;
    const double power_w = devices.number(row, "power_w"), usd = devices.number(row, "usd_per_h");
    // A device counts in each of its pools.
    std::vector<std::string> names = split(devices.text(row, "pools"), ' ');
    if (names.empty()) names.emplace_back();
    for (const std::string& name : names) {
      auto& pool = sums[name];
      pool["lost"] += is("lost") ? 1 : 0;
      if (is("lost")) continue;
      pool["devices"] += 1;
      for (const char* const state : {"suspect", "unusable", "drained"}) pool[state] += is(state);
      pool["reporting"] += std::isnan(power_w) ? 0 : 1;
      pool["power_w"] += std::isnan(power_w) ? 0 : power_w;
      pool["usd_per_h"] += std::isnan(usd) ? 0 : usd;
    }
  }
  return sums;
}

void compare_report(const PoolReport& report, std::map<std::string, double>& sum,
                    const Comparison& compared) {
  compared.same(report.name + " devices", static_cast<double>(report.devices), sum["devices"]);
  // The router counts the last watts of devices that nothing is known of any more.
  if (sum["reporting"] < sum["devices"]) return;
  compared.near(report.name + " power_w", report.power_w, sum["power_w"],
                watts_apart + watts_share_apart * sum["power_w"]);
}

}  // namespace

void compare_pools(const InterfaceAnswers& at, Inconsistencies& wrong) {
  const Table& pools = at.tables["pools"];
  const Comparison compared("the dashboard's pools", "its devices", wrong);
  PoolSums sums = sums_of(at.tables["devices"]);
  Ids named;
  for (std::size_t row = 0; row < pools.size(); ++row) {
    const std::string name = pools.text(row, "pool");
    named.insert(name);
    auto& sum = sums[name];
    for (const char* const column : counts) {
      // Of devices of no pool the router reports nothing.
      if (pools.text(row, column).empty()) continue;
      // What the router sums is told once a beat: no number may stand for longer than that.
      const double shown = pools.number(row, column);
      compared.same(fmt::format("{} {}, told as {:.0f}", name, column, shown), shown, sum[column]);
    }
    if (sum["reporting"] > 0) {
      compared.near(name + " power_w", pools.number(row, "power_w"), sum["power_w"], 1);
    }
    if (sum["usd_per_h"] > 0) {
      compared.near(name + " usd_per_h", pools.number(row, "usd_per_h"), sum["usd_per_h"],
                    dollars_apart);
    }
  }
  for (const auto& [name, sum] : sums) {
    if (!sum.empty() && !named.contains(name)) compared.same("pool " + name, "none", "one");
  }
  const Comparison told("status", "the dashboard's devices", wrong);
  double queued = 0;
  for (const PoolReport& report : at.summary.pools) {
    compare_report(report, sums[report.name], told);
    queued += static_cast<double>(report.queued);
  }
  // Each job that waits wants one pool first, as far as it was decided.
  if (queued > static_cast<double>(at.summary.queued)) {
    Comparison("status", "the pools", wrong)
        .same("queued", static_cast<double>(at.summary.queued), queued);
  }
}

}  // namespace drover::commands
