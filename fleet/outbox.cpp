#include "fleet/outbox.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover {

std::string sender_text(const Peer& from, std::string_view address, std::string_view key) {
  std::string text = !key.empty()                       ? fmt::format("key {}", printable(key))
                     : from.channel == Channel::control ? fmt::format("connection {}", from.number)
                     : from.channel == Channel::samples ? std::string("samples")
                                                        : std::string("a subscriber");
  if (!address.empty()) text += fmt::format(" from {}", printable(address));
  return text;
}

// A waiting send does not block others: only sends that wait for the same write keep their order.
// Cores that need an order between two sends give both the same `after_write`.
std::vector<Send> PendingSends::hold_or_pass(std::vector<Send> sends) {
  std::vector<Send> now;
  now.reserve(sends.size());
  for (Send& send : sends) {
    if (send.after_write <= committed_) {
      now.push_back(std::move(send));
    } else {
      pending_.push_back(std::move(send));
    }
  }
  return now;
}

std::vector<Send> PendingSends::release_up_to(std::uint64_t sequence) {
  committed_ = std::max(committed_, sequence);
  std::vector<Send> now;
  std::deque<Send> still_held;
  for (Send& send : pending_) {
    if (send.after_write <= committed_) {
      now.push_back(std::move(send));
    } else {
      still_held.push_back(std::move(send));
    }
  }
  pending_ = std::move(still_held);
  return now;
}

}  // namespace drover
