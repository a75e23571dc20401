#include "router/dropped.h"

namespace drover::router {

DroppedBook::Counted DroppedBook::count(Instant now, const std::string& sender) {
  ++total_;
  const bool known = senders_.contains(sender);
  const std::size_t named = senders_.size() - senders_.count(other_senders);
  const std::string name = known || named < dropped_senders_max ? sender : other_senders;
  Entry& entry = senders_[name];
  Counted counted{name, ++entry.count, false};
  counted.tell = entry.count == 1 || now - entry.told >= tell_every_;
  if (counted.tell) entry.told = now;
  return counted;
}

std::vector<SenderCount> DroppedBook::by_sender() const {
  std::vector<SenderCount> counts;
  for (const auto& [sender, entry] : senders_) counts.push_back({sender, entry.count});
  return counts;
}

}  // namespace drover::router
