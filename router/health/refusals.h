// Refused requests on their way into the audit, by who asked: the first is a line at once, and what
// follows is counted and told once a minute. Whoever is refused a thousand times costs the ledger a
// few rows, and hides nothing of anybody else.
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
#include "fleet/dropped.h"

namespace drover::router {

/// Of those without a key of the allow-list, so many are counted each by itself, the others
/// together. Keys have a place each, and nobody takes it from them.
inline constexpr std::size_t refused_strangers_max = 32;

class RefusalBook {
 public:
  /// `minute`: in fleet time.
  explicit RefusalBook(Duration minute) : minute_(minute) {}

  /// The line to put on record now; none: it is counted. `sender`: who it was, in words.
  std::optional<Audit> count(Instant now, const Dropped& refused, const std::string& sender);
  /// The lines of minutes that are over, of those who were refused more than once in them. Who was
  /// refused no more is forgotten.
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
    std::string why;  // of the last
  };
  using Entries = std::map<std::string, Entry>;
  Audit line_of(Entry& entry) const;

  Duration minute_;
  Entries keys_;
  Entries strangers_;
};

}  // namespace drover::router
