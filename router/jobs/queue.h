// Jobs that wait: higher priority first, then order of acceptance.
//
// Jobs that differ in nothing but how much they want form a class: the same rule, deadline and
// everything else that a filter can see, and token counts, steps and items within a factor of two.
// The oldest of a class is asked first. When it finds no place, the one that wants least is asked,
// as far as what stood in the way depends on how much is wanted. Where that depends on one thing,
// no other job of the class has a place either; where it depends on several, a few more are asked,
// in turn from wake to wake. Then the class is blocked until something changes that could help it.
// So no job waits for a place that only another job cannot use, and 100,000 waiting jobs cost as
// much as their few dozen classes.
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
#include "router/jobs/jobs.h"
#include "router/jobs/tenants.h"

namespace drover::router {

/// In what jobs of a class may differ, and a smaller number is easier to place.
enum class Demand : std::uint8_t { tokens, prompt, length };  // input + output; input; steps, items
inline constexpr std::size_t demand_count = 3;
std::uint64_t demand_of(const JobRecord& record, Demand demand);

/// Which demands could have changed a verdict, by its rejections.
struct Demands {
  std::array<bool, demand_count> matter{};
  bool age = false;  // with the same deadline, the youngest has most time left
  /// One job may want more of one thing and less of another.
  bool are_several() const;
};
/// `unfair`: a place was refused by a guard, which compares times, joules and dollars.
Demands demands_behind(const std::vector<Rejection>& rejections, bool unfair);

/// A verdict that lets a job wait.
struct Block {
  std::optional<Reason> reason;
  Duration max_wait{0};  // 0: for ever
  std::string wanted_pool;
  Demands demands;
};

struct QueueClass {
  std::string_view signature;  // the key by which the queue has it
  int priority = 0;
  WorkKind kind = WorkKind::serve;
  std::string model;
  std::map<std::uint64_t, JobRecord*> jobs;  // by order of acceptance
  JobRecord* candidate = nullptr;            // to be asked next; null: blocked, or empty
  bool blocked = false;
  Block verdict;  // on the oldest job that was asked: what the class waits for

  using ByDemand = std::set<std::pair<std::uint64_t, std::uint64_t>>;  // demand, number
  std::array<ByDemand, demand_count> easiest;  // of all jobs, once one has found no place
  bool sorted = false;
  std::optional<Reason> told;  // published as what its jobs wait for, up to `told_up_to`
  std::uint64_t told_up_to = 0;
  // What was published of jobs that were asked themselves and wait for something else.
  std::map<std::uint64_t, Reason> told_apart;
  std::set<std::uint64_t> tried;  // numbers of those that found no place since the last wake
  bool in_turn = false;  // the candidate is neither the oldest nor the one that wants least
  std::uint64_t asked_in_turn = 0;                      // number of the last such one
  std::set<std::pair<Instant, std::uint64_t>> by_wait;  // where there is a longest wait
};

/// What a rule or a filter can tell jobs apart by, demands by their power of two.
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
  /// This job found no place, and why.
  void block(JobRecord& record, Block verdict);
  /// Not asked: its class is blocked for this reason, whatever it wants.
  void hold(JobRecord& record, Reason reason);
  /// A place for requests of this model may have come free. Takes effect at `apply_wakes`.
  void wake_model(std::string_view model);
  void wake_all() { wake_all_ = true; }
  void apply_wakes();

  /// A job that has waited for as long as its class may, or null. Only waiting counts: time in
  /// which an attempt was out does not.
  JobRecord* overdue(Instant now) const;
  /// When `overdue` will answer next; `never` when nothing waits with a limit.
  Instant next_overdue() const;

  /// The job that waits since the longest ago, whatever its turn is, or null.
  const JobRecord* longest_waiting() const;
  /// What the job waits for, when its class was judged.
  std::optional<Reason> waits_for(const JobRecord& record) const;
  std::map<Reason, std::uint64_t> waiting_by_reason() const;
  /// By the pool that they want, those that were judged.
  std::map<std::string, std::uint64_t> waiting_by_pool() const;
  /// Jobs whose class waits for something else than was last published of them: at most so many
  /// more, as if they were published now. Only one of a class is asked, and tells by itself.
  std::vector<const JobRecord*> take_untold(std::size_t most);
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
  /// Chooses whom to ask next.
  void list(QueueClass& queue_class);
  void wake(QueueClass& queue_class);

  std::map<std::string, QueueClass, std::less<>> classes_;
  std::map<const QueueClass*, Keys> keys_;  // looked up only
  std::map<ReadyKey, QueueClass*> ready_;
  std::map<OverdueKey, QueueClass*> overdue_;
  // One that came back is the first of its class again, and waits only since then.
  std::map<std::pair<Instant, std::uint64_t>, const JobRecord*> by_since_;
  std::map<std::string, std::set<std::string_view>, std::less<>> signatures_of_model_;
  std::set<std::string, std::less<>> wakes_;
  bool wake_all_ = false;
  std::size_t size_ = 0;
};

}  // namespace drover::router
