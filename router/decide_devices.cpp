// What samples say of the devices of candidates.
#include "router/decide_gather.h"

namespace drover::router {
namespace {

template <typename Visit>
void each_device(const Roster& roster, const Standings& rows, std::size_t row, Visit visit) {
  const ReplicaIndex replica = rows.replica[row];
  const auto visit_group = [&](GroupIndex index) {
    const GroupEntry& group = roster.groups()[index];
    for (std::uint32_t n = 0; n < group.group.count; ++n) visit(group.first + n);
  };
  if (const Spread* spread = rows.spread_of(row)) {
    for (const Spread::Part& part : spread->parts) visit_group(part.group);
    return;
  }
  if (replica == nowhere) return visit_group(rows.group[row]);
  roster.each_device(roster.replicas()[replica], visit);
}

/// `with_heat`: a column that is not touched when no scorer of the rule asks for it.
void fill_state(const Roster& roster, DecisionScratch& scratch, std::size_t begin, bool with_heat) {
  const DeviceColumns& columns = roster.devices();
  Standings& rows = scratch.rows;
  for (std::size_t row = begin; row < rows.size; ++row) {
    Instant oldest = never;
    std::uint32_t condition = 0;
    float hottest_c = 0;
    const bool whole_group = rows.replica[row] == nowhere;
    each_device(roster, rows, row, [&](DeviceIndex device) {
      // It is taken by none who takes of the group, and may have sent nothing for long.
      if (whole_group && (columns.condition[device] & condition_barred) != 0) return;
      oldest = columns.sampled[device] < oldest ? columns.sampled[device] : oldest;
      condition |= columns.condition[device];
      const float now_c = with_heat ? columns.temperature_c[device] : 0;
      hottest_c = now_c > hottest_c ? now_c : hottest_c;
    });
    // A host just enrolled has not had the time to send a sample.
    rows.sampled[row] = rows.sampled[row] < oldest ? oldest : rows.sampled[row];
    // Of a group only the devices that would be taken count: `fill_group` has looked at them.
    if (!whole_group) rows.condition[row] = condition;
    if (!with_heat) continue;
    const devices::DeviceSpec& spec = *scratch.kinds[rows.kind[row]].spec;
    const auto limit_c = static_cast<float>(spec.temperature_max_c);
    rows.hottest_share[row] = limit_c > 0 ? hottest_c / limit_c : 0;
  }
}

void fill_power(const Roster& roster, Standings& rows, std::size_t begin) {
  const DeviceColumns& columns = roster.devices();
  for (std::size_t row = begin; row < rows.size; ++row) {
    float most = 0;
    each_device(roster, rows, row, [&](DeviceIndex device) {
      const float cap_w = columns.power_cap_w[device];
      const float believed_w = columns.power_w[device] + columns.promised_w[device];
      if (cap_w > 0 && believed_w / cap_w > most) most = believed_w / cap_w;
    });
    rows.power_share[row] = most;
  }
}

}  // namespace

void fill_devices(const Question& question, DecisionScratch& scratch, std::size_t begin) {
  const auto scored = [&](Scorer scorer) {
    return question.rule.weights[static_cast<std::size_t>(scorer)] > 0;
  };
  fill_state(question.roster, scratch, begin, scored(Scorer::temperature));
  if (scored(Scorer::power_headroom)) fill_power(question.roster, scratch.rows, begin);
}

}  // namespace drover::router
