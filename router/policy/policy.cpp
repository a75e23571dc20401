// The policy file as a whole; its parts are in the other files of this folder, lint in
// router/lint.
#include "router/policy/policy.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "fleet/base/enum_tables.h"
#include "fleet/base/fnv1a.h"
#include "fleet/base/text.h"
#include "router/fleet_state/fleet_state.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

struct ScorerName {
  Scorer scorer;
  std::string_view name;
};
constexpr std::array<ScorerName, scorer_count> scorer_names = {{
    {Scorer::queue, "queue"},
    {Scorer::start_time, "start_time"},
    {Scorer::finish_time, "finish_time"},
    {Scorer::latency, "latency"},
    {Scorer::cost, "cost"},
    {Scorer::energy, "energy"},
    {Scorer::locality, "locality"},
    {Scorer::fragmentation, "fragmentation"},
    {Scorer::temperature, "temperature"},
    {Scorer::power_headroom, "power_headroom"},
    {Scorer::switch_cost, "switch_cost"},
    {Scorer::prefix, "prefix"},
    {Scorer::distance, "distance"},
}};

static_assert(is_in_order(scorer_names, &ScorerName::scorer));

void read_head(Table file, Policy& policy) {
  auto head = file.table("policy");
  if (!head) return;
  policy.name = head->text("name", policy.name);
  policy.version = head->integer_in("version", 0, 1'000'000'000'000, 1);
  policy.objective = head->text("objective", "balanced");
  constexpr std::array<std::string_view, 4> objectives = {"cost", "energy", "latency", "balanced"};
  if (std::ranges::find(objectives, policy.objective) == objectives.end()) {
    add_unknown_word(*head, "objective", policy.objective, {objectives.begin(), objectives.end()});
  }
  policy.default_action = read_action(*head, "default_action", FallbackAction::queue);
  policy.seed = static_cast<std::uint64_t>(
      head->integer_in("seed", 0, std::numeric_limits<std::int64_t>::max(), 42));
  policy.stale_after_s = head->number_in("stale_after_s", 0.1, 86'400, policy.stale_after_s);
  policy.impossible_after_s =
      head->number_in("impossible_after_s", 0, 31'536'000, policy.impossible_after_s);
}

PowerLeverRules read_power_lever(Table table) {
  PowerLeverRules rules;
  rules.used = true;
  rules.near = read_share(table, "near", rules.near);
  rules.back = read_share(table, "back", rules.back);
  rules.floor = read_share(table, "floor", rules.floor);
  rules.step = read_share(table, "step", rules.step);
  rules.every = from_seconds(table.number_in("every_s", 1, 3600, to_seconds(rules.every)));
  if (rules.near > 1) table.add_problem("near", "expected at most 100%");
  if (rules.back >= rules.near) {
    table.add_problem("back", "expected less than `near`: caps would oscillate");
  }
  if (rules.floor <= 0 || rules.floor > 1) {
    table.add_problem("floor", "expected more than 0 and at most 100%");
  }
  if (rules.step <= 0 || rules.step > 1) {
    table.add_problem("step", "expected more than 0 and at most 100%");
  }
  return rules;
}

void read_limits(Table file, Policy& policy) {
  auto limits = file.table("limits");
  if (!limits) return;
  policy.limits.queue_max =
      static_cast<std::size_t>(limits->integer_in("queue_max", 1, 10'000'000, 100'000));
  policy.limits.budget_usd_per_h = limits->number_in("budget_usd_per_h", 0, 1e9, 0.0);
  if (auto caps = limits->table("power_cap_w")) {
    for (const std::string& name : caps->keys()) {
      const double watts = caps->number_in(name, 1, 1e12);
      if (name == "site") {
        policy.limits.site_power_cap_w = watts;
        continue;
      }
      const std::string pool = name.rfind("pool.", 0) == 0 ? name.substr(5) : "";
      if (policy.find_pool(pool) == nullptr) {
        caps->add_problem(name, "expected \"site\" or \"pool.NAME\" of a pool of this policy");
      }
      policy.limits.pool_power_cap_w[pool] = watts;
    }
  }
  if (!limits->boolean("power_enforce", true)) {
    policy.limits.site_admission_only = true;
    for (const auto& [pool, watts] : policy.limits.pool_power_cap_w) {
      policy.limits.pools_admission_only.insert(pool);
    }
  }
  policy.limits.rack_power_w = limits->number_in("rack_power_kw", 0, 1e6, 0.0) * 1000;
  if (auto lever = limits->table("power_lever")) {
    policy.limits.lever = read_power_lever(*lever);
  }
  auto tenants = limits->table("per_tenant");
  if (!tenants) return;
  for (const std::string& name : tenants->keys()) {
    auto table = tenants->table(name);
    if (!table) continue;
    TenantLimit limit;
    limit.share = read_share(*table, "share", 1);
    if (limit.share <= 0) table->add_problem("share", "expected more than 0");
    limit.borrow = table->boolean("borrow", true);
    policy.limits.tenants.emplace(name, limit);
  }
}

void read_retry(Table file, Policy& policy) {
  auto retry = file.table("retry");
  if (!retry) return;
  policy.retry.attempts_max = static_cast<std::uint32_t>(retry->integer_in("max", 0, 100, 2)) + 1;
  policy.retry.backoff_s = retry->number_in("backoff_s", 0, 3600, policy.retry.backoff_s);
  if (auto budget = retry->table("budget")) {
    RetryBudget& limits = policy.retry.budget;
    limits.percent = budget->number_in("percent", 0, 100, limits.percent);
    limits.min = static_cast<std::uint32_t>(budget->integer_in("min", 0, 1'000'000, limits.min));
    limits.window = budget->duration("per", limits.window);
  }
}

void read_replicas(Table file, Policy& policy) {
  auto table = file.table("replicas");
  if (!table) return;
  Replicas& replicas = policy.replicas;
  replicas.manage = table->boolean("manage", true);
  replicas.start_after = table->duration("start_after", replicas.start_after);
  replicas.retire_after = table->duration("retire_after", replicas.retire_after);
  replicas.yield_after = table->duration("yield_after", replicas.yield_after);
  replicas.starting_max = static_cast<std::uint32_t>(
      table->integer_in("starting_max", 1, 10'000, replicas.starting_max));
}

using toml_file::Table;

constexpr double day_s = 86'400;
constexpr std::int64_t count_max = 1'000'000;

std::uint32_t read_count(Table table, std::string_view key, std::int64_t low,
                         std::uint32_t otherwise) {
  return static_cast<std::uint32_t>(table.integer_in(key, low, count_max, otherwise));
}

void read_detectors(Table eject, EjectionRules& rules) {
  rules.consecutive = read_count(eject, "consecutive", 0, rules.consecutive);
  if (auto rate = eject.table("success_rate")) {
    EjectionRules::SuccessRate& into = rules.success_rate;
    into.stdev_factor = rate->number_in("stdev_factor", 0, 100, into.stdev_factor);
    into.min_hosts = read_count(*rate, "min_hosts", 2, into.min_hosts);
    into.min_requests = read_count(*rate, "min_requests", 1, into.min_requests);
  }
  if (auto percentage = eject.table("failure_percentage")) {
    EjectionRules::FailurePercentage& into = rules.failure_percentage;
    into.enabled = true;
    into.threshold = percentage->number_in("threshold", 1, 100, into.threshold);
    into.min_hosts = read_count(*percentage, "min_hosts", 1, into.min_hosts);
    into.min_requests = read_count(*percentage, "min_requests", 1, into.min_requests);
  }
  if (auto enforce = eject.table("enforce")) {
    for (std::size_t index = 0; index < detector_count; ++index) {
      const std::string_view key = to_text(static_cast<Detector>(index));
      rules.enforce[index] = enforce->number_in(key, 0, 100, rules.enforce[index]);
    }
  }
  rules.shadow = read_word<bool>(eject, "mode", {{"enforce", false}, {"shadow", true}}, false);
}

void read_eject(Table file, EjectionRules& rules) {
  auto eject = file.table("eject");
  if (!eject) return;
  read_detectors(*eject, rules);
  rules.interval_s = eject->number_in("interval_s", 0.1, day_s, rules.interval_s);
  rules.base_s = eject->number_in("base_s", 0.1, day_s, rules.base_s);
  rules.max_s = eject->number_in("max_s", 0.1, day_s, rules.max_s);
  rules.jitter_s = eject->number_in("jitter_s", 0, day_s, rules.jitter_s);
  rules.max_percent = eject->number_in("max_percent", 0, 100, rules.max_percent);
  rules.min_hosts = read_count(*eject, "min_hosts", 1, rules.min_hosts);
  if (rules.max_s < rules.base_s) {
    eject->add_problem("max_s", "found {}, expected at least base_s, which is {}", rules.max_s,
                       rules.base_s);
  }
}

void read_slow_start(Table file, SlowStart& rules) {
  auto slow_start = file.table("slow_start");
  if (!slow_start) return;
  rules.window_s = slow_start->number_in("window_s", 0, day_s, rules.window_s);
  rules.min_weight = slow_start->number_in("min_weight", 0.001, 1, rules.min_weight);
  rules.aggression = slow_start->number_in("aggression", 0.01, 100, rules.aggression);
}

void read_panic(Table file, Panic& rules) {
  auto panic = file.table("panic");
  if (!panic) return;
  rules.below = panic->number_in("below", 0, 1, rules.below);
  rules.action = read_word<PanicAction>(
      *panic, "action", {{"use_all", PanicAction::use_all}, {"fail", PanicAction::fail}},
      PanicAction::use_all);
}

}  // namespace

void add_unknown_word(Table table, std::string_view key, std::string_view found,
                      const std::vector<std::string_view>& expected) {
  const std::vector<std::string_view> first(expected.begin(), expected.end() - 1);
  table.add_problem(key, "found \"{}\", expected {} or {}", printable(found), joined(first, ", "),
                    expected.back());
}

std::vector<Precision> read_precisions(Table table, std::string_view key) {
  std::vector<Precision> precisions;
  for (const std::string& word : table.texts(key)) {
    const auto precision = parse_precision(word);
    if (!precision) {
      table.add_problem(key, "no such precision \"{}\"{}", printable(word),
                        suggestion(word, words_of<Precision>(precision_count)));
      return precisions;
    }
    precisions.push_back(*precision);
  }
  return precisions;
}

double read_share(Table table, std::string_view key, double otherwise) {
  if (!table.has(key)) return otherwise;
  if (table.holds_number(key)) return table.number_in(key, 0, 1e6);
  const auto share = parse_share(table.text(key));
  if (!share) table.add_problem(key, share.error().message);
  return share ? *share : otherwise;
}

FallbackAction read_action(Table table, std::string_view key, FallbackAction otherwise) {
  return read_word<FallbackAction>(std::move(table), key,
                                   {{"queue", FallbackAction::queue},
                                    {"reject", FallbackAction::reject},
                                    {"shed", FallbackAction::shed}},
                                   otherwise);
}

std::string_view to_text(Scorer scorer) { return row_at(scorer_names, scorer).name; }

std::optional<Scorer> parse_scorer(std::string_view text) {
  // A job's number of steps is fixed, so cost per epoch orders candidates as cost does.
  if (text == "cost_per_epoch") return Scorer::cost;
  if (text == "energy_per_epoch") return Scorer::energy;
  const ScorerName* row = find_by(scorer_names, &ScorerName::name, text);
  return row == nullptr ? std::nullopt : std::optional(row->scorer);
}

std::string Policy::no_such_pool(std::string_view pool_name) const {
  return fmt::format("no such pool \"{}\"{}", printable(pool_name),
                     suggestion(pool_name, names_of(pools, &Pool::name)));
}

std::optional<std::uint32_t> Policy::pool_index(std::string_view pool_name) const {
  const Pool* pool = find_pool(pool_name);
  if (pool == nullptr) return std::nullopt;
  return static_cast<std::uint32_t>(pool - pools.data());
}

void read_tables(Table file, Policy& policy) {
  read_head(file, policy);
  read_pools(file, policy);
  read_capabilities(file, policy);
  read_network(file, policy);
  read_classes(file, policy);
  read_rules(file, policy);
  read_limits(file, policy);
  read_retry(file, policy);
  read_replicas(file, policy);
  if (auto explain = file.table("explain"))
    policy.top_k = static_cast<std::uint32_t>(explain->integer_in("top_k", 1, 3, 3));
  read_eject(file, policy.eject);
  read_slow_start(file, policy.slow_start);
  read_panic(file, policy.panic);
  read_alerts(file, policy);
}

bool matches(const PoolMatch& match, const Register& host, const Group& group,
             std::string_view device_name, DeviceClass device_class) {
  if (match.device_class && *match.device_class != device_class) return false;
  const auto fits = [](std::string_view text, std::string_view glob) {
    return glob.empty() || matches_glob(text, glob);
  };
  // Users write v5e and v5p; the ids are tpu-v5e and tpu-v5p.
  std::string_view chip = group.device;
  if (chip.substr(0, 4) == "tpu-") chip.remove_prefix(4);
  if (!fits(group.device, match.model) && !fits(chip, match.model) &&
      !fits(device_name, match.model)) {
    return false;
  }
  if (!fits(host.rack, match.rack) || !fits(host.host, match.host) ||
      !fits(host.site, match.site)) {
    return false;
  }
  for (const auto& [label, glob] : match.labels) {
    // "tier=" matches hosts without that label; "*" matches any value, so not those.
    const auto found = host.labels.find(label);
    const bool absent = found == host.labels.end();
    if (absent ? !glob.empty() : !matches_glob(found->second, glob)) return false;
  }
  return true;
}

void assign_pools(const Policy& policy, FleetState& fleet_state) {
  std::vector<std::uint32_t> counts(policy.pools.size(), 0);
  for (GroupIndex index = 0; index < fleet_state.groups().size(); ++index) {
    GroupEntry& entry = fleet_state.group(index);
    entry.pools.clear();
    entry.pool_bits = 0;
    if (entry.gone) continue;
    const HostEntry& host = fleet_state.hosts()[entry.host];
    const auto join = [&](bool rest) {
      for (std::uint32_t pool = 0; pool < policy.pools.size(); ++pool) {
        const PoolMatch& match = policy.pools[pool].match;
        if (match.rest != rest || !matches(match, host.registration, entry.group, entry.spec->name,
                                           entry.spec->device_class)) {
          continue;
        }
        entry.pools.push_back(pool);
        ++counts[pool];
        if (pool < 64) entry.pool_bits |= std::uint64_t{1} << pool;
      }
    };
    join(false);
    if (entry.pools.empty()) join(true);
  }
  fleet_state.set_pool_groups(std::move(counts));
}

std::string pool_of(const FleetState& fleet_state, const Policy& policy, std::uint32_t group) {
  const std::vector<std::uint32_t>& pools = fleet_state.groups()[group].pools;
  if (pools.empty() || pools.front() >= policy.pools.size()) return "";
  return policy.pools[pools.front()].name;
}

Policy at_speed(Policy policy, double speed) {
  policy.stale_after_s *= std::max(1.0, speed);
  return policy;
}

std::string policy_hash(std::string_view text) { return fmt::format("{:016x}", fnv1a(text)); }

Status check_version_increase(const Policy& in_force, const Policy& fresh, std::string_view place) {
  if (fresh.version > in_force.version) return {};
  return error("{}: policy.version: found {}, expected more than {}, the version in force{}",
               printable(place), fresh.version, in_force.version,
               fresh.version == in_force.version ? " with another text" : "");
}

}  // namespace drover::router
