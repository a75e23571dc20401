#include "router/policy/network.h"

#include <algorithm>

#include "fleet/base/text.h"

namespace drover::router {
namespace {

constexpr double bytes_per_gb = 1e9;

bool joins(const Link& link, std::string_view a, std::string_view b) {
  return (matches_glob(a, link.from) && matches_glob(b, link.to)) ||
         (matches_glob(b, link.from) && matches_glob(a, link.to));
}

}  // namespace

Path path_between(const Network& network, std::string_view from, std::string_view to) {
  if (from == to) return {};
  for (const Link& link : network.links) {
    if (joins(link, from, to)) return link.path;
  }
  return network.otherwise;
}

std::optional<Transfer> transfer_of(const Network& network, const DataSet& data_set,
                                    std::string_view to) {
  std::optional<Transfer> best;
  for (const std::string& site : data_set.sites) {
    const Path path = path_between(network, site, to);
    Transfer one;
    if (path.bytes_per_s > 0) one.seconds = data_set.bytes / path.bytes_per_s;
    one.usd = data_set.bytes / bytes_per_gb * path.usd_per_gb;
    const bool better = !best || one.seconds < best->seconds ||
                        (one.seconds == best->seconds && one.usd < best->usd);
    if (better) best = one;
  }
  return best;
}

}  // namespace drover::router
