#include "fleet/outbox.h"

#include <algorithm>

namespace drover {

// A send that waits holds up no other: only those of one write keep their order, and a later send
// that waits for nothing passes. Cores that need an order between two sends give both the same
// mark.
std::vector<Send> HeldSends::take(std::vector<Send> sends) {
  std::vector<Send> now;
  now.reserve(sends.size());
  for (Send& send : sends) {
    if (send.after_write <= committed_) {
      now.push_back(std::move(send));
    } else {
      held_.push_back(std::move(send));
    }
  }
  return now;
}

std::vector<Send> HeldSends::committed(std::uint64_t sequence) {
  committed_ = std::max(committed_, sequence);
  std::vector<Send> now;
  std::deque<Send> still_held;
  for (Send& send : held_) {
    if (send.after_write <= committed_) {
      now.push_back(std::move(send));
    } else {
      still_held.push_back(std::move(send));
    }
  }
  held_ = std::move(still_held);
  return now;
}

}  // namespace drover
