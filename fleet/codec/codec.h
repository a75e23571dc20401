// Encodes envelopes as MessagePack and decodes them.
//
// An envelope is an array [version, kind, sender, sequence, fleet time, body]; a body is a map from
// field names to values. Unknown fields are skipped and absent ones keep their defaults, so a minor
// version may add fields. An unknown version or kind is an error that names its number.
//
// Every limit is checked before memory is allocated: bytes per message, string and array lengths,
// depth. Other errors: trailing bytes, NaN and infinities, negative sizes, duplicate keys,
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

/// Omits fields that equal their defaults and numbers that are not finite. Free texts are cut at
/// their limit and made valid UTF-8. Other limits are not checked here: the decoder rejects invalid
/// names and lists that are too long.
std::string encode(const Envelope& envelope);

/// The error names the field's path, what was found and what was expected: "Assign.job.priority:
/// found 300, expected -128..127". Never throws, never allocates more than a small multiple of
/// bytes.size().
Result<Envelope> decode(std::string_view bytes);

}  // namespace drover
