// What a router tells dashboards of itself: totals of its ledger, what it has kept of the last half
// hour, and published messages in bundles. Part of fleet/messages.h.
#pragma once

#include <bit>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>
#include <utility>
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

/// Finished jobs of a class in a window of time, by its metric and target.
struct ClassOutcomes {
  std::uint64_t judged = 0;
  std::uint64_t missed = 0;
  bool operator==(const ClassOutcomes&) const = default;
};

/// The windows over which misses are counted: a short one, which shows that they go on, and a long
/// one, which shows that they matter (Google, The Site Reliability Workbook, chapter 5).
inline constexpr Duration short_burn_window = std::chrono::minutes(5);
inline constexpr Duration long_burn_window = std::chrono::hours(1);

/// The share of its jobs that may miss the target of a class: it is meant for the others.
inline constexpr double class_misses_allowed = 0.01;
/// From this burn rate on, in both windows, a 30-day allowance would be used up in two days.
inline constexpr double fast_burn_rate = 14.4;
/// With fewer jobs in a window a burn is no alarm: one miss of five is a rate of 20.
inline constexpr std::uint64_t fast_burn_jobs_min = 10;

/// The share of misses, divided by the allowed share: at 1, the allowance is used
/// up exactly at the end of its period. NaN if no job was judged.
inline double burn_rate(const ClassOutcomes& outcomes) {
  if (outcomes.judged == 0) return std::numeric_limits<double>::quiet_NaN();
  const double missed = static_cast<double>(outcomes.missed) / static_cast<double>(outcomes.judged);
  return missed / class_misses_allowed;
}

// The buckets of a class's values. Bucket i has those above class_bucket_begin(i), up to the begin
// of the next one; the first one also those below. Ten buckets are about a factor of ten.
inline constexpr std::size_t class_bucket_count = 126;
inline constexpr double class_bucket_least = 1e-5, class_bucket_growth = 1.2682417945625453;

inline double class_bucket_begin(std::size_t bucket) {
  return class_bucket_least * std::pow(class_bucket_growth, static_cast<double>(bucket));
}

/// The results of finished jobs of one class of the policy, by its metric.
struct ClassReport {
  std::string name;
  ClassMetric metric = ClassMetric::none;
  double target = 0;      // in the metric's unit; 0: none
  std::uint64_t met = 0;  // finished jobs within the target
  Percentiles values;
  ClassOutcomes short_window{}, long_window{};  // this router's jobs
  // Those of the buckets that are not empty, from this one to the last. They add up to the count of
  // `values`, unless an earlier router has counted no buckets.
  std::uint32_t first_bucket = 0;
  std::vector<std::uint64_t> buckets{};
  bool operator==(const ClassReport&) const = default;
};

/// How fast a class uses up its allowance. NaN: no target, or no job was judged.
struct ClassBurn {
  double short_window = 0, long_window = 0;
  bool fast = false;  // in both windows: misses matter, and go on
};
inline ClassBurn class_burn(const ClassReport& report) {
  const ClassOutcomes none;
  const auto& [brief, lasting] = report.target > 0
                                     ? std::pair(report.short_window, report.long_window)
                                     : std::pair(none, none);
  const auto is_fast = [](const ClassOutcomes& outcomes) {
    return outcomes.judged >= fast_burn_jobs_min && burn_rate(outcomes) >= fast_burn_rate;
  };
  return {burn_rate(brief), burn_rate(lasting), is_fast(brief) && is_fast(lasting)};
}

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

inline constexpr std::size_t bundle_bytes_max = 128 * 1024;

/// Published messages of all topics in their order, as envelopes. A message for each batch would
/// wake a viewer of a thousand agents a thousand times a second.
struct Bundle {
  std::vector<std::string> messages;
  bool operator==(const Bundle&) const = default;
};

/// What has the router kept of the last half hour: of a device, or of the fleet?
struct HistoryRequest {
  std::string host;  // of the device; empty: of the fleet
  std::uint16_t device = 0;
  bool operator==(const HistoryRequest&) const = default;
};

inline constexpr std::size_t history_bins_max = 180;

/// One quantity over the bins of a HistoryReply.
struct HistorySeries {
  std::string name;    // of a device: a metric's
  std::string pool;    // empty: of the device, or of the whole fleet
  std::string values;  // a float32 for each bin, little-endian; NaN: not known
  bool operator==(const HistorySeries&) const = default;
};

struct HistoryReply {
  std::string host;  // as in the request
  std::uint16_t device = 0;
  Instant begin{};                    // of the first bin, fleet time
  Duration bin{};                     // 0: nothing is kept
  std::vector<HistorySeries> series;  // all with as many bins
  bool operator==(const HistoryReply&) const = default;
};

/// The values of a HistorySeries.
inline void append_history_value(std::string& values, double value) {
  const auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(value));
  for (int shift = 0; shift < 32; shift += 8) values += static_cast<char>(bits >> shift & 0xffU);
}

inline std::size_t history_value_count(const std::string& values) {
  return values.size() / sizeof(float);
}

/// REQUIRES index < history_value_count(values).
inline double history_value_at(const std::string& values, std::size_t index) {
  std::uint32_t bits = 0;
  for (std::size_t i = 0; i < sizeof(float); ++i) {
    const auto byte = static_cast<unsigned char>(values[index * sizeof(float) + i]);
    bits |= std::uint32_t{byte} << (8 * i);
  }
  return double{std::bit_cast<float>(bits)};
}

}  // namespace drover
