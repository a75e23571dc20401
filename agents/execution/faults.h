// The book of faults in force on one host: what was injected, what follows for each device, when it
// ends. Several may be in force at once; the same kind again on a device replaces the earlier one.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "fleet/actions.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::agents {

/// What the faults in force come to for one device.
struct Condition {
  double clock_limit = 1;  // share of the nominal clock
  double link_share = 1;   // of the bandwidth of its interconnect
  bool hung = false;
  bool off_bus = false;          // not to be seen: no samples of it
  std::string unusable;          // why no work can be there; empty: it can
  std::uint32_t xid = 0;         // that made it so, if one did
  std::optional<Instant> since;  // when that was heard
  bool operator==(const Condition&) const = default;
};

/// Something that is over at once: the driver tells of it, and the work may be gone.
struct Incident {
  std::uint16_t device = 0;
  std::uint32_t xid = 0;
  std::string detail;
  bool work_fails = false;
};

enum class Cause : std::uint8_t { asked_for, by_itself };

class FaultBook {
 public:
  struct Device {
    std::uint16_t group = 0;
    DeviceClass device_class = DeviceClass::gpu;
  };
  /// The devices of the host, by index.
  explicit FaultBook(std::vector<Device> devices) : devices_(std::move(devices)) {}

  /// Enters what lasts and answers what is over at once. What makes no sense here (a device that
  /// the host does not have, an Xid of a TPU, a value out of range) has no effect.
  std::vector<Incident> hear(Instant now, const ApplyFault& apply, Cause cause = Cause::asked_for);

  /// When the next fault ends; `never` when none is in force.
  Instant next_end() const;
  /// Those whose end has come are gone.
  void end(Instant now);

  /// Those that somebody has asked for, in that order.
  std::vector<FaultInForce> asked_for() const;
  Condition condition(std::uint16_t device) const;
  /// Since when the newest one is in force that reaches the device, those of its host included.
  std::optional<Instant> newest(std::uint16_t device) const;
  /// Degrees that the inlet air is warmer.
  double inlet_k() const;
  /// Share of the usual air that the host's fans move.
  double airflow() const;
  bool host_lost() const;
  /// When the host will be taken back; nothing: nobody has said so.
  std::optional<Instant> reclaimed_at() const;

 private:
  struct Entry {
    bool host = false;
    std::uint16_t device = 0;
    Fault fault;
    Instant since{};
    Instant until{};
    Cause cause = Cause::asked_for;
  };

  std::vector<std::uint16_t> reached(const ApplyFault& apply) const;
  bool is_tpu(std::uint16_t device) const;
  void enter(const Entry& entry);

  std::vector<Device> devices_;
  std::vector<Entry> entries_;  // in the order in which they were heard
};

}  // namespace drover::agents
