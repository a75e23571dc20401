#include "router/actions/power_cap_allocation.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace drover::router {
namespace {

/// Halvings of the interval of shares: to a millionth of a device's power.
constexpr int halvings = 20;

bool takes_cap(const CappedDevice& device) { return device.cap_min_w < device.rated_w; }

/// In whole watts, so that devices of a kind share one message.
double level_of(const CappedDevice& device, double share) {
  return std::max(device.cap_min_w, std::floor(share * device.rated_w));
}

/// The largest share at which `drawn(share)`, which grows with it, is at most `most_w`.
template <typename Drawn>
double largest_share(Drawn drawn, double most_w) {
  if (drawn(1.0) <= most_w) return 1;
  double low = 0;
  double high = 1;
  for (int halving = 0; halving < halvings; ++halving) {
    const double middle = (low + high) / 2;
    (drawn(middle) <= most_w ? low : high) = middle;
  }
  return low;
}

}  // namespace

std::vector<CapStep> lower_to_cap(const CappedGroup& limit) {
  if (limit.cap_w <= 0 || limit.drawn_w <= limit.cap_w) return {};
  const auto drawn_at = [&](double share) {
    double drawn_w = limit.drawn_w;
    for (const CappedDevice& device : limit.devices) {
      if (!takes_cap(device)) continue;
      drawn_w -= std::max(0.0, device.drawn_w - level_of(device, share));
    }
    return drawn_w;
  };
  const double share = largest_share(drawn_at, cap_target_share * limit.cap_w);
  std::vector<CapStep> steps;
  for (const CappedDevice& device : limit.devices) {
    const double to_w = level_of(device, share);
    // A cap above its power frees nothing.
    if (!takes_cap(device) || device.drawn_w <= to_w) continue;
    if (device.cap_w - to_w >= least_step_w) steps.push_back({device.device, to_w});
  }
  return steps;
}

double share_with_headroom(const CappedGroup& limit, double headroom_w) {
  if (headroom_w <= 0) return 0;
  const auto more_at = [&](double share) {
    double more_w = 0;
    for (const CappedDevice& device : limit.devices) {
      if (!takes_cap(device)) continue;
      more_w += std::max(0.0, std::floor(share * device.rated_w) - device.cap_w);
    }
    return more_w;
  };
  return largest_share(more_at, headroom_w);
}

CapReach reach_of(const CappedGroup& limit, const std::vector<CapStep>& steps) {
  std::map<std::uint32_t, double> taken;
  for (const CapStep& step : steps) taken[step.device] = step.cap_w;
  CapReach reach;
  reach.least_w = limit.drawn_w;
  for (const CappedDevice& device : limit.devices) {
    if (!takes_cap(device)) continue;
    reach.least_w -= std::max(0.0, device.drawn_w - device.cap_min_w);
    const auto step = taken.find(device.device);
    const double cap_w = step == taken.end() ? device.cap_w : step->second;
    if (cap_w - device.cap_min_w < least_step_w) ++reach.at_floor;
  }
  return reach;
}

}  // namespace drover::router
