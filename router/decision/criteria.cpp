// Filters.
#include "router/decision/criteria.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

namespace drover::router {
namespace {

// Filters on candidates.

/// `fails(columns, row)`
template <typename Test>
void mark(CandidateRange rows, std::uint32_t bit, Test fails) {
  CandidateTable& all = rows.all;
  for (std::size_t row = rows.begin; row < all.size; ++row) {
    all.failed[row] |= fails(all, row) ? bit : 0U;
  }
}

/// Marks rows whose condition has any of these bits: usually none.
void mark_condition(CandidateRange rows, std::uint32_t bit, std::uint32_t bits) {
  if ((rows.conditions & bits) == 0) return;
  mark(rows, bit, [bits](const CandidateTable& all, std::size_t row) {
    return (all.condition[row] & bits) != 0;
  });
}

/// The whole KV cache of a loaded replica, less the headroom, is smaller than the request.
void filter_memory(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  if (query.purpose != Purpose::request) return;
  const auto need = static_cast<double>(query.need_tokens);
  const double share = 1 - query.rule.memory_headroom;
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    const std::uint32_t replica = all.replica[row], condition = all.condition[row];
    const bool loaded = (replica != no_index) & ((condition & condition_busy) == 0);
    return loaded & (need > all.tokens_max[row] * share);
  });
}

/// The pool may hold at most its share of the fleet's running jobs, but always one.
void filter_share(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  if (share_used_up(query))
    mark(rows, bit, [](const CandidateTable&, std::size_t) { return true; });
}

/// The round trip to the clients, or the transfer of the data, is longer than the rule allows.
void filter_rtt(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  const double most_s = query.rule.rtt_max_s;
  if (!query.far || most_s <= 0) return;
  mark(rows, bit,
       [&](const CandidateTable& all, std::size_t row) { return all.rtt_s[row] > most_s; });
}

void filter_data(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  if (!query.far || query.needs.data_set.empty()) return;
  const double most_s = query.rule.data_within > Duration{0}
                            ? to_seconds(query.rule.data_within)
                            : std::numeric_limits<double>::infinity();
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    return all.reachable[row] == 0 || all.transfer_s[row] > most_s;
  });
}

/// A tenant without `borrow` has its share of the fleet's devices, but always one job.
void filter_tenant(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  const PlacementRequest& request = query.request;
  if (request.tenant_devices_max <= 0 || request.tenant_devices <= 0) return;
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    const double more = all.replica[row] == no_index ? all.devices[row] : 0;
    return request.tenant_devices + more > request.tenant_devices_max;
  });
}

double devices_of(const FleetState& fleet_state, const CandidateTable& rows, std::size_t row) {
  const ReplicaIndex replica = rows.replica[row];
  if (replica != no_index) return fleet_state.replicas()[replica].facts.devices;
  return fleet_state.groups()[rows.group[row]].group.count;
}

bool is_real(const FleetState& fleet_state, const CandidateTable& rows, std::size_t row) {
  return rows.replica[row] == no_index && fleet_state.groups()[rows.group[row]].spec->real;
}

/// Panic mode: whether the filters ignore silence and ejection, because the query allows it and the
/// healthy share of the pool's live capacity (in devices) is below the policy's `panic.below`.
/// Never in a pool with one live place: there is no load to spread, and ejection is its only
/// protection. Never for a new replica: it would be loaded on a host that does not respond.
bool in_panic_mode(const PlacementQuery& query, const CandidateTable& rows) {
  if (query.healthy || query.purpose == Purpose::replica) return false;
  double healthy = 0;
  double total = 0;
  int living = 0;
  for (std::size_t row = 0; row < rows.size; ++row) {
    const std::uint32_t condition = rows.condition[row];
    if ((condition & condition_lost) != 0) continue;
    if (rows.multi_host_gang_of(row) != nullptr) continue;  // its groups have their own rows
    if (is_real(query.fleet_state, rows, row)) continue;    // it never gets work
    const double devices = devices_of(query.fleet_state, rows, row);
    ++living;
    total += devices;
    constexpr std::uint32_t unhealthy = condition_suspect | condition_unusable | condition_ejected;
    if ((condition & unhealthy) == 0) healthy += devices;
  }
  return living > 1 && healthy < query.policy.panic.below * total;
}

void filter_health(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  const std::uint32_t silent = in_panic_mode(query, rows.all) ? 0U : condition_suspect;
  mark_condition(rows, bit, condition_lost | condition_unusable | silent);
}

