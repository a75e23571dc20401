// When too little of a pool is well.
#include "router/decision/criteria.h"
#include "router/policy/spillover.h"

namespace drover::router {
namespace {

double devices_of(const Roster& roster, const Standings& rows, std::size_t row) {
  const ReplicaIndex replica = rows.replica[row];
  if (replica != nowhere) return roster.replicas()[replica].facts.devices;
  return roster.groups()[rows.group[row]].group.count;
}

}  // namespace

bool panics(const Question& question, const Standings& rows) {
  if (question.healthy || question.purpose == Purpose::replica) return false;
  TierCapacity pool;
  int living = 0;
  for (std::size_t row = 0; row < rows.size; ++row) {
    const std::uint32_t condition = rows.condition[row];
    if ((condition & condition_lost) != 0) continue;
    if (rows.spread_of(row) != nullptr) continue;  // its groups have rows of their own
    const double devices = devices_of(question.roster, rows, row);
    ++living;
    pool.total += devices;
    constexpr std::uint32_t unwell = condition_suspect | condition_unusable | condition_ejected;
    if ((condition & unwell) == 0) pool.healthy += devices;
  }
  return living > 1 && below_panic(pool, question.policy.panic);
}

}  // namespace drover::router
