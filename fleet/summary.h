// Totals of a router's ledger, for people and dashboards. Part of fleet/messages.h.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/decision.h"
#include "fleet/job.h"
#include "fleet/reason.h"

namespace drover {

struct Percentiles {
  std::uint64_t count = 0;
  double p50 = 0;
  double p90 = 0;
  double p99 = 0;
  double max = 0;
  bool operator==(const Percentiles&) const = default;
};

/// Messages of one sender that the router dropped.
struct SenderCount {
  std::string sender;  // a host's name, else the connection as text; "others" beyond 64 senders
  std::uint64_t count = 0;
  bool operator==(const SenderCount&) const = default;
};

/// The metric by which a class of work is judged.
enum class ClassMetric : std::uint8_t {
  none,
  training_time,    // s, from submission to end
  first_token,      // s (TTFT)
  per_token,        // s, mean after the first (TPOT)
  cost_per_unit,    // $ per million tokens, or per 1,000 steps
  energy_per_unit,  // J per token, or per step
};
std::string_view to_text(ClassMetric metric);

/// The results of finished jobs of one class of the policy, by its metric.
struct ClassReport {
  std::string name;
  ClassMetric metric = ClassMetric::none;
  double target = 0;      // in the metric's unit; 0: none
  std::uint64_t met = 0;  // finished jobs within the target
  Percentiles values;
  bool operator==(const ClassReport&) const = default;
};

/// The work that finished jobs of one kind delivered, and what they were charged. The quotient is
/// the cost of a unit.
struct DeliveredWork {
  std::uint64_t jobs = 0;
  std::uint64_t units = 0;
  Usage charged;
  bool operator==(const DeliveredWork&) const = default;
};

/// A pool of the policy, now. A device that is in several pools counts in each of them.
struct PoolReport {
  std::string name;
  std::uint64_t devices = 0;    // of hosts that are not lost
  std::uint64_t usable = 0;     // of these: healthy enough for new work
  std::uint64_t unusable = 0;   // as their agents report
  std::uint64_t drained = 0;    // or their host is leaving
  std::uint64_t ejected = 0;    // of ejected replicas and groups
  std::uint64_t suspect = 0;    // of hosts that are silent
  std::uint64_t lost = 0;       // of hosts that are lost; not among `devices`
  double power_w = 0;           // as last sampled
  double power_cap_w = 0;       // in force; 0: none
  double power_reserved_w = 0;  // reserved for work that no sample shows yet
  double spend_usd_per_h = 0;   // of busy devices
  std::uint64_t queued = 0;     // queued jobs whose preferred pool it is
  bool operator==(const PoolReport&) const = default;
};

/// Totals of the ledger. Published every half second of wall time, and on request.
struct Summary {
  Instant started{};  // of this ledger, fleet time
  std::uint64_t accepted = 0;
  std::uint64_t refused = 0;
  std::uint64_t finished = 0;
  std::uint64_t failed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t queued = 0;
  std::uint64_t running = 0;       // leased or running
  std::uint64_t input_tokens = 0;  // as requested, once per accepted job
  std::uint64_t output_tokens = 0;
  std::map<Reason, std::uint64_t> fallbacks;  // jobs by the reason of the fallback that placed them
  std::map<Reason, std::uint64_t> failures;   // failed jobs by reason
  std::map<Reason, std::uint64_t> queued_for;  // queued jobs by reason
  Usage charged;  // to finished jobs, including earlier attempts up to a checkpoint that they used
  Usage wasted;   // to attempts that did not finish, except up to such checkpoints
  double fleet_energy_j = 0;  // device counters, idle included
  double fleet_cost_usd = 0;  // device-hours times price, idle included
  Percentiles latency_s;      // finished serve jobs, submission to end
  Percentiles first_token_s;
  std::uint64_t retries = 0;
  std::uint64_t preempted = 0;  // attempts preempted by work of higher priority
  std::uint64_t stale_results = 0;
  std::uint64_t undecodable = 0;  // dropped messages: invalid, or not allowed from this sender
  // The same by sender, in order of name; then one entry for earlier runs of the router.
  std::vector<SenderCount> undecodable_by_sender;
  std::uint64_t sample_gaps = 0;
  std::uint64_t decisions = 0;
  double estimate_error = 0;    // estimated run times are wrong by a factor of 1 + this
  double power_w = 0;           // of the site, as last sampled
  double power_reserved_w = 0;  // reserved for work that no sample shows yet
  std::vector<FallbackCost> fallback_costs;
  std::vector<ClassReport> classes;  // in the policy's order
  DeliveredWork tokens_work;         // serving and batches; units: tokens, read and written
  DeliveredWork steps_work;          // training; units: steps
  std::vector<PoolReport> pools;     // in the policy's order
  double spend_usd_per_h = 0;        // of busy devices
  double budget_usd_per_h = 0;       // of the policy; 0: none
  bool operator==(const Summary&) const = default;
};

}  // namespace drover
