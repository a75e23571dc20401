#include "router/fleet_state/prefix_cache_index.h"

#include <algorithm>

namespace drover::router {

void PrefixCacheIndex::used(std::uint32_t replica, const std::vector<std::uint64_t>& prefix,
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

std::size_t PrefixCacheIndex::shared(std::uint32_t replica,
                                     const std::vector<std::uint64_t>& prefix) const {
  const auto cache = caches_.find(replica);
  if (cache == caches_.end()) return 0;
  std::size_t count = 0;
  while (count < prefix.size() && cache->second.used.count(prefix[count]) != 0) ++count;
  return count;
}

}  // namespace drover::router
