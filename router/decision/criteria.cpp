// Filters.
#include "router/decision/criteria_filters.h"

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <string_view>

namespace drover::router {
namespace {

// ---- Places ------------------------------------------------------------------------------------

/// `fails(columns, row)`
template <typename Test>
void mark(Rows rows, std::uint32_t bit, Test fails) {
  Standings& all = rows.all;
  for (std::size_t row = rows.begin; row < all.size; ++row) {
    all.failed[row] |= fails(all, row) ? bit : 0U;
  }
}

/// Rows whose condition has any of these bits: mostly there are none.
void mark_condition(Rows rows, std::uint32_t bit, std::uint32_t bits) {
  if ((rows.conditions & bits) == 0) return;
  mark(rows, bit,
       [bits](const Standings& all, std::size_t row) { return (all.condition[row] & bits) != 0; });
}

/// A loaded replica whose whole KV cache, less the headroom, is smaller than the request.
void judge_memory(const Question& question, Rows rows, std::uint32_t bit) {
  if (question.purpose != Purpose::request) return;
  const auto need = static_cast<double>(question.need_tokens);
  const double share = 1 - question.rule.memory_headroom;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    const bool loaded =
        (all.replica[row] != nowhere) & ((all.condition[row] & condition_busy) == 0);
    return loaded & (need > all.tokens_max[row] * share);
  });
}

/// The pool may hold at most its share of the fleet's running jobs, but always one.
void judge_share(const Question& question, Rows rows, std::uint32_t bit) {
  if (share_used_up(question)) mark(rows, bit, [](const Standings&, std::size_t) { return true; });
}

/// Sites: where the way to the clients or to the data is longer than the rule allows.
void judge_rtt(const Question& question, Rows rows, std::uint32_t bit) {
  const double most_s = question.rule.rtt_max_s;
  if (!question.far || most_s <= 0) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) { return all.rtt_s[row] > most_s; });
}

void judge_data(const Question& question, Rows rows, std::uint32_t bit) {
  if (!question.far || question.needs.data_set.empty()) return;
  const double most_s = question.rule.data_within > Duration{0}
                            ? to_seconds(question.rule.data_within)
                            : std::numeric_limits<double>::infinity();
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    return all.reachable[row] == 0 || all.transfer_s[row] > most_s;
  });
}

/// A tenant that may not borrow has its share of the fleet's devices, but always one job.
void judge_tenant(const Question& question, Rows rows, std::uint32_t bit) {
  const Ask& ask = question.ask;
  if (ask.tenant_devices_max <= 0 || ask.tenant_devices <= 0) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    const double more = all.replica[row] == nowhere ? all.devices[row] : 0;
    return ask.tenant_devices + more > ask.tenant_devices_max;
  });
}

void judge_health(const Question& question, Rows rows, std::uint32_t bit) {
  const std::uint32_t silent = panics(question, rows.all) ? 0U : condition_suspect;
  mark_condition(rows, bit, condition_lost | condition_unusable | silent);
}

void judge_drain(const Question&, Rows rows, std::uint32_t bit) {
  mark_condition(rows, bit, condition_drained);
}

void judge_age(const Question& question, Rows rows, std::uint32_t bit) {
  const Instant oldest = question.now - from_seconds(question.policy.stale_after_s);
  if (panics(question, rows.all)) {
    // A silent host's samples are as old as its silence.
    return mark(rows, bit, [&](const Standings& all, std::size_t row) {
      const bool silent = (all.condition[row] & (condition_suspect | condition_lost)) != 0;
      return !silent && all.sampled[row] < oldest;
    });
  }
  mark(rows, bit, [&](const Standings& all, std::size_t row) { return all.sampled[row] < oldest; });
}

void judge_cooldown(const Question& question, Rows rows, std::uint32_t bit) {
  if (!panics(question, rows.all)) mark_condition(rows, bit, condition_ejected);
  if (!question.avoid || question.ask.avoid.empty()) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    return question.ask.avoid.count(target_text(question.roster, all, row)) != 0;
  });
}

