// Length of the write-ahead log beside the ledger. The log restarts once all of it is in the file
// and nobody reads it: a program that holds a read transaction keeps it growing.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::router {

enum class WalState : std::uint8_t {
  short_enough,
  lengthy,  // warn: find the reader
  full,     // no writes until the reader has ended
};

struct WalLimits {
  std::int64_t lengthy_bytes = 64 << 20;
  std::int64_t full_bytes = 512 << 20;
};

inline constexpr std::string_view ledger_log_full =
    "another program holds a long read transaction on it, and its log has reached the size limit";

}  // namespace drover::router
