// What samples say of the devices of candidates.
#include "router/decision/decide_gather.h"

namespace drover::router {
namespace {

bool is_scored(const Question& question, Scorer scorer) {
  return question.rule.weights[static_cast<std::size_t>(scorer)] > 0;
}

template <typename Visit>
void each_device_of_groups(const Roster& roster, const Standings& rows, std::size_t row,
                           Visit visit) {
  const auto visit_group = [&](GroupIndex index) {
    const GroupEntry& group = roster.groups()[index];
    for (std::uint32_t n = 0; n < group.group.count; ++n) visit(group.first + n);
  };
  const Spread* spread = rows.spread_of(row);
  if (spread == nullptr) return visit_group(rows.group[row]);
  for (const Spread::Part& part : spread->parts) visit_group(part.group);
}

}  // namespace

void fill_group_devices(const Question& question, DecisionScratch& scratch, std::size_t begin) {
  const Roster& roster = question.roster;
  const DeviceColumns& columns = roster.devices();
  const bool with_heat = is_scored(question, Scorer::temperature);
  Standings& rows = scratch.rows;
  for (std::size_t row = begin; row < rows.size; ++row) {
    Instant oldest = never;
    float hottest_c = 0;
    each_device_of_groups(roster, rows, row, [&](DeviceIndex device) {
      // It is taken by none who takes of the group, and may have sent nothing for long.
      if ((columns.condition[device] & condition_barred) != 0) return;
      oldest = std::min(oldest, columns.sampled[device]);
      hottest_c = std::max(hottest_c, columns.temperature_c[device]);
    });
    // A host just enrolled has not had the time to send a sample.
    rows.sampled[row] = std::max(rows.sampled[row], oldest);
    if (!with_heat) continue;
    const devices::DeviceSpec& spec = *scratch.kinds[rows.kind[row]].spec;
    const auto limit_c = static_cast<float>(spec.temperature_max_c);
    rows.hottest_share[row] = limit_c > 0 ? hottest_c / limit_c : 0;
  }
  fill_power_share(question, rows, begin);
}

void fill_power_share(const Question& question, Standings& rows, std::size_t begin) {
  if (!is_scored(question, Scorer::power_headroom)) return;
  const Roster& roster = question.roster;
  const DeviceColumns& columns = roster.devices();
  for (std::size_t row = begin; row < rows.size; ++row) {
    float most = 0;
    const auto look = [&](DeviceIndex device) {
      const float cap_w = columns.power_cap_w[device];
      const float believed_w = columns.power_w[device] + columns.promised_w[device];
      if (cap_w > 0) most = std::max(most, believed_w / cap_w);
    };
    const ReplicaIndex replica = rows.replica[row];
    if (replica == nowhere) {
      each_device_of_groups(roster, rows, row, look);
    } else {
      roster.each_device(roster.replicas()[replica], look);
    }
    rows.power_share[row] = most;
  }
}

}  // namespace drover::router
