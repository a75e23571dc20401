// What rows of replicas and rows of groups have in common: their kinds, what surrounds them, and
// how their devices are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "router/decision/decide_candidates.h"

namespace drover::router {

/// Decisions in one pool see few kinds, mostly the last one again.
class Kinds {
 public:
  Kinds(const Question& question, Estimator& estimator, DecisionScratch& scratch)
      : question_(question), estimator_(estimator), list_(scratch.kinds) {}

  std::uint16_t of_replica(const devices::DeviceSpec* spec, Precision precision, int devices) {
    const auto same = [&](const PlaceKind& kind) {
      return kind.spec == spec && kind.devices == devices && kind.precision == precision;
    };
    if (last_ < list_.size() && same(list_[last_])) return last_;
    for (last_ = 0; last_ < list_.size(); ++last_) {
      if (same(list_[last_])) return last_;
    }
    return add_replica(spec, precision, devices);
  }
  std::uint16_t of_group(const GroupEntry& group);
  /// A gang over hosts, of which none holds more devices than `per_host`.
  std::uint16_t of_spread(const devices::DeviceSpec* spec, int per_host);

 private:
  std::uint16_t add_replica(const devices::DeviceSpec* spec, Precision precision, int devices);
  PlaceKind& add(const devices::DeviceSpec* spec);
  std::uint16_t finish(PlaceKind& kind);

  const Question& question_;
  Estimator& estimator_;
  std::vector<PlaceKind>& list_;
  std::uint16_t last_ = 0;
};

/// What the places of one group share.
struct Surroundings {
  GroupIndex index = nowhere;
  const GroupEntry* group = nullptr;
  const HostEntry* host = nullptr;
  bool in_pool = false;
  double ratio = 1;  // learnt
};

inline Surroundings look_around(const Question& question, GroupIndex index,
                                const std::vector<double>* ratios) {
  const GroupEntry& group = question.roster.groups()[index];
  const bool learnt = ratios != nullptr && index < ratios->size();
  return {index, &group, &question.roster.hosts()[group.host], group.in_pool(question.pool_number),
          learnt ? (*ratios)[index] : 1.0};
}

/// The price of all devices of such a place.
inline double usd_per_h(const Question& question, const Surroundings& around,
                        const PlaceKind& kind) {
  const Prices& prices = question.pool->prices;
  const double each =
      usd_per_h(prices, around.host->term, kind.spec).value_or(kind.price_usd_per_h);
  return usd_per_h_there(each, around.host->price_factor) * kind.devices;
}

/// Takes the row for one of this group, no replica, of which nothing more is known yet.
void set_group(const Surroundings& around, const PlaceKind& kind, Standings& rows, std::size_t row);

/// Adds how long the busy devices of the group will be so: those that gangs hold, and that others
/// may have afterwards.
void add_waits(const Question& question, const GroupEntry& group, std::vector<std::int64_t>& waits);
/// Until so many of these are free, in seconds. Reorders `waits`.
double wait_for(int missing, std::vector<std::int64_t>& waits);

/// Adds rows for gangs over hosts to those of the pool's groups, which filters have judged. One for
/// each rack that has room now; when none has, one over all racks; none where one group could do,
/// as the rule's `over_hosts` says.
void gather_spreads(const Question& question, Estimator& estimator, DecisionScratch& scratch);

/// What samples say of the devices of the rows from `begin` on, all of groups, where `sampled`
/// holds so far when the host enrolled.
void fill_group_devices(const Question& question, DecisionScratch& scratch, std::size_t begin);
/// How near the devices of any rows are to their power caps, where a scorer asks for that.
void fill_power_share(const Question& question, Standings& rows, std::size_t begin);

/// Replicas of the question's model in its pool, as rows that filters have judged.
void gather_replicas(const Question& question, Estimator& estimator, DecisionScratch& scratch);

}  // namespace drover::router
