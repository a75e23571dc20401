// What is counted by sender: dropped messages, and refused requests. A sender that floods the
// router is named, and can fill neither its memory nor the event list nor the ledger.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "fleet/outbox.h"

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

/// Senders without a key of the allow-list that are counted individually; the others are counted
/// together. Each key has its own entry.
inline constexpr std::size_t refused_unkeyed_max = 32;

/// Audit lines of refused requests, by sender: the first is recorded at once, later ones are
/// counted and recorded once a minute. A thousand refusals of one sender cost the ledger a few rows
/// and hide nothing about other senders.
class RefusalAudit {
 public:
  /// `minute`: a wall-clock minute in fleet time.
  explicit RefusalAudit(Duration minute) : minute_(minute) {}

  /// The line to record now; nothing: the refusal is only counted. `sender`: text that names the
  /// sender.
  std::optional<Audit> count(Instant now, const Dropped& refused, const std::string& sender);
  /// Lines for past minutes in which a sender was refused more than once. Senders without further
  /// refusals are dropped.
  std::vector<Audit> take_due(Instant now);

 private:
  struct Entry {
    std::string who;
    Instant until{};
    Duration every{};
    std::uint64_t more = 0;  // since its last line
    std::map<std::string, std::uint64_t> asked;
    std::set<std::string> addresses;
    std::string target;
    std::string why;  // of the last refusal
  };
  using Entries = std::map<std::string, Entry>;
  Audit line_of(Entry& entry) const;

  Duration minute_;
  Entries keys_;
  Entries unkeyed_;
};

}  // namespace drover::router
