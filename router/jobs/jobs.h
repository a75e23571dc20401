// Every job the router knows: the open ones, the last ended ones with their details, and of all
// others what it takes to recognise them.
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
#include <vector>

#include "fleet/base/time.h"
#include "fleet/decision.h"
#include "fleet/job.h"
#include "fleet/messages.h"
#include "router/jobs/lease.h"
#include "router/roster/roster.h"

namespace drover::router {

/// What the roster was promised for the current attempt; given back when it ends.
struct Promise {
  bool made = false;
  HostIndex host = nowhere;  // of a gang over hosts the first member's, as is the group
  GroupIndex group = nowhere;
  ReplicaIndex replica = nowhere;
  std::uint64_t tokens = 0;
  PromisedPrompt prompt;
  double devices = 0;  // of a replica's the share of its batch
};

struct QueueClass;

struct JobRecord {
  std::uint64_t number = 0;  // order of acceptance
  Job job;
  std::size_t carried_bytes = 0;  // of `job`
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
  std::string work_class;            // of the policy in force when it was last looked at
  std::string rule;                  // of that policy, that holds for it; empty: none
  std::string change;                // of the last placement
  std::uint64_t policy_version = 0;  // that placed it last
  // Of a training: its last checkpoint as far as it was told, what the last attempt that came to
  // nothing did beyond it, and what was used for the steps that are kept (checkpoints.h).
  std::uint32_t steps_saved = 0;
  double steps_lost = 0;
  Usage kept;

  Lease lease;
  Promise promise;
  /// "cancelled by ann": it ends so when its attempt does, unless that finishes; empty: it goes on.
  std::string cancelled;
  /// Waited before the present wait: between attempts, and before the first.
  Duration waited{0};
  /// Attempts that ended through no fault of the job's or its place's (`excuses`): they count
  /// neither against the limit nor against the retry budget.
  std::uint32_t excused = 0;
  bool failed_last = false;           // its last attempt ended otherwise
  std::uint32_t preempted = 0;        // of these, those that made room for other work
  std::set<std::string> avoid;        // targets where an attempt failed
  Instant retry_at{};                 // until then `avoid` binds
  std::optional<Reason> last_reason;  // of the last attempt that failed
  std::uint64_t accepted_write = 0;   // 0: on disk since an earlier life
  std::uint64_t end_write = 0;
  std::vector<std::uint32_t> stale;  // attempts whose late results are stored
  std::vector<std::uint64_t> decisions;
  std::optional<double> wants_w;      // Verdict::wants_w of the last decision that let it wait
  QueueClass* queue_class = nullptr;  // the queue's own mark; null when not waiting

  bool holds_attempt() const { return state == JobState::leased || state == JobState::running; }
  /// The next attempt would repeat one that failed. One that was lost through no fault of its own
  /// is not repeated but gone on with, whatever happened before it.
  bool would_retry() const { return failed_last; }
  /// While it is queued: as if all its waiting had been in one piece.
  Instant wait_began() const { return since - waited; }
  /// Whether an attempt that ends so does not count: it was lost with its host, or it ran, and had
  /// to go.
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

/// "attempt 2 was requeued at 14:02:10 (preempted: made room for 3fa1c2d4)"; `at` in fleet time.
std::string return_text(Instant at, std::uint32_t attempt, const Failed& failed);
/// Why a gang over hosts stands still, if it does; that of a request is its replica's.
Pause pause_of(const JobRecord& record);
/// What a job that comes to nothing ends as.
inline JobState end_state(Reason why) {
  return why == Reason::cancelled ? JobState::cancelled : JobState::failed;
}

/// The record as it is shown and published.
JobChanged shown(const JobRecord& record);

/// What the current attempt has used up to `until`, as far as anybody can know whose agent does not
/// tell any more: of what it was expected to use, as much as the time that it ran is of the
/// expected time. Nothing before it ran, nor where nothing was expected.
Usage believed_usage(const JobRecord& record, Instant until);
/// This member's part of that, by its devices.
Usage believed_usage(const JobRecord& record, const Member& member, Instant until);

/// Memory that the job's names, operations, versions, paces and prompt take beside its record.
std::size_t carried_bytes(const Job& job);
/// What so many jobs may carry together: 1 KiB on average, and 1 MiB where there are few. A single
/// one carries up to 20 KiB.
constexpr std::size_t carried_bytes_max(std::size_t jobs) {
  constexpr std::size_t few = 1024;
  return (jobs > few ? jobs : few) * 1024;
}

class JobBook {
 public:
  /// At least one ended job is kept, so that the one that just ended can be told; fewer than
  /// `ended_kept` where they carry much.
  /// Of the others that ended, the last `ids_kept` are remembered.
  explicit JobBook(std::size_t ended_kept, std::size_t ids_kept = 1'000'000)
      : ended_kept_(ended_kept > 0 ? ended_kept : 1), ids_kept_(ids_kept) {}

  /// REQUIRES that the id is new.
  JobRecord& add(const Job& job, Instant submitted);
  /// Null when unknown or no longer kept.
  JobRecord* find(const JobId& id);
  const JobRecord* find(const JobId& id) const;

  /// An ended job whose details were let go: enough to answer a repeated Submit.
  struct Remembered {
    std::uint64_t content = 0;  // hash of the job's content
    JobState state = JobState::finished;
  };
  std::optional<Remembered> remembered(const JobId& id) const;
  /// May forget the job that was remembered longest ago.
  void remember(const JobId& id, const Remembered& known);

  /// Moves the job among the ended; REQUIRES a terminal state. May let go the details of the job
  /// that ended longest ago.
  void ended(JobRecord& record);
  /// The attempt is bound to, or freed from, the hosts of `record.lease`.
  void bind(JobRecord& record);
  void unbind(JobRecord& record);

  /// Open jobs in order of acceptance.
  const std::map<std::uint64_t, JobRecord*>& open() const { return open_; }
  /// Attempts leased or running on this host, in order of acceptance.
  std::vector<JobRecord*> on_host(std::string_view host) const;
  /// Attempts leased before `limit` that an agent has not answered for, in order of acceptance.
  std::vector<JobRecord*> unanswered(Instant limit) const;
  std::size_t attempts_out() const { return attempts_out_; }
  /// Of all open jobs.
  std::size_t carried_bytes_open() const { return carried_bytes_open_; }
  /// Kept ended jobs, oldest first.
  const std::deque<JobRecord*>& ended_jobs() const { return ended_; }

  /// Kept jobs whose id begins with these hexadecimal digits, at most two.
  std::vector<JobRecord*> with_prefix(std::string_view prefix) const;

 private:
  std::size_t ended_kept_;
  std::size_t ids_kept_;
  std::uint64_t next_number_ = 1;
  std::size_t attempts_out_ = 0;
  std::size_t carried_bytes_open_ = 0;
  std::size_t carried_bytes_ended_ = 0;
  // Looked up only, never walked: their order is not deterministic.
  std::unordered_map<JobId, std::unique_ptr<JobRecord>> records_;
  // In parts: growing one table of millions would hold everybody up for a quarter of a second.
  using RememberedPart = std::unordered_map<JobId, Remembered>;
  std::array<RememberedPart, 64> remembered_;
  std::deque<JobId> remembered_order_;
  static std::size_t part_of(const JobId& id);
  std::map<std::uint64_t, JobRecord*> open_;
  std::deque<JobRecord*> ended_;
  std::map<std::string, std::map<std::uint64_t, JobRecord*>, std::less<>> on_host_;
};

/// A hash of everything that makes two submissions the same job.
std::uint64_t content_hash(const Job& job);

}  // namespace drover::router
