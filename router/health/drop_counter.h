// Dropped messages by sender: a sender that floods the router with invalid messages is named, and
// can fill neither its memory nor the event list.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::router {

/// Senders without a key of the allow-list that are counted by name; the others are counted
/// together. Keys are never displaced: there are no more than the allow-list holds.
inline constexpr std::size_t dropped_senders_max = 64;
inline constexpr const char* other_senders = "others";

class DropCounter {
 public:
  /// `report_interval`: minimum time between two events about one sender.
  explicit DropCounter(Duration report_interval) : report_interval_(report_interval) {}

  struct Entry {
    std::string name;  // its name; of a key with the address of its first message
    std::uint64_t count = 0;
    std::uint64_t looked_at = 0;  // the count at the last call of `changed`
    Instant reported = Instant::min();
  };
  /// `key`: name of the allowed key; empty: only `sender` is known.
  Entry& count(const std::string& key, const std::string& sender);
  /// Whether to report it in an event: the first drop, or the first since `report_interval`.
  bool should_report(Instant now, Entry& entry) const;

  std::uint64_t total() const { return total_; }
  /// By name; if there are too many, keys come first, then `others`.
  std::vector<SenderCount> by_sender() const;
  /// Senders with new drops since the last call.
  std::vector<SenderCount> changed();

 private:
  using Entries = std::map<std::string, Entry>;
  Duration report_interval_;
  std::uint64_t total_ = 0;
  Entries keys_;
  Entries others_;
};

}  // namespace drover::router
