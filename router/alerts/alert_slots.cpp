#include "router/alerts/alert_slots.h"

#include <algorithm>
#include <map>

namespace drover::router {
namespace {

/// A subject with a slot, from before this observation or from now.
struct Holder {
  const AlertSlot* before = nullptr;
  const AlertCondition* fresh = nullptr;
};

class Places {
 public:
  explicit Places(const std::vector<AlertSlot>& taken) {
    std::vector<const AlertSlot*> oldest_first;
    for (const AlertSlot& place : taken) oldest_first.push_back(&place);
    std::stable_sort(oldest_first.begin(), oldest_first.end(),
                     [](const AlertSlot* a, const AlertSlot* b) { return a->since < b->since; });
    for (const AlertSlot* place : oldest_first) {
      hosts_[host_of_subject(place->subject)].push_back({place, nullptr});
    }
    find_largest();
  }

  /// Gives it a slot if another host has at least two more than its host.
  void take(const AlertCondition& sighting, SlotChanges& changes) {
    const std::string_view host = host_of_subject(sighting.subject);
    if (host == refused_) return;  // subjects of a host are adjacent
    const auto own = hosts_.find(host);
    const std::size_t has = own == hosts_.end() ? 0 : own->second.size();
    if (has + 1 >= largest_->size()) {
      refused_ = host;
      return;
    }
    const AlertSlot* given_up = largest_->back().before;
    if (given_up != nullptr) changes.leave.push_back(given_up->subject);
    largest_->pop_back();
    hosts_[host].push_back({nullptr, &sighting});
    find_largest();
  }

  void report_arrivals(SlotChanges& changes) const {
    for (const auto& [host, holders] : hosts_) {
      for (const Holder& holder : holders) {
        if (holder.fresh != nullptr) changes.arrive.push_back(holder.fresh);
      }
    }
  }

 private:
  void find_largest() {
    for (auto& [host, holders] : hosts_) {
      if (largest_ == nullptr || holders.size() > largest_->size()) largest_ = &holders;
    }
    refused_ = {};
  }

  std::map<std::string_view, std::vector<Holder>> hosts_;  // by host, oldest first
  std::vector<Holder>* largest_ = nullptr;
  std::string_view refused_;  // a host that has its share
};

}  // namespace

std::string_view host_of_subject(std::string_view subject) {
  return subject.substr(0, subject.find('/'));
}

SlotChanges share_slots(const std::vector<AlertSlot>& taken,
                        const std::vector<const AlertCondition*>& waiting) {
  SlotChanges changes;
  if (taken.empty()) return changes;
  Places places(taken);
  for (const AlertCondition* sighting : waiting) places.take(*sighting, changes);
  places.report_arrivals(changes);
  return changes;
}

}  // namespace drover::router
