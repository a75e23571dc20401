// Readings of a host through a pipe: frames of a length (4 bytes, big-endian) and that many bytes
// of MessagePack. A frame has one reading of all of the host's devices, or why there is none.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "agents/watch/reading.h"
#include "fleet/base/result.h"

namespace drover::agents {

/// As much as a message of the fleet may have: far more than a host with many devices needs.
inline constexpr std::size_t frame_bytes_max = 1 << 20;
/// Devices of one frame.
inline constexpr std::size_t frame_boards_max = 256;

/// The failure, or else the first host of the news without its name and labels, which the receiver
/// knows. Further devices than `frame_boards_max` are left out. The error: it has too many bytes.
Result<std::string> frame_of(const TargetNews& news);

/// Takes the bytes of a pipe as they come. Does not trust them: a length is checked before memory
/// is taken for it, and all that codec.h says of messages holds for the readings.
class FrameReader {
 public:
  /// The readings that are complete now; `target` is empty and the host has no name. After an error
  /// the stream has no further readings, because nobody knows where the next frame begins.
  Result<std::vector<TargetNews>> take(std::string_view bytes);

 private:
  std::string waiting_;
};

}  // namespace drover::agents
