// The journal of a core: all its inputs in order. A new core with the same inputs produces a
// byte-equal outbox.
//
// A journal is a sequence of length-prefixed MessagePack records of one or several runs of the
// core, each with its own start record. Pure: bytes in, bytes out; commands/ writes the file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/outbox.h"

namespace drover {

/// How the core was constructed.
struct JournalStart {
  std::string core;
  std::string settings;
  bool operator==(const JournalStart&) const = default;
};
struct JournalReceive {
  Instant now{};
  Peer from;
  std::string bytes;
  std::string key;  // name of the sender's authenticated key; empty: none
  bool operator==(const JournalReceive&) const = default;
};
struct JournalTick {
  Instant now{};
  bool operator==(const JournalTick&) const = default;
};
struct JournalCommitted {
  Instant now{};
  std::uint64_t sequence = 0;
  bool operator==(const JournalCommitted&) const = default;
};
struct JournalRestore {
  std::vector<LedgerRow> rows;
  bool operator==(const JournalRestore&) const = default;
};
/// A message that the router's endpoints dropped; see Dropped in fleet/outbox.h.
struct JournalDropped {
  Instant now{};
  Peer from;
  std::string why;
  std::string sender;
  std::string key{};
  std::string address{};
  std::string asked{};
  bool retryable = false;
  bool operator==(const JournalDropped&) const = default;
};
/// Digest of the core's outbox at the tick before: a replay with equal digests made the same
/// decisions. Not written for a tick with an empty outbox.
struct JournalOutboxDigest {
  std::uint64_t digest = 0;  // fnv1a of outbox_bytes()
  bool operator==(const JournalOutboxDigest&) const = default;
};
/// The agent was asked to end.
struct JournalLeave {
  Instant now{};
  std::string why;
  bool operator==(const JournalLeave&) const = default;
};
using JournalRecord =
    std::variant<JournalStart, JournalReceive, JournalTick, JournalCommitted, JournalRestore,
                 JournalDropped, JournalLeave, JournalOutboxDigest>;

std::string encode_record(const JournalRecord& record);
/// A record begins with the length of the rest, in this number of bytes.
inline constexpr std::size_t journal_prefix_bytes = 8;
std::uint64_t journal_length(std::string_view prefix);
/// Decodes a record without its prefix.
Result<JournalRecord> decode_record(std::string_view bytes);
/// The bytes of an outbox, to compare two runs.
std::string outbox_bytes(const Outbox& outbox);
JournalOutboxDigest outbox_digest(const Outbox& outbox);

}  // namespace drover
