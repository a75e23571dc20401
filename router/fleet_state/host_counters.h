// Counters of each host over all incarnations of its agent and of the router. They never
// decrease: a value is in the ledger before it is published.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <string>

#include "fleet/base/identity.h"
#include "fleet/base/search.h"
#include "fleet/base/time.h"

namespace drover::router {

struct HostCounts {
  std::uint64_t sample_gaps = 0;      // sample batches that never arrived; counted by the router
  std::uint64_t samples_thinned = 0;  // sample batches that its agents skipped; counted by them
  std::uint64_t undecodable = 0;      // messages that its agents could not decode; counted by them
  bool operator==(const HostCounts&) const = default;
};

/// Keyed by host name, so that a forgotten host continues its counters when it joins again.
class HostCounterTable {
 public:
  /// Restores what an earlier router wrote to the ledger while this agent's incarnation ran.
  void restore(const std::string& host, Incarnation agent, const HostCounts& noted) {
    Entry& entry = entries_[host];
    entry.agent = agent;
    entry.before = entry.counted = entry.noted = entry.shown = noted;
    entry.is_before_known = false;
  }
  /// Takes the totals that this incarnation of the agent reports. What it counted while no router
  /// ran is lost if an earlier incarnation had counts as well.
  void update(const std::string& host, Incarnation agent, std::uint64_t samples_thinned,
              std::uint64_t undecodable) {
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

  struct Entry {
    Incarnation agent;
    HostCounts before;            // of earlier incarnations
    bool is_before_known = true;  // false until the recorded agent reports again
    HostCounts counted;           // total
    HostCounts noted;             // in the ledger once `write` is on disk
    HostCounts shown;
    std::uint64_t write = 0;
    Instant next_note{};  // no row before this: skipped samples grow each heartbeat
  };
  /// Sets the sample gaps that this router has counted in total. Returns the host's entry.
  Entry& count_gaps(const std::string& host, std::uint64_t sample_gaps) {
    Entry& entry = entries_[host];
    entry.counted.sample_gaps = sum_of(entry.before.sample_gaps, sample_gaps);
    return entry;
  }
  HostCounts shown(const std::string& host) const {
    const Entry* entry = find_in(entries_, host);
    return entry == nullptr ? HostCounts{} : entry->shown;
  }
  void forget(const std::string& host) { entries_.erase(host); }

 private:
  /// Saturating, because agents may send any values.
  static std::uint64_t sum_of(std::uint64_t before, std::uint64_t more) {
    return more > std::numeric_limits<std::uint64_t>::max() - before
               ? std::numeric_limits<std::uint64_t>::max()
               : before + more;
  }
  std::map<std::string, Entry> entries_;
};

}  // namespace drover::router
