// The agent core's state, for the files that implement it: agent.cpp (time), agent_hears.cpp (what
// the router says), agent_faults.cpp (faults, and the lives of a host that was lost).
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
#include "agents/carried_models.h"
#include "agents/execution/executor.h"
#include "agents/execution/fault_rates.h"
#include "agents/execution/faults.h"
#include "agents/host_plan.h"
#include "agents/results.h"
#include "agents/sampler.h"

namespace drover::agents {

/// A replica that a fault took.
struct LostReplica {
  std::vector<std::uint16_t> devices;
  std::string detail;
  const PlannedReplica* planned = nullptr;  // set: it is loaded again when its devices can be used
};

struct Agent::State {
  State(AgentSettings given, const devices::Catalogue& known, Instant start);

  // What the router says.
  void handle(Instant now, const Heartbeat&) { renew(now); }
  void handle(Instant now, const HelloWanted& wanted);
  void handle(Instant now, const Superseded&);
  void handle(Instant now, const Assign& assign);
  void handle(Instant now, const GangPace& pace);
  void handle(Instant now, const Cancel& cancel);
  void handle(Instant now, const ResultStored& stored);
  void handle(Instant now, const StartReplica& start);
  void handle(Instant now, const RetireReplica& retire);
  void handle(Instant now, const ApplyFault& apply);
  void handle(Instant now, const CapDevices& cap);
  template <typename Other>
  void handle(Instant, const Other&) {}  // not for agents

  Instant monotone(Instant now) { return latest = std::max(latest, now); }
  void renew(Instant now);
  void hold_lease(Instant now);
  /// `asked_at`: fleet_time of what it answers.
  void say_hello(Instant now, Instant asked_at = {});
  void send_kept(Instant now);
  void run(Instant now, const Assign& assign);
  bool answer_held(Instant now, const Assign& assign);
  std::optional<Refusal> start(Instant now, const Assign& assign);

  // What time brings.
  Instant next_deadline() const;
  void advance(Instant at);
  void end_lease(Instant at);
  void leave(Instant now, const std::string& why);
  void heartbeat(Instant at);
  void sample(Instant at);
  void send_delayed(Instant at);
  bool sample_lost(Instant at, std::uint16_t device) const;
  void report_changes(Instant at, bool tell = true, bool lease_over = false);

  // Faults.
  void happen(Instant now, const Incident& incident);
  void follow_faults(Instant now);
  void end_faults(Instant at);
  void meet_faults(Instant at);
  void note_lost(std::uint16_t device, const std::string& detail);
  bool usable(const std::vector<std::uint16_t>& devices) const;
  bool free(const std::vector<std::uint16_t>& devices) const;
  void load_again(Instant now);
  void warn_of_reclaim(Instant now);
  void go_reclaimed(Instant now);
  void fall_silent(Instant now);
  void begin_life(Instant at);
  void report_unusable(Instant at);

  void report_replica(Instant at, Replica replica);
  void send(Instant at, Message body);
  void send_samples(Instant at, SampleBatch batch);

  AgentSettings settings;
  HostPlan plan;
  Executor executor;
  KeptResults results;
  Sampler sampler;
  CarriedModels models;
  FaultBook faults;
  FaultStream coming_faults;
  std::map<std::uint32_t, LostReplica> lost;  // until their devices can be used again
  std::map<std::uint32_t, Replica> reported;  // as last reported
  std::set<std::uint32_t> asked_for;          // replicas that the router had started

  Instant latest;  // a router that comes back may tell an earlier time; ours never goes back
  Duration heartbeat_every{};
  Duration lease{};
  Instant next_heartbeat = never;
  Instant lease_end = never;
  bool lapsed = false;  // the lease has ended and was not renewed
  bool superseded = false;
  bool left = false;
  bool silent = false;  // the host is lost
  double inlet_k = 0;   // warmer by so much
  bool ended() const { return superseded || left; }
  Heartbeat counters;
  std::uint64_t control_sequence = 0;
  std::uint64_t samples_sequence = 0;
  std::deque<std::pair<Instant, SampleBatch>> delayed;  // true then, not yet sent
  Outbox outbox;
};

}  // namespace drover::agents
