// Every job the router knows: open jobs, the last ended jobs with their details, and the ids of
// older ones.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "fleet/decision.h"
#include "fleet/job.h"
#include "fleet/messages.h"
#include "router/fleet_state/fleet_state.h"
#include "router/jobs/lease.h"

namespace drover::router {

/// What FleetState has reserved for the current attempt; released when it ends.
struct Reservation {
  bool made = false;
  GroupIndex group = no_index;  // of a multi-host gang: the first member's
  ReplicaIndex replica = no_index;
  std::uint64_t tokens = 0;
  ReservedPrompt prompt;
  double devices = 0;  // of a replica: its share of the batch
};

struct QueueClass;

struct JobRecord {
  std::uint64_t number = 0;  // order of acceptance
  Job job;
  std::size_t payload_bytes = 0;  // of `job`
  Instant submitted{};
  JobState state = JobState::queued;
  std::uint32_t attempt = 0;
  Instant since{};
  double progress = 0;
  double remaining_s = 0;
  std::optional<Reason> reason;
  std::string detail;
  std::string returned;  // return_text of the last attempt that was requeued
  Usage usage;
  Outcome outcome;
  double latency_s = 0;
  std::string work_class;            // by the policy in force when it was last decided
  std::string rule;                  // of that policy that matches it; empty: none
  std::string change;                // of the last placement
  std::uint64_t policy_version = 0;  // that placed it last
  // Training: its last reported checkpoint, the steps of the last unsuccessful attempt beyond it,
  // and the usage of the steps that are kept (checkpoints.h).
  std::uint32_t steps_saved = 0;
  double steps_lost = 0;
  Usage kept;

  Lease lease;
  Reservation reservation;
  /// "cancelled by ann": the job ends as cancelled when its attempt does, unless that finishes;
  /// empty: not cancelled.
  std::string cancelled;
  /// Time waited before the current wait: between attempts, and before the first.
  Duration waited{0};
  /// Attempts that ended through no fault of the job or its placement (`excuses`): they count
  /// neither against the limit nor against the retry budget.
  std::uint32_t excused = 0;
  bool failed_last = false;           // not excused: the next attempt is a retry
  std::uint32_t preempted = 0;        // of `excused`: those that were preempted
  std::set<std::string> avoid;        // targets where an attempt failed
  Instant retry_at{};                 // until then `avoid` is enforced
  std::optional<Reason> last_reason;  // of the last attempt that failed
  std::uint64_t accepted_write = 0;   // 0: on disk since before the restart
  std::uint64_t end_write = 0;
  std::vector<std::uint32_t> stale;  // attempts whose late results are stored
  std::vector<std::uint64_t> decisions;
  /// PlacementResult::required_power_w of the last decision that let it wait.
  std::optional<double> required_power_w;
  QueueClass* queue_class = nullptr;  // set by the queue; null when not waiting
  bool unpublished = false;           // it has changed since it was published

