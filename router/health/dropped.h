// What came in and was dropped, by sender: whoever floods the router with rubbish is named, and can
// fill neither its memory nor the events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::router {

/// Senders counted by name that are no key of the allow-list; all beyond are counted together. Keys
/// are never displaced: there are no more of them than the allow-list holds.
inline constexpr std::size_t dropped_senders_max = 64;
inline constexpr const char* other_senders = "others";

class DroppedBook {
 public:
  /// `tell_every`: how often one sender is worth an event.
  explicit DroppedBook(Duration tell_every) : tell_every_(tell_every) {}

  struct Entry {
    std::string name;  // as it is counted: a key's, with the address where it was first heard
    std::uint64_t count = 0;
    std::uint64_t looked_at = 0;  // the count when `changed` was asked last
    Instant told = Instant::min();
  };
  /// `key`: the allowed key's name; empty: `sender` is all that is known.
  Entry& count(const std::string& key, const std::string& sender);
  /// Whether it is worth an event: its first, or the first since `tell_every`.
  bool tell(Instant now, Entry& entry) const;

  std::uint64_t total() const { return total_; }
  /// In the order of the names: keys first where there are too many, then `others`.
  std::vector<SenderCount> by_sender() const;
  /// Those of whom more was dropped since the last call.
  std::vector<SenderCount> changed();

 private:
  using Entries = std::map<std::string, Entry>;
  Duration tell_every_;
  std::uint64_t total_ = 0;
  Entries keys_;
  Entries others_;
};

}  // namespace drover::router
