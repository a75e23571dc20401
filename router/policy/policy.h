// A routing policy: pools, capabilities, rules with ordered pools and typed fallbacks, limits.
// Read from TOML; the built-in policy is an embedded file of the same kind.
//
// Semantics. The first rule whose `when` matches decides. Its `pools` are tried in order; the
// first that has devices at all is the preferred pool; pools without any are skipped. When a pool
// has no placement, its reason is permanent only if all of its candidates are excluded for good;
// otherwise it is the reason that most of the others have (router/decision/decide.h). Moving on to
// a later pool of the list is a fallback for that reason (step 0 of the list). After the list, the
// `fallback` entries are tried in order: the first whose `on` contains the preferred pool's reason
// (or is "*") and whose guard passes names the next pool or an action.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/search.h"
#include "fleet/base/time.h"
#include "fleet/base/version.h"
#include "fleet/filter/alert_rule.h"
#include "fleet/messages.h"
#include "router/fleet_state/prices.h"
#include "router/health/outlier_detector.h"
#include "router/health/retry_budget.h"
#include "router/policy/network.h"
#include "router/policy/power_cap_steps.h"
#include "router/policy/rule.h"

namespace drover::router {

struct PoolMatch {
  std::optional<DeviceClass> device_class;  // kind = "gpu" | "tpu"
  std::string model;                        // glob over device spec id and name; "" any
  std::string rack, host, site;             // globs; "" any
  std::map<std::string, std::string> labels;
  bool rest = false;  // of these, only devices in no pool without this key
};

/// Devices that a policy treats alike, what they can run and what they cost.
struct Pool {
  std::string name;
  PoolMatch match;
  int tier = 0;
  Prices prices;
  double overprovision = 1;
  double max_share = 1;          // largest share of the fleet's running jobs
  double concurrency = 0;        // requests or jobs at once per device; 0: the replica's limit
  double warmup_compile_s = -1;  // -1: from the device spec
  // Capabilities of the pool's devices; empty lists: those of the device spec.
  std::vector<Precision> precisions;
  std::vector<std::string> frameworks;
  std::vector<std::string> missing_ops;
  std::vector<int> slices;
  std::map<std::string, VersionRange> versions;  // supported versions, by software name
  std::optional<bool> dynamic_shapes;  // false: jobs that need dynamic shapes are rejected
  std::uint64_t context_max = 0;       // tokens of one request; 0: the model's limit
};

/// A size that jobs of a class have.
struct Mix {
  std::uint32_t input_tokens = 0;
  std::uint32_t output_tokens = 0;
  std::uint32_t batch = 0;
};

/// One kind of use as operators name it, with its goal metric.
/// A job belongs to the class that it names, else to the first whose `when` matches. The class
/// supplies what the job does not specify.
struct WorkClass {
  std::string name;
  When when;
  std::string stage;
  std::string framework;
  std::map<std::string, std::string> versions;
  std::string data_set;
  std::vector<Mix> mix;  // sizes, for lint
  ClassMetric metric = ClassMetric::none;
  double target = 0;  // in the metric's unit; 0: none
};

/// A tenant's limit on concurrent work; shares are weights, whatever their sum.
struct TenantLimit {
  double share = 1;
  bool borrow = true;  // may take more than its share while others leave theirs
};

struct Limits {
  std::size_t queue_max = 100'000;
  double site_power_cap_w = 0;  // 0: none
  std::map<std::string, double> pool_power_cap_w;
  // Caps that only block new work; for the others, device caps are lowered too.
  bool site_admission_only = false;
  std::set<std::string, std::less<>> pools_admission_only;
  double rack_power_w = 0;  // power limit of one rack's devices; 0: none
  double budget_usd_per_h = 0;
  std::map<std::string, TenantLimit> tenants;
  PowerLeverRules lever;

  /// The pool's power cap; 0: none.
  double pool_cap_w(const std::string& pool) const {
    const double* cap_w = find_in(pool_power_cap_w, pool);
    return cap_w == nullptr ? 0 : *cap_w;
  }
};

struct Retry {
  std::uint32_t attempts_max = 3;  // policy key retry.max counts retries: attempts - 1
  RetryBudget budget;              // its window in wall time
  double backoff_s = 1;            // wall seconds before the first retry in the same place; doubles
};

/// When the router itself starts and retires replicas.
struct Replicas {
  bool manage = true;
  Duration start_after{std::chrono::seconds(5)};  // wait of a model's oldest job for capacity
  Duration retire_after{
      std::chrono::minutes(10)};  // idle time of a replica that is not a `floor` one
  /// After being surplus for this long (router/jobs/replica_controller.h), a replica is unloaded
  /// for work that finds no devices.
  Duration yield_after{std::chrono::seconds(30)};
  std::uint32_t starting_max = 2;  // at once over the fleet
};

/// What a pool does in panic mode: use unhealthy candidates as well, or reject the job.
enum class PanicAction : std::uint8_t { use_all, fail };

/// Panic mode, after Envoy's panic threshold (docs: arch_overview/upstream/load_balancing), in
/// units of capacity instead of hosts.
struct Panic {
  double below = 0.5;  // healthy share of a pool's capacity; 0: never
  PanicAction action = PanicAction::use_all;
};

struct Policy {
  std::string name;
  std::string text;  // its source
  std::int64_t version = 1;
  std::string objective = "balanced";
  FallbackAction default_action = FallbackAction::queue;
  std::uint64_t seed = 42;
  std::vector<Pool> pools;
  Network network;
  std::vector<WorkClass> classes;
  std::vector<Rule> rules;
  Limits limits;
  Retry retry;
  EjectionRules eject;
  SlowStart slow_start;
  Panic panic;
  Replicas replicas;
  std::vector<AlertRule> alerts;  // built-in rules, as the file changes them, and its own
  std::uint32_t top_k = 3;
  double stale_after_s = 5;  // older samples give reason stale_telemetry
  /// Wall seconds after which a job fails that no device of the fleet can ever run; 0: never.
  double impossible_after_s = 30;

  const Pool* find_pool(std::string_view pool_name) const {
    return find_by(pools, &Pool::name, pool_name);
  }
  std::optional<std::uint32_t> pool_index(std::string_view name) const;
  const WorkClass* find_class(std::string_view class_name) const {
    return find_by(classes, &WorkClass::name, class_name);
  }
  const Rule* rule_named(std::string_view rule_name) const {
    return find_by(rules, &Rule::name, rule_name);
  }
  /// "no such pool "x"; did you mean y?"
  std::string no_such_pool(std::string_view pool_name) const;
};

/// Whether all keys but `rest` match; `rest` depends on the other pools.
bool matches(const PoolMatch& match, const Register& host, const Group& group,
             std::string_view device_name, DeviceClass device_class);

class FleetState;
/// Recomputes each group's pools, after a registration or a policy change.
void assign_pools(const Policy& policy, FleetState& fleet_state);
/// The first pool of the group; empty: none.
std::string pool_of(const FleetState& fleet_state, const Policy& policy, std::uint32_t group);

/// The policy for a fleet at this speed: the telemetry age limit also holds in wall time, because
/// at most 20 batches arrive per wall second at any speed.
Policy at_speed(Policy policy, double speed);

/// A hash of the text, 16 hexadecimal digits.
std::string policy_hash(std::string_view text);

/// Decisions record the policy version, so a version must always mean the same text: a changed text
/// needs a higher version. `place`: location of the new text, for the message.
Status check_version_increase(const Policy& in_force, const Policy& fresh, std::string_view place);

}  // namespace drover::router
