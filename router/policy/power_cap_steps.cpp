#include "router/policy/power_cap_steps.h"

#include <algorithm>
#include <tuple>

namespace drover::router {
namespace {

/// Waiting work counts only from this share of the cap (assumed).
constexpr double concerned = 0.5;

double floor_of(const PowerLeverRules& rules, const CappedDevice& device) {
  return std::max(device.cap_min_w, rules.floor * device.rated_w);
}

std::vector<CapStep> lower(const PowerLeverRules& rules, const CappedGroup& limit,
                           double missing_w) {
  std::vector<CappedDevice> order = limit.devices;
  std::ranges::sort(order, [](const CappedDevice& a, const CappedDevice& b) {
    return std::tuple(!a.serves, -a.drawn_w, a.device) <
           std::tuple(!b.serves, -b.drawn_w, b.device);
  });
  std::vector<CapStep> steps;
  for (const CappedDevice& device : order) {
    if (missing_w <= 0) break;
    // A cap above its power frees nothing.
    const double from_w = std::min(device.cap_w, device.drawn_w);
    const double to_w = std::max(floor_of(rules, device), from_w - rules.step * device.rated_w);
    if (from_w - to_w < least_step_w) continue;
    missing_w -= from_w - to_w;
    steps.push_back({device.device, to_w});
  }
  return steps;
}

std::vector<CapStep> raise(const PowerLeverRules& rules, const CappedGroup& limit,
                           double headroom_w) {
  std::vector<CappedDevice> order = limit.devices;
  std::ranges::sort(order, [](const CappedDevice& a, const CappedDevice& b) {
    return std::tuple(a.serves, a.cap_w, a.device) < std::tuple(b.serves, b.cap_w, b.device);
  });
  std::vector<CapStep> steps;
  for (const CappedDevice& device : order) {
    const double to_w = std::min(device.rated_w, device.cap_w + rules.step * device.rated_w);
    if (to_w - device.cap_w < least_step_w) continue;
    // It may draw all that its cap allows.
    if (to_w - device.cap_w > headroom_w) break;
    headroom_w -= to_w - device.cap_w;
    steps.push_back({device.device, to_w});
  }
  return steps;
}

}  // namespace

std::vector<CapStep> choose_cap_steps(const PowerLeverRules& rules, const CappedGroup& limit) {
  if (limit.cap_w <= 0) return raise(rules, limit, 1e300);
  const double over_w = limit.drawn_w - rules.near * limit.cap_w;
  const bool wanted = limit.work_waits && limit.drawn_w >= concerned * limit.cap_w;
  if (over_w > 0 || wanted) {
    return lower(rules, limit, std::max(over_w, wanted ? rules.step * limit.cap_w : 0));
  }
  if (limit.work_waits) return {};
  return raise(rules, limit, rules.back * limit.cap_w - limit.drawn_w);
}

}  // namespace drover::router
