// Totals of a ledger: ended jobs, tokens, charges, waste and latencies, and the fleet's own
// energy and cost from its devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/job.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"
#include "fleet/text/json.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/recent_outcomes.h"
#include "router/policy/policy.h"

namespace drover::router {

/// Factor on a device's power limit: the limit is a mean, and peaks are higher.
inline constexpr double power_slack = 2;

/// Quantiles of positive numbers in bounded memory, independent of the order of `add`: buckets
/// grow by 2 % each, so a quantile is within 1 % (the maximum is exact). As in DDSketch (Masson,
/// Rim, Lee, VLDB 2019), with a fixed range of 10 us to 10^8 s.
class Histogram {
 public:
  Histogram();
  void add(double value);
  double quantile(double share) const;
  /// {"max": 3.5, "buckets": [[512, 7], ..]}: the buckets that are not empty, with their counts.
  Json to_json() const;
  Status take(const Json& json);
  Percentiles percentiles() const;
  /// Adds its counts to the buckets of the report.
  void add_to(ClassReport& report) const;

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  double max_ = 0;
};

/// Published totals that cannot be recomputed from the ledger's job rows. A restarted router
/// publishes no less.
struct PublishedTotals {
  double energy_j = 0, cost_usd = 0;  // of the fleet
  std::uint64_t decisions = 0, undecodable = 0, sample_gaps = 0;
  std::vector<ClassReport> classes;
  std::uint64_t refused = 0;
  bool operator==(const PublishedTotals&) const = default;
};

/// The figure if sums can hold it; 0 if it is NaN, negative, or larger than any fleet can reach.
/// A ledger may come from anywhere, and no sum may become infinite.
double plausible(double figure);
Usage plausible(const Usage& usage);

class Accounting {
 public:
  explicit Accounting(Instant started) : costed_until_(started) { sums_.started = started; }

  void ledger_started(Instant at) { sums_.started = at; }
  void accepted(const Job& job);
  void refused() { ++sums_.refused; }
  /// An attempt was placed by a fallback. `more`: estimated extra cost over the preferred pool.
  void fell_back(Reason reason, const Estimate& more);
  /// A finished job of a class, with the value of its goal metric.
  void finished_in(Instant now, const WorkClass& work_class, double value);
  void retried() { ++sums_.retries; }
  /// An attempt was preempted for work of higher priority.
  void preempted() { ++sums_.preempted; }
  void finished(const Job& job, const Usage& usage, const Outcome& outcome, double latency_s);
  /// A job failed for this reason. A cancelled job does not count as failed.
  void failed(Reason reason);
  /// Usage of an attempt that delivered nothing.
  void wasted(const Usage& usage) { sums_.wasted += plausible(usage); }
  void stale_result() { ++sums_.stale_results; }
  void decided() { ++decisions_; }

  /// Adds what the host's energy counters grew by since the last call. A counter that went back
  /// was reset with its agent: its whole reading is new. The first reading counts in full (agents
  /// start at zero), minus what an earlier router had read. A device cannot have used more than
  /// `power_slack` times its limit since its last reading, plus `slack` before it; a larger
  /// reading adds nothing beyond that.
  void read_energy(const FleetState& fleet_state, HostIndex host,
                   Duration slack = std::chrono::minutes(1));
  /// The host is forgotten; if it returns, its counters continue from the last reading.
  void forget_host(const FleetState& fleet_state, HostIndex host);
  /// Forgets the host's counters as well; if it returns, its whole readings are new.
  void forget_counters(const std::string& host) { energy_restored_.erase(host); }
  /// Readings, for the ledger, of the hosts whose counters have changed since the last call. No
  /// batches and an unchanged sum: there is nothing to write.
  std::vector<SampleBatch> take_energies(const FleetState& fleet_state);
  double fleet_energy_j() const { return fleet_energy_j_; }
  double fleet_cost_usd() const { return fleet_cost_usd_; }
  /// Job totals as JSON, and back: with `started`, without the fleet's own energy and cost. The
  /// error names what is missing.
  std::string job_sums() const;
  Status restore_job_sums(std::string_view text);
  /// Totals to publish now, with this router's own counters in `live`. They are written to the
  /// ledger before they are published, so a later router publishes no less, even if some sums were
  /// lost.
  PublishedTotals shown(Instant now, const PublishedTotals& live) const;
  void note(const PublishedTotals& shown) { noted_ = shown; }
  const PublishedTotals& noted() const { return noted_; }
  /// What earlier routers have published.
  const PublishedTotals& earlier() const { return shown_before_; }
  /// Restores an earlier router's sums, published totals, and the counters that they contain.
  void restore_sums(double fleet_energy_j, double fleet_cost_usd);
  void restore_shown(const PublishedTotals& shown);
  void restore_energy(const SampleBatch& energies);

