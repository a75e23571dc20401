// Which blocks of prompts a replica has read lately: what its prefix cache is believed to hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace drover::router {

/// Of one replica, whatever its agent says of its cache: some 100 bytes each here. They are eight
/// million tokens; a host of eight devices of 141 GB holds fewer of a model of eight billion
/// weights. [assumed]
inline constexpr std::size_t prefix_blocks_known_max = 16'384;

/// By replica, the least recently used blocks forgotten first.
class PrefixBook {
 public:
  /// A request with this prefix was given to the replica, whose cache holds so many blocks. No
  /// more than `prefix_blocks_known_max` of them are remembered.
  void used(std::uint32_t replica, const std::vector<std::uint64_t>& prefix,
            std::size_t blocks_max);
  /// How many leading blocks of the prefix the replica holds.
  std::size_t shared(std::uint32_t replica, const std::vector<std::uint64_t>& prefix) const;
  void forget(std::uint32_t replica) { caches_.erase(replica); }

 private:
  struct Cache {
    std::map<std::uint64_t, std::uint64_t> used;    // by block: when, in uses
    std::map<std::uint64_t, std::uint64_t> oldest;  // the same the other way round
  };
  std::map<std::uint32_t, Cache> caches_;
  std::uint64_t uses_ = 0;
};

}  // namespace drover::router
