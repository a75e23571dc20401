#include "router/decision/decide_walk.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "fleet/base/text.h"
#include "router/decision/criteria.h"
#include "router/decision/decide_pick.h"
#include "router/decision/decide_record.h"

namespace drover::router {
namespace {

bool guard_passes(const Guard& guard, const Estimate& primary, const Estimate& found) {
  const auto within = [](const std::optional<double>& factor, double value, double base) {
    return !factor || value <= *factor * base;
  };
  const auto more = [](const std::optional<double>& extra) {
    return extra ? std::optional<double>(1 + *extra) : std::nullopt;
  };
  // A wait without an end that anybody knows is longer than any other.
  const bool soon =
      !primary.wait_known || within(guard.finish_ratio_max, found.finish_s, primary.finish_s);
  return soon && within(more(guard.extra_cost_max), found.cost_usd, primary.cost_usd) &&
         within(more(guard.extra_energy_max), found.energy_j, primary.energy_j);
}

std::uint8_t step_number(std::size_t step) {
  return static_cast<std::uint8_t>(std::min<std::size_t>(step, 255));
}

int lead_devices(const Standings& rows, std::size_t row, const PlaceKind& kind) {
  const Spread* spread = rows.spread_of(row);
  return spread == nullptr ? kind.devices : spread->parts.front().devices;
}

/// Waiting alone would help: then it may cost more than leaving.
bool waits_only(Reason reason) { return reason == Reason::capacity || reason == Reason::queue_slo; }

}  // namespace

void Walk::run() {
  const Hold hold = question_.purpose == Purpose::replica
                        ? Hold::none
                        : hold_of(question_.rule, question_.ask.route, question_.now);
  if (hold == Hold::held && follow_route()) return;
  ask_pools();
  verdict_.probe =
      hold == Hold::probe && decision_.action == Action::assign && !decision_.fallback_reason;
}

/// Where the sticky fallback leads; false when there is nothing, and no floor to wait for.
bool Walk::follow_route() {
  const Rule& rule = question_.rule;
  const RouteState& route = *question_.ask.route;
  const Failback& failback = rule.fallbacks[*route.fallback].failback;
  const Verdict before = verdict_;
  const std::size_t recorded = scratch_.record.size();
  measure_wanted();
  decision_.fallback_reason = route.reason;
  const Pool* floor = question_.policy.find_pool(failback.floor);
  if (floor != nullptr) floor_tier_ = floor->tier;
  run_fallbacks();
  verdict_.held = true;
  if (verdict_.place || floor_tier_) {
    const Instant asks_again = saturating_add(route.fell_back, failback.after);
    decision_.change += fmt::format("{}asks {} again in {:.0f} s at the latest",
                                    decision_.change.empty() ? "" : "; ", decision_.wanted_pool,
                                    to_seconds(asks_again - question_.now));
    return true;
  }
  // As if it had not been asked: its places will be, in their turn.
  verdict_ = before;
  scratch_.record.resize(recorded);
  primary_.reset();
  asked_ = false;
  return false;
}

/// What the wanted pool could have done: guards compare with it while it is not asked, too.
void Walk::measure_wanted() {
  accept_precisions(question_, question_.rule.precisions);
  for (const std::string& name : question_.rule.pools) {
    const auto pool = present(name);
    if (!pool) continue;
    ask_pool(question_, *pool);
    gather(question_, estimator_, scratch_);
    primary_ = best_possible();
    if (primary_) decision_.primary = primary_->estimate;
    decision_.wanted_pool = name;
    return;
  }
}

std::optional<std::uint32_t> Walk::present(const std::string& name) {
  const auto pool = question_.policy.pool_index(name);
  if (pool && question_.roster.pool_has_groups(*pool)) return pool;
  std::vector<std::string>& absent = decision_.absent_pools;
  if (std::find(absent.begin(), absent.end(), name) == absent.end()) absent.push_back(name);
  return std::nullopt;
}

void Walk::ask_pools() {
  const Rule& rule = question_.rule;
  accept_precisions(question_, rule.precisions);
  bool wanted = true;
  for (std::size_t step = 0; step < rule.pools.size(); ++step) {
    const auto pool = present(rule.pools[step]);
    if (!pool) continue;
    const bool first = std::exchange(wanted, false);
    if (first) decision_.wanted_pool = rule.pools[step];
    const auto reason = look(*pool, Guard{});
    if (!reason) {
      if (!first) decision_.fallback_step = step_number(step);
      if (first && rule.spill) consider_leaving(step);
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
  if (leaving_) verdict_.leaving = verdict_.place.has_value();
}

/// The wanted pool has a place, but the job would wait there.
void Walk::consider_leaving(std::size_t wanted) {
  const Estimate stay = decision_.top.front().estimate;
  const RouteState* route = question_.ask.route;
  if (stay.start_s <= 0 && (route == nullptr || !route->leaving)) return;
  const Verdict kept = verdict_;
  primary_ = {stay, fill_of(question_.roster, verdict_.place->replica.value_or(nowhere))};
  leaving_ = true;
  if (leave(wanted)) {
    decision_.primary = stay;
    decision_.fallback_reason = Reason::capacity;
  } else {
    verdict_ = kept;
  }
  verdict_.leaving = decision_.fallback_reason.has_value();
  leaving_ = false;
}

bool Walk::leave(std::size_t wanted) {
  const Rule& rule = question_.rule;
  for (std::size_t step = wanted + 1; step < rule.pools.size(); ++step) {
    const auto pool = present(rule.pools[step]);
    if (!pool || look(*pool, Guard{})) continue;
    decision_.fallback_step = step_number(step);
    return true;
  }
  for (std::size_t step = 0; step < rule.fallbacks.size(); ++step) {
    const Fallback& fallback = rule.fallbacks[step];
    const auto& on = fallback.on;
    const bool meant = on.empty() || std::find(on.begin(), on.end(), Reason::capacity) != on.end();
    if (!meant) continue;
    if (fallback.action != FallbackAction::go) return false;
    if (try_fallback(step)) return true;
  }
  return false;
}

bool Walk::cheaper(const Estimate& leave) const {
  const Rule& rule = question_.rule;
  const auto cost = [&](const Estimate& one) {
    return cost_in_objective(*rule.spill, question_.policy.objective, one.start_s, one.finish_s,
                             one.energy_j, one.cost_usd);
  };
  if (!primary_->estimate.wait_known) return true;
  const RouteState* route = question_.ask.route;
  return pays_to_leave(*rule.spill, route != nullptr && route->leaving, cost(primary_->estimate),
                       cost(leave));
}

std::optional<Reason> Walk::impossible() const {
  // Where a sticky fallback holds, the wanted pools have not been asked.
  if (possible_ || verdict_.held) return std::nullopt;
  for (const auto& counts : excluded_) {
    const auto most = std::max_element(counts.begin(), counts.end());
    if (*most > 0) return filters()[static_cast<std::size_t>(most - counts.begin())].reason;
  }
  return std::nullopt;
}

std::uint8_t Walk::fallback_number(std::size_t step) const {
  return step_number(std::max<std::size_t>(1, question_.rule.pools.size()) + step);
}

void Walk::run_fallbacks() {
  const Rule& rule = question_.rule;
  const Reason reason = *decision_.fallback_reason;
  for (std::size_t step = 0; step < rule.fallbacks.size(); ++step) {
    const Fallback& fallback = rule.fallbacks[step];
    const auto& on = fallback.on;
    if (!on.empty() && std::find(on.begin(), on.end(), reason) == on.end()) continue;
    if (fallback.action != FallbackAction::go) {
      decision_.fallback_step = fallback_number(step);
      asked_ = !on.empty();
      return end(fallback.action, fallback.max_wait);
    }
    if (try_fallback(step)) return;
  }
  end(question_.policy.default_action, Duration{0});
}

bool Walk::below_floor(std::uint32_t pool) const {
  return floor_tier_ && question_.policy.pools[pool].tier > *floor_tier_;
}

bool Walk::try_fallback(std::size_t step) {
  const Fallback& fallback = question_.rule.fallbacks[step];
  const auto pool = present(fallback.to);
  if (!pool || below_floor(*pool)) return false;
  if (fallback.change_precision) {
    // Declared: it holds whatever the job was verified in.
    question_.precisions = {*fallback.change_precision};
    question_.none_accepted = false;
    question_.degraded = true;
  } else {
    accept_precisions(question_, question_.rule.precisions);
  }
  if (look(*pool, fallback.guard)) return false;
  decision_.fallback_step = fallback_number(step);
  if (fallback.change_precision) describe_change(*fallback.change_precision);
  return true;
}

void Walk::describe_change(Precision to) {
  accept_precisions(question_, question_.rule.precisions);
  const Precision from =
      question_.precisions.empty() ? Precision::bf16 : question_.precisions.front();
  if (from != to) decision_.change = fmt::format("degraded {} -> {}", to_text(from), to_text(to));
}

void Walk::end(FallbackAction action, Duration max_wait) {
  decision_.action = action == FallbackAction::queue ? Action::queue : Action::reject;
  verdict_.max_wait = action == FallbackAction::queue ? max_wait : Duration{0};
  // What never changes is nothing to wait for, where another pool may have room in time.
  // A rule that says what follows from this very reason is taken at its word.
  const bool passes = passing_ && (action == FallbackAction::queue || !asked_);
  if (passes && is_permanent(*decision_.fallback_reason)) decision_.fallback_reason = passing_;
}

std::optional<Reason> Walk::look(std::uint32_t pool, const Guard& guard) {
  ask_pool(question_, pool);
  scratch_.rows.size = 0;
  const bool draw = question_.rule.pick == Pick::p2c && question_.purpose == Purpose::request &&
                    question_.healthy;  // panic is a matter of the whole pool
  if (draw) gather_drawn(question_, estimator_, scratch_, dice_);
  if (scratch_.rows.size == 0) gather(question_, estimator_, scratch_);
  const Standings& rows = scratch_.rows;
  decision_.considered += static_cast<std::uint32_t>(rows.size);
  find_feasible(scratch_);
  const bool all_pass = scratch_.feasible.size() == rows.size;
  const Reason reason = all_pass && rows.size > 0
                            ? Reason::capacity
                            : record_rejections(question_, scratch_, decision_);
  if (scratch_.feasible.empty()) {
    if (recorded_) record_rows(question_, scratch_);
    count_excluded();
    note_watts();
    if (!passing_ && rows.size > 0 && !is_permanent(reason)) passing_ = reason;
    return reason;
  }
  possible_ = true;
  apply_scorers(question_, scratch_);
  if (recorded_) record_rows(question_, scratch_);
  const std::size_t chosen = pick(question_.rule.pick, scratch_.scores, dice_);
  const std::size_t row = scratch_.feasible[chosen];
  if (!fair(guard, row)) {
    verdict_.unfair = true;
    return Reason::policy;
  }
  record_top(question_, scratch_, chosen, decision_);
  place(row);
  return std::nullopt;
}

/// What is excluded by what it is, not by the state that it is in. What excludes a place in a
/// fallback's precision is no reason of the job's.
void Walk::count_excluded() {
  const std::uint32_t by_kind = kind_filters();
  for (std::size_t row = 0; row < scratch_.rows.size; ++row) {
    const std::uint32_t own = scratch_.rows.failed[row] & by_kind;
    if (own == 0) {
      possible_ = true;
      return;
    }
    ++excluded_[question_.degraded ? 1 : 0][static_cast<std::size_t>(std::countr_zero(own))];
  }
}

void Walk::note_watts() {
  const std::uint32_t power = filters_of(Reason::power_cap);
  const Standings& rows = scratch_.rows;
  for (std::size_t row = 0; row < rows.size; ++row) {
    if (rows.failed[row] == 0 || (rows.failed[row] & ~power) != 0) continue;
    verdict_.wants_w = std::min(verdict_.wants_w.value_or(rows.power_w[row]), rows.power_w[row]);
  }
}

/// Energy and dollars of requests are compared at equal fill: who is alone on a replica pays for
/// all of it, so an empty place would seem dearer than any full one.
bool Walk::fair(const Guard& guard, std::size_t row) const {
  const bool asked = guard.finish_ratio_max || guard.extra_cost_max || guard.extra_energy_max;
  if (!primary_ || !(asked || leaving_)) return true;
  const Estimate found = estimate_at(question_, scratch_, row, primary_->fill);
  return guard_passes(guard, primary_->estimate, found) && (!leaving_ || cheaper(found));
}

/// The best that the pool just looked at could have done, had it nothing against the job but what
/// passes by itself.
std::optional<Walk::Primary> Walk::best_possible() const {
  const std::uint32_t permanent = permanent_filters();
  const Standings& rows = scratch_.rows;
  std::size_t best = rows.size;
  for (std::size_t row = 0; row < rows.size; ++row) {
    if ((rows.failed[row] & permanent) != 0) continue;
    const auto key = [&](std::size_t each) {
      return std::pair(rows.finish_s[each], rows.run_s[each]);
    };
    if (best == rows.size || key(row) < key(best)) best = row;
  }
  if (best == rows.size) return std::nullopt;
  return Primary{estimate_of(rows, best), fill_of(question_.roster, rows.replica[best])};
}

void Walk::add_others(const Spread& spread, Place& place) const {
  const Roster& roster = question_.roster;
  for (std::size_t each = 1; each < spread.parts.size(); ++each) {
    const Spread::Part& part = spread.parts[each];
    place.others.push_back({roster.groups()[part.group].host, part.group,
                            free_devices(roster, part.group, part.devices)});
  }
}

void Walk::place(std::size_t row) {
  const Standings& rows = scratch_.rows;
  const PlaceKind& kind = scratch_.kinds[rows.kind[row]];
  Place place;
  place.group = rows.group[row];
  place.host = question_.roster.groups()[place.group].host;
  place.precision = kind.precision.value_or(Precision::bf16);
  place.run_s = question_.purpose == Purpose::replica ? rows.warmup_s[row] : rows.run_s[row];
  place.wait_s = question_.purpose == Purpose::request ? rows.start_s[row] : 0;
  place.first_token_s = question_.purpose == Purpose::request ? rows.first_token_s[row] : 0;
  place.ratio = rows.ratio[row];
  place.expected = {kind.devices * rows.run_s[row], rows.energy_j[row], rows.cost_usd[row]};
  if (rows.replica[row] != nowhere) {
    place.replica = rows.replica[row];
    // A batch shares the devices, as energy and cost have it already.
    const ReplicaFacts& facts = question_.roster.replicas()[*place.replica].facts;
    place.serving = {rows.power_w[row] / facts.batch_share, rows.prompt_w[row]};
    place.expected.device_s /= std::clamp(rows.load[row] + 1, 1.0, facts.batch_max);
  } else {
    place.devices = free_devices(question_.roster, place.group, lead_devices(rows, row, kind));
    if (const Spread* spread = rows.spread_of(row)) add_others(*spread, place);
    place.watts_each = rows.power_w[row] / kind.devices;
  }
  decision_.action = question_.purpose == Purpose::replica ? Action::start_replica : Action::assign;
  decision_.pool = question_.pool->name;
  decision_.target = decision_.top.front().target;
  verdict_.place = std::move(place);
}

}  // namespace drover::router
