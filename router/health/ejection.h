// Outlier ejection: a place whose work fails is left alone for a while. Envoy's detectors and its
// back-off (docs: arch_overview/upstream/outlier) as a state machine that is told what came of
// attempts.
//
//   consecutive         so many failures in a row
//   success_rate        at the end of an interval: below mean - stdev_factor * deviation of the
//   pool failure_percentage  at the end of an interval: at least this share of its requests failed
//
// An ejection lasts base_s times the number of ejections so far, at most max_s; that number goes
// down by one with every interval throughout which the place was not ejected. Each detector can be
// a shadow: it says what it would have done, and ejects nothing.
//
// A place is a name. Its pool is the places that can stand in for it; of a pool's capacity only a
// share is ejected at once, but one place always may be. A pool of one place is therefore protected
// as well, and no pool stays empty: every ejection ends by itself.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "fleet/base/dice.h"
#include "fleet/base/time.h"

namespace drover::router {

enum class Detector : std::uint8_t { consecutive, success_rate, failure_percentage };
inline constexpr std::size_t detector_count = 3;
std::string_view to_text(Detector detector);

/// The defaults are Envoy's.
struct EjectionRules {
  struct SuccessRate {
    double stdev_factor = 1.9;
    std::uint32_t min_hosts = 5;  // places with min_requests in the interval, to compare with
    std::uint32_t min_requests = 100;
  };
  struct FailurePercentage {
    bool watched = false;
    double threshold = 85;  // percent
    std::uint32_t min_hosts = 5;
    std::uint32_t min_requests = 50;
  };
  std::uint32_t consecutive = 5;  // 0: this detector is off
  double interval_s = 10;
  double base_s = 30;
  double max_s = 300;
  double jitter_s = 0;          // up to so much more, so that places do not return together
  double max_percent = 10;      // of the pool's capacity
  std::uint32_t min_hosts = 1;  // pools with fewer places are left alone
  SuccessRate success_rate;
  FailurePercentage failure_percentage;
  /// By detector: the percent of its findings that eject; the others are shadows.
  std::array<double, detector_count> enforce = {100, 100, 100};
  bool shadow = false;  // all of them
};

struct Ejection {
  std::string place;
  Detector detector = Detector::consecutive;
  Instant since{};
  Instant until{};
  std::uint32_t times = 1;  // how often by now, as far as it counts
  bool shadow = false;      // it would have been, and was not
};

/// An ejection that began, or one that ended.
struct EjectionChange {
  Ejection ejection;
  bool ended = false;
};

/// The same rules where seconds are of fleet time, which passes at this speed.
EjectionRules in_fleet_time(EjectionRules rules, double speed);

class EjectionBook {
 public:
  EjectionBook(EjectionRules rules, Dice dice);

  /// From now on; what is ejected stays so until its time.
  void set_rules(EjectionRules rules) { rules_ = rules; }

  /// The place exists, in this pool, with this capacity (> 0, in one unit for the pool). What is
  /// known of it stays when it is told again.
  void enrol(const std::string& place, const std::string& pool, double capacity);
  /// The place is gone for good, and with it whatever was held against it.
  void forget(const std::string& place);

  /// What came of one attempt there. Of a place that is ejected, or was never enrolled, it is no
  /// news. The first success after a return clears the failures since.
  void report(Instant now, const std::string& place, bool ok);
  void tick(Instant now);
  /// When something ends by itself; `never` when there is nothing to end.
  Instant next_deadline() const;

  bool ejected(const std::string& place, Instant now) const;
  /// In force, shadows included, in the order in which they end.
  std::vector<Ejection> in_force() const;
  /// What began and ended since this was last asked, in order.
  std::vector<EjectionChange> take_changes();

  struct Count {
    std::uint64_t enforced = 0;
    std::uint64_t shadow = 0;
  };
  const Count& count(Detector detector) const;

 private:
  /// One ejection after the other, enforced or shadow.
  struct Term {
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
  struct Place {
    std::string pool;
    double capacity = 0;
    std::uint32_t failures_in_a_row = 0;
    std::uint32_t passed = 0;  // in this interval
    std::uint32_t failed = 0;
    bool unproven = false;      // returned, and nothing has succeeded there since
    std::array<Term, 2> terms;  // enforced, shadow
  };
  using Places = std::map<std::string, Place>;
  struct Judged {
    double success;  // share of its requests
    Places::value_type* place;
  };

  void judge(Instant at);
  void judge_success_rate(Instant at, const std::vector<Judged>& judged);
  void judge_failure_percentage(Instant at, const std::vector<Judged>& judged);
  std::map<std::string, std::vector<Judged>> by_pool(std::uint32_t min_requests);
  void close_interval(Instant at);
  void found(Instant at, Places::value_type& place, Detector detector);
  bool has_room(const Place& place, bool shadow) const;
  void begin(Instant at, Places::value_type& place, Detector detector, bool shadow);
  void end_first();
  /// Into the sums of its pool, or, with -1, out of them.
  void add(const Place& place, int sign);
  void set_out(Place& place, Term& term, bool out);

  EjectionRules rules_;
  Dice dice_;
  Places places_;
  std::map<std::string, Pool> pools_;
  std::set<std::tuple<Instant, std::string, bool>> ends_;  // until, place, shadow
  Instant interval_end_ = never;                           // none runs: nothing is counted
  std::vector<EjectionChange> changes_;
  std::array<Count, detector_count> counts_{};
};

}  // namespace drover::router
