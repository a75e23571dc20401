// Envelopes to bytes and back, in MessagePack. Only codec*.h and codec*.cpp know msgpack.
//
// An envelope is an array [version, kind, sender, sequence, fleet time, body]; a body is a map from
// short field names to values. Unknown fields are skipped, absent ones keep their defaults, so one
// minor version may add fields. An unknown version or kind is refused with its number.
//
// Every limit is checked before memory is taken: bytes per message, string and array lengths,
// depth. Refused besides: trailing bytes, NaN and infinities, negative sizes, duplicate keys,
// enumerators out of range, invalid UTF-8 in names.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/messages.h"

namespace drover {

inline constexpr std::size_t message_bytes_max = 1 << 20;
inline constexpr std::size_t spec_bytes_max = 16 * 1024;

/// Leaves out fields that equal their defaults, and numbers that are not finite. Cuts texts for
/// people at their limit and makes them valid UTF-8. Does not check the rest: names that are no
/// names and lists beyond their limits are refused by whoever decodes them.
std::string encode(const Envelope& envelope);

/// The error names the field's path, what was found and what was expected: "Assign.job.priority:
/// found 300, expected -128..127". Never throws, never allocates more than a small multiple of
/// bytes.size().
Result<Envelope> decode(std::string_view bytes);

/// The name of a message's kind as docs/protocol.md spells it: "Hello".
std::string_view kind_name(const Message& message);

}  // namespace drover
