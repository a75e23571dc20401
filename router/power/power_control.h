// Power caps of the site and of pools: who set them, and what is done so that they are met.
//
// Enforcement (actions/power_caps.h): device caps go down at once where power is above a
// cap, and up again where there is headroom or the cap is gone. No state is kept for it: samples
// show which caps are in force, so after a restart of the router or of a host, and for late hosts,
// the cap is enforced at the next evaluation.
//
// The power lever (policy/power_cap_steps.h) keeps power below the cap by a margin.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "router/actions/power_caps.h"
#include "router/alerts/alerts.h"
#include "router/fleet_state/device_conditions.h"
#include "router/health/timing.h"
#include "router/jobs/queue.h"
#include "router/publishing/publisher.h"

namespace drover::router {

struct PowerControlDependencies {
  const RouterTiming& settings;
  const FleetState& fleet_state;
  const JobTable& jobs;
  const ConnectionTable& connections;
  const BoardTable& boards;
  Policy& policy;  // only its limits
  JobQueue& queue;
  SentCaps& sent_caps;
  OutboxBuilder& outbox;
  Publisher& publisher;
};

/// Sets the limits in force, and sends caps to devices.
class PowerControl : PowerControlDependencies {
 public:
  explicit PowerControl(const PowerControlDependencies& uses)
      : PowerControlDependencies(uses), caps_(policy.limits) {}

  void handle(Instant now, const Caller& caller, const SetPowerCap& cap);
  /// Caps of the ledger, with their times.
  void restore(Instant now, const std::vector<std::pair<Instant, SetPowerCap>>& caps);
  /// Another policy is in force: its limits hold, except where a client has set a cap.
  void renew_limits() {
    caps_.set_own(policy.limits);
    change_limits();
  }
  /// Ends caps whose time is over.
  void end_caps(Instant now);
  Instant next_end() const { return caps_.next_end(); }
  /// Whether the limits in force have changed since the last call.
  bool take_limits_changed() { return std::exchange(limits_changed_, false); }

  /// Lowers device caps at once where power is above a cap; raises them where there is headroom
  /// again, or no cap any more.
  void enforce_caps(Instant now);
  /// Lowers device caps where a power cap is near or work waits for power; else raises them.
  void adjust_power_caps(Instant now);
  /// Adds conditions for caps that should be met but are not.
  void add_unmet_cap_conditions(Instant now, std::vector<AlertCondition>& seen) const;

 private:
  /// A power cap in force on the site or on this pool.
  struct CapLimit {
    std::string subject;
    std::optional<std::uint32_t> pool;
    double cap_w = 0;
    bool admission_only = false;
  };
  std::vector<CapLimit> cap_limits() const;
  /// The cap on this target, if any.
  std::optional<CapLimit> cap_limit(const std::string& subject) const;
  void change_limits();
  void raise_caps(Instant now, const std::vector<CapLimit>& limits);
  void restore_caps(Instant now, const std::vector<CapLimit>& limits);
  /// Time after a cap was set or exceeded by which samples show that it is met.
  Duration caps_met_within(const std::optional<std::uint32_t>& pool) const;
  /// Text of the cap's effect, before anything was done for it.
  std::string cap_effect_text(Instant now, const SetPowerCap& cap, bool was_set) const;
  /// Text of what still limits this target once its cap is gone.
  std::string remaining_cap_text(const std::string& subject, bool was_set) const;
  /// Why the cap must be confirmed first; empty: no confirmation needed.
  std::string cap_confirmation_text(const SetPowerCap& cap,
                                    const std::optional<std::uint32_t>& pool) const;
  /// How far the device's cap may rise: to the rated power of an emulated device. A real one's
  /// owner may have set a lower cap, and has it back.
  double highest_cap(DeviceIndex device) const;
  /// The device's cap: the one sent to it recently, else the sampled one.
  double cap_in_force(Instant now, DeviceIndex device) const;
  /// Power of the pool or the site, and its reachable devices. `required_w`: watts that jobs
  /// waiting for power would add.
  CappedGroup limit_of(Instant now, std::optional<std::uint32_t> pool, double cap_w,
                       const std::vector<double>& required_w) const;
  /// Watts that each job waiting for power would add, as far as it was decided.
  std::vector<double> required_watts() const;
  void cap_devices(Instant now, const std::string& subject, const std::vector<CapStep>& steps,
                   bool down);

  PowerCapOverrides caps_;
  std::map<std::string, Instant> over_cap_since_;  // by subject of the cap
  Instant next_cap_raise_{};
  Instant next_lever_{};
  bool limits_changed_ = true;
};

}  // namespace drover::router
