#include "router/health/outlier_detector.h"

#include "fleet/base/enum_tables.h"
#include "fleet/base/result.h"
#include "fleet/base/search.h"

namespace drover::router {
namespace {

// Equal shares differ from their mean by less than this.
constexpr double rounding = 1e-9;

constexpr std::array<std::string_view, detector_count> detector_names = {
    "consecutive", "success_rate", "failure_percentage"};
constexpr std::array<std::string_view, detector_count> detector_words = {
    "failures in a row", "low success rate", "high failure percentage"};

}  // namespace

std::string_view to_text(Detector detector) { return row_at(detector_names, detector); }
std::string_view in_words(Detector detector) { return row_at(detector_words, detector); }

EjectionRules in_fleet_time(EjectionRules rules, double speed) {
  for (double* span_s : {&rules.interval_s, &rules.base_s, &rules.max_s, &rules.jitter_s}) {
    *span_s *= speed;
  }
  return rules;
}

void OutlierDetector::add_place(const std::string& name, const std::string& pool, double capacity) {
  DROVER_REQUIRE(capacity > 0);
  const auto [known, added] = places_.try_emplace(name);
  EjectionTarget& place = known->second;
  if (!added) add(place, -1);
  place.pool = pool;
  place.capacity = capacity;
  add(place, 1);
}

void OutlierDetector::forget(const std::string& name) {
  const auto known = places_.find(name);
  if (known == places_.end()) return;
  for (const bool shadow : {false, true}) {
    ends_.erase({known->second.histories[shadow ? 1 : 0].ejection.until, name, shadow});
  }
  add(known->second, -1);
  places_.erase(known);
}

void OutlierDetector::report(Instant now, const std::string& name, bool ok) {
  tick(now);
  const auto known = places_.find(name);
  // Work that ends while the place is ejected was started before.
  if (known == places_.end() || known->second.histories[0].out) return;
  EjectionTarget& place = known->second;
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

void OutlierDetector::tick(Instant now) {
  while (next_deadline() <= now) {
    const bool interval_first = ends_.empty() || interval_end_ < std::get<0>(*ends_.begin());
    if (interval_first) {
      evaluate(interval_end_);
    } else {
      end_first();
    }
  }
}

Instant OutlierDetector::next_deadline() const {
  return ends_.empty() ? interval_end_ : std::min(interval_end_, std::get<0>(*ends_.begin()));
}

bool OutlierDetector::ejected(const std::string& name, Instant now) const {
  const EjectionTarget* place = find_in(places_, name);
  return place != nullptr && now < place->histories[0].ejection.until;
}

std::vector<Ejection> OutlierDetector::in_force() const {
  std::vector<Ejection> all;
  for (const auto& [until, name, shadow] : ends_) {
    all.push_back(places_.at(name).histories[shadow ? 1 : 0].ejection);
  }
  return all;
}

// Intervals.

void OutlierDetector::evaluate(Instant at) {
  for (const auto& [pool, stats] : by_pool(rules_.success_rate.min_requests)) {
    evaluate_success_rate(at, stats);
  }
  if (rules_.failure_percentage.enabled) {
    for (const auto& [pool, stats] : by_pool(rules_.failure_percentage.min_requests)) {
      evaluate_failure_percentage(at, stats);
    }
  }
  close_interval(at);
}

/// Places with enough requests, the worst first, so that they are ejected if not all may be.
std::map<std::string, std::vector<OutlierDetector::PlaceStats>> OutlierDetector::by_pool(
    std::uint32_t min_requests) {
  std::map<std::string, std::vector<PlaceStats>> pools;
  for (auto& entry : places_) {
    const EjectionTarget& place = entry.second;
    const std::uint32_t requests = place.passed + place.failed;
    if (requests == 0 || requests < min_requests || place.histories[0].out) continue;
    pools[place.pool].push_back({static_cast<double>(place.passed) / requests, &entry});
  }
  for (auto& [pool, stats] : pools) {
    std::ranges::stable_sort(
        stats, [](const PlaceStats& a, const PlaceStats& b) { return a.success < b.success; });
  }
  return pools;
}

void OutlierDetector::evaluate_success_rate(Instant at, const std::vector<PlaceStats>& stats) {
  if (stats.size() < std::max(1U, rules_.success_rate.min_hosts)) return;
  const auto count = static_cast<double>(stats.size());
  double mean = 0;
  for (const PlaceStats& one : stats) mean += one.success / count;
  double variance = 0;
  for (const PlaceStats& one : stats) variance += std::pow(one.success - mean, 2) / count;
  const double least = mean - rules_.success_rate.stdev_factor * std::sqrt(variance) - rounding;
  for (const PlaceStats& one : stats) {
    if (one.success < least) found(at, *one.place, Detector::success_rate);
  }
}

void OutlierDetector::evaluate_failure_percentage(Instant at,
                                                  const std::vector<PlaceStats>& stats) {
  if (stats.size() < rules_.failure_percentage.min_hosts) return;
  for (const PlaceStats& one : stats) {
    const double failed_percent = 100 * (1 - one.success);
    if (failed_percent + rounding < rules_.failure_percentage.threshold) continue;
    found(at, *one.place, Detector::failure_percentage);
  }
}

void OutlierDetector::close_interval(Instant at) {
  const Instant began = at - from_seconds(rules_.interval_s);
  bool no_failures = true;
  for (auto& [name, place] : places_) {
    place.passed = place.failed = 0;
    for (History& history : place.histories) {
      if (history.times > 0 && history.ejection.until <= began) --history.times;
      no_failures = no_failures && history.times == 0;
    }
  }
  // If no place has failures, the next report starts the next interval.
  interval_end_ = no_failures ? never : saturating_add(at, from_seconds(rules_.interval_s));
}

// Ejections.

void OutlierDetector::found(Instant at, Places::value_type& entry, Detector detector) {
  EjectionTarget& place = entry.second;
  const double percent = rules_.enforce[static_cast<std::size_t>(detector)];
  const bool by_chance = percent > 0 && percent < 100;
  const bool shadow =
      rules_.shadow || percent <= 0 || (by_chance && !random_.chance(percent / 100));
  if (place.histories[shadow ? 1 : 0].out) {
    place.failures_in_a_row = 0;  // reported; the next row of failures is drawn again
  } else if (may_eject(place, shadow)) {
    begin(at, entry, detector, shadow);
  }
}

bool OutlierDetector::may_eject(const EjectionTarget& place, bool shadow) const {
  const Pool& pool = pools_.at(place.pool);
  if (pool.places < rules_.min_hosts) return false;
  // A shadow counts real ejections and those of other shadows.
  const std::int64_t out = pool.places_out[0] + (shadow ? pool.places_out[1] : 0);
  if (out == 0) return true;
  const double capacity_out =
      pool.capacity_out[0] + (shadow ? pool.capacity_out[1] : 0) + place.capacity;
  return capacity_out <= rules_.max_percent / 100 * pool.capacity + rounding;
}

void OutlierDetector::begin(Instant at, Places::value_type& entry, Detector detector, bool shadow) {
  EjectionTarget& place = entry.second;
  History& history = place.histories[shadow ? 1 : 0];
  // At the longest ejection the count stays, so that it recovers sooner.
  if (history.times == 0 || rules_.base_s * history.times < rules_.max_s) ++history.times;
  const double longest_s = std::max(rules_.base_s, rules_.max_s);
  double length_s = std::min(rules_.base_s * history.times, longest_s);
  if (rules_.jitter_s > 0) length_s += random_.uniform(0, rules_.jitter_s);
  history.ejection = {entry.first,   detector, at, saturating_add(at, from_seconds(length_s)),
                      history.times, shadow};
  set_out(place, history, true);
  ends_.emplace(history.ejection.until, entry.first, shadow);
  changes_.push_back({history.ejection, false});
  place.failures_in_a_row = 0;
  if (!shadow) place.passed = place.failed = 0;
}

void OutlierDetector::end_first() {
  const auto [until, name, shadow] = *ends_.begin();
  ends_.erase(ends_.begin());
  EjectionTarget& place = places_.at(name);
  History& history = place.histories[shadow ? 1 : 0];
  set_out(place, history, false);
  changes_.push_back({history.ejection, true});
  if (!shadow) place.unproven = true;
}

void OutlierDetector::set_out(EjectionTarget& place, History& history, bool out) {
  add(place, -1);
  history.out = out;
  add(place, 1);
}

void OutlierDetector::add(const EjectionTarget& place, int sign) {
  Pool& pool = pools_[place.pool];
  pool.capacity += sign * place.capacity;
  pool.places += sign;
  for (std::size_t kind = 0; kind < place.histories.size(); ++kind) {
    if (!place.histories[kind].out) continue;
    pool.capacity_out[kind] += sign * place.capacity;
    pool.places_out[kind] += sign;
  }
  if (pool.places == 0) pools_.erase(place.pool);
}

}  // namespace drover::router
