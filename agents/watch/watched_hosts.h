// All hosts that one process reads, and from which target each comes: a page may have many hosts,
// and a target that fails makes all of its hosts fail.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agents/watch/watched_host.h"

namespace drover::agents {

class WatchedHosts {
 public:
  /// `settings.host`: the name of hosts whose reading has none, which is this machine. The others
  /// get their names from their readings. The catalogue must outlive this.
  WatchedHosts(WatchedHostSettings settings, const devices::Catalogue& catalogue);

  /// A host of the list, in the order in which they came.
  struct Entry {
    WatchedHost host;
    std::set<std::string> targets;  // that had it when they last answered; at least one
  };

  /// Adds the hosts that are new. Each must be joined before its readings count:
  /// `fresh` is called with its number, and passes JoinAccepted to it.
  template <typename Fresh>
  void take(Instant now, const TargetNews& news, Fresh fresh) {
    for (const HostReading& reading : news.hosts) {
      const std::size_t known = hosts_.size();
      const std::size_t number = number_of(reading.host);
      if (number == known) fresh(number);
      if (number < hosts_.size()) read(now, number, news.target, reading);
    }
    fail_others(now, news);
  }

  /// Once, when there are more hosts than a router accepts: that the others are left out. Else
  /// empty.
  std::string take_note() { return std::exchange(note_, {}); }

  std::size_t size() const { return hosts_.size(); }
  WatchedHost& host(std::size_t number) { return hosts_[number]->host; }
  Instant next_deadline() const;
  void tick(Instant now);

 private:
  std::size_t number_of(const std::string& name);
  void read(Instant now, std::size_t number, const std::string& target, const HostReading& reading);
  void fail_others(Instant now, const TargetNews& news);

  WatchedHostSettings settings_;
  const devices::Catalogue& catalogue_;
  std::vector<std::unique_ptr<Entry>> hosts_;
  std::map<std::string, std::size_t> numbers_;  // by name
  bool noted_ = false;
  std::string note_;
  std::map<std::string, std::set<std::size_t>> numbers_of_target_;
};

}  // namespace drover::agents
