// How long the write-ahead log beside the ledger is. It begins anew when all of it stands in the
// file and nobody reads it any more: another program that holds a read transaction keeps it
// growing.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover::router {

enum class LedgerLog : std::uint8_t {
  short_enough,
  lengthy,  // somebody should look who reads
  full,     // nothing is written until the reader has ended
};

struct LedgerLogLimits {
  std::int64_t lengthy_bytes = 64 << 20;
  std::int64_t full_bytes = 512 << 20;
};

inline constexpr std::string_view ledger_log_full =
    "another program reads it in one long transaction, and its log is as long as it may be";

}  // namespace drover::router
