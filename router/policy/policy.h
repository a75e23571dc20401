// How to route, as data: pools, capabilities, rules with ordered pools and typed fallbacks, limits.
// Read from TOML; the built-in policy is such a file too, embedded.
//
// Semantics. The first rule whose `when` holds decides. Its `pools` are tried in order; the first
// that has devices at all is the wanted pool; pools without any are passed over. When a pool has no
// place, its reason is a permanent one only where all of its places are excluded for good; else it
// is what most of the others wait for (router/decision/decide.h). Moving on to a later pool of the
// list is a fallback for that reason (step 0 of the list); when the list is exhausted, `fallback`
// entries are tried in order: the first whose `on` holds the wanted pool's reason (or is "*") and
// whose guard passes names the next pool or an action.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/filter/alert_rule.h"
#include "fleet/messages.h"
#include "router/health/ejection.h"
#include "router/health/retry_budget.h"
#include "router/health/slow_start.h"
#include "router/policy/network.h"
#include "router/policy/policy_class.h"
#include "router/policy/policy_pool.h"
#include "router/policy/policy_rule.h"
#include "router/policy/power_lever.h"
#include "router/policy/spillover.h"

namespace drover::router {

/// Of what runs and waits at once; shares are weights, whatever they sum to.
struct TenantLimit {
  double share = 1;
  bool borrow = true;  // may take more than its share while others leave theirs
};

struct Limits {
  std::size_t queue_max = 100'000;
  double site_power_cap_w = 0;  // 0: none
  std::map<std::string, double> pool_power_cap_w;
  // Caps that hold back new work and slow nothing down; for the others devices' own caps go down.
  bool site_admission_only = false;
  std::set<std::string, std::less<>> pools_admission_only;
  double rack_power_w = 0;  // of the devices of one rack; 0: none
  double budget_usd_per_h = 0;
  std::map<std::string, TenantLimit> tenants;
  LeverRules lever;
};

struct Retry {
  std::uint32_t attempts_max = 3;  // policy key retry.max counts retries: attempts - 1
  RetryBudget budget;              // its window in wall time
  double backoff_s = 1;  // wall seconds before the first retry on the same place; then doubling
};

/// When the router starts and retires replicas by itself.
struct Replicas {
  bool manage = true;
  Duration start_after{std::chrono::seconds(5)};  // a model's oldest job waits so long for capacity
  Duration retire_after{std::chrono::minutes(10)};  // unused so long, when it is not a `floor` one
  /// A replica spare for so long (spare_replicas.h) gives way to work that finds no devices.
  Duration yield_after{std::chrono::seconds(30)};
  std::uint32_t starting_max = 2;  // at once over the fleet
};

struct Policy {
  std::string name;
  std::string text;  // that it was read from
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
  std::vector<AlertRule> alerts;  // those that ship, as the file changes them, and its own
  std::uint32_t top_k = 3;
  std::size_t explain_keep = 100'000;
  double stale_after_s = 5;  // older samples: reason stale_telemetry
  /// Wall seconds after which a job fails that no device of the fleet could ever run; 0: never.
  double impossible_after_s = 30;

  const Pool* find_pool(std::string_view name) const;
  std::optional<std::uint32_t> pool_index(std::string_view name) const;
  const WorkClass* find_class(std::string_view name) const;
  std::vector<std::string> pool_names() const;
};

/// The error names file, line and key. Refuses unknown keys, pools that do not exist, reasons and
/// scorers that do not exist (with the nearest), weights that are all zero, rules after a rule that
/// always holds, fallbacks that name the rule's own pools.
Result<Policy> parse_policy(std::string_view toml, std::string place);

std::string_view builtin_policy_text();
const Policy& builtin_policy();

/// All keys but `rest`, which is a matter of the other pools.
bool matches(const PoolMatch& match, const Hello& host, const Group& group,
             std::string_view device_name, DeviceClass device_class);

class Roster;
/// Sets each group's pools anew (after an enrolment or a new policy).
void assign_pools(const Policy& policy, Roster& roster);

}  // namespace drover::router
