// What is counted of each host, over all lives of its agents and of the router. No count goes back:
// what is shown stands in the ledger before anybody sees it.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"

namespace drover::router {

struct HostCounts {
  std::uint64_t sample_gaps = 0;      // batches that never arrived, counted by the router
  std::uint64_t samples_thinned = 0;  // batches that its agents did not send, counted by them
  std::uint64_t undecodable = 0;      // messages that they could not read, counted by them
  bool operator==(const HostCounts&) const = default;
};

/// By name, so that the counts of a host that was forgotten continue when it joins again.
class HostCountBook {
 public:
  /// Noted by an earlier life of the router, while this agent spoke for the host.
  void restore(const std::string& host, Incarnation agent, const HostCounts& noted);
  /// This life of the agent has counted so many in all. What it counted while no router was running
  /// is missing if an earlier life of it had counted something as well.
  void hear(const std::string& host, Incarnation agent, std::uint64_t samples_thinned,
            std::uint64_t undecodable);

  struct Entry {
    Incarnation agent;
    HostCounts before;            // by earlier lives
    bool is_before_known = true;  // false: until the agent that was noted is heard again
    HostCounts counted;           // in all
    HostCounts noted;             // in the ledger, as soon as `write` is on disk
    HostCounts shown;
    std::uint64_t write = 0;
    Instant next_note{};  // no row is written before: thinned samples grow with each heartbeat
  };
  /// This life of the router has counted so many gaps in all. Answers what is known of the host
  /// now.
  Entry& count_gaps(const std::string& host, std::uint64_t sample_gaps);
  HostCounts shown(const std::string& host) const;
  void forget(const std::string& host) { entries_.erase(host); }

 private:
  std::map<std::string, Entry> entries_;
};

}  // namespace drover::router
