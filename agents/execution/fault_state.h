// The faults in force on one host: what was injected, its effect on each device, and when it ends.
// Several may be in force at once; the same kind on the same device replaces the earlier one.
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

/// The combined effect of the faults in force on one device.
struct FaultEffect {
  double clock_limit = 1;  // share of the nominal clock
  double link_share = 1;   // share of its interconnect bandwidth
  bool hung = false;
  bool off_bus = false;          // not visible: no samples
  std::string unusable;          // why it cannot run work; empty: it can
  std::uint32_t xid = 0;         // the Xid that made it unusable, if any
  std::optional<Instant> since;  // when that fault began
  bool operator==(const FaultEffect&) const = default;
};

/// An event without duration: the driver reports it, and running work may fail.
struct Incident {
  std::uint16_t device = 0;
  std::uint32_t xid = 0;
  std::string detail;
  bool work_fails = false;
};

/// What the driver has logged of one device.
struct DeviceError {
  std::uint16_t device = 0;
  std::uint32_t xid = 0;  // 0: an uncorrectable memory error without one
  bool operator==(const DeviceError&) const = default;
};

struct EccCounts {
  std::uint64_t corrected = 0;
  std::uint64_t uncorrected = 0;
};

/// Errors of all devices since the agent started, as a driver counts them.
struct ErrorLog {
  std::vector<DeviceError> newest;  // at most errors_kept_max, in order
  std::uint64_t total = 0;          // including those that are no longer in `newest`
  std::vector<EccCounts> ecc;       // of each device
};
inline constexpr std::size_t errors_kept_max = 64;

enum class FaultOrigin : std::uint8_t { requested, spontaneous };

class FaultState {
 public:
  struct Device {
    std::uint16_t group = 0;
    DeviceClass device_class = DeviceClass::gpu;
  };
  /// `devices`: the devices of the host, by index.
  explicit FaultState(std::vector<Device> devices) : devices_(std::move(devices)) {
    errors_.ecc.resize(devices_.size());
  }

  /// Applies a fault: records lasting ones and returns events without duration. An invalid fault
  /// (unknown device, an Xid of a TPU, a value out of range) has no effect.
  std::vector<Incident> apply(Instant now, const ApplyFault& request,
                              FaultOrigin origin = FaultOrigin::requested);

  /// When the next fault ends; `never` when none is in force.
  Instant next_end() const;
  /// Removes faults whose time is over.
  void end(Instant now);

  /// Faults that were injected, in order of injection.
  std::vector<ActiveFault> requested() const;
  FaultEffect effect_on(std::uint16_t device) const;
  /// Start of the newest fault that affects the device, faults of its host included.
  std::optional<Instant> newest(std::uint16_t device) const;
  /// Increase of the inlet air temperature, K.
  double inlet_k() const;
  /// Airflow of the host's fans as a share of normal.
  double airflow() const;
  bool host_lost() const;
  /// When the host will be reclaimed; nothing: no notice.
  std::optional<Instant> reclaimed_at() const;
  const ErrorLog& errors() const { return errors_; }

 private:
  struct Entry {
    bool host = false;
    std::uint16_t device = 0;
    Fault fault;
    Instant since{};
    Instant until{};
    FaultOrigin origin = FaultOrigin::requested;
  };

  /// The first fault of the host of this kind; null: none.
  const Entry* host_fault(FaultKind kind) const;
  std::vector<std::uint16_t> reached(const ApplyFault& apply) const;
  bool is_tpu(std::uint16_t device) const;
  void enter(const Entry& entry);
  void log_error(std::uint16_t device, const Fault& fault);

  std::vector<Device> devices_;
  std::vector<Entry> entries_;  // in order of arrival
  ErrorLog errors_;
};

}  // namespace drover::agents
