// One loaded copy of a model: its lifecycle (loading, compiling, ready, draining, gone), the queue
// of accepted requests, and the attempts that they belong to. A `batch` job is one attempt of many
// items that join one by one.
//
// Queue: higher priority first, then first come, first served; the head waits until its KV cache
// fits and blocks those behind it, so that short requests do not starve long ones.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "agents/execution/attempt.h"
#include "agents/execution/continuous_batch.h"
#include "agents/execution/paused_clock.h"
#include "devices/catalogue/model.h"
#include "fleet/messages.h"

namespace drover::agents {

// Beyond this length a request would wait for minutes; refusing it informs the router at once.
inline constexpr std::size_t replica_queue_max = 1024;
// vLLM's default max_num_seqs (assumed for TPUs too).
inline constexpr std::uint32_t replica_batch_max = 256;

/// Why a model cannot be served on these devices: not a decoder, heads that are not divisible by
/// the number of devices, a precision that is not native, weights that do not fit. nullopt: it can.
std::optional<Refusal> refuse_serving(const devices::Placement& placement,
                                      const devices::ModelSpec& model);
/// The report on a replica that could not be started: it is gone.
Replica refused_replica(const std::string& host, const StartReplica& start, const Refusal& refusal);
/// Which framework or operations of the job the device lacks; nothing: none.
std::optional<Refusal> refuse_needs(const devices::DeviceSpec& device, const Workload& work);

class ReplicaEngine {
 public:
  struct ReplicaLocation {
    std::uint32_t number = 0;
    std::uint16_t group = 0;
    std::vector<std::uint16_t> devices;
  };

  /// REQUIRES that refuse_serving() returns nothing. A warm replica is ready at once, with every
  /// shape compiled.
  ReplicaEngine(ReplicaLocation place, devices::Placement placement, devices::ModelSpec model,
                Instant now, bool warm);
  ReplicaEngine(const ReplicaEngine&) = delete;
  ReplicaEngine& operator=(const ReplicaEngine&) = delete;

  const ReplicaLocation& place() const { return place_; }
  const devices::Placement& placement() const { return placement_; }
  const std::string& model() const { return model_.id; }
  ReplicaState state() const { return state_; }

  /// Queues an attempt, or returns why not.
  std::optional<Refusal> accept(const EnergyReading& reading, const AttemptKey& key,
                                const Job& job);
  /// Removes waiting items at once and running ones at the next step boundary; then the attempt
  /// ends with this reason. `silent`: its end is not reported.
  void cancel(const EnergyReading& reading, const AttemptKey& key, Reason reason, bool silent);
  /// All attempts end now, for this reason.
  void stop_all(const EnergyReading& reading, Reason reason, const std::string& detail);
  /// Accepts no new requests; gone when the accepted ones are done.
  void drain(const EnergyReading& reading);
  /// Removes it at once; REQUIRES that nothing runs or waits.
  void remove_now(std::string detail);

  Instant next_event() const;
  /// Handles everything due at reading.at. REQUIRES reading.at <= next_event().
  void advance(const EnergyReading& reading);

  std::uint32_t queued() const { return static_cast<std::uint32_t>(waiting_.size()); }
  std::uint32_t running() const { return batch_.running(); }
  /// Why its work makes no progress now.
  Pause pause() const;
  /// Whether a compilation started or ended since the last call: nothing runs during it, and the
  /// reason should be reported.
  bool take_compiling_change();
  void set_pace(Instant now, double pace, double link_share) {
    batch_.set_pace(now, pace, link_share);
  }
  double pace() const { return batch_.pace(); }
  double link_share() const { return batch_.link_share(); }
  /// Pauses or resumes all progress, loading included; after a resume it continues where it was.
  void set_paused(Instant now, bool paused);
  devices::Step activity() const { return batch_.activity(); }
  /// Bytes per device. Weights and the whole KV cache are allocated at the start, as serving
  /// stacks do.
  double memory_bytes() const;

  std::vector<EndedAttempt> take_ended();
  /// Its state, as agents report it.
  Replica report(const std::string& host) const;
  /// Share done and seconds left of each attempt with many items.
  std::vector<Progress> progress(Instant now) const;

 private:
  struct Attempt {
    Workload work;
    std::string tenant;
    Instant arrived{};
    std::int8_t priority = 0;
    std::uint64_t order = 0;
    std::uint32_t items_waiting = 1;
    std::uint32_t items_running = 0;
    std::uint32_t items_done = 0;
    std::optional<Instant> first_token;
    Usage usage;
    std::optional<Reason> stopping;
    std::string detail;  // why it stops
    bool silent = false;
  };
  using Attempts = std::map<AttemptKey, Attempt>;
  /// (priority reversed, order, attempt): begin() is the head.
  using Waiting = std::tuple<int, std::uint64_t, AttemptKey>;

  std::optional<Refusal> refuse(const Job& job) const;
  void admit();
  void go_on(const EnergyReading& reading);
  void settle(const std::vector<ContinuousBatch::EndedRequest>& left, Instant now);
  void end(Attempts::iterator attempt, Instant now);
  void leave_queue(const AttemptKey& key, Attempt& attempt);
  std::vector<TenantShare> tenants() const;

  ReplicaLocation place_;
  devices::Placement placement_;
  devices::ModelSpec model_;
  ContinuousBatch batch_;
  ReplicaState state_ = ReplicaState::ready;
  Instant loaded_at_{};
  Instant ready_at_{};
  PausedClock paused_clock_;
  bool compiling_reported_ = false;
  std::string detail_;

  Attempts attempts_;
  std::set<Waiting> waiting_;
  std::map<std::uint64_t, AttemptKey> items_;  // those in the batch
  std::uint64_t next_number_ = 1;
  std::vector<EndedAttempt> ended_;
};

}  // namespace drover::agents
