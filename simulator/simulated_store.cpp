#include "simulator/simulated_store.h"

#include <utility>

namespace drover::simulator {

SimulatedStore::SimulatedStore(RandomStream random, Duration commit_min, Duration commit_max)
    : random_(random), commit_min_(commit_min), commit_max_(commit_max) {}

Instant SimulatedStore::draw_end(Instant now) {
  const auto spread = static_cast<double>((commit_max_ - commit_min_).count());
  return now + commit_min_ + Duration(static_cast<std::int64_t>(random_.uniform() * spread));
}

std::optional<Instant> SimulatedStore::append(Instant now, std::vector<Write> writes) {
  for (Write& write : writes) gathered_.push_back(std::move(write));
  if (!committing_.empty() || gathered_.empty()) return std::nullopt;
  committing_ = std::exchange(gathered_, {});
  return draw_end(now);
}

SimulatedStore::Done SimulatedStore::finish_commit(Instant now) {
  Done done;
  for (Write& write : committing_) {
    done.sequence = write.sequence;
    rows_.push_back(std::move(write.row));
  }
  committing_ = std::exchange(gathered_, {});
  if (!committing_.empty()) done.next = draw_end(now);
  return done;
}

void SimulatedStore::crash() {
  committing_.clear();
  gathered_.clear();
}

}  // namespace drover::simulator
