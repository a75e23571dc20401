#include "router/decision/rule_evaluation.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "router/decision/criteria.h"
#include "router/decision/decision_record.h"

namespace drover::router {
namespace {

bool guard_passes(const Guard& guard, const Estimate& primary, const Estimate& found) {
  const auto within = [](const std::optional<double>& factor, double value, double base) {
    return !factor || value <= *factor * base;
  };
  const auto more = [](const std::optional<double>& extra) {
    return extra ? std::optional<double>(1 + *extra) : std::nullopt;
  };
  // A wait with an unknown end is longer than any other.
  const bool soon =
      !primary.wait_known || within(guard.finish_ratio_max, found.finish_s, primary.finish_s);
  return soon && within(more(guard.extra_cost_max), found.cost_usd, primary.cost_usd) &&
         within(more(guard.extra_energy_max), found.energy_j, primary.energy_j);
}

std::uint8_t step_number(std::size_t step) {
  return static_cast<std::uint8_t>(std::min<std::size_t>(step, 255));
}

int lead_devices(const CandidateTable& rows, std::size_t row, const PlacementKind& kind) {
  const MultiHostGang* spread = rows.multi_host_gang_of(row);
  return spread == nullptr ? kind.devices : spread->parts.front().devices;
}

/// Waiting alone would help, but may cost more than leaving.
bool waits_only(Reason reason) { return reason == Reason::capacity || reason == Reason::queue_slo; }

}  // namespace

void RuleEvaluation::run() {
  const FailbackPhase hold = query_.purpose == Purpose::replica
                                 ? FailbackPhase::none
                                 : failback_phase(query_.rule, query_.request.failback, query_.now);
  if (hold == FailbackPhase::held && follow_failback()) return;
  ask_pools();
  result_.probe = hold == FailbackPhase::probe && decision_.action == Action::assign &&
                  !decision_.fallback_reason;
}

/// Places the job where the sticky fallback leads; false if there is nothing, and no floor to wait
/// for.
bool RuleEvaluation::follow_failback() {
  const Rule& rule = query_.rule;
  const FailbackState& state = *query_.request.failback;
  const Failback& failback = rule.fallbacks[*state.fallback].failback;
  const PlacementResult before = result_;
  const std::size_t recorded = scratch_.record.size();
  measure_preferred();
  decision_.fallback_reason = state.reason;
  const Pool* floor = query_.policy.find_pool(failback.floor);
  if (floor != nullptr) floor_tier_ = floor->tier;
  run_fallbacks();
  result_.held = true;
  if (result_.place || floor_tier_) {
    const Instant asks_again = saturating_add(state.fell_back, failback.after);
    add_part(decision_.change, "; ",
             fmt::format("retries pool {} within {:.0f} s", decision_.preferred_pool,
                         to_seconds(asks_again - query_.now)));
    return true;
  }
  // As if the pool had not been tried: it will be, in its turn.
  result_ = before;
  scratch_.record.resize(recorded);
  primary_.reset();
  asked_ = false;
  return false;
}

/// Estimates the preferred pool even if it is not tried, because guards compare with it.
void RuleEvaluation::measure_preferred() {
  accept_precisions(query_, query_.rule.precisions);
  for (const std::string& name : query_.rule.pools) {
    const auto pool = present(name);
    if (!pool) continue;
    set_pool(query_, *pool);
    gather(query_, estimator_, scratch_);
    primary_ = best_possible();
    if (primary_) decision_.primary = primary_->estimate;
    decision_.preferred_pool = name;
    return;
  }
}

std::optional<std::uint32_t> RuleEvaluation::present(const std::string& name) {
  const auto pool = query_.policy.pool_index(name);
  if (pool && query_.fleet_state.pool_has_groups(*pool)) return pool;
  std::vector<std::string>& absent = decision_.empty_pools;
  if (!contains(absent, name)) absent.push_back(name);
  return std::nullopt;
}

void RuleEvaluation::ask_pools() {
  const Rule& rule = query_.rule;
  accept_precisions(query_, rule.precisions);
  bool wanted = true;
  for (std::size_t step = 0; step < rule.pools.size(); ++step) {
    const auto pool = present(rule.pools[step]);
    if (!pool) continue;
    const bool first = std::exchange(wanted, false);
    if (first) decision_.preferred_pool = rule.pools[step];
    const auto reason = evaluate_pool(*pool, Guard{});
    if (!reason) {
      if (!first) decision_.fallback_step = step_number(step);
      if (first && rule.spill) evaluate_spill(step);
      return;
    }
    if (!decision_.fallback_reason) {
      decision_.fallback_reason = reason;
      primary_ = best_possible();
      if (primary_) decision_.primary = primary_->estimate;
      leaving_ = rule.spill && primary_ && waits_only(*reason);
    }
  }
  if (!decision_.fallback_reason) {
    decision_.fallback_reason = rule.pools.empty() ? Reason::policy : Reason::capacity;
  }
  run_fallbacks();
  if (leaving_) result_.leaving = result_.place.has_value();
}

/// The preferred pool has a placement, but the job would wait there.
void RuleEvaluation::evaluate_spill(std::size_t wanted) {
  const Estimate stay = decision_.top.front().estimate;
  const FailbackState* state = query_.request.failback;
  if (stay.start_s <= 0 && (state == nullptr || !state->leaving)) return;
  const PlacementResult kept = result_;
  primary_ = {stay, load_of(query_.fleet_state, result_.place->replica.value_or(no_index))};
  leaving_ = true;
  if (leave(wanted)) {
    decision_.primary = stay;
    decision_.fallback_reason = Reason::capacity;
  } else {
    result_ = kept;
  }
  result_.leaving = decision_.fallback_reason.has_value();
  leaving_ = false;
}

bool RuleEvaluation::leave(std::size_t wanted) {
  const Rule& rule = query_.rule;
  for (std::size_t step = wanted + 1; step < rule.pools.size(); ++step) {
    const auto pool = present(rule.pools[step]);
    if (!pool || evaluate_pool(*pool, Guard{})) continue;
    decision_.fallback_step = step_number(step);
    return true;
  }
  for (std::size_t step = 0; step < rule.fallbacks.size(); ++step) {
    const Fallback& fallback = rule.fallbacks[step];
    const auto& on = fallback.on;
    const bool meant = on.empty() || contains(on, Reason::capacity);
    if (!meant) continue;
    if (fallback.action != FallbackAction::go) return false;
    if (try_fallback(step)) return true;
  }
  return false;
}

bool RuleEvaluation::cheaper(const Estimate& leave) const {
  const Rule& rule = query_.rule;
  const auto cost = [&](const Estimate& one) {
    return cost_in_objective(*rule.spill, query_.policy.objective, one.start_s, one.finish_s,
                             one.energy_j, one.cost_usd);
  };
  if (!primary_->estimate.wait_known) return true;
  const FailbackState* state = query_.request.failback;
  return pays_to_leave(*rule.spill, state != nullptr && state->leaving, cost(primary_->estimate),
                       cost(leave));
}

std::optional<Reason> RuleEvaluation::impossible() const {
  // While a sticky fallback holds, the preferred pools were not tried.
  if (possible_ || result_.held) return std::nullopt;
  for (const auto& counts : excluded_) {
    const auto most = std::ranges::max_element(counts);
    if (*most > 0) return filters()[static_cast<std::size_t>(most - counts.begin())].reason;
  }
  return std::nullopt;
}

std::uint8_t RuleEvaluation::fallback_number(std::size_t step) const {
  return step_number(std::max<std::size_t>(1, query_.rule.pools.size()) + step);
}

void RuleEvaluation::run_fallbacks() {
  const Rule& rule = query_.rule;
  const Reason reason = *decision_.fallback_reason;
  for (std::size_t step = 0; step < rule.fallbacks.size(); ++step) {
    const Fallback& fallback = rule.fallbacks[step];
    const auto& on = fallback.on;
    if (!on.empty() && !contains(on, reason)) continue;
    if (fallback.action != FallbackAction::go) {
      decision_.fallback_step = fallback_number(step);
      asked_ = !on.empty();
      return end(fallback.action, fallback.max_wait);
    }
    if (try_fallback(step)) return;
  }
  end(query_.policy.default_action, Duration{0});
}

bool RuleEvaluation::below_floor(std::uint32_t pool) const {
  return floor_tier_ && query_.policy.pools[pool].tier > *floor_tier_;
}

bool RuleEvaluation::try_fallback(std::size_t step) {
  const Fallback& fallback = query_.rule.fallbacks[step];
  const auto pool = present(fallback.to);
  if (!pool || below_floor(*pool)) return false;
  if (fallback.change_precision) {
    // Declared by the policy: it applies whatever precisions the job was verified in.
    query_.precisions = {*fallback.change_precision};
    query_.none_accepted = false;
    query_.degraded = true;
  } else {
    accept_precisions(query_, query_.rule.precisions);
  }
  if (evaluate_pool(*pool, fallback.guard)) return false;
  decision_.fallback_step = fallback_number(step);
  if (fallback.change_precision) describe_change(*fallback.change_precision);
  return true;
}

void RuleEvaluation::describe_change(Precision to) {
  accept_precisions(query_, query_.rule.precisions);
  const Precision from = query_.precisions.empty() ? Precision::bf16 : query_.precisions.front();
  if (from != to) decision_.change = fmt::format("degraded {} -> {}", to_text(from), to_text(to));
}

void RuleEvaluation::end(FallbackAction action, Duration max_wait) {
  decision_.action = action == FallbackAction::queue ? Action::queue : Action::reject;
  result_.max_wait = action == FallbackAction::queue ? max_wait : Duration{0};
  // Waiting cannot remove a permanent reason, but another pool may have capacity in time. An
  // explicit fallback for this reason takes precedence.
  const bool passes = passing_ && (action == FallbackAction::queue || !asked_);
  if (passes && is_permanent(*decision_.fallback_reason)) decision_.fallback_reason = passing_;
}

std::optional<Reason> RuleEvaluation::evaluate_pool(std::uint32_t pool, const Guard& guard) {
  set_pool(query_, pool);
  scratch_.rows.size = 0;
  const bool draw = query_.rule.pick == Pick::p2c && query_.purpose == Purpose::request &&
                    query_.healthy;  // panic concerns the whole pool
  if (draw) gather_drawn(query_, estimator_, scratch_, random_);
  if (scratch_.rows.size == 0) gather(query_, estimator_, scratch_);
  const CandidateTable& rows = scratch_.rows;
  decision_.considered += static_cast<std::uint32_t>(rows.size);
  find_feasible(scratch_);
  const bool all_pass = scratch_.feasible.size() == rows.size;
  const Reason reason =
      all_pass && rows.size > 0 ? Reason::capacity : record_rejections(query_, scratch_, decision_);
  if (scratch_.feasible.empty()) {
    if (recorded_) record_rows(query_, scratch_);
    count_excluded();
    note_watts();
    if (!passing_ && rows.size > 0 && !is_permanent(reason)) passing_ = reason;
    return reason;
  }
  possible_ = true;
  apply_scorers(query_, scratch_);
  if (recorded_) record_rows(query_, scratch_);
  const std::size_t chosen = pick(query_.rule.pick, scratch_.scores, random_);
  const std::size_t row = scratch_.feasible[chosen];
  if (!passes_guard(guard, row)) {
    result_.guard_rejected = true;
    return Reason::policy;
  }
  record_top(query_, scratch_, chosen, decision_);
  place(row);
  return std::nullopt;
}

/// Counts candidates excluded for good, not by their state. A candidate excluded in a fallback's
/// precision does not count against the job.
void RuleEvaluation::count_excluded() {
  const std::uint32_t by_kind = kind_filters();
  for (std::size_t row = 0; row < scratch_.rows.size; ++row) {
    const std::uint32_t own = scratch_.rows.failed[row] & by_kind;
    if (own == 0) {
      possible_ = true;
      return;
    }
    ++excluded_[query_.degraded ? 1 : 0][static_cast<std::size_t>(std::countr_zero(own))];
  }
}

void RuleEvaluation::note_watts() {
  const std::uint32_t power = filters_of(Reason::power_cap);
  const CandidateTable& rows = scratch_.rows;
  for (std::size_t row = 0; row < rows.size; ++row) {
    if (rows.failed[row] == 0 || (rows.failed[row] & ~power) != 0) continue;
    result_.required_power_w =
        std::min(result_.required_power_w.value_or(rows.power_w[row]), rows.power_w[row]);
  }
}

/// Energy and dollars of requests are compared at equal fill: a request alone on a replica pays
/// for all of it, so an empty replica would seem more expensive than any full one.
bool RuleEvaluation::passes_guard(const Guard& guard, std::size_t row) const {
  const bool asked = guard.finish_ratio_max || guard.extra_cost_max || guard.extra_energy_max;
  if (!primary_ || !(asked || leaving_)) return true;
  const Estimate found = estimate_at(query_, scratch_, row, primary_->load);
  return guard_passes(guard, primary_->estimate, found) && (!leaving_ || cheaper(found));
}

/// The best candidate of the pool just evaluated, if only transient reasons rejected it.
std::optional<RuleEvaluation::Primary> RuleEvaluation::best_possible() const {
  const std::uint32_t permanent = permanent_filters();
  const CandidateTable& rows = scratch_.rows;
  std::size_t best = rows.size;
  for (std::size_t row = 0; row < rows.size; ++row) {
    if ((rows.failed[row] & permanent) != 0) continue;
    const auto key = [&](std::size_t each) {
      return std::pair(rows.finish_s[each], rows.run_s[each]);
    };
    if (best == rows.size || key(row) < key(best)) best = row;
  }
  if (best == rows.size) return std::nullopt;
  return Primary{estimate_of(rows, best), load_of(query_.fleet_state, rows.replica[best])};
}

void RuleEvaluation::add_others(const MultiHostGang& spread, Allocation& place) const {
  const FleetState& fleet_state = query_.fleet_state;
  for (std::size_t each = 1; each < spread.parts.size(); ++each) {
    const MultiHostGang::Part& part = spread.parts[each];
    place.others.push_back({fleet_state.groups()[part.group].host,
                            free_devices(fleet_state, part.group, part.devices)});
  }
}

void RuleEvaluation::place(std::size_t row) {
  const CandidateTable& rows = scratch_.rows;
  const PlacementKind& kind = scratch_.kinds[rows.kind[row]];
  Allocation place;
  place.group = rows.group[row];
  place.host = query_.fleet_state.groups()[place.group].host;
  place.precision = kind.precision.value_or(Precision::bf16);
  place.run_s = query_.purpose == Purpose::replica ? rows.warmup_s[row] : rows.run_s[row];
  place.wait_s = query_.purpose == Purpose::request ? rows.start_s[row] : 0;
  place.first_token_s = query_.purpose == Purpose::request ? rows.first_token_s[row] : 0;
  place.ratio = rows.ratio[row];
  place.expected = {kind.devices * rows.run_s[row], rows.energy_j[row], rows.cost_usd[row]};
  if (rows.replica[row] != no_index) {
    place.replica = rows.replica[row];
    // A batch shares the devices, which energy and cost already include.
    const ReplicaFacts& facts = query_.fleet_state.replicas()[*place.replica].facts;
    place.serving = {rows.power_w[row] / facts.batch_share, rows.prompt_w[row]};
    place.expected.device_s /= std::clamp(rows.load[row] + 1, 1.0, facts.batch_max);
  } else {
    place.devices = free_devices(query_.fleet_state, place.group, lead_devices(rows, row, kind));
    if (const MultiHostGang* spread = rows.multi_host_gang_of(row)) add_others(*spread, place);
    place.watts_each = rows.power_w[row] / kind.devices;
  }
  decision_.action = query_.purpose == Purpose::replica ? Action::start_replica : Action::assign;
  decision_.pool = query_.pool->name;
  decision_.target = decision_.top.front().target;
  result_.place = std::move(place);
}

}  // namespace drover::router
