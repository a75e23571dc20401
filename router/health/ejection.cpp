#include "router/health/ejection.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fleet/base/result.h"

namespace drover::router {
namespace {

// Equal shares differ by less than this from their mean.
constexpr double rounding = 1e-9;

constexpr std::array<std::string_view, detector_count> names = {"consecutive", "success_rate",
                                                                "failure_percentage"};

}  // namespace

std::string_view to_text(Detector detector) { return names[static_cast<std::size_t>(detector)]; }

EjectionRules in_fleet_time(EjectionRules rules, double speed) {
  for (double* span_s : {&rules.interval_s, &rules.base_s, &rules.max_s, &rules.jitter_s}) {
    *span_s *= speed;
  }
  return rules;
}

EjectionBook::EjectionBook(EjectionRules rules, Dice dice) : rules_(rules), dice_(dice) {}

void EjectionBook::enrol(const std::string& name, const std::string& pool, double capacity) {
  DROVER_REQUIRE(capacity > 0);
  const auto [known, added] = places_.try_emplace(name);
  Place& place = known->second;
  if (!added) add(place, -1);
  place.pool = pool;
  place.capacity = capacity;
  add(place, 1);
}

void EjectionBook::forget(const std::string& name) {
  const auto known = places_.find(name);
  if (known == places_.end()) return;
  for (const bool shadow : {false, true}) {
    ends_.erase({known->second.terms[shadow ? 1 : 0].ejection.until, name, shadow});
  }
  add(known->second, -1);
  places_.erase(known);
}

void EjectionBook::report(Instant now, const std::string& name, bool ok) {
  tick(now);
  const auto known = places_.find(name);
  // What ends while the place is ejected was begun before.
  if (known == places_.end() || known->second.terms[0].out) return;
  Place& place = known->second;
  if (interval_end_ == never) interval_end_ = saturating_add(now, from_seconds(rules_.interval_s));
  if (ok) {
    if (std::exchange(place.unproven, false)) place.failed = 0;
    ++place.passed;
    place.failures_in_a_row = 0;
    return;
  }
  ++place.failed;
  ++place.failures_in_a_row;
  if (rules_.consecutive > 0 && place.failures_in_a_row >= rules_.consecutive) {
    found(now, *known, Detector::consecutive);
  }
}

void EjectionBook::tick(Instant now) {
  while (next_deadline() <= now) {
    const bool interval_first = ends_.empty() || interval_end_ < std::get<0>(*ends_.begin());
    if (interval_first) {
      judge(interval_end_);
    } else {
      end_first();
    }
  }
}

Instant EjectionBook::next_deadline() const {
  return ends_.empty() ? interval_end_ : std::min(interval_end_, std::get<0>(*ends_.begin()));
}

bool EjectionBook::ejected(const std::string& name, Instant now) const {
  const auto known = places_.find(name);
  return known != places_.end() && now < known->second.terms[0].ejection.until;
}

std::vector<Ejection> EjectionBook::in_force() const {
  std::vector<Ejection> all;
  for (const auto& [until, name, shadow] : ends_) {
    all.push_back(places_.at(name).terms[shadow ? 1 : 0].ejection);
  }
  return all;
}

std::vector<EjectionChange> EjectionBook::take_changes() { return std::exchange(changes_, {}); }

const EjectionBook::Count& EjectionBook::count(Detector detector) const {
  return counts_[static_cast<std::size_t>(detector)];
}

// ---- Intervals ---------------------------------------------------------------------------------

void EjectionBook::judge(Instant at) {
  for (const auto& [pool, judged] : by_pool(rules_.success_rate.min_requests)) {
    judge_success_rate(at, judged);
  }
  if (rules_.failure_percentage.watched) {
    for (const auto& [pool, judged] : by_pool(rules_.failure_percentage.min_requests)) {
      judge_failure_percentage(at, judged);
    }
  }
  close_interval(at);
}

/// Places with enough requests, the worst first: where not all may be ejected, it is they who are.
std::map<std::string, std::vector<EjectionBook::Judged>> EjectionBook::by_pool(
    std::uint32_t min_requests) {
  std::map<std::string, std::vector<Judged>> pools;
  for (auto& entry : places_) {
    const Place& place = entry.second;
    const std::uint32_t requests = place.passed + place.failed;
    if (requests == 0 || requests < min_requests || place.terms[0].out) continue;
    pools[place.pool].push_back({static_cast<double>(place.passed) / requests, &entry});
  }
  for (auto& [pool, judged] : pools) {
    std::stable_sort(judged.begin(), judged.end(),
                     [](const Judged& a, const Judged& b) { return a.success < b.success; });
  }
  return pools;
}

void EjectionBook::judge_success_rate(Instant at, const std::vector<Judged>& judged) {
  if (judged.size() < std::max(1U, rules_.success_rate.min_hosts)) return;
  const auto count = static_cast<double>(judged.size());
  double mean = 0;
  for (const Judged& one : judged) mean += one.success / count;
  double variance = 0;
  for (const Judged& one : judged) variance += std::pow(one.success - mean, 2) / count;
  const double least = mean - rules_.success_rate.stdev_factor * std::sqrt(variance) - rounding;
  for (const Judged& one : judged) {
    if (one.success < least) found(at, *one.place, Detector::success_rate);
  }
}

void EjectionBook::judge_failure_percentage(Instant at, const std::vector<Judged>& judged) {
  if (judged.size() < rules_.failure_percentage.min_hosts) return;
  for (const Judged& one : judged) {
    const double failed_percent = 100 * (1 - one.success);
    if (failed_percent + rounding < rules_.failure_percentage.threshold) continue;
    found(at, *one.place, Detector::failure_percentage);
  }
}

void EjectionBook::close_interval(Instant at) {
  const Instant began = at - from_seconds(rules_.interval_s);
  bool trusted = true;
  for (auto& [name, place] : places_) {
    place.passed = place.failed = 0;
    for (Term& term : place.terms) {
      if (term.times > 0 && term.ejection.until <= began) --term.times;
      trusted = trusted && term.times == 0;
    }
  }
  // With nothing held against anybody the next report begins the next interval.
  interval_end_ = trusted ? never : saturating_add(at, from_seconds(rules_.interval_s));
}

// ---- Ejections ---------------------------------------------------------------------------------

void EjectionBook::found(Instant at, Places::value_type& entry, Detector detector) {
  Place& place = entry.second;
  const double percent = rules_.enforce[static_cast<std::size_t>(detector)];
  const bool by_chance = percent > 0 && percent < 100;
  const bool shadow = rules_.shadow || percent <= 0 || (by_chance && !dice_.chance(percent / 100));
  if (place.terms[shadow ? 1 : 0].out) {
    place.failures_in_a_row = 0;  // found already: by the next row chance decides again
  } else if (has_room(place, shadow)) {
    begin(at, entry, detector, shadow);
  }
}

bool EjectionBook::has_room(const Place& place, bool shadow) const {
  const Pool& pool = pools_.at(place.pool);
  if (pool.places < rules_.min_hosts) return false;
  // A shadow would have found out what is really out, and what other shadows took.
  const std::int64_t out = pool.places_out[0] + (shadow ? pool.places_out[1] : 0);
  if (out == 0) return true;
  const double capacity_out =
      pool.capacity_out[0] + (shadow ? pool.capacity_out[1] : 0) + place.capacity;
  return capacity_out <= rules_.max_percent / 100 * pool.capacity + rounding;
}

void EjectionBook::begin(Instant at, Places::value_type& entry, Detector detector, bool shadow) {
  Place& place = entry.second;
  Term& term = place.terms[shadow ? 1 : 0];
  // What lengthens the ejection no more would only delay that trust returns.
  if (term.times == 0 || rules_.base_s * term.times < rules_.max_s) ++term.times;
  const double longest_s = std::max(rules_.base_s, rules_.max_s);
  double length_s = std::min(rules_.base_s * term.times, longest_s);
  if (rules_.jitter_s > 0) length_s += dice_.uniform(0, rules_.jitter_s);
  term.ejection = {entry.first, detector, at, saturating_add(at, from_seconds(length_s)),
                   term.times,  shadow};
  set_out(place, term, true);
  ends_.emplace(term.ejection.until, entry.first, shadow);
  changes_.push_back({term.ejection, false});
  Count& count = counts_[static_cast<std::size_t>(detector)];
  ++(shadow ? count.shadow : count.enforced);
  place.failures_in_a_row = 0;
  if (!shadow) place.passed = place.failed = 0;
}

void EjectionBook::end_first() {
  const auto [until, name, shadow] = *ends_.begin();
  ends_.erase(ends_.begin());
  Place& place = places_.at(name);
  Term& term = place.terms[shadow ? 1 : 0];
  set_out(place, term, false);
  changes_.push_back({term.ejection, true});
  if (!shadow) place.unproven = true;
}

void EjectionBook::set_out(Place& place, Term& term, bool out) {
  add(place, -1);
  term.out = out;
  add(place, 1);
}

void EjectionBook::add(const Place& place, int sign) {
  Pool& pool = pools_[place.pool];
  pool.capacity += sign * place.capacity;
  pool.places += sign;
  for (std::size_t kind = 0; kind < place.terms.size(); ++kind) {
    if (!place.terms[kind].out) continue;
    pool.capacity_out[kind] += sign * place.capacity;
    pool.places_out[kind] += sign;
  }
  if (pool.places == 0) pools_.erase(place.pool);
}

}  // namespace drover::router
