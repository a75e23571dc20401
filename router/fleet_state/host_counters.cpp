#include "router/fleet_state/host_counters.h"

#include <algorithm>
#include <limits>

namespace drover::router {
namespace {

/// Saturating, because agents may send any values.
std::uint64_t sum_of(std::uint64_t before, std::uint64_t more) {
  return more > std::numeric_limits<std::uint64_t>::max() - before
             ? std::numeric_limits<std::uint64_t>::max()
             : before + more;
}

}  // namespace

void HostCounterTable::restore(const std::string& host, Incarnation agent,
                               const HostCounts& noted) {
  Entry& entry = entries_[host];
  entry.agent = agent;
  entry.before = entry.counted = entry.noted = entry.shown = noted;
  entry.is_before_known = false;
}

HostCounts HostCounterTable::shown(const std::string& host) const {
  const auto entry = entries_.find(host);
  return entry == entries_.end() ? HostCounts{} : entry->second.shown;
}

HostCounterTable::Entry& HostCounterTable::count_gaps(const std::string& host,
                                                      std::uint64_t sample_gaps) {
  Entry& entry = entries_[host];
  entry.counted.sample_gaps = sum_of(entry.before.sample_gaps, sample_gaps);
  return entry;
}

void HostCounterTable::update(const std::string& host, Incarnation agent,
                              std::uint64_t samples_thinned, std::uint64_t undecodable) {
  Entry& entry = entries_[host];
  const bool begins = entry.agent != agent;
  const auto count = [&](std::uint64_t HostCounts::*member, std::uint64_t read) {
    std::uint64_t& counted = entry.counted.*member;
    std::uint64_t& before = entry.before.*member;
    if (begins) {
      before = counted;
    } else if (!entry.is_before_known) {
      before = counted - std::min(counted, read);
    }
    counted = std::max(counted, sum_of(before, read));
  };
  count(&HostCounts::samples_thinned, samples_thinned);
  count(&HostCounts::undecodable, undecodable);
  entry.agent = agent;
  entry.is_before_known = true;
}

}  // namespace drover::router
