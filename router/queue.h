// Jobs that wait: higher priority first, then order of acceptance.
//
// Jobs that every rule treats alike form a class. When the first of a class finds no place, the
// rest of it need not be asked: the class is blocked until something changes that could help it. So
// 100,000 waiting jobs cost as much as their few dozen classes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "fleet/reason.h"
#include "fleet/time.h"
#include "router/jobs.h"
#include "router/tenants.h"

namespace drover::router {

struct QueueClass {
  std::string signature;
  int priority = 0;
  WorkKind kind = WorkKind::serve;
  std::string model;
  std::map<std::uint64_t, JobRecord*> jobs;  // by order of acceptance
  bool blocked = false;
  std::optional<Reason> reason;  // of the last verdict: what the class waits for
  std::string wanted_pool;       // of the last verdict; empty: none, or no verdict yet
  Duration max_wait{0};          // of the last verdict; 0: for ever
};

/// What a rule can tell jobs apart by. Token counts are taken by their power of two: capacity, not
/// the exact length, is what a class waits for.
std::string class_signature(const JobRecord& record);

class JobQueue {
 public:
  JobQueue() = default;
  JobQueue(const JobQueue&) = delete;
  JobQueue& operator=(const JobQueue&) = delete;

  void push(JobRecord& record);
  /// Nothing happens when the job does not wait.
  void erase(JobRecord& record);
  std::size_t size() const { return size_; }

  /// The job to decide next, or null when every class is blocked or empty.
  /// Among equal priorities the tenant that is behind its fair share goes first.
  JobRecord* next(const TenantBook& tenants = {}) const;
  bool idle() const { return ready_.empty(); }
  /// The class of this job found no place, and why; which pool it wants first.
  void block(JobRecord& record, std::optional<Reason> reason, Duration max_wait,
             std::string wanted_pool = "");
  /// Not asked (the retry budget is spent): blocked, with what was known before.
  void hold(JobRecord& record);
  /// A place for requests of this model may have come free. Takes effect at `apply_wakes`.
  void wake_model(std::string_view model);
  void wake_all() { wake_all_ = true; }
  void apply_wakes();

  /// A job whose class's max_wait is over, or null.
  JobRecord* overdue(Instant now) const;
  /// When `overdue` will answer next; `never` when nothing waits with a limit.
  Instant next_overdue() const;

  /// What the job waits for, when its class was judged.
  std::optional<Reason> waits_for(const JobRecord& record) const;
  std::map<Reason, std::uint64_t> waiting_by_reason() const;
  /// By the pool that they want, those that were judged.
  std::map<std::string, std::uint64_t> waiting_by_pool() const;
  /// By signature.
  const std::map<std::string, QueueClass>& classes() const { return classes_; }

 private:
  using ReadyKey = std::pair<int, std::uint64_t>;  // minus priority, number of the first job
  using OverdueKey = std::pair<Instant, std::uint64_t>;
  struct Keys {
    std::optional<ReadyKey> ready;
    std::optional<OverdueKey> overdue;
  };
  void unlist(QueueClass& queue_class);
  void list(QueueClass& queue_class);

  std::map<std::string, QueueClass> classes_;
  std::map<const QueueClass*, Keys> keys_;  // looked up only
  std::map<ReadyKey, QueueClass*> ready_;
  std::map<OverdueKey, QueueClass*> overdue_;
  std::map<std::string, std::set<std::string>, std::less<>> signatures_of_model_;
  std::set<std::string, std::less<>> wakes_;
  bool wake_all_ = false;
  std::size_t size_ = 0;
};

}  // namespace drover::router
