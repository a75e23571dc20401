#include "router/actions.h"

#include <utility>

#include "fleet/base/text.h"
#include "fleet/target.h"
#include "fleet/xid.h"
#include "router/actions/reply_text.h"

namespace drover::router {
namespace {

// Length limit of clients' texts, which are published and quoted in other texts.
constexpr std::size_t caption_max = 200;
constexpr std::size_t key_max = 16;

/// "h1/0-3: throttle=0.5 for 60s: work there slows down; 2 jobs run there now".
std::string injection_text(const InjectFault& inject, const std::vector<FaultTarget>& reached,
                           const std::vector<std::string>& targets, std::size_t runs,
                           double speed) {
  const bool hosts = !reached.empty() && reached.front().whole;
  const std::string fault = inject.fault.kind == FaultKind::reclaim
                                ? "reclaim with a notice of " +
                                      duration_phrase(from_seconds(inject.fault.amount), speed) +
                                      ","
                                : to_text(inject.fault);
  return fmt::format("{}: {} for {}: {}; {} there now", compact_targets(targets), fault,
                     duration_phrase(inject.fault.duration, speed),
                     fault_effect_text(inject.fault, hosts),
                     runs == 0 ? "nothing runs" : counted(runs, "job runs", "jobs run"));
}

/// All devices of the host if the fault reaches it as a whole.
std::vector<DeviceKey> devices_reached(const FleetState& fleet_state, const FaultTarget& reached) {
  std::vector<DeviceKey> devices;
  for (const std::uint16_t number : reached.devices) devices.emplace_back(reached.host, number);
  if (!reached.whole) return devices;
  for (const DeviceIndex device : fleet_state.hosts()[reached.host].devices) {
    devices.emplace_back(reached.host, fleet_state.devices().number[device]);
  }
  return devices;
}

}  // namespace

void Actions::handle(Instant now, const Caller& caller, const InjectFault& inject) {
  const auto reached = plan_injection(inject, fleet_state, policy);
  if (!reached) {
    return publisher.refuse_action(now, caller, action_text(inject), inject.target,
                                   reached.error().message);
  }
  ActionReply reply;
  reply.applied = true;
  std::vector<DeviceKey> struck;
  for (const FaultTarget& one : *reached) {
    const HostEntry& host = fleet_state.hosts()[one.host];
    if (one.whole) reply.targets.push_back(host.registration.host);
    for (const std::uint16_t number : one.devices) {
      reply.targets.push_back(to_text(DeviceId{host.registration.host, number}));
    }
    for (const DeviceKey& device : devices_reached(fleet_state, one)) struck.push_back(device);
  }
  reply.summary =
      injection_text(inject, *reached, reply.targets, running_on(struck), settings.speed);
  const std::uint64_t write =
      publisher.reply_to_action(now, caller, action_text(inject), inject.target, std::move(reply));
  for (const FaultTarget& one : *reached) apply_fault(now, one, inject.fault, write);
}

void Actions::apply_fault(Instant now, const FaultTarget& reached, const Fault& fault,
                          std::uint64_t after_write) {
  const auto peer = connections.peer_of(fleet_state.hosts()[reached.host].registration.host);
  if (!peer) return;  // the host was lost meanwhile
  outbox.send_in_order(now, {Channel::control, *peer},
                       ApplyFault{reached.whole, reached.devices, fault}, after_write);
  if (clears_immediately(fault)) return;
  for (const DeviceKey& device : devices_reached(fleet_state, reached)) {
    availability.inject(now, device, fault, reached.whole);
  }
}

void Actions::handle(Instant now, const Caller& caller, const Caption& said) {
  caption_ = said;
  caption_.text = excerpt(said.text, caption_max);
  caption_.key = excerpt(said.key, key_max);
  caption_by_ = caller.peer.number;
  outbox.publish(now, caption_);
}

void Actions::end_caption(Instant now) {
  if (caption_.text.empty() || connections.find(caption_by_) != nullptr) return;
  caption_ = {};
  outbox.publish(now, caption_);
}

}  // namespace drover::router
