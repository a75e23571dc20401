#include "router/health/drop_counter.h"

#include <algorithm>
#include <utility>

namespace drover::router {

DropCounter::Entry& DropCounter::count(const std::string& key, const std::string& sender) {
  ++total_;
  const std::size_t named = others_.size() - others_.count(other_senders);
  const bool has_place = others_.contains(sender) || named < dropped_senders_max;
  const std::string& name = key.empty() && !has_place ? other_senders : sender;
  Entry& entry = key.empty() ? others_[name] : keys_[key];
  if (entry.count++ == 0) entry.name = name;
  return entry;
}

bool DropCounter::should_report(Instant now, Entry& entry) const {
  if (entry.reported != Instant::min() && now - entry.reported < report_interval_) return false;
  entry.reported = now;
  return true;
}

std::vector<SenderCount> DropCounter::by_sender() const {
  std::vector<SenderCount> counts;
  SenderCount rest{other_senders, 0};
  for (const Entries* entries : {&keys_, &others_}) {
    for (const auto& [name, entry] : *entries) {
      if (name == other_senders || counts.size() >= dropped_senders_max) {
        rest.count += entry.count;
      } else {
        counts.push_back({entry.name, entry.count});
      }
    }
  }
  if (rest.count > 0) counts.push_back(std::move(rest));
  std::sort(counts.begin(), counts.end(),
            [](const SenderCount& a, const SenderCount& b) { return a.sender < b.sender; });
  return counts;
}

std::vector<SenderCount> DropCounter::changed() {
  std::vector<SenderCount> counts;
  for (Entries* entries : {&keys_, &others_}) {
    for (auto& [name, entry] : *entries) {
      if (std::exchange(entry.looked_at, entry.count) == entry.count) continue;
      counts.push_back({entry.name, entry.count});
    }
  }
  return counts;
}

}  // namespace drover::router
