// One loaded copy of a model: loading, compiling, ready, draining, gone; the queue of accepted
// requests before its batch; and the attempts that they belong to. A `batch` job is one attempt of
// many items that join one by one.
//
// Queue: higher priority first, then first come, first served; the head waits until its KV cache
// fits and holds those behind it back, so that long requests are not starved by short ones.
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
#include "agents/execution/standstill.h"
#include "devices/catalogue/model.h"
#include "fleet/messages.h"

namespace drover::agents {

// Beyond it a request would wait for minutes; the router should hear so at once.
inline constexpr std::size_t replica_queue_max = 1024;
// vLLM's max_num_seqs by default (assumed for TPUs too).
inline constexpr std::uint32_t replica_batch_max = 256;

/// Why a model cannot be served on these devices, if so: not a decoder, heads that do not divide,
/// a precision that is not native, weights that do not fit.
std::optional<Refusal> refuse_serving(const devices::Placement& placement,
                                      const devices::ModelSpec& model);
/// Why the device lacks what the job needs (framework, operations), if so.
std::optional<Refusal> refuse_needs(const devices::DeviceSpec& device, const Workload& work);

class ReplicaEngine {
 public:
  struct Place {
    std::uint32_t number = 0;
    std::uint16_t group = 0;
    std::vector<std::uint16_t> devices;
  };

  /// REQUIRES that refuse_serving() has nothing against it. Warm ones are ready at once,
  /// with every shape compiled.
  ReplicaEngine(Place place, devices::Placement placement, devices::ModelSpec model, Instant now,
                bool warm);
  ReplicaEngine(const ReplicaEngine&) = delete;
  ReplicaEngine& operator=(const ReplicaEngine&) = delete;

  const Place& place() const { return place_; }
  const devices::Placement& placement() const { return placement_; }
  const devices::ModelSpec& model() const { return model_; }
  ReplicaState state() const { return state_; }

  /// Takes an attempt into the queue, or says why not.
  std::optional<Refusal> accept(const Meter& meter, const AttemptKey& key, const Job& job);
  /// Waiting items go at once, running ones at the next step boundary; then the attempt ends with
  /// this reason. Silent: it ends without a word. False when it is not held here.
  bool cancel(const Meter& meter, const AttemptKey& key, Reason reason, bool silent);
  /// All attempts end now, for this reason.
  void stop_all(const Meter& meter, Reason reason, const std::string& detail);
  /// No new requests; gone when the accepted ones are done.
  void drain(const Meter& meter);
  /// Gone at once; REQUIRES that nothing runs or waits.
  void vanish(std::string detail);

  Instant next_event() const;
  /// Everything that is due at meter.at. REQUIRES meter.at <= next_event().
  void advance(const Meter& meter);

  std::uint32_t queued() const { return static_cast<std::uint32_t>(waiting_.size()); }
  std::uint32_t running() const { return batch_.running(); }
  bool waits() const { return false; }
  /// Why what runs or waits here makes no progress now.
  Pause pause() const;
  /// Whether a compilation has begun or ended since this was asked last: nothing runs meanwhile,
  /// and people should hear why.
  bool tells_compiling();
  void set_pace(Instant now, double pace, double link_share) {
    batch_.set_pace(now, pace, link_share);
  }
  double pace() const { return batch_.pace(); }
  double link_share() const { return batch_.link_share(); }
  /// No progress, of loading neither, until it is told otherwise; then all goes on where it was.
  void stand_still(Instant now, bool still);
  devices::Step activity() const { return batch_.activity(); }
  /// Weights and KV cache are taken whole at the start, as serving stacks do; bytes per device.
  double memory_bytes() const;

  std::vector<EndedAttempt> take_ended();
  /// How it stands, as agents report it.
  Replica report(const std::string& host) const;
  /// Share done and seconds left of each attempt of many items.
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
  void go_on(const Meter& meter);
  void settle(const std::vector<ContinuousBatch::Left>& left, Instant now);
  void end(Attempts::iterator attempt, Instant now);
  void leave_queue(const AttemptKey& key, Attempt& attempt);
  std::vector<TenantShare> tenants() const;

  Place place_;
  devices::Placement placement_;
  devices::ModelSpec model_;
  ContinuousBatch batch_;
  ReplicaState state_ = ReplicaState::ready;
  Instant loaded_at_{};
  Instant ready_at_{};
  Standstill standstill_;
  bool compiling_told_ = false;
  std::string detail_;

  Attempts attempts_;
  std::set<Waiting> waiting_;
  std::map<std::uint64_t, AttemptKey> items_;  // those in the batch
  std::uint64_t next_number_ = 1;
  std::vector<EndedAttempt> ended_;
};

}  // namespace drover::agents
