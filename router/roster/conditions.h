// The devices that are not as they should be: unusable, as their agents report, under faults that
// were asked for, or drained.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/time.h"
#include "router/roster/roster.h"

namespace drover::router {

using DeviceKey = std::pair<HostIndex, std::uint16_t>;

struct Condition {
  bool usable = true;
  Instant since{};  // usable or not; of a usable one: since it stands here
  std::string detail;
  Instant doubted_until{};  // its agent has not said it again yet; Instant{}: no doubt
  struct InForce {
    Instant since{};  // when it was asked for; Instant{}: known from a Hello
    Instant until{};
    bool of_host = false;
    FaultKind kind = FaultKind::throttle;
    std::string words;
  };
  std::vector<InForce> faults;  // in the order in which they were asked for
  bool drained = false;         // no new work, because somebody said so
};

/// As agents do it: the same kind again replaces the earlier one; a host's and a device's are two.
void replace(std::vector<Condition::InForce>& faults, const Condition::InForce& fault);
using FaultsByDevice = std::map<std::uint16_t, std::vector<Condition::InForce>>;

class ConditionBook {
 public:
  /// Answers whether the report changed anything.
  bool report(Instant now, DeviceKey device, bool usable, std::string detail);
  /// From now on and for as long as it lasts.
  void inject(Instant now, DeviceKey device, const Fault& fault, bool of_host);
  /// The faults that an agent is carrying out, by device. They replace those known of the host,
  /// except faults asked for at `asked_at` or later, which the agent may not have heard of yet.
  /// Answers the devices whose faults changed.
  std::vector<DeviceKey> hear_faults(Instant now, HostIndex host, FaultsByDevice told,
                                     Instant asked_at);
  /// Answers whether that is news.
  bool drain(Instant now, DeviceKey device, bool drained);
  /// The host has said Hello: its agent repeats by then which devices are unusable.
  void doubt(HostIndex host, Instant until);
  /// Devices of which a fault has ended, or whose unusability was not repeated.
  std::vector<DeviceKey> end(Instant now);
  /// `never` when nothing ends by itself.
  Instant next_end() const { return ends_.empty() ? never : ends_.begin()->first; }
  /// Everything about the host's devices, save that they are drained; answers those of which
  /// something was known. `in_force`: and save the faults that its agent may still carry out.
  std::vector<DeviceKey> forget(HostIndex host, bool in_force = false);

  /// A device of which nothing is known is usable.
  const Condition& of(DeviceKey device) const;
  /// Those that are not as they should be, in order.
  const std::map<DeviceKey, Condition>& all() const { return conditions_; }

 private:
  void settle(DeviceKey device);

  std::map<DeviceKey, Condition> conditions_;
  std::set<std::pair<Instant, DeviceKey>> ends_;
};

}  // namespace drover::router
