// The inputs of one core, in order, as a file: feed them to a fresh core and its outbox is
// byte-equal.
//
// A journal is a sequence of length-prefixed MessagePack records, of one life of the core or of
// several, each with its own start. Pure: text in, text out; commands/ writes the file.
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

struct JournalStart {
  std::string core;
  std::string settings;
  bool operator==(const JournalStart&) const = default;
};  // how the core was made
struct JournalReceive {
  Instant now{};
  Peer from;
  std::string bytes;
  std::string key;  // the name of the sender's key, which is proven; empty: it has none
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
/// What the router's doors did not let in, as it was told to the core: see fleet/dropped.h.
struct JournalDropped {
  Instant now{};
  Peer from;
  std::string why;
  std::string sender;
  std::string key{};
  std::string address{};
  std::string asked{};
  bool passing = false;
  bool operator==(const JournalDropped&) const = default;
};
/// What the core said at the tick before: a replay that says the same makes the same decisions.
/// Nothing is written of a tick at which it said nothing.
struct JournalSaid {
  std::uint64_t digest = 0;  // fnv1a of to_bytes of its outbox
  bool operator==(const JournalSaid&) const = default;
};
/// The agent was told to end.
struct JournalLeave {
  Instant now{};
  std::string why;
  bool operator==(const JournalLeave&) const = default;
};
using JournalRecord = std::variant<JournalStart, JournalReceive, JournalTick, JournalCommitted,
                                   JournalRestore, JournalDropped, JournalLeave, JournalSaid>;

std::string encode_record(const JournalRecord& record);
/// A record begins with the length of what follows, in so many bytes.
inline constexpr std::size_t journal_prefix_bytes = 8;
std::uint64_t journal_length(std::string_view prefix);
/// What follows the prefix.
Result<JournalRecord> decode_record(std::string_view bytes);
/// All whole records; a torn last one is left out. An error names the byte offset.
Result<std::vector<JournalRecord>> decode_journal(std::string_view bytes);

/// The bytes of an outbox, for comparing two runs.
std::string to_bytes(const Outbox& outbox);
JournalSaid said(const Outbox& outbox);

}  // namespace drover
