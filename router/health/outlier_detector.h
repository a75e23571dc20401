// Outlier ejection: a place (replica or group) whose work fails gets no new work for a while.
// Envoy's detectors and back-off (docs: arch_overview/upstream/outlier) as a state machine fed
// with the results of attempts.
//
//   consecutive         a number of failures in a row
//   success_rate        at the end of an interval: below mean - stdev_factor * deviation of the
//   pool failure_percentage  at the end of an interval: at least this share of its requests failed
//
// An ejection lasts base_s times the number of ejections so far, at most max_s; that number
// decreases by one with every interval without ejection. Each detector can be a shadow: it reports
// what it would have done and ejects nothing.
//
// A place is a name. Its pool is the set of places that can replace it; only a share of a pool's
// capacity is ejected at once, but one place always may be. A pool of one place is therefore
// protected as well, and no pool stays empty: every ejection ends on its own.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "fleet/base/random_stream.h"
#include "fleet/base/time.h"

namespace drover::router {

enum class Detector : std::uint8_t { consecutive, success_rate, failure_percentage };
inline constexpr std::size_t detector_count = 3;
/// The name in a policy.
std::string_view to_text(Detector detector);
/// What it found, for messages.
std::string_view in_words(Detector detector);

/// The defaults are Envoy's.
struct EjectionRules {
  struct SuccessRate {
    double stdev_factor = 1.9;
    std::uint32_t min_hosts = 5;  // places with min_requests in the interval
    std::uint32_t min_requests = 100;
  };
  struct FailurePercentage {
    bool enabled = false;
    double threshold = 85;  // percent
    std::uint32_t min_hosts = 5;
    std::uint32_t min_requests = 50;
  };
  std::uint32_t consecutive = 5;  // 0: this detector is off
  double interval_s = 10;
  double base_s = 30;
  double max_s = 300;
  double jitter_s = 0;          // random extra time, so that places do not return together
  double max_percent = 10;      // of the pool's capacity
  std::uint32_t min_hosts = 1;  // pools with fewer places are left alone
  SuccessRate success_rate;
  FailurePercentage failure_percentage;
  /// By detector: the percentage of its findings that eject; the others are shadows.
  std::array<double, detector_count> enforce = {100, 100, 100};
  bool shadow = false;  // all findings are shadows
};

struct Ejection {
  std::string place;
  Detector detector = Detector::consecutive;
  Instant since{};
  Instant until{};
  std::uint32_t times = 1;  // number of ejections that counts for the back-off
  bool shadow = false;      // not enforced
};

/// An ejection that began, or one that ended.
struct EjectionChange {
  Ejection ejection;
  bool ended = false;
};

/// The rules with wall seconds converted to fleet time at this speed.
EjectionRules in_fleet_time(EjectionRules rules, double speed);

class OutlierDetector {
 public:
  OutlierDetector(EjectionRules rules, RandomStream random) : rules_(rules), random_(random) {}

  /// Sets the rules from now on; current ejections keep their end.
  void set_rules(EjectionRules rules) { rules_ = rules; }

  /// Adds a place to a pool with this capacity (> 0, in one unit per pool). Known state of the
  /// place is kept.
  void add_place(const std::string& place, const std::string& pool, double capacity);
  /// Removes the place and its history.
  void forget(const std::string& place);

  /// The result of one attempt there. Ignored for ejected and unknown places. The first success
  /// after a return clears the failures since.
  void report(Instant now, const std::string& place, bool ok);
  void tick(Instant now);
  /// The next time at which something ends; `never` when there is none.
  Instant next_deadline() const;

  bool ejected(const std::string& place, Instant now) const;
  /// Current ejections, shadows included, in order of their ends.
  std::vector<Ejection> in_force() const;
  /// Ejections that began or ended since the last call, in order.
  std::vector<EjectionChange> take_changes() { return std::exchange(changes_, {}); }

 private:
  /// The history of enforced or of shadow ejections.
  struct History {
    Ejection ejection;  // the last one
    std::uint32_t times = 0;
    bool out = false;
  };
  struct Pool {
    double capacity = 0;
    std::int64_t places = 0;
    std::array<double, 2> capacity_out{};  // enforced, shadow
    std::array<std::int64_t, 2> places_out{};
  };
  struct EjectionTarget {
    std::string pool;
    double capacity = 0;
    std::uint32_t failures_in_a_row = 0;
    std::uint32_t passed = 0;  // in this interval
    std::uint32_t failed = 0;
    bool unproven = false;             // returned, and nothing has succeeded there since
    std::array<History, 2> histories;  // enforced, shadow
  };
  using Places = std::map<std::string, EjectionTarget>;
  struct PlaceStats {
    double success;  // share of its requests
    Places::value_type* place;
  };

  void evaluate(Instant at);
  void evaluate_success_rate(Instant at, const std::vector<PlaceStats>& stats);
  void evaluate_failure_percentage(Instant at, const std::vector<PlaceStats>& stats);
  std::map<std::string, std::vector<PlaceStats>> by_pool(std::uint32_t min_requests);
  void close_interval(Instant at);
  void found(Instant at, Places::value_type& place, Detector detector);
  bool may_eject(const EjectionTarget& place, bool shadow) const;
  void begin(Instant at, Places::value_type& place, Detector detector, bool shadow);
  void end_first();
  /// Adds the place to the totals of its pool, or removes it with sign -1.
  void add(const EjectionTarget& place, int sign);
  void set_out(EjectionTarget& place, History& term, bool out);

  EjectionRules rules_;
  RandomStream random_;
  Places places_;
  std::map<std::string, Pool> pools_;
  std::set<std::tuple<Instant, std::string, bool>> ends_;  // until, place, shadow
  Instant interval_end_ = never;  // never: no interval runs, nothing is counted
  std::vector<EjectionChange> changes_;
};

/// How much weight a returned place gets: slow start as in Envoy
/// (arch_overview/upstream/load_balancing/slow_start), but only after a failure, as in HAProxy:
/// never at the router's own start, when all places are new and none has failed.
struct SlowStart {
  double window_s = 60;     // 0: off
  double min_weight = 0.1;  // right after the return
  double aggression = 1;    // 1: linear in time; above 1: faster at first
};

/// The factor for a place that returned `since_return` ago: max(min_weight, (t / window)^(1 /
/// aggression)), and 1 after the window. If its tier has only this place, no other can take its
/// load, so the factor is 1.
inline double slow_start_factor(const SlowStart& rules, Duration since_return,
                                std::size_t places_in_tier) {
  const double elapsed_s = std::max(0.0, to_seconds(since_return));
  if (places_in_tier <= 1 || elapsed_s >= rules.window_s) return 1;
  return std::max(rules.min_weight, std::pow(elapsed_s / rules.window_s, 1 / rules.aggression));
}

}  // namespace drover::router
