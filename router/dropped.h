// What came in and was dropped, by sender: whoever floods the router with rubbish is named, and can
// fill neither its memory nor the events.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/messages.h"
#include "fleet/time.h"

namespace drover::router {

/// Senders counted by name; all beyond are counted together.
inline constexpr std::size_t dropped_senders_max = 64;
inline constexpr const char* other_senders = "others";

class DroppedBook {
 public:
  /// `tell_every`: how often one sender is worth an event.
  explicit DroppedBook(Duration tell_every) : tell_every_(tell_every) {}

  struct Counted {
    std::string sender;  // as it is counted
    std::uint64_t count = 0;
    bool tell = false;  // its first, or the first since `tell_every`
  };
  Counted count(Instant now, const std::string& sender);

  std::uint64_t total() const { return total_; }
  /// In the order of the names.
  std::vector<SenderCount> by_sender() const;

 private:
  struct Entry {
    std::uint64_t count = 0;
    Instant told{};
  };
  Duration tell_every_;
  std::uint64_t total_ = 0;
  std::map<std::string, Entry> senders_;
};

}  // namespace drover::router
