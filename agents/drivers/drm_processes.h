// Who uses a graphics card, from what the kernel says of each open file of it: /proc/PID/fdinfo/N
// (Linux, Documentation/gpu/drm-usage-stats.rst).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "agents/drivers/process_owners.h"
#include "agents/drivers/processes.h"

namespace drover::agents {

/// Time that an engine has worked, counted in ns or, by xe, in cycles of `total`.
struct EngineTime {
  std::optional<double> work;
  std::optional<double> total;  // none: `work` is in ns
  double engines = 1;           // of this kind
};

/// One fdinfo file. A card's client is what a process has opened; copies of the open file in this
/// process and in its children have the same client.
struct DrmClient {
  std::string bus;
  std::optional<std::uint64_t> client;
  std::optional<double> memory_bytes;  // of the card
  std::map<std::string, EngineTime> engines;
};
DrmClient parse_fdinfo(std::string_view text);

using EngineShares = std::map<std::string, double>;

struct DrmUse {
  std::vector<DeviceProcess> processes;
  std::optional<double> memory_bytes;  // of all these processes
  std::optional<double> busy;          // share of time in which they kept the busiest engine busy
  bool complete = true;                // no process was hidden
};

class DrmProcesses {
 public:
  /// `nodes`: the card's files in /dev. `bus`: its PCI address.
  DrmProcesses(std::string root, std::vector<std::string> nodes, std::string bus);

  /// Shares need a second reading.
  DrmUse read(double now_s);

 private:
  EngineShares shares_since_before(const DrmClient& client, double elapsed_s) const;

  OpenFiles files_;
  ProcessOwners owners_;
  std::string bus_;
  std::map<std::uint64_t, DrmClient> before_;  // by client
  double before_s_ = -1;
};

}  // namespace drover::agents
