// Why more is drawn than a power cap allows, in words: what keeps devices from drawing less, or
// what they have not done yet.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "router/policy/power_lever.h"
#include "router/roster/roster.h"

namespace drover::router {

struct IdleDraw {
  std::size_t devices = 0;
  double watts = 0;
};
/// What the devices under a cap draw when nothing runs; without a pool, those of the site.
IdleDraw idle_draw(const Roster& roster, const std::optional<std::uint32_t>& pool);

/// Why no less than this can be drawn, even with these steps taken: "16 devices at their floor, 8
/// TPUs accept no cap". REQUIRES that it is more than `limit.cap_w`.
std::string floor_words(const Roster& roster, const std::optional<std::uint32_t>& pool,
                        const LeverLimit& limit, const std::vector<CapStep>& steps);

/// Why more is drawn though less could be: "16 devices have not taken the caps they were told".
/// `told_w` answers the cap that a device was told of late, or nothing.
std::string disobeyed_words(const Roster& roster, const LeverLimit& limit,
                            const std::function<std::optional<double>(DeviceIndex)>& told_w);

}  // namespace drover::router