template <std::uint32_t condition>
void filter_condition(const PlacementQuery&, CandidateRange rows, std::uint32_t bit) {
  mark_condition(rows, bit, condition);
}

void filter_age(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  const Instant oldest = query.now - from_seconds(query.policy.stale_after_s);
  if (in_panic_mode(query, rows.all)) {
    // A silent host's samples are as old as its silence.
    return mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
      const bool silent = (all.condition[row] & (condition_suspect | condition_lost)) != 0;
      return !silent && all.sampled[row] < oldest;
    });
  }
  mark(rows, bit,
       [&](const CandidateTable& all, std::size_t row) { return all.sampled[row] < oldest; });
}

void filter_cooldown(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  if (!in_panic_mode(query, rows.all)) mark_condition(rows, bit, condition_ejected);
  if (!query.avoid || query.request.avoid.empty()) return;
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    return query.request.avoid.count(target_text(query.fleet_state, all, row)) != 0;
  });
}

/// Checks the power that would be reserved. A replica serves all its requests at one level, and
/// prefills at another, which samples may show already: one more request adds what is missing.
void filter_power(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  const double none = std::numeric_limits<double>::infinity();
  const double site_cap_w = query.policy.limits.site_power_cap_w;
  const double left_w =
      std::min(site_cap_w > 0 ? site_cap_w - query.site_power_w : none,
               query.pool_cap_w > 0 ? query.pool_cap_w - query.pool_power_w : none);
  if (left_w == none) return;
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    const ReplicaIndex replica = all.replica[row];
    if (left_w < 0 || replica == no_index) return all.power_w[row] > left_w;
    const ReplicaFacts& facts = query.fleet_state.replicas()[replica].facts;
    const ServingPower power{all.power_w[row] / facts.batch_share, all.prompt_w[row]};
    return query.fleet_state.added_w(replica, power) > left_w;
  });
}

/// The devices of one rack share one power feed.
void filter_rack(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  if (query.policy.limits.rack_power_w <= 0) return;
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    return rack_lacks_w(query, all, row) > 0;
  });
}

void filter_budget(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  const double budget = query.policy.limits.budget_usd_per_h;
  if (budget <= 0) return;
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    return query.request.spend_usd_per_h + all.usd_per_h[row] > budget;
  });
}

/// A replica must accept requests, with free capacity in its batch and its KV cache, reservations
/// included; a gang or new replica needs enough free devices. A pool's empty groups cannot take a
/// request.
void filter_capacity(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  mark_condition(rows, bit, condition_busy);
  if (query.purpose != Purpose::request) return;
  const auto need = static_cast<double>(query.need_tokens);
  const double share = 1 - query.rule.memory_headroom;
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    const double capacity_tokens = all.tokens_max[row] * share;
    // A request that never fits is rejected by the memory filter.
    const bool no_tokens = (need <= capacity_tokens) & (all.tokens[row] + need > capacity_tokens);
    return (all.load[row] + 1 > all.bound[row]) | no_tokens;
  });
}

/// The first token would come later than the rule allows, from now on: past waiting does not
/// count.
void filter_slo(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  const double limit_s = query.rule.slo_ttft_s;
  if (!query.slo || limit_s <= 0 || query.purpose != Purpose::request) return;
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    return all.first_token_s[row] > limit_s;
  });
}

/// The job's own deadline is a hard constraint; the rule's is soft, like its slo.
void filter_deadline(const PlacementQuery& query, CandidateRange rows, std::uint32_t bit) {
  if (query.purpose == Purpose::replica) return;
  const double own_s = to_seconds(query.request.job->deadline);
  const double rule_s = query.slo ? query.rule.slo_deadline_s : 0;
  if (own_s <= 0 && rule_s <= 0) return;
  mark(rows, bit, [&](const CandidateTable& all, std::size_t row) {
    return (own_s > 0 && query.waited_s + all.finish_s[row] > own_s) ||
           (rule_s > 0 && all.finish_s[row] > rule_s);
  });
}