/// A device slows itself down because it is hot, or will soon.
void judge_thermal(const Question&, Rows rows, std::uint32_t bit) {
  mark_condition(rows, bit, condition_hot);
}

/// Judged is what would be reserved. A replica serves all its requests at one level, and reads
/// their prompts at another, which samples may show already: one more adds what is missing to that.
void judge_power(const Question& question, Rows rows, std::uint32_t bit) {
  const double none = std::numeric_limits<double>::infinity();
  const double site_cap_w = question.policy.limits.site_power_cap_w;
  const double left_w =
      std::min(site_cap_w > 0 ? site_cap_w - question.site_power_w : none,
               question.pool_cap_w > 0 ? question.pool_cap_w - question.pool_power_w : none);
  if (left_w == none) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    const ReplicaIndex replica = all.replica[row];
    if (left_w < 0 || replica == nowhere) return all.power_w[row] > left_w;
    const ReplicaFacts& facts = question.roster.replicas()[replica].facts;
    const ServingPower power{all.power_w[row] / facts.batch_share, all.prompt_w[row]};
    return question.roster.added_w(replica, power) > left_w;
  });
}

/// So many watts more are too many for the rack.
bool is_over(const Question& question, std::string_view rack, double added_w) {
  const auto drawn = question.rack_power_w.find(rack);
  if (rack.empty() || drawn == question.rack_power_w.end()) return false;
  return drawn->second + added_w > question.policy.limits.rack_power_w;
}

/// Each rack bears its part of a gang over hosts.
bool is_over(const Question& question, const Spread& spread, double watts_each) {
  const Roster& roster = question.roster;
  std::map<std::string_view, double> added_w;
  for (const Spread::Part& part : spread.parts) {
    const HostIndex host = roster.groups()[part.group].host;
    added_w[roster.hosts()[host].hello.rack] += watts_each * part.devices;
  }
  return std::any_of(added_w.begin(), added_w.end(), [&](const auto& added) {
    return is_over(question, added.first, added.second);
  });
}

/// The devices of one rack draw from one feed.
void judge_rack(const Question& question, Rows rows, std::uint32_t bit) {
  if (question.policy.limits.rack_power_w <= 0) return;
  const Roster& roster = question.roster;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    const double added_w = all.power_w[row];
    if (const Spread* spread = all.spread_of(row)) {
      return is_over(question, *spread, added_w / all.devices[row]);
    }
    const HostIndex host = roster.groups()[all.group[row]].host;
    return is_over(question, roster.hosts()[host].hello.rack, added_w);
  });
}

void judge_budget(const Question& question, Rows rows, std::uint32_t bit) {
  const double budget = question.policy.limits.budget_usd_per_h;
  if (budget <= 0) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    return question.ask.spend_usd_per_h + all.usd_per_h[row] > budget;
  });
}

/// A replica that takes requests, with room in its batch and its KV cache, promises included; a
/// gang or new replica: enough free devices. A pool's empty groups are no place for a request.
void judge_capacity(const Question& question, Rows rows, std::uint32_t bit) {
  mark_condition(rows, bit, condition_busy);
  if (question.purpose != Purpose::request) return;
  const auto need = static_cast<double>(question.need_tokens);
  const double share = 1 - question.rule.memory_headroom;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    const double room = all.tokens_max[row] * share;
    // What never fits is the memory filter's to say.
    const bool no_tokens = (need <= room) & (all.tokens[row] + need > room);
    return (all.load[row] + 1 > all.bound[row]) | no_tokens;
  });
}

/// The first token would come later than the rule wants, from now: what was waited is past.
void judge_slo(const Question& question, Rows rows, std::uint32_t bit) {
  const double limit_s = question.rule.slo_ttft_s;
  if (!question.slo || limit_s <= 0 || question.purpose != Purpose::request) return;
  mark(rows, bit,
       [&](const Standings& all, std::size_t row) { return all.first_token_s[row] > limit_s; });
}

