// How to route, as data: pools, capabilities, rules with ordered pools and typed fallbacks, limits.
// Read from TOML; the built-in policy is such a file too, embedded.
//
// Semantics. The first rule whose `when` holds decides. Its `pools` are tried in order; the first
// that has devices at all is the wanted pool; pools without any are passed over. When a pool has no
// candidate, its dominating reason is the reject reason that most of its candidates share
// (permanent reasons first). Moving on to a later pool of the list is a fallback for that reason
// (step 0 of the list); when the list is exhausted, `fallback` entries are tried in order: the
// first whose `on` holds the wanted pool's reason (or is "*") and whose guard passes names the next
// pool or an action.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/messages.h"
#include "fleet/reason.h"
#include "fleet/result.h"
#include "fleet/time.h"
#include "fleet/workload.h"

namespace drover::router {

struct PoolMatch {
  std::optional<DeviceClass> device_class;  // kind = "gpu" | "tpu"
  std::string model;                        // glob over device spec id and name; "" any
  std::string rack, host, site;             // globs; "" any
  std::map<std::string, std::string> labels;
};

struct Pool {
  std::string name;
  PoolMatch match;
  int tier = 0;
  std::optional<double> price_per_hour;  // else the spec's price
  double overprovision = 1;
  double max_share = 1;          // of the fleet's running jobs
  double warmup_compile_s = -1;  // -1: from the device spec
  // Capability: what the devices of this pool can run; empty lists: ask the spec.
  std::vector<Precision> precisions;
  std::vector<std::string> frameworks;
  std::vector<std::string> missing_ops;
  std::vector<int> slices;
};

struct Range {
  double low = 0;
  double high = 1e300;
  bool holds(double value) const { return value >= low && value <= high; }
};

struct When {
  std::vector<WorkKind> kinds;  // empty: any
  std::string model = "*";      // glob on the model's id or family
  Range input_tokens, output_tokens, batch, gang, priority;
  std::string tenant = "*";
};

enum class Scorer : std::uint8_t {
  queue,
  start_time,
  finish_time,
  latency,
  cost,
  energy,
  locality,
  fragmentation,
  temperature,
  power_headroom,
  switch_cost,
};
inline constexpr int scorer_count = 11;
std::string_view to_text(Scorer scorer);
std::optional<Scorer> parse_scorer(std::string_view text);

enum class Pick : std::uint8_t { max, p2c, weighted };
enum class FallbackAction : std::uint8_t { go, queue, reject, shed };

struct Guard {
  std::optional<double> finish_ratio_max;  // est_finish = "< primary * 1.5"
  std::optional<double> extra_cost_max;    // extra_cost = "<= 40%" -> 0.4
  std::optional<double> extra_energy_max;
};

struct Fallback {
  std::vector<Reason> on;  // empty: "*"
  FallbackAction action = FallbackAction::go;
  std::string to;  // pool, when action is go
  std::optional<Precision> change_precision;
  Guard guard;
  Duration max_wait{0};  // action queue: then the job fails; 0: for ever
  Duration failback_after{0};
};

struct Rule {
  std::string name;
  When when;
  std::vector<Precision> precisions;       // require.precision: accepted, best first; empty: any
  double memory_headroom = 0;              // require.mem_headroom, share
  std::vector<std::string> interconnects;  // require.interconnect: "nvlink", "ici"
  std::vector<std::string> pools;          // ordered
  std::array<double, scorer_count> weights{};
  Pick pick = Pick::max;
  double slo_ttft_s = 0;  // 0: none
  double slo_deadline_s = 0;
  std::vector<Fallback> fallbacks;
};

struct Limits {
  std::size_t queue_max = 100'000;
  double site_power_cap_w = 0;  // 0: none
  std::map<std::string, double> pool_power_cap_w;
  double budget_usd_per_h = 0;
};

struct Retry {
  std::uint32_t attempts_max = 3;  // policy key retry.max counts retries: attempts - 1
  double budget_percent = 20;      // retries in flight over jobs in flight
  std::uint32_t budget_min = 3;
  double backoff_s = 1;  // wall seconds before the first retry on the same place; then doubling
};

/// When the router starts and retires replicas by itself.
struct Replicas {
  bool manage = true;
  Duration start_after{std::chrono::seconds(5)};  // a model's oldest job waits so long for capacity
  Duration retire_after{std::chrono::minutes(10)};  // unused so long, when it is not a `floor` one
  std::uint32_t starting_max = 2;                   // at once over the fleet
};

struct Policy {
  std::string name;
  std::string text;  // that it was read from
  std::int64_t version = 1;
  std::string objective = "balanced";
  FallbackAction default_action = FallbackAction::queue;
  std::uint64_t seed = 42;
  std::vector<Pool> pools;
  std::vector<Rule> rules;
  Limits limits;
  Retry retry;
  Replicas replicas;
  std::uint32_t top_k = 3;
  std::size_t explain_keep = 100'000;
  double stale_after_s = 5;  // older samples: reason stale_telemetry
  /// Wall seconds after which a job fails that no device of the fleet could ever run; 0: never.
  double impossible_after_s = 30;

  const Pool* find_pool(std::string_view name) const;
  std::optional<std::uint32_t> pool_index(std::string_view name) const;
};

/// The error names file, line and key. Refuses unknown keys, pools that do not exist, reasons and
/// scorers that do not exist (with the nearest), weights that are all zero, rules after a rule that
/// always holds, fallbacks that name the rule's own pools.
Result<Policy> parse_policy(std::string_view toml, std::string place);

std::string_view builtin_policy_text();
const Policy& builtin_policy();

bool matches(const PoolMatch& match, const Hello& host, const Group& group,
             std::string_view device_name, DeviceClass device_class);

class Roster;
/// Sets each group's pools anew (after an enrolment or a new policy).
void assign_pools(const Policy& policy, Roster& roster);

}  // namespace drover::router
