#include "router/policy/power_lever.h"

#include <algorithm>
#include <tuple>

namespace drover::router {
namespace {

/// Work that waits for watts is a reason only where the cap has to do with it (assumed).
constexpr double concerned = 0.5;
/// Smaller steps are not worth a message.
constexpr double least_step_w = 1;

double floor_of(const LeverRules& rules, const LeverDevice& device) {
  return std::max(device.cap_min_w, rules.floor * device.made_for_w);
}

std::vector<CapStep> lower(const LeverRules& rules, const LeverLimit& limit, double missing_w) {
  std::vector<LeverDevice> order = limit.devices;
  std::sort(order.begin(), order.end(), [](const LeverDevice& a, const LeverDevice& b) {
    return std::tuple(!a.serves, -a.drawn_w, a.device) <
           std::tuple(!b.serves, -b.drawn_w, b.device);
  });
  std::vector<CapStep> steps;
  for (const LeverDevice& device : order) {
    if (missing_w <= 0) break;
    // A cap above what it draws frees nothing.
    const double from_w = std::min(device.cap_w, device.drawn_w);
    const double to_w = std::max(floor_of(rules, device), from_w - rules.step * device.made_for_w);
    if (from_w - to_w < least_step_w) continue;
    missing_w -= from_w - to_w;
    steps.push_back({device.device, to_w});
  }
  return steps;
}

std::vector<CapStep> raise(const LeverRules& rules, const LeverLimit& limit, double room_w) {
  std::vector<LeverDevice> order = limit.devices;
  std::sort(order.begin(), order.end(), [](const LeverDevice& a, const LeverDevice& b) {
    return std::tuple(a.serves, a.cap_w, a.device) < std::tuple(b.serves, b.cap_w, b.device);
  });
  std::vector<CapStep> steps;
  for (const LeverDevice& device : order) {
    const double to_w = std::min(device.made_for_w, device.cap_w + rules.step * device.made_for_w);
    if (to_w - device.cap_w < least_step_w) continue;
    // It may draw all that it is given.
    if (to_w - device.cap_w > room_w) break;
    room_w -= to_w - device.cap_w;
    steps.push_back({device.device, to_w});
  }
  return steps;
}

}  // namespace

std::vector<CapStep> pull_lever(const LeverRules& rules, const LeverLimit& limit) {
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
