// When too little of a pool is well.
#include "router/criteria.h"
#include "router/spillover.h"

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
    if (rows.health[row] == Health::lost) continue;
    if (rows.spread_of(row) != nullptr) continue;  // its groups have rows of their own
    const double devices = devices_of(question.roster, rows, row);
    const bool silent = rows.health[row] != Health::ok;
    const bool spoiled = (rows.condition[row] & (condition_unusable | condition_ejected)) != 0;
    ++living;
    pool.total += devices;
    if (!silent && !spoiled) pool.healthy += devices;
  }
  return living > 1 && below_panic(pool, question.policy.panic);
}

}  // namespace drover::router
