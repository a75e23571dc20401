// The interface of the back ends that read real devices on this machine, one for each maker.
//
// A back end is found at run time and never linked: a library that is opened when it is there,
// files of the kernel, a service of the program that uses the device. All calls may block for
// seconds while a driver recovers. Each device is therefore used by a thread of its own
// (agents/drivers/device_workers.h), and no two calls on one device overlap. Calls on different
// devices may.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "agents/watch/reading.h"
#include "fleet/base/result.h"

namespace drover::agents {

/// One device that a back end has found.
class DriverDevice {
 public:
  virtual ~DriverDevice() = default;

  /// BoardReading::identity, without asking the device.
  virtual std::string identity() const = 0;

  /// One reading of everything that the device reports. `now_s`: monotonic seconds, for rates;
  /// later in each call than in the one before. Never fails: what cannot be read is absent, with
  /// its reason in `board.missing`, and a device that does not answer at all is `lost`.
  virtual BoardReading read(double now_s) = 0;

  /// Sets the power cap, in W. The error says what the driver accepts, or that it does not allow
  /// it.
  virtual Status set_power_cap(double watts) = 0;
};

/// The places where back ends look. Tests have their own.
struct DriverPlaces {
  std::string root;          // before /sys, /proc and /dev; empty: the real ones
  std::string nvml_library;  // empty: $DROVER_NVML, else libnvidia-ml.so.1 on the loader's path
  std::string tpu_address = "localhost";  // where libtpu's metric service listens
};

/// What a back end has found on this machine.
struct FoundDevices {
  std::string driver;  // "NVML (driver 580.105.08)", "amdgpu", "i915", "libtpu"
  std::vector<std::unique_ptr<DriverDevice>> devices;
  /// Without devices: why. "libnvidia-ml.so.1 is not on this machine". With devices: what is worth
  /// knowing once, such as persistence mode being off.
  std::vector<std::string> notes;
};

/// Each back end, in its own file. May block for seconds.
FoundDevices find_nvidia_devices(const DriverPlaces& places);
FoundDevices find_amd_devices(const DriverPlaces& places);
FoundDevices find_intel_devices(const DriverPlaces& places);
FoundDevices find_tpu_devices(const DriverPlaces& places);

}  // namespace drover::agents
