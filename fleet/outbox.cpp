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
  auto passed = sends.begin();
  for (Send& send : sends) {
    if (send.after_write > committed_) {
      const std::uint64_t write = send.after_write;
      pending_.emplace(write, Pending{++held_, std::move(send)});
    } else {
      if (&*passed != &send) *passed = std::move(send);
      ++passed;
    }
  }
  sends.erase(passed, sends.end());
  return sends;
}

std::vector<Send> PendingSends::release_up_to(std::uint64_t sequence) {
  committed_ = std::max(committed_, sequence);
  const auto end = pending_.upper_bound(committed_);
  std::vector<Pending*> due;
  for (auto each = pending_.begin(); each != end; ++each) due.push_back(&each->second);
  std::ranges::sort(due, {}, &Pending::number);
  std::vector<Send> now;
  now.reserve(due.size());
  for (Pending* const each : due) now.push_back(std::move(each->send));
  pending_.erase(pending_.begin(), end);
  return now;
}

}  // namespace drover
