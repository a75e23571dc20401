// The sums of a ledger: jobs by their ends, tokens, charges and waste, latencies, and the fleet's
// own energy and cost from its devices.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
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
#include "router/policy/policy.h"
#include "router/roster/roster.h"

namespace drover::router {

/// Quantiles of positive numbers in bounded memory, the same for any order of adding: counts in
/// buckets that grow by 2 % each, so an answer is within 1 % (the maximum is exact). As in DDSketch
/// (Masson, Rim, Lee, VLDB 2019), with a fixed range of 10 us to 10^8 s.
class Histogram {
 public:
  Histogram();
  void add(double value);
  double quantile(double share) const;
  /// {"max": 3.5, "buckets": [[512, 7], ..]}: buckets that hold anything, and how much.
  Json to_json() const;
  Status take(const Json& json);
  Percentiles percentiles() const;

 private:
  std::vector<std::uint64_t> buckets_;
  std::uint64_t count_ = 0;
  double max_ = 0;
};

/// What of a life's counters nobody finds again in the ledger, as it was shown: a later life shows
/// no less.
struct Shown {
  double energy_j = 0, cost_usd = 0;  // of the fleet
  std::uint64_t decisions = 0, undecodable = 0, sample_gaps = 0;
  std::vector<ClassReport> classes;
  std::uint64_t refused = 0;
  bool operator==(const Shown&) const = default;
};

/// A number that sums can hold: what is none, below zero, or more than any fleet of this world
/// comes to is 0. Earlier versions wrote such figures, and no sum may become infinite.
double credible(double figure);
Usage credible(const Usage& usage);

class Accounting {
 public:
  explicit Accounting(Instant started) : started_(started), costed_until_(started) {}

  void ledger_started(Instant at) { started_ = at; }
  void accepted(const Job& job);
  void refused() { ++refused_; }
  /// An attempt was placed by a fallback.
  /// `more`: than the wanted pool would have cost, as estimated.
  void fell_back(Reason reason, const Estimate& more);
  /// A finished job of a class, by the metric that decides over it.
  void finished_in(const WorkClass& work_class, double value);
  void retried() { ++retries_; }
  /// An attempt has made room for work of higher priority.
  void preempted() { ++preempted_; }
  void finished(const Job& job, const Usage& usage, const Outcome& outcome, double latency_s);
  /// A job has come to nothing. One that somebody cancelled has not failed.
  void failed(Reason reason);
  /// Spent by an attempt that delivered nothing.
  void wasted(const Usage& usage) { wasted_ += credible(usage); }
  void stale_result() { ++stale_results_; }
  void decided() { ++decisions_; }

  /// Adds what the host's energy counters grew by since the last call. A counter that went back
  /// began anew with its agent: its whole reading is new. At first sight the whole reading counts,
  /// which an agent starts at zero, less what an earlier life of the router had read.
  /// A device cannot have used more than twice its limit since it was read last, and `slack`
  /// before: of what is beyond, nothing counts.
  void read_energy(const Roster& roster, HostIndex host, Duration slack = std::chrono::minutes(1));
  /// The host is let go: should it return, its counters go on from what was read.
  void forget_host(const Roster& roster, HostIndex host);
  /// Nor are its counters known: should it return, their whole readings are new.
  void forget_counters(const std::string& host) { energy_restored_.erase(host); }
  /// What `read_energy` has read of the hosts whose counters have changed since the last call, and
  /// both sums, for the ledger; no batches and an unchanged sum: there is nothing to tell.
  std::vector<SampleBatch> take_energies(const Roster& roster);
  double fleet_energy_j() const { return fleet_energy_j_; }
  double fleet_cost_usd() const { return fleet_cost_usd_; }
  /// What jobs have come to, as JSON, and back: `started` too, but nothing of the fleet's own
  /// energy and cost. The error says what is missing.
  std::string job_sums() const;
  Status restore_job_sums(std::string_view text);
  /// What is shown now, with what else this life has counted. It is noted in the ledger before
  /// anybody sees it: a later life shows no less, however much of the sums themselves was lost.
  Shown shown(Instant now, const Shown& live) const;
  void note(const Shown& shown) { noted_ = shown; }
  const Shown& noted() const { return noted_; }
  /// What earlier lives have counted and shown.
  const Shown& earlier() const { return shown_before_; }
  /// Of an earlier life: the sums, what of them was shown, and the counters that they hold.
  void restore_sums(double fleet_energy_j, double fleet_cost_usd);
  void restore_shown(const Shown& shown);
  void restore_energy(const SampleBatch& energies);

  /// Dollars up to `now` at the present rate; call before anything changes the rate.
  void settle_cost(Instant now);
  /// What all devices of hosts that are not lost cost: the first pool with a price, else the
  /// spec's, times the host's factor.
  void set_cost_rate(const Roster& roster, const Policy& policy);

  /// Jobs that have ended so; of a state that is none of an end, none.
  std::uint64_t ended(JobState state) const;
  /// All but what others count: queued, running, queued_for, classes, undecodable, undecodable_by,
  /// sample_gaps, estimate_error.
  Summary summary(Instant now) const;
  /// Of the policy's classes that have a metric, in its order; of what was counted under another
  /// metric or target nothing. Counts go on from what earlier lives have shown; quantiles are of
  /// this life's jobs, or of what was shown last until one of them has finished.
  std::vector<ClassReport> reports_of(const std::vector<WorkClass>& classes) const;

 private:
  struct Count;
  static const Count counts[];  // those that job_sums tells
  struct Counter {
    double read_j = -1;  // negative: not read yet
    Instant read_at{};
  };
  double restored_energy(std::string_view host, std::size_t number) const;
  void take_counters(const std::string& name, const std::vector<Counter>& counters);
  double shown_energy_j() const { return std::max(fleet_energy_j_, shown_before_.energy_j); }
  double shown_cost_usd(Instant now) const;

  Instant started_;
  std::uint64_t accepted_ = 0, refused_ = 0, finished_ = 0, failed_ = 0, cancelled_ = 0;
  std::uint64_t input_tokens_ = 0, output_tokens_ = 0;
  std::map<Reason, std::uint64_t> fallbacks_;
  std::map<Reason, std::uint64_t> failures_;
  std::map<Reason, FallbackSum> fallback_costs_;
  struct ClassTally {
    ClassMetric metric = ClassMetric::none;
    double target = 0;
    std::uint64_t met = 0;
    Histogram values;
  };
  std::map<std::string, ClassTally, std::less<>> classes_;
  Usage charged_, wasted_;
  Production tokens_work_, steps_work_;
  Histogram latency_s_, first_token_s_;
  std::uint64_t retries_ = 0, preempted_ = 0, stale_results_ = 0, decisions_ = 0;

  std::vector<std::vector<Counter>> counters_;  // by host and the device's number in it
  // By the device's number; negative: not known.
  std::map<std::string, std::vector<double>, std::less<>> energy_restored_;
  std::set<HostIndex> energy_changed_;
  std::vector<SampleBatch> energies_;  // to be taken: of hosts that were let go
  double fleet_energy_j_ = 0;
  double fleet_cost_usd_ = 0;
  Shown shown_before_;  // by earlier lives
  Shown noted_;         // as shown, in the ledger
  double usd_per_s_ = 0;
  Instant costed_until_;
};

/// Tokens of a job as requested: of all its items. Training has none.
std::uint64_t requested_input_tokens(const Job& job);
std::uint64_t requested_output_tokens(const Job& job);

/// Dollars per hour of one device of this group, as the policy prices it.
double price_usd_per_h(const Roster& roster, const Policy& policy, GroupIndex group);

}  // namespace drover::router
