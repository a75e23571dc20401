// How the bytes of a chunk are divided among its channels: by what their messages take in it.
#pragma once

#include <cstdint>
#include <map>

#include "fleet/recording/recording_index.h"

namespace drover::recording {

/// By channel. A chunk of several channels is not read: its message indexes tell where each message
/// begins. Where they cannot be read, all are equal.
std::map<std::uint16_t, std::uint64_t> bytes_by_channel(ByteSource& source,
                                                        const ChunkIndex& chunk);

}  // namespace drover::recording
