#include "router/explain/explain.h"

#include <algorithm>

#include "fleet/base/text.h"
#include "router/decision/criteria.h"

namespace drover::router {
namespace {

std::string place_text(const Roster& roster, const RecordRow& row) {
  const GroupIndex group = row.is_replica ? roster.replicas()[row.place].group : row.place;
  const GroupEntry& entry = roster.groups()[group];
  const std::string& host = roster.hosts()[entry.host].hello.host;
  if (row.is_replica) {
    return fmt::format("{}/r{}", host, roster.replicas()[row.place].replica.id.number);
  }
  const std::string text = fmt::format("{}/g{}", host, entry.group.number);
  return row.hosts > 1 ? fmt::format("{} and {} more", text, row.hosts - 1) : text;
}

Standing standing_of(const Roster& roster, const Policy& policy, const RecordRow& row) {
  const GroupIndex group = row.is_replica ? roster.replicas()[row.place].group : row.place;
  Standing standing;
  standing.target = place_text(roster, row);
  if (row.pool < policy.pools.size()) standing.pool = policy.pools[row.pool].name;
  standing.device_class = roster.groups()[group].group.device;
  if (row.failed == 0) standing.score = row.score;
  const auto table = filters();
  for (std::size_t index = 0; index < table.size(); ++index) {
    if ((row.failed >> index & 1U) == 0) continue;
    const Reason reason = table[index].reason;
    const auto& known = standing.reasons;
    if (std::find(known.begin(), known.end(), reason) == known.end()) {
      standing.reasons.push_back(reason);
    }
  }
  return standing;
}

}  // namespace

std::vector<Standing> standings_of(const Roster& roster, const Policy& policy,
                                   const std::vector<RecordRow>& record) {
  std::vector<Standing> standings;
  standings.reserve(record.size());
  for (const RecordRow& row : record) standings.push_back(standing_of(roster, policy, row));
  std::stable_sort(standings.begin(), standings.end(), [](const Standing& a, const Standing& b) {
    return a.score.value_or(-1) > b.score.value_or(-1);
  });
  return standings;
}

}  // namespace drover::router
