// FNV-1a, 64 bits (Fowler, Noll, Vo; draft-eastlake-fnv). Not collision-resistant against attacks.
#pragma once

#include <cstdint>
#include <string_view>

namespace drover {

constexpr std::uint64_t fnv1a(std::string_view bytes) {
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char byte : bytes) hash = (hash ^ static_cast<unsigned char>(byte)) * 0x100000001b3U;
  return hash;
}

}  // namespace drover
