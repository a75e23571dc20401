// What clients do to the fleet: faults, drains, cancellations, captions.
//
// An action is checked, written to the ledger, published as an Audit and answered; agents receive
// it only when its row is on disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "router/actions/injection.h"
#include "router/attempts/attempts.h"
#include "router/hosts/device_availability.h"

namespace drover::router {

struct ActionsDependencies {
  const RouterTiming& settings;
  const Policy& policy;
  const FleetState& fleet_state;
  const ConnectionTable& connections;
  const DeviceConditionTable& conditions;
  const JobQueue& queue;
  JobTable& jobs;
  DrainTable& drains;
  OutboxBuilder& outbox;
  Publisher& publisher;
  JobEnds& ends;
  Attempts& attempts;
  DeviceAvailability& availability;
};

/// Checks what a client asks for, records it, and has it done by the classes that it concerns.
class Actions : ActionsDependencies {
 public:
  explicit Actions(const ActionsDependencies& uses) : ActionsDependencies(uses) {}

  void handle(Instant now, const Caller& caller, const InjectFault& inject);
  void handle(Instant now, const Caller& caller, const SetDrain& asked);
  void handle(Instant now, const Caller& caller, const CancelJobs& asked);
  void handle(Instant now, const Caller& caller, const Caption& said);
  /// Ends the caption when its connection is dropped.
  void end_caption(Instant now);
  /// The current one; no text: none.
  const Caption& caption() const { return caption_; }

 private:
  void apply_fault(Instant now, const FaultTarget& reached, const Fault& fault,
                   std::uint64_t after_write);
  /// In order of host names.
  std::vector<DeviceKey> devices_of(const Target& target) const;
  /// Number of jobs with an attempt on any of these.
  std::size_t running_on(const std::vector<DeviceKey>& devices) const;
  /// Adds the job to `out` if it runs and was not cancelled before.
  CancelResult cancel(Instant now, const std::string& text, const std::string& why,
                      std::vector<JobRecord*>& out);
  /// The result for a job without details, or for an unknown one.
  CancelResult forgotten_end(const std::string& text, const std::string& problem) const;
  void cancel_running_attempts(Instant now, const std::vector<JobRecord*>& out);

  Caption caption_;
  std::uint64_t caption_by_ = 0;
};

}  // namespace drover::router
