// What rows of replicas and rows of groups have in common: their kinds, their group's context, and
// the state of their devices.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "router/decision/candidates.h"

namespace drover::router {

/// A decision in one pool meets few kinds, mostly the same one again.
class PlacementKindCache {
 public:
  PlacementKindCache(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch)
      : query_(query), estimator_(estimator), list_(scratch.kinds) {}

  std::uint16_t of_replica(const devices::DeviceSpec* spec, Precision precision, int devices) {
    const auto same = [&](const PlacementKind& kind) {
      return kind.spec == spec && kind.devices == devices && kind.precision == precision;
    };
    if (last_ < list_.size() && same(list_[last_])) return last_;
    for (last_ = 0; last_ < list_.size(); ++last_) {
      if (same(list_[last_])) return last_;
    }
    return add_replica(spec, precision, devices);
  }
  std::uint16_t of_group(const GroupEntry& group);
  /// A multi-host gang with at most `per_host` devices per host.
  std::uint16_t of_multi_host_gang(const devices::DeviceSpec* spec, int per_host);

 private:
  std::uint16_t add_replica(const devices::DeviceSpec* spec, Precision precision, int devices);
  PlacementKind& add(const devices::DeviceSpec* spec);
  std::uint16_t finish(PlacementKind& kind);

  const PlacementQuery& query_;
  Estimator& estimator_;
  std::vector<PlacementKind>& list_;
  std::uint16_t last_ = 0;
};

/// What the candidates of one group share.
struct GroupContext {
  GroupIndex index = no_index;
  const GroupEntry* group = nullptr;
  const HostEntry* host = nullptr;
  bool in_pool = false;
  double ratio = 1;  // learnt
};

inline GroupContext group_context(const PlacementQuery& query, GroupIndex index,
                                  const std::vector<double>* ratios) {
  const GroupEntry& group = query.fleet_state.groups()[index];
  const bool learnt = ratios != nullptr && index < ratios->size();
  return {index, &group, &query.fleet_state.hosts()[group.host], group.in_pool(query.pool_number),
          learnt ? (*ratios)[index] : 1.0};
}

/// The hourly price of all devices of such a candidate.
inline double usd_per_h(const PlacementQuery& query, const GroupContext& context,
                        const PlacementKind& kind) {
  const Prices& prices = query.pool->prices;
  const double each =
      usd_per_h(prices, context.host->term, kind.spec).value_or(kind.price_usd_per_h);
  return usd_per_h_there(each, context.host->price_factor) * kind.devices;
}

/// Makes the row a candidate of this group, not a replica, with nothing else known yet.
void set_group(const GroupContext& context, const PlacementKind& kind, CandidateTable& rows,
               std::size_t row);

/// Adds the remaining times, in ns, of the group's devices that gangs hold and others may use
/// afterwards.
void add_waits(const PlacementQuery& query, const GroupEntry& group,
               std::vector<std::int64_t>& waits);
/// Seconds until `missing` of these are free. Reorders `waits`.
double wait_for(int missing, std::vector<std::int64_t>& waits);

/// Adds rows for multi-host gangs to the pool's filtered group rows: one for each rack that has
/// capacity now; if none has, one over all racks; none where one group can do, as the rule's
/// `over_hosts` requires.
void gather_multi_host_gangs(const PlacementQuery& query, Estimator& estimator,
                             DecisionScratch& scratch);

/// Fills in the samples of the devices of the rows from `begin` on. All are rows of groups;
/// `sampled` holds the host's registration time so far.
void fill_group_devices(const PlacementQuery& query, DecisionScratch& scratch, std::size_t begin);
/// Fills in how near the devices are to their power caps, if a scorer uses it.
void fill_power_share(const PlacementQuery& query, CandidateTable& rows, std::size_t begin);

/// Gathers the replicas of the query's model in its pool, as filtered rows.
void gather_replicas(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch);

}  // namespace drover::router
