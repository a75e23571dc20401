// What real devices say about themselves, in limited memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

#include "fleet/base/identity.h"
#include "fleet/board.h"

namespace drover::tui {

/// Enough for every device that can be shown (shown_devices_max), at 2.2 kB each: a board with ten
/// missing metrics and three processes. One with 64 processes takes 15 kB.
inline constexpr std::size_t boards_bytes_max = 450'000'000;

class BoardTable {
 public:
  explicit BoardTable(std::size_t bytes_max = boards_bytes_max) : bytes_max_(bytes_max) {}

  /// Keeps what the device says now. False if there is no room; then nothing is known of it.
  bool take(const DeviceId& id, const Board& board, std::uint64_t snapshot);
  /// Null if nothing is known of it.
  const Board* find(const DeviceId& id) const;
  void forget(const std::string& host);
  /// Forgets what was last said before this snapshot.
  void forget_before(std::uint64_t snapshot);
  /// Whether there was no room for some board.
  bool is_full() const { return full_; }
  std::size_t bytes() const { return bytes_; }  // approximately

 private:
  struct Row {
    Board board;
    std::uint64_t snapshot = 0;
  };
  using Rows = std::map<DeviceId, Row>;
  Rows::iterator erase(Rows::iterator row);

  std::size_t bytes_max_;
  std::size_t bytes_ = 0;
  bool full_ = false;
  Rows rows_;
};

}  // namespace drover::tui