/// The job's own deadline binds; the rule's is a wish, like its slo.
void judge_deadline(const Question& question, Rows rows, std::uint32_t bit) {
  if (question.purpose == Purpose::replica) return;
  const double own_s = to_seconds(question.ask.job->deadline);
  const double rule_s = question.slo ? question.rule.slo_deadline_s : 0;
  if (own_s <= 0 && rule_s <= 0) return;
  mark(rows, bit, [&](const Standings& all, std::size_t row) {
    return (own_s > 0 && question.waited_s + all.finish_s[row] > own_s) ||
           (rule_s > 0 && all.finish_s[row] > rule_s);
  });
}

constexpr std::array<Filter, 21> filter_table = {{
    {Reason::precision, fails_precision, nullptr},
    {Reason::op_unsupported, fails_ops, nullptr},
    {Reason::framework, fails_framework, nullptr},
    {Reason::context, fails_context, nullptr},
    {Reason::topology, fails_topology, nullptr},
    {Reason::memory, fails_kind_memory, judge_memory},
    {Reason::topology, nullptr, judge_rtt},
    {Reason::data, nullptr, judge_data},
    {Reason::tenancy, nullptr, judge_tenant},
    {Reason::unhealthy, nullptr, judge_health},
    {Reason::drain, nullptr, judge_drain},
    {Reason::stale_telemetry, nullptr, judge_age},
    {Reason::cooldown, nullptr, judge_cooldown},
    {Reason::thermal, nullptr, judge_thermal},
    {Reason::power_cap, nullptr, judge_power},
    {Reason::power_cap, nullptr, judge_rack},
    {Reason::budget, nullptr, judge_budget},
    {Reason::budget, nullptr, judge_share},
    {Reason::capacity, nullptr, judge_capacity},
    {Reason::queue_slo, nullptr, judge_slo},
    {Reason::deadline, nullptr, judge_deadline},
}};

}  // namespace

std::span<const Filter> filters() { return filter_table; }

bool share_used_up(const Question& question) {
  if (question.pool->max_share >= 1) return false;
  const double most = std::max(1.0, question.pool->max_share * (question.ask.running_jobs + 1));
  return question.pool_jobs + 1 > most;
}

std::uint32_t filters_of(Reason reason) {
  std::uint32_t bits = 0;
  for (std::size_t index = 0; index < filter_table.size(); ++index) {
    if (filter_table[index].reason == reason) bits |= 1U << index;
  }
  return bits;
}

std::uint32_t permanent_filters() {
  static const std::uint32_t bits = [] {
    std::uint32_t permanent = 0;
    for (std::size_t index = 0; index < filter_table.size(); ++index) {
      if (is_permanent(filter_table[index].reason)) permanent |= 1U << index;
    }
    DROVER_REQUIRE((permanent & (permanent + 1)) == 0);  // they come first
    return permanent;
  }();
  return bits;
}

std::uint32_t kind_filters() {
  std::uint32_t bits = 0;
  for (std::size_t index = 0; index < filter_table.size(); ++index) {
    if (filter_table[index].kind_fails != nullptr) bits |= 1U << index;
  }
  return bits;
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

std::uint32_t failed_filters(const Question& question, const PlaceKind& kind) {
  std::uint32_t failed = 0;
  for (std::size_t index = 0; index < filter_table.size(); ++index) {
    if (filter_table[index].kind_fails != nullptr &&
        filter_table[index].kind_fails(question, kind)) {
      failed |= 1U << index;
    }
  }
  return failed;
}

void apply_filters(const Question& question, Standings& rows, std::size_t begin) {
  std::uint32_t conditions = 0;
  for (std::size_t row = begin; row < rows.size; ++row) conditions |= rows.condition[row];
  for (std::size_t index = 0; index < filter_table.size(); ++index) {
    if (filter_table[index].judge == nullptr) continue;
    filter_table[index].judge(question, {rows, begin, conditions}, 1U << index);
  }
}

void find_feasible(DecisionScratch& scratch) {
  const Standings& rows = scratch.rows;
  scratch.feasible.resize(rows.size);
  std::size_t count = 0;
  for (std::uint32_t row = 0; row < rows.size; ++row) {
    scratch.feasible[count] = row;  // stays when it passes: no branch to mispredict
    if (rows.failed[row] == 0) ++count;
  }
  scratch.feasible.resize(count);
}

}  // namespace drover::router
