#include "router/actions/power_cap_violations.h"

#include <array>
#include <map>
#include <string_view>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/actions/power_cap_allocation.h"

namespace drover::router {
namespace {

/// What keeps a device's power from going lower. The first reason that applies counts.
enum Floor : std::size_t {
  capless_gpu,
  capless_tpu,
  at_floor,
  below_floor,
  silent_host,
  unsampled,
  floors,
};

struct Words {
  std::string_view one, many;
};
constexpr std::array<Words, floors> floor_reasons = {{
    {"GPU accepts no cap", "GPUs accept no cap"},
    {"TPU accepts no cap", "TPUs accept no cap"},
    {"device at its floor", "devices at their floor"},
    {"device draws less than the smallest cap it accepts",
     "devices draw less than the smallest cap they accept"},
    {"device of a silent host", "devices of silent hosts"},
    {"device has sent no sample", "devices have sent no sample"},
}};
constexpr std::array<Floor, floors> text_order = {at_floor,    below_floor, capless_gpu,
                                                  capless_tpu, silent_host, unsampled};

void add(std::string& words, const std::string& reason) {
  if (!words.empty()) words += ", ";
  words += reason;
}

/// Visits the devices under a cap.
template <typename Visit>
void each_group(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool,
                Visit visit) {
  for (const GroupEntry& group : fleet_state.groups()) {
    if (group.gone || is_gone(fleet_state.hosts()[group.host].health)) continue;
    if (!pool || group.in_pool(*pool)) visit(group);
  }
}

/// The floor of a device whose cap is, or will be, `cap_w`.
Floor floor_of(const devices::DeviceSpec& spec, const CappedDevice& device, double cap_w) {
  if (!spec.takes_power_cap()) {
    return spec.device_class == DeviceClass::tpu ? capless_tpu : capless_gpu;
  }
  return cap_w - device.cap_min_w < least_step_w ? at_floor : below_floor;
}

}  // namespace

IdleDraw idle_draw(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool) {
  IdleDraw idle;
  each_group(fleet_state, pool, [&](const GroupEntry& group) {
    idle.devices += group.group.count;
    idle.watts += group.spec->power.idle_w * group.group.count;
  });
  return idle;
}

std::string cap_floor_text(const FleetState& fleet_state, const std::optional<std::uint32_t>& pool,
                           const CappedGroup& limit, const std::vector<CapStep>& steps) {
  std::map<DeviceIndex, double> stepped;
  for (const CapStep& step : steps) stepped[step.device] = step.cap_w;
  std::array<std::size_t, floors> counts{};
  std::map<GroupIndex, std::size_t> reached;
  for (const CappedDevice& device : limit.devices) {
    const GroupIndex group = fleet_state.devices().group[device.device];
    ++reached[group];
    const auto step = stepped.find(device.device);
    const double cap_w = step == stepped.end() ? device.cap_w : step->second;
    ++counts[floor_of(*fleet_state.groups()[group].spec, device, cap_w)];
  }
  each_group(fleet_state, pool, [&](const GroupEntry& group) {
    const auto index = fleet_state.devices().group[group.first];
    const std::size_t others = group.group.count - reached[index];
    const bool heard = fleet_state.hosts()[group.host].health == Health::ok;
    counts[heard ? unsampled : silent_host] += others;
  });
  std::string words;
  const IdleDraw idle = idle_draw(fleet_state, pool);
  if (idle.watts > limit.cap_w) {
    add(words, fmt::format("{} {} {} idle", counted(idle.devices, "device"),
                           idle.devices == 1 ? "draws" : "draw", watts_text(idle.watts)));
  }
  for (const Floor floor : text_order) {
    const auto& [one, many] = floor_reasons[floor];
    if (counts[floor] > 0) add(words, counted(counts[floor], one, many));
  }
  return words;
}

std::string cap_ignored_text(const FleetState& fleet_state, const CappedGroup& limit,
                             const std::function<std::optional<double>(DeviceIndex)>& sent_w) {
  std::size_t unapplied = 0;
  std::size_t beyond = 0;
  for (const CappedDevice& device : limit.devices) {
    const double cap_w = fleet_state.devices().power_cap_w[device.device];
    const auto sent_cap_w = sent_w(device.device);
    if (sent_cap_w && cap_w - *sent_cap_w >= least_step_w) {
      ++unapplied;
    } else if (fleet_state.devices().power_w[device.device] > cap_w) {
      ++beyond;
    }
  }
  std::string words;
  if (unapplied > 0) {
    add(words, counted(unapplied, "device has not applied the cap it was sent",
                       "devices have not applied the caps they were sent"));
  }
  if (beyond > 0) {
    add(words,
        counted(beyond, "device draws more than its cap", "devices draw more than their caps"));
  }
  return words.empty() ? "new work started faster than device caps were lowered" : words;
}

}  // namespace drover::router
