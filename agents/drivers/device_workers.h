// Reads devices without ever waiting for one: a thread for each device, and one that looks for
// devices.
//
// Calls into a driver may hang for seconds, or for ever. Each device has at most one call at a
// time. While it lasts, requests for this device are dropped, not queued, and `silent()` tells how
// long it has lasted. All results are values: `take()` hands them to the loop, and `descriptor()`
// wakes it.
//
// A device whose reading says `lost` is given up: it is read again when a search finds it again.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agents/drivers/driver.h"
#include "agents/watch/reading.h"
#include "fleet/base/result.h"

namespace drover::agents {

/// CLOCK_MONOTONIC, as commands/shell/clock.h has it.
using MonotonicTime = std::chrono::time_point<std::chrono::steady_clock, std::chrono::nanoseconds>;
using MonotonicSpan = std::chrono::nanoseconds;

struct DeviceWorkerSettings {
  MonotonicSpan search_every = std::chrono::seconds(60);
  /// After a device was lost, the next search comes at once, but not sooner than this after the one
  /// before.
  MonotonicSpan search_pause = std::chrono::seconds(5);
  /// A reading that takes longer is late: what was read before is stale.
  MonotonicSpan answer_within = std::chrono::seconds(3);
  /// How long the destructor waits for calls to return.
  MonotonicSpan end_within = std::chrono::seconds(2);
};

/// What a search found: FoundDevices without the devices.
struct FoundDriver {
  std::string driver;
  std::size_t devices = 0;
  std::vector<std::string> notes;
  bool operator==(const FoundDriver&) const = default;
};

struct PowerCapResult {
  std::string identity;  // of the device
  double watts = 0;      // the cap that was asked for
  Status status;
};

/// What has come since the last `take()`.
struct DriverNews {
  std::vector<BoardReading> readings;  // at most one of a device
  std::vector<PowerCapResult> power_caps;
  /// One for each back end, when a search has ended. The devices that it found are read at the next
  /// request.
  std::optional<std::vector<FoundDriver>> found;
};

/// A device that has not answered in time.
struct SilentDevice {
  std::string identity;  // empty: the search for devices
  double silent_s = 0;   // since it was asked
  std::string why;       // "the driver has not answered for 12 s"
};

class DeviceWorkers {
 public:
  /// Looks for devices, for example with `find_nvidia_devices`. Runs on a thread of its own.
  using Search = std::function<std::vector<FoundDevices>()>;

  /// Starts the first search.
  explicit DeviceWorkers(Search search, const DeviceWorkerSettings& settings = {});
  /// Sets the power caps that were asked for, and waits for all calls, at most `end_within`. If one
  /// still hangs, the threads are detached with all that they share; the last one to end frees it.
  ~DeviceWorkers();
  DeviceWorkers(const DeviceWorkers&) = delete;
  DeviceWorkers& operator=(const DeviceWorkers&) = delete;

  /// Readable while `take()` has something.
  int descriptor() const;
  DriverNews take();

  /// Asks each device for a reading, except those that have not answered yet, and begins a search
  /// if one is due.
  void request(MonotonicTime now);
  /// Devices that have not answered within `answer_within`.
  std::vector<SilentDevice> silent(MonotonicTime now) const;

  /// Sets a device's power cap on its thread, after the call that it is at. `take()` has the
  /// result.
  void set_power_cap(const std::string& identity, double watts);

 private:
  class Threads;
  std::unique_ptr<Threads> threads_;
};

}  // namespace drover::agents