  /// Adds the cost up to `now` at the current rate; call it before the rate changes.
  void accrue_cost(Instant now);
  /// Sets the rate to the cost of all devices of hosts that are not lost: price of the first pool
  /// with a price, else the spec's, times the host's factor.
  void set_cost_rate(const FleetState& fleet_state, const Policy& policy);

  /// Jobs that ended in this state; 0 for a state that is not terminal.
  std::uint64_t ended(JobState state) const;
  /// All fields but those that others fill in: queued, running, queued_for, classes, undecodable,
  /// undecodable_by_sender, sample_gaps, estimate_error.
  Summary summary(Instant now) const;
  /// Reports of the policy's classes that have a metric, in its order; values counted under
  /// another metric or target are left out. Counts, and with them buckets, continue over restarts;
  /// quantiles cover the jobs of this router, or repeat the last published ones until one has
  /// finished.
  std::vector<ClassReport> reports_of(const std::vector<WorkClass>& classes) const;
  /// Adds what is not kept over restarts: the outcomes of the last minutes.
  void add_recent(Instant now, std::vector<ClassReport>& reports) const;

 private:
  struct Counter {
    double read_j = -1;  // negative: no reading yet
    Instant read_at{};
  };
  std::optional<double> restored_energy(std::string_view host, std::size_t number) const;
  void take_counters(const std::string& name, const std::vector<Counter>& counters);
  double shown_energy_j() const { return std::max(fleet_energy_j_, shown_before_.energy_j); }
  double shown_cost_usd(Instant now) const;

  Summary sums_;  // of jobs, and the start; `summary` adds the rest
  std::map<Reason, FallbackCost> fallback_costs_;
  struct ClassTally {
    ClassMetric metric = ClassMetric::none;
    double target = 0;
    std::uint64_t met = 0;
    Histogram values;
    RecentOutcomes recent;
  };
  std::map<std::string, ClassTally, std::less<>> classes_;
  Histogram latency_s_, first_token_s_;
  std::uint64_t decisions_ = 0;

  std::vector<std::vector<Counter>> counters_;  // by host and device index
  // By device index; negative: not known.
  std::map<std::string, std::vector<double>, std::less<>> energy_restored_;
  std::set<HostIndex> energy_changed_;
  std::vector<SampleBatch> energies_;  // of forgotten hosts, for `take_energies`
  double fleet_energy_j_ = 0;
  double fleet_cost_usd_ = 0;
  PublishedTotals shown_before_;  // by earlier routers
  PublishedTotals noted_;         // as published, in the ledger
  double usd_per_s_ = 0;
  Instant costed_until_;
};

/// Requests in a job, each of its `input_tokens` and `output_tokens`; 0 for training.
std::uint64_t requested_items(const Job& job);

/// USD per hour of one device of this group, at the policy's prices.
double price_usd_per_h(const FleetState& fleet_state, const Policy& policy, GroupIndex group);

}  // namespace drover::router
