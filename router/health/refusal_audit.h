// Audit lines of refused requests, by sender: the first is recorded at once, later ones are
// counted and recorded once a minute. A thousand refusals of one sender cost the ledger a few rows
// and hide nothing about other senders.
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
#include "fleet/outbox.h"

namespace drover::router {

/// Senders without a key of the allow-list that are counted individually; the others are counted
/// together. Each key has its own entry.
inline constexpr std::size_t refused_unkeyed_max = 32;

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
