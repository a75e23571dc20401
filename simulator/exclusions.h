// What a device can not run, judged apart from the router: each assignment that reaches a host is
// held against the catalogue and the job's own words, by none of the router's filters. A simulated
// run that keeps its promises has nothing to tell here.
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

/// Work on devices of one kind, as somebody gave it to them.
struct GivenWork {
  const Workload* work = nullptr;
  const devices::ModelSpec* model = nullptr;
  const devices::DeviceSpec* device = nullptr;
  int devices = 1;  // that compute together
  Precision precision = Precision::bf16;
  int per_host = 0;       // of its largest part, where they are of several hosts
  bool degraded = false;  // the decision has declared a precision that the job does not list
};

/// Everything that the device's precisions, memory, operations, frameworks, slices or the model's
/// context have against it, in words; empty: it may run there.
std::vector<std::string> excluded(const GivenWork& given);

/// The book of one run: tell it what is published and what is assigned.
class ExclusionBook {
 public:
  /// REQUIRES hosts that `Agent::check` accepts. The catalogue must outlive the book.
  ExclusionBook(const std::vector<agents::AgentSettings>& hosts,
                const devices::Catalogue& catalogue);

  /// Replicas, and what decisions declared.
  void published(const Envelope& envelope);
  void assigned(const std::string& host, const Assign& assign);

  std::uint64_t checked() const { return checked_; }
  /// "JOB on k80-1/0-7: fp16 does not run on k80".
  const std::vector<std::string>& violations() const { return violations_; }

 private:
  struct Seat {  // a device of a host
    const devices::DeviceSpec* device = nullptr;
    std::size_t group = 0;
  };
  struct Where {
    std::vector<std::uint16_t> devices;
    Precision precision = Precision::bf16;
  };
  void check(const std::string& host, const Assign& assign, const Where& where);

  const devices::Catalogue& catalogue_;
  std::map<std::string, std::vector<Seat>> seats_;                // by host
  std::map<std::string, Replica> replicas_;                       // by name, as last published
  std::map<JobId, std::string> changes_;                          // of the job's last decision
  std::map<std::pair<JobId, std::uint32_t>, std::size_t> parts_;  // devices of gangs over hosts
  std::uint64_t checked_ = 0;
  std::vector<std::string> violations_;
};

}  // namespace drover::simulator
