// The agent core's state, for the files that implement it: agent.cpp (time), agent_messages.cpp
// (messages from the router), agent_faults.cpp (faults, and hosts that were lost), host_plan.cpp
// (the host's devices and replicas).
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "agents/agent.h"
#include "agents/execution/executor.h"
#include "agents/execution/fault_rates.h"
#include "agents/execution/fault_state.h"
#include "agents/sampler.h"
#include "agents/unacknowledged_results.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"

namespace drover::agents {

struct PlannedReplica {
  StartReplica start;
  const devices::ModelSpec* model = nullptr;  // in the catalogue
};

/// The devices, groups and replicas of a host, from the agent's settings.
struct HostPlan {
  std::vector<Executor::Device> devices;  // specs are in the catalogue
  std::vector<Group> groups;              // without power caps
  std::vector<SpecText> specs;            // each distinct device spec once
  std::vector<PlannedReplica> replicas;
};

/// REQUIRES that Agent::check() passes.
HostPlan plan_host(const AgentSettings& settings, const devices::Catalogue& catalogue);

/// The model specs that the router has sent on this connection, with the catalogue as a fallback.
class ModelSpecCache {
 public:
  /// The catalogue must outlive this.
  explicit ModelSpecCache(const devices::Catalogue& catalogue) : catalogue_(catalogue) {}

  /// The spec of this model: from `text` if not empty, else as sent before, else from the
  /// catalogue. Valid until the next call.
  Result<const devices::ModelSpec*> find(const std::string& name, const std::string& text);
  /// Clears the cache: a router that does not know us has sent no specs yet.
  void forget() { cached_.clear(); }

 private:
  const devices::Catalogue& catalogue_;
  std::map<std::string, devices::ModelSpec> cached_;
};

/// A replica lost to a fault.
struct LostReplica {
  std::vector<std::uint16_t> devices;
  std::string detail;
  const PlannedReplica* planned = nullptr;  // set: reload it when its devices are usable again
};

struct Agent::State {
  State(AgentSettings given, const devices::Catalogue& known, Instant start);

  // Messages from the router.
  void handle(Instant now, const Heartbeat&) { renew(now); }
  void handle(Instant now, const Reregister& request);
  void handle(Instant now, const Superseded&);
  void handle(Instant now, const Assign& assign);
  void handle(Instant now, const GangStepTime& step_time);
  void handle(Instant now, const Cancel& cancel);
  void handle(Instant now, const ResultStored& stored);
  void handle(Instant now, const StartReplica& start);
  void handle(Instant now, const RetireReplica& retire);
  void handle(Instant now, const ApplyFault& apply);
  void handle(Instant now, const CapDevices& cap);
  template <typename Other>
  void handle(Instant, const Other&) {}  // not sent to agents

  Instant monotone(Instant now) { return latest = std::max(latest, now); }
  void renew(Instant now);
  void renew_lease(Instant now);
  /// `asked_at`: fleet_time of the message that requested it.
  void send_register(Instant now, Instant asked_at = {});
  void resend_results(Instant now);
  void run(Instant now, const Assign& assign);
  bool reply_if_held(Instant now, const Assign& assign);
  std::optional<Refusal> start(Instant now, const Assign& assign);

  // Timed events.
  Instant next_deadline() const;
  void advance(Instant at);
  void end_lease(Instant at);
  void leave(Instant now, const std::string& why);
  void give_back(Instant now, const std::string& why);
  void heartbeat(Instant at);
  void sample(Instant at);
  void send_delayed(Instant at);
  bool sample_lost(Instant at, std::uint16_t device) const;
  void report_changes(Instant at, bool publish = true, bool lease_over = false);

  // Faults.
  void apply_incident(Instant now, const Incident& incident);
  void apply_fault_effects(Instant now);
  void end_faults(Instant at);
  void start_spontaneous_faults(Instant at);
  void note_lost(std::uint16_t device, const std::string& detail);
  bool usable(const std::vector<std::uint16_t>& devices) const;
  bool free(const std::vector<std::uint16_t>& devices) const;
  void reload_replicas(Instant now);
  void announce_reclaim(Instant now);
  void complete_reclaim(Instant now);
  void lose_host(Instant now);
  void restart_host(Instant at);
  void report_unusable(Instant at);

  void report_replica(Instant at, Replica replica);
  void send(Instant at, Message body);
  void send_samples(Instant at, SampleBatch batch);

  AgentSettings settings;
  HostPlan plan;
  Executor executor;
  UnacknowledgedResults results;
  Sampler sampler;
  ModelSpecCache models;
  FaultState faults;
  FaultStream coming_faults;
  std::map<std::uint32_t, LostReplica> lost;  // until their devices are usable again
  std::map<std::uint32_t, Replica> reported;  // as last reported
  std::set<std::uint32_t> started_by_router;  // replicas that the router started

  Instant latest;  // a restarted router may send an earlier time; ours never goes back
  Duration heartbeat_every{};
  Duration lease{};
  Instant next_heartbeat = never;
  Instant lease_end = never;
  bool lease_expired = false;  // the lease expired and was not renewed
  bool superseded = false;
  bool left = false;
  bool host_down = false;  // the host is lost
  double inlet_k = 0;      // added to the inlet temperature
  bool ended() const { return superseded || left; }
  Heartbeat counters;
  std::uint64_t control_sequence = 0;
  std::uint64_t samples_sequence = 0;
  std::deque<std::pair<Instant, SampleBatch>> delayed;  // by time of measurement, not yet sent
  std::vector<Effect> outbox;
};

}  // namespace drover::agents
