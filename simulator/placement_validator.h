// Checks placements independently of the router: each assignment that reaches a host is compared
// with the catalogue and the job's own requirements, without the router's filters. A correct
// simulated run has no violations.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "agents/agent.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/messages.h"

namespace drover::simulator {

/// Work as assigned to devices of one kind.
struct AssignedWork {
  const Workload* work = nullptr;
  const devices::ModelSpec* model = nullptr;
  const devices::DeviceSpec* device = nullptr;
  int devices = 1;  // devices that compute together
  Precision precision = Precision::bf16;
  int per_host = 0;       // of its largest part, if it spans several hosts
  bool degraded = false;  // the decision declared a precision that the job does not list
};

/// Why the work may not run there, as texts: precisions, memory, operations, frameworks, slices of
/// the device, or the model's context. Empty: it may.
std::vector<std::string> placement_violations(const AssignedWork& given);

/// The checks of one run, fed with everything published and assigned.
class PlacementValidator {
 public:
  /// REQUIRES hosts that `Agent::check` accepts. The catalogue must outlive this.
  PlacementValidator(const std::vector<agents::AgentSettings>& hosts,
                     const devices::Catalogue& catalogue);

  /// Records replicas, and precisions that decisions declared.
  void published(const Envelope& envelope);
  void assigned(const std::string& host, const Assign& assign);

  std::uint64_t checked() const { return checked_; }
  /// "JOB on k80-1/0-7: fp16 does not run on k80".
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct DeviceSlot {  // a device of a host
    const devices::DeviceSpec* device = nullptr;
    std::size_t group = 0;
  };
  struct Where {
    std::vector<std::uint16_t> devices;
    Precision precision = Precision::bf16;
  };
  void check(const std::string& host, const Assign& assign, const Where& where);

  const devices::Catalogue& catalogue_;
  std::map<std::string, std::vector<DeviceSlot>> slots_;          // by host
  std::map<std::string, Replica> replicas_;                       // by name, as last published
  std::map<JobId, std::string> changes_;                          // of the job's last decision
  std::map<std::pair<JobId, std::uint32_t>, std::size_t> parts_;  // devices of multi-host gangs
  std::uint64_t checked_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace drover::simulator