  bool holds_attempt() const { return state == JobState::leased || state == JobState::running; }
  /// While queued: start of the wait as if all waiting had been one interval.
  Instant wait_began() const { return since - waited; }
  /// Whether an attempt that ends like this is excused: its host was lost, or it ran and was
  /// drained or preempted.
  bool excuses(const Failed& failed) const {
    const bool sent_away = failed.reason == Reason::drain || failed.reason == Reason::preempted;
    return failed.host_lost || (sent_away && state == JobState::running);
  }
  void excuse(Reason why) {
    ++excused;
    if (why == Reason::preempted) ++preempted;
  }
  Instant deadline() const {
    return job.deadline > Duration{0} ? saturating_add(submitted, job.deadline) : never;
  }
};

/// "attempt 2 was requeued at 14:02:10 (preempted: its devices are reserved for 3fa1c2d4)"; `at` in
/// fleet time.
std::string return_text(Instant at, std::uint32_t attempt, const Failed& failed);
/// Why a multi-host gang is paused, if it is; for a request, its replica reports the pause.
Pause pause_of(const JobRecord& record);
/// Terminal state of a job that ends unsuccessfully for this reason.
inline JobState end_state(Reason why) {
  return why == Reason::cancelled ? JobState::cancelled : JobState::failed;
}

/// The record as it is published.
JobChanged shown(const JobRecord& record);

/// The devices of the member's part of the attempt, as far as known.
std::vector<std::uint16_t> member_devices(const FleetState& fleet_state, const JobRecord& record,
                                          const Member& member);

/// The current attempt's failure, without usage.
Failed failed_attempt(const JobRecord& record, std::string detail);

/// Estimated usage of the current attempt up to `until`, for an agent that no longer reports: the
/// expected usage scaled by elapsed over expected time. Zero before it runs, and when nothing was
/// expected.
Usage estimated_usage(const JobRecord& record, Instant until);
/// This member's part of it, by its devices.
Usage estimated_usage(const JobRecord& record, const Member& member, Instant until);

/// Memory of the job's names, operations, versions, step times and prompt, beside its record.
std::size_t payload_bytes(const Job& job);
/// Bound on the payload of this many jobs together: 1 KiB on average, and 1 MiB where there are
/// few. A single one has up to 20 KiB.
constexpr std::size_t payload_bytes_max(std::size_t jobs) {
  constexpr std::size_t few = 1024;
  return (jobs > few ? jobs : few) * 1024;
}

class JobTable {
 public:
  /// Keeps at least one ended job, so that the last end can be reported; fewer than `ended_kept`
  /// if their payload is large. Of older ones, the last `ids_kept` ids are kept.
  explicit JobTable(std::size_t ended_kept, std::size_t ids_kept = 1'000'000)
      : ended_kept_(ended_kept > 0 ? ended_kept : 1), ids_kept_(ids_kept) {}

  /// REQUIRES that the id is new.
  JobRecord& add(const Job& job, Instant submitted);
  /// The record; null when unknown or no longer kept.
  JobRecord* find(const JobId& id);
  const JobRecord* find(const JobId& id) const;

  /// An ended job without its details: enough to reply to a repeated Submit.
  struct Remembered {
    std::uint64_t content = 0;  // hash of the job's content
    JobState state = JobState::finished;
  };
  std::optional<Remembered> remembered(const JobId& id) const;
  /// Adds an id; may drop the oldest one.
  void remember(const JobId& id, const Remembered& known);

  /// Moves the job to the ended ones; REQUIRES a terminal state. May drop the details of the job
  /// that ended longest ago.
  void ended(JobRecord& record);
  /// Binds the attempt to the hosts of `record.lease`, or unbinds it.
  void bind(JobRecord& record);
  void unbind(JobRecord& record);

  /// Open jobs in order of acceptance.
  const std::map<std::uint64_t, JobRecord*>& open() const { return open_; }
  /// Attempts leased or running on this host, in order of acceptance.
  std::vector<JobRecord*> on_host(std::string_view host) const;
  /// Attempts leased before `limit` that an agent has not acknowledged, in order of acceptance.
  std::vector<JobRecord*> unacknowledged(Instant limit);
  std::size_t active_attempts() const { return attempts_out_; }
  std::size_t open_payload_bytes() const { return carried_bytes_open_; }
  /// Kept ended jobs, oldest first.
  const std::deque<JobRecord*>& ended_jobs() const { return ended_; }

  /// The one kept job whose id begins with these digits; an error if there is none, or several.
  Result<JobRecord*> find_by_prefix(std::string_view prefix) const;

 private:
  std::size_t ended_kept_;
  std::size_t ids_kept_;
  std::uint64_t next_number_ = 1;
  std::size_t attempts_out_ = 0;
  /// Attempts by the begin of their lease, without those that were found running.
  std::set<std::pair<Instant, std::uint64_t>> leased_;
  std::size_t carried_bytes_open_ = 0;
  std::size_t carried_bytes_ended_ = 0;
  // For lookup only, never iterated: the order is not deterministic.
  std::unordered_map<JobId, std::unique_ptr<JobRecord>> records_;
  // Split into parts: growing one table of millions would block everything for a quarter of a
  // second.
  using RememberedPart = std::unordered_map<JobId, Remembered>;
  std::array<RememberedPart, 64> remembered_;
  std::deque<JobId> remembered_order_;
  static std::size_t part_of(const JobId& id);
  std::map<std::uint64_t, JobRecord*> open_;
  std::deque<JobRecord*> ended_;
  std::map<std::string, std::map<std::uint64_t, JobRecord*>, std::less<>> on_host_;
};

/// Hash of everything that makes two submissions the same job.
std::uint64_t content_hash(const Job& job);

}  // namespace drover::router