constexpr std::array<Filter, 22> filter_table = {{
    {Reason::policy, fails_real, nullptr},
    {Reason::precision, fails_precision, nullptr},
    {Reason::op_unsupported, fails_ops, nullptr},
    {Reason::framework, fails_framework, nullptr},
    {Reason::context, fails_context, nullptr},
    {Reason::topology, fails_topology, nullptr},
    {Reason::memory, fails_kind_memory, filter_memory},
    {Reason::topology, nullptr, filter_rtt},
    {Reason::data, nullptr, filter_data},
    {Reason::tenancy, nullptr, filter_tenant},
    {Reason::unhealthy, nullptr, filter_health},
    {Reason::drain, nullptr, filter_condition<condition_drained>},
    {Reason::stale_telemetry, nullptr, filter_age},
    {Reason::cooldown, nullptr, filter_cooldown},
    {Reason::thermal, nullptr, filter_condition<condition_hot>},
    {Reason::power_cap, nullptr, filter_power},
    {Reason::power_cap, nullptr, filter_rack},
    {Reason::budget, nullptr, filter_budget},
    {Reason::budget, nullptr, filter_share},
    {Reason::capacity, nullptr, filter_capacity},
    {Reason::queue_slo, nullptr, filter_slo},
    {Reason::deadline, nullptr, filter_deadline},
}};

/// Bits of the filters that pass the test.
template <typename Test>
std::uint32_t bits_of(Test test) {
  std::uint32_t bits = 0;
  for (std::size_t index = 0; index < filter_table.size(); ++index) {
    if (test(filter_table[index])) bits |= 1U << index;
  }
  return bits;
}

}  // namespace

std::span<const Filter> filters() { return filter_table; }

double rack_lacks_w(const PlacementQuery& query, const CandidateTable& rows, std::size_t row) {
  const auto rack_of = [&](GroupIndex group) -> std::string_view {
    return query.fleet_state.host_of_group(group).registration.rack;
  };
  const auto lacks_w = [&](std::string_view rack, double added_w) {
    const double* drawn_w = rack.empty() ? nullptr : find_in(query.rack_power_w, rack);
    return drawn_w == nullptr ? 0 : *drawn_w + added_w - query.policy.limits.rack_power_w;
  };
  const MultiHostGang* spread = rows.multi_host_gang_of(row);
  if (spread == nullptr) return lacks_w(rack_of(rows.group[row]), rows.power_w[row]);
  std::map<std::string_view, double> added_w;  // each rack carries its part of a multi-host gang
  const double each_w = rows.power_w[row] / rows.devices[row];
  for (const MultiHostGang::Part& part : spread->parts)
    added_w[rack_of(part.group)] += each_w * part.devices;
  double most_w = 0;
  for (const auto& [rack, watts] : added_w) most_w = std::max(most_w, lacks_w(rack, watts));
  return most_w;
}

bool share_used_up(const PlacementQuery& query) {
  if (query.pool->max_share >= 1) return false;
  const double most = std::max(1.0, query.pool->max_share * (query.request.running_jobs + 1));
  return query.pool_jobs + 1 > most;
}

std::uint32_t filters_of(Reason reason) {
  return bits_of([&](const Filter& filter) { return filter.reason == reason; });
}

std::uint32_t permanent_filters() {
  static const std::uint32_t bits = [] {
    const std::uint32_t permanent =
        bits_of([](const Filter& filter) { return is_permanent(filter.reason); });
    DROVER_REQUIRE((permanent & (permanent + 1)) == 0);  // they come first
    return permanent;
  }();
  return bits;
}

std::uint32_t kind_filters() {
  return bits_of([](const Filter& filter) { return filter.kind_fails != nullptr; });
}

std::uint32_t state_filters() {
  static const std::uint32_t bits = [] {
    std::uint32_t amounts = kind_filters();
    for (const Reason reason : {Reason::tenancy, Reason::power_cap, Reason::budget,
                                Reason::capacity, Reason::queue_slo, Reason::deadline}) {
      amounts |= filters_of(reason);
    }
    return ~amounts;
  }();
  return bits;
}

std::uint32_t failed_filters(const PlacementQuery& query, const PlacementKind& kind) {
  return bits_of([&](const Filter& filter) {
    return filter.kind_fails != nullptr && filter.kind_fails(query, kind);
  });
}

void apply_filters(const PlacementQuery& query, CandidateTable& rows, std::size_t begin) {
  std::uint32_t conditions = 0;
  for (std::size_t row = begin; row < rows.size; ++row) conditions |= rows.condition[row];
  for (std::size_t index = 0; index < filter_table.size(); ++index) {
    if (filter_table[index].filter_rows == nullptr) continue;
    filter_table[index].filter_rows(query, {rows, begin, conditions}, 1U << index);
  }
}

void find_feasible(DecisionScratch& scratch) {
  const CandidateTable& rows = scratch.rows;
  scratch.feasible.resize(rows.size);
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < rows.size; ++row) {
    scratch.feasible[count] = row;  // kept if it passes; avoids a mispredicted branch
    if (rows.failed[row] == 0) ++count;
  }
  scratch.feasible.resize(count);
}

}  // namespace drover::router
