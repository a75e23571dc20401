// Prompt blocks that each replica has read recently: an estimate of its prefix cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace drover::router {

/// Blocks kept per replica, whatever its agent reports: some 100 bytes each here. They stand for
/// eight million tokens; a host of eight 141 GB devices holds fewer for an 8-billion-parameter
/// model. [assumed]
inline constexpr std::size_t prefix_blocks_known_max = 16'384;

/// Keeps blocks per replica; the least recently used ones are dropped first.
class PrefixCacheIndex {
 public:
  /// Records a request with this prefix on the replica, whose cache holds `blocks_max` blocks. At
  /// most `prefix_blocks_known_max` are kept.
  void used(std::uint32_t replica, const std::vector<std::uint64_t>& prefix,
            std::size_t blocks_max);
  /// Number of leading blocks of the prefix that the replica holds.
  std::size_t shared(std::uint32_t replica, const std::vector<std::uint64_t>& prefix) const;
  void forget(std::uint32_t replica) { caches_.erase(replica); }

 private:
  struct Cache {
    std::map<std::uint64_t, std::uint64_t> used;    // by block: time of last use, counted in uses
    std::map<std::uint64_t, std::uint64_t> oldest;  // the reverse
  };
  std::map<std::uint32_t, Cache> caches_;
  std::uint64_t uses_ = 0;
};

}  // namespace drover::router
