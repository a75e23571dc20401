// Sampled values of the candidates' devices.
#include "router/decision/candidate_gathering.h"

namespace drover::router {
namespace {

template <typename Visit>
void each_device_of_groups(const FleetState& fleet_state, const CandidateTable& rows,
                           std::size_t row, Visit visit) {
  const auto visit_group = [&](GroupIndex index) {
    const GroupEntry& group = fleet_state.groups()[index];
    for (std::uint32_t n = 0; n < group.group.count; ++n) visit(group.first + n);
  };
  const MultiHostGang* spread = rows.multi_host_gang_of(row);
  if (spread == nullptr) return visit_group(rows.group[row]);
  for (const MultiHostGang::Part& part : spread->parts) visit_group(part.group);
}

}  // namespace

void fill_group_devices(const PlacementQuery& query, DecisionScratch& scratch, std::size_t begin) {
  const FleetState& fleet_state = query.fleet_state;
  const DeviceColumns& columns = fleet_state.devices();
  const bool with_temperature = query.rule.scores(Scorer::temperature);
  CandidateTable& rows = scratch.rows;
  for (std::size_t row = begin; row < rows.size; ++row) {
    Instant oldest = never;
    float hottest_c = 0;
    each_device_of_groups(fleet_state, rows, row, [&](DeviceIndex device) {
      // Nothing is placed on it, and it may not have sent samples for long.
      if ((columns.condition[device] & condition_unavailable) != 0) return;
      oldest = std::min(oldest, columns.sampled[device]);
      hottest_c = std::max(hottest_c, columns.temperature_c[device]);
    });
    // A host that just registered has not had time to send a sample.
    rows.sampled[row] = std::max(rows.sampled[row], oldest);
    if (!with_temperature) continue;
    const devices::DeviceSpec& spec = *scratch.kinds[rows.kind[row]].spec;
    const auto limit_c = static_cast<float>(spec.temperature_max_c);
    rows.hottest_share[row] = limit_c > 0 ? hottest_c / limit_c : 0;
  }
  fill_power_share(query, rows, begin);
}

void fill_power_share(const PlacementQuery& query, CandidateTable& rows, std::size_t begin) {
  if (!query.rule.scores(Scorer::power_headroom)) return;
  const FleetState& fleet_state = query.fleet_state;
  const DeviceColumns& columns = fleet_state.devices();
  for (std::size_t row = begin; row < rows.size; ++row) {
    float most = 0;
    const auto look = [&](DeviceIndex device) {
      const float cap_w = columns.power_cap_w[device];
      const float estimated_w = columns.power_w[device] + columns.reserved_w[device];
      if (cap_w > 0) most = std::max(most, estimated_w / cap_w);
    };
    const ReplicaIndex replica = rows.replica[row];
    if (replica == no_index) {
      each_device_of_groups(fleet_state, rows, row, look);
    } else {
      fleet_state.each_device(fleet_state.replicas()[replica], look);
    }
    rows.power_share[row] = most;
  }
}

}  // namespace drover::router
