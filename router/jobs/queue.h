// Waiting jobs: higher priority first, then order of acceptance.
//
// Jobs that differ only in demand form a class: same rule, same deadline, same everything else that
// a filter can see, and token counts, steps and items within a factor of two. The oldest job of a
// class is evaluated first. If it finds no placement and the rejections depend on demand, the job
// with the least demand is evaluated next. If they depend on one kind of demand, no other job of
// the class can be placed; if on several, a few more jobs are evaluated, continuing at the next
// wake. Then the class is blocked until a change could help it. So no job waits for capacity that
// only another job cannot use, and 100,000 waiting jobs cost as much as their few dozen classes.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/decision.h"
#include "fleet/reason.h"
#include "router/jobs/fair_share.h"
#include "router/jobs/job_table.h"

namespace drover::router {

/// Demands in which jobs of a class may differ; a smaller value is easier to place.
enum class Demand : std::uint8_t { tokens, prompt, length };  // input + output; input; steps, items
inline constexpr std::size_t demand_count = 3;
std::uint64_t demand_of(const JobRecord& record, Demand demand);

/// Which demands could have changed a decision, from its rejections.
struct Demands {
  std::array<bool, demand_count> matter{};
  bool age = false;  // with one deadline, the youngest job has most time left
  /// Whether a job may need more of one demand and less of another.
  bool are_several() const;
};
/// `guard_rejected`: a guard rejected a candidate, by times, joules or dollars.
Demands demands_behind(const std::vector<Rejection>& rejections, bool guard_rejected);

/// A decision that lets a job wait.
struct Block {
  std::optional<Reason> reason;
  Duration max_wait{0};  // 0: for ever
  std::string preferred_pool;
  Demands demands;
};

struct QueueClass {
  std::string_view signature;  // its key in the queue
  int priority = 0;
  WorkKind kind = WorkKind::serve;
  std::string model;
  std::map<std::uint64_t, JobRecord*> jobs;  // by order of acceptance
  JobRecord* candidate = nullptr;            // decided next; null: blocked or empty
  bool blocked = false;
  Block result;  // of the oldest job that was decided

  using ByDemand = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // demand, number
  std::array<ByDemand, demand_count> easiest;  // of all jobs, once one has found no placement
  bool sorted = false;
  std::optional<Reason>
      published;  // published as the reason its jobs wait, up to `published_up_to`
  std::uint64_t published_up_to = 0;
  // Published reasons of jobs that were decided themselves and wait for another reason.
  std::map<std::uint64_t, Reason> published_apart;
  std::set<std::uint64_t> tried;    // numbers of the jobs without a placement since the last wake
  bool in_turn = false;             // the candidate is neither oldest nor least demanding
  std::uint64_t asked_in_turn = 0;  // number of the last candidate chosen that way
  std::set<std::pair<Instant, std::uint64_t>> by_wait;  // if there is a longest wait
};

/// Everything by which a rule or a filter can distinguish jobs; demands rounded to powers of two.
std::string class_signature(const JobRecord& record);

class JobQueue {
 public:
  JobQueue() = default;
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  void push(JobRecord& record);
  /// Does nothing when the job does not wait.
  void erase(JobRecord& record);
  std::size_t size() const { return size_; }

  /// The job to decide next; null when every class is blocked or empty. Among equal priorities the
  /// tenant that is furthest behind its fair share goes first.
  JobRecord* next(const FairShare& tenants = {}) const;
  bool idle() const { return ready_.empty(); }
  /// Records that this job found no placement, and why.
  void block(JobRecord& record, Block result);
  /// Blocks the job's class for this reason without a decision, whatever its demand.
  void hold(JobRecord& record, Reason reason);
  /// Capacity for requests of this model may have become free. Takes effect at `apply_wakes`.
  void wake_model(std::string_view model);
  void wake_all() { wake_all_ = true; }
  void apply_wakes();

  /// A job that has waited as long as its class may; null: none. Time while an attempt ran does
  /// not count.
  JobRecord* overdue(Instant now) const;
  /// When `overdue` returns the next job; `never` when no wait has a limit.
  Instant next_overdue() const;

  /// The job that has waited longest, whatever its turn; null: none.
  const JobRecord* longest_waiting() const;
  /// Why the job waits, if its class was decided.
  std::optional<Reason> waits_for(const JobRecord& record) const;
  std::map<Reason, std::uint64_t> waiting_by_reason() const;
  /// Decided jobs by preferred pool.
  std::map<std::string, std::uint64_t> waiting_by_pool() const;
  /// At most `most` jobs whose class now waits for a different reason than last published for them;
  /// marks them as published. Only one job of a class is evaluated; its own change is published
  /// separately.
  std::vector<JobRecord*> take_unpublished(std::size_t most);
  /// By signature.
  const std::map<std::string, QueueClass, std::less<>>& classes() const { return classes_; }

 private:
  using ReadyKey = std::pair<int, std::uint64_t>;  // minus priority, number of the candidate
  using OverdueKey = std::pair<Instant, std::uint64_t>;
  struct Keys {
    std::optional<ReadyKey> ready;
    std::optional<OverdueKey> overdue;
  };
  void unlist(QueueClass& queue_class);
  /// Chooses the job to decide next.
  void list(QueueClass& queue_class);
  void wake(QueueClass& queue_class);

  std::map<std::string, QueueClass, std::less<>> classes_;
  std::map<const QueueClass*, Keys> keys_;  // looked up only
  std::map<ReadyKey, QueueClass*> ready_;
  std::map<OverdueKey, QueueClass*> overdue_;
  // A requeued job is first in its class again, but its wait restarts.
  std::map<std::pair<Instant, std::uint64_t>, const JobRecord*> by_since_;
  std::map<std::string, std::set<std::string_view>, std::less<>> signatures_of_model_;
  std::set<std::string, std::less<>> wakes_;
  bool wake_all_ = false;
  std::size_t size_ = 0;
};

}  // namespace drover::router
