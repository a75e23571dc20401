// Divides the bytes of a chunk among its channels, in proportion to their messages.
#pragma once

#include <cstdint>
#include <map>

#include "fleet/recording/index.h"

namespace drover::recording {

/// Bytes by channel. A chunk with several channels is not read: its message indexes have the offset
/// of each message. When they cannot be read, all channels get equal shares.
std::map<std::uint16_t, std::uint64_t> bytes_by_channel(ByteSource& source,
                                                        const ChunkIndex& chunk);

}  // namespace drover::recording
