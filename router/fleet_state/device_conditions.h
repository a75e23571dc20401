// Devices with a condition: unusable (reported by their agents), under an injected fault, or
// drained.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/time.h"
#include "router/fleet_state/fleet_state.h"

namespace drover::router {

using DeviceKey = std::pair<HostIndex, std::uint16_t>;

/// What real devices say about themselves.
using BoardTable = std::map<DeviceKey, Board>;

struct ReportedCondition {
  bool usable = true;
  Instant since{};  // when `usable` last changed, or when this entry was made
  std::string detail;
  Instant doubted_until{};  // not yet confirmed after a Register; Instant{}: confirmed
  struct InForce {
    Instant since{};  // when it was injected; Instant{}: known from a Register only
    Instant until{};
    bool of_host = false;
    FaultKind kind = FaultKind::throttle;
    std::string words;
  };
  std::vector<InForce> faults;  // in the order of injection
  bool drained = false;         // drained by an operator
};

/// Adds `fault`, as agents do: it replaces one of the same kind. A fault of the host and a fault
/// of the device are kept apart.
void replace(std::vector<ReportedCondition::InForce>& faults,
             const ReportedCondition::InForce& fault);
using FaultsByDevice = std::map<std::uint16_t, std::vector<ReportedCondition::InForce>>;

class DeviceConditionTable {
 public:
  /// Returns whether the report changed anything.
  bool report(Instant now, DeviceKey device, bool usable, std::string detail);
  /// Records the fault from `now` until it ends.
  void inject(Instant now, DeviceKey device, const Fault& fault, bool of_host);
  /// Replaces the host's known faults with those that its agent carries out, by device. Faults
  /// injected at `asked_at` or later are kept: the agent may not have received them yet. Returns
  /// the devices whose faults changed.
  std::vector<DeviceKey> replace_reported_faults(Instant now, HostIndex host,
                                                 FaultsByDevice reported, Instant asked_at);
  /// Returns whether this changed anything.
  bool drain(Instant now, DeviceKey device, bool drained);
  /// The host has registered again: its agent must report its unusable devices again by `until`.
  void doubt(HostIndex host, Instant until);
  /// Ends what is due. Returns the devices whose fault ended, or whose unusable state was not
  /// confirmed.
  std::vector<DeviceKey> end(Instant now);
  /// When `end` is due next; `never` when nothing ends on its own.
  Instant next_end() const { return ends_.empty() ? never : ends_.begin()->first; }
  /// Forgets the conditions of the host's devices, except drains. With `in_force`, also keeps
  /// faults that its agent may still carry out. Returns the devices that had a condition.
  std::vector<DeviceKey> forget(HostIndex host, bool in_force = false);

  /// The condition of a device; a device without an entry is usable.
  const ReportedCondition& of(DeviceKey device) const;
  /// Every device with a condition, in order.
  const std::map<DeviceKey, ReportedCondition>& all() const { return conditions_; }

 private:
  void settle(DeviceKey device);

  std::map<DeviceKey, ReportedCondition> conditions_;
  std::set<std::pair<Instant, DeviceKey>> ends_;
};

}  // namespace drover::router
