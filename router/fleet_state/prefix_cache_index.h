// Prompt blocks that each replica has read recently: an estimate of its prefix cache.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "fleet/base/search.h"

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
            std::size_t blocks_max) {
    if (prefix.empty() || blocks_max == 0) return;
    Cache& cache = caches_[replica];
    // From the last block to the first: the end of a prompt is dropped before its beginning.
    for (auto block = prefix.rbegin(); block != prefix.rend(); ++block) {
      const auto [place, fresh] = cache.used.try_emplace(*block, ++uses_);
      if (!fresh) {
        cache.oldest.erase(place->second);
        place->second = uses_;
      }
      cache.oldest.emplace(uses_, *block);
    }
    const std::size_t kept_max = std::min(blocks_max, prefix_blocks_known_max);
    while (cache.used.size() > kept_max) {
      cache.used.erase(cache.oldest.begin()->second);
      cache.oldest.erase(cache.oldest.begin());
    }
  }
  /// Number of leading blocks of the prefix that the replica holds.
  std::size_t shared(std::uint32_t replica, const std::vector<std::uint64_t>& prefix) const {
    const Cache* cache = find_in(caches_, replica);
    if (cache == nullptr) return 0;
    std::size_t count = 0;
    while (count < prefix.size() && cache->used.contains(prefix[count])) ++count;
    return count;
  }
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
