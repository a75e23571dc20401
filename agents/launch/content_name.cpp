#include "agents/launch/content_name.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

#include <fmt/format.h>

namespace drover::launch {

namespace {

struct Lanes {
  std::uint64_t left = 0x9e3779b97f4a7c15;
  std::uint64_t right = 0xd1b54a32d192ed03;

  // Each step is invertible, so two contents of equal length differ until a later step joins them.
  void take(std::uint64_t word) {
    left = std::rotl((left ^ word) * 0xff51afd7ed558ccd, 29);
    right = (std::rotl(right, 17) + word) * 0xc4ceb9fe1a85ec53;
    left ^= right >> 31;
  }
};

}  // namespace

std::string content_name(const std::vector<std::string_view>& parts) {
  Lanes lanes;
  for (const std::string_view part : parts) {
    lanes.take(part.size());
    for (std::size_t at = 0; at < part.size(); at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, part.data() + at, std::min(sizeof word, part.size() - at));
      lanes.take(word);
    }
  }
  for (int i = 0; i < 4; ++i) lanes.take(0);
  return fmt::format("{:016x}{:016x}", lanes.left, lanes.right);
}

}  // namespace drover::launch
