#include "router/explain/explain.h"

#include <algorithm>

#include "fleet/base/search.h"
#include "router/decision/criteria.h"

namespace drover::router {
namespace {

std::string place_text(const FleetState& fleet_state, const RecordRow& row) {
  const GroupIndex group = row.is_replica ? fleet_state.replicas()[row.place].group : row.place;
  const GroupEntry& entry = fleet_state.groups()[group];
  const std::string& host = fleet_state.host_name(entry.host);
  if (row.is_replica) {
    return fmt::format("{}/r{}", host, fleet_state.replicas()[row.place].replica.id.number);
  }
  const std::string text = group_place(host, entry.group.number);
  return row.hosts > 1 ? fmt::format("{} and {} more", text, row.hosts - 1) : text;
}

CandidateStatus status_of(const FleetState& fleet_state, const Policy& policy,
                          const RecordRow& row) {
  const GroupIndex group = row.is_replica ? fleet_state.replicas()[row.place].group : row.place;
  CandidateStatus status;
  status.target = place_text(fleet_state, row);
  if (row.pool < policy.pools.size()) status.pool = policy.pools[row.pool].name;
  status.device_class = fleet_state.groups()[group].group.device;
  if (row.failed == 0) status.score = row.score;
  const auto table = filters();
  for (std::size_t index = 0; index < table.size(); ++index) {
    if ((row.failed >> index & 1U) == 0) continue;
    const Reason reason = table[index].reason;
    if (!contains(status.reasons, reason)) status.reasons.push_back(reason);
  }
  return status;
}

}  // namespace

std::vector<CandidateStatus> candidate_statuses(const FleetState& fleet_state, const Policy& policy,
                                                const std::vector<RecordRow>& record) {
  std::vector<CandidateStatus> candidates;
  candidates.reserve(record.size());
  for (const RecordRow& row : record) candidates.push_back(status_of(fleet_state, policy, row));
  std::ranges::stable_sort(candidates, [](const CandidateStatus& a, const CandidateStatus& b) {
    return a.score.value_or(-1) > b.score.value_or(-1);
  });
  return candidates;
}

}  // namespace drover::router
