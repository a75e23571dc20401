#include "router/jobs/queue.h"

#include <algorithm>
#include <bit>
#include <iterator>

#include "fleet/base/result.h"

namespace drover::router {
namespace {

/// Jobs of one class decided between two wakes if the smallest demand alone does not settle it;
/// bounds the cost.
constexpr std::size_t asked_max = 8;

/// Appends texts and whole numbers.
template <typename... Parts>
void append_to_signature(std::string& text, const Parts&... parts) {
  const auto append = [&](const auto& part) {
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(part)>>) {
      text += std::to_string(part);
    } else {
      text += part;
    }
    text += '|';
  };
  (append(parts), ...);
}

JobRecord* next_in_turn(QueueClass& queue_class) {
  const auto& jobs = queue_class.jobs;
  if (queue_class.tried.size() >= jobs.size()) return nullptr;
  auto next = jobs.upper_bound(queue_class.asked_in_turn);
  for (;; ++next) {
    if (next == jobs.end()) next = jobs.begin();
    if (!queue_class.tried.contains(next->first)) break;
  }
  queue_class.in_turn = true;
  return next->second;
}

JobRecord* candidate_of(QueueClass& queue_class) {
  const auto& jobs = queue_class.jobs;
  queue_class.in_turn = false;
  const auto fresh = [&](std::uint64_t number) -> JobRecord* {
    return queue_class.tried.contains(number) ? nullptr : jobs.at(number);
  };
  if (queue_class.tried.empty()) return jobs.begin()->second;
  if (!queue_class.sorted) return nullptr;  // there is no other
  const Demands& demands = queue_class.result.demands;
  for (std::size_t each = 0; each < demand_count; ++each) {
    if (!demands.matter[each]) continue;
    if (JobRecord* record = fresh(queue_class.easiest[each].begin()->second)) return record;
  }
  if (demands.age) {
    if (JobRecord* record = fresh(jobs.rbegin()->first)) return record;
  }
  if (!demands.are_several() || queue_class.tried.size() >= asked_max) return nullptr;
  return next_in_turn(queue_class);
}

/// A job that was decided itself keeps its own reason until the next wake.
void collect_unpublished_apart(QueueClass& queue_class, std::vector<JobRecord*>& unpublished) {
  const auto own = [&](std::uint64_t number) -> std::optional<Reason> {
    if (!queue_class.tried.contains(number)) return std::nullopt;
    const auto& reason = queue_class.jobs.at(number)->reason;
    return reason == queue_class.published ? std::nullopt : reason;
  };
  std::erase_if(queue_class.published_apart, [&](const auto& entry) {
    const bool over = !own(entry.first);
    if (over) unpublished.push_back(queue_class.jobs.at(entry.first));
    return over;
  });
  for (const std::uint64_t number : queue_class.tried) {
    const std::optional<Reason> reason = own(number);
    if (!reason) continue;
    const auto known = queue_class.published_apart.find(number);
    if (known != queue_class.published_apart.end() && known->second == *reason) continue;
    queue_class.published_apart[number] = *reason;
    unpublished.push_back(queue_class.jobs.at(number));
  }
}

void sort_in(QueueClass& queue_class, const JobRecord& record) {
  for (std::size_t each = 0; each < demand_count; ++each) {
    queue_class.easiest[each].emplace(demand_of(record, static_cast<Demand>(each)), record.number);
  }
}

void sort_by_demand(QueueClass& queue_class) {
  if (std::exchange(queue_class.sorted, true)) return;
  for (const auto& [number, record] : queue_class.jobs) sort_in(queue_class, *record);
}

void sort_by_wait(QueueClass& queue_class) {
  if (!queue_class.by_wait.empty()) return;
  for (const auto& [number, record] : queue_class.jobs) {
    queue_class.by_wait.emplace(record->wait_began(), number);
  }
}

}  // namespace

std::uint64_t demand_of(const JobRecord& record, Demand demand) {
  const Workload& work = record.job.work;
  switch (demand) {
    case Demand::tokens:
      return std::uint64_t{work.input_tokens} + work.output_tokens;
    case Demand::prompt:
      return work.input_tokens;
    case Demand::length:
      return work.kind == WorkKind::train ? work.steps - std::min(record.steps_saved, work.steps)
                                          : work.items;
  }
  return 0;
}

bool Demands::are_several() const { return std::ranges::count(matter, true) + (age ? 1 : 0) > 1; }

Demands demands_behind(const std::vector<Rejection>& rejections, bool guard_rejected) {
  Demands demands;
  auto& [tokens, prompt, length] = demands.matter;
  tokens = prompt = length = guard_rejected;
  for (const Rejection& rejection : rejections) {
    switch (rejection.reason) {
      case Reason::capacity:
      case Reason::memory:
      case Reason::context:
        tokens = true;
        break;
      case Reason::queue_slo:
      case Reason::power_cap:  // the power of prefill depends on its length
        prompt = true;
        break;
      case Reason::deadline:
        demands.age = true;
        tokens = prompt = length = true;
        break;
      default:
        break;
    }
  }
  return demands;
}

std::string class_signature(const JobRecord& record) {
  const Workload& work = record.job.work;
  std::string signature;
  signature.reserve(128);
  const Job& job = record.job;
  append_to_signature(signature, record.rule, to_text(work.kind), work.model, job.priority,
                      job.tenant, record.work_class, job.stage, job.data_set);
  for (const Precision precision : work.precisions)
    append_to_signature(signature, to_text(precision));
  append_to_signature(signature, work.loss_scaling ? "scaled" : "", work.framework);
  for (const auto& [name, version] : work.versions) append_to_signature(signature, name, version);
  for (const MeasuredThroughput& throughput : work.throughputs) {
    append_to_signature(signature, throughput.device, throughput.devices,
                        throughput.over_hosts ? "over" : "",
                        std::bit_cast<std::uint64_t>(throughput.steps_per_s));
  }
  append_to_signature(signature, work.checkpoint_steps);
  for (const std::string& op : work.ops) append_to_signature(signature, op);
  append_to_signature(signature, job.deadline.count(), std::bit_width(work.input_tokens),
                      std::bit_width(work.output_tokens),
                      std::bit_width(demand_of(record, Demand::length)), work.devices, work.batch,
                      work.sequence, record.failed_last ? "retry" : "first");
  // Jobs whose back-offs end at different times must not block each other.
  append_to_signature(signature, record.retry_at.time_since_epoch().count());
  for (const std::string& target : record.avoid) append_to_signature(signature, target);
  return signature;
}

void JobQueue::push(JobRecord& record) {
  DROVER_REQUIRE(record.queue_class == nullptr);
  auto [place, fresh] = classes_.try_emplace(class_signature(record));
  QueueClass& queue_class = place->second;
  if (fresh) {
    queue_class.signature = place->first;
    queue_class.priority = record.job.priority;
    queue_class.kind = record.job.work.kind;
    queue_class.model = record.job.work.model;
    signatures_of_model_[queue_class.model].insert(queue_class.signature);
  }
  unlist(queue_class);
  queue_class.jobs.emplace(record.number, &record);
  if (queue_class.sorted) sort_in(queue_class, record);
  if (queue_class.result.max_wait > Duration{0}) {
    queue_class.by_wait.emplace(record.wait_began(), record.number);
  }
  by_since_.emplace(std::pair{record.since, record.number}, &record);
  record.queue_class = &queue_class;
  ++size_;
  list(queue_class);
}

void JobQueue::erase(JobRecord& record) {
  if (record.queue_class == nullptr) return;
  QueueClass& queue_class = *record.queue_class;
  unlist(queue_class);
  queue_class.jobs.erase(record.number);
  queue_class.tried.erase(record.number);
  queue_class.published_apart.erase(record.number);
  queue_class.by_wait.erase({record.wait_began(), record.number});
  for (std::size_t each = 0; each < demand_count && queue_class.sorted; ++each) {
    queue_class.easiest[each].erase({demand_of(record, static_cast<Demand>(each)), record.number});
  }
  DROVER_REQUIRE(by_since_.erase({record.since, record.number}) == 1);
  record.queue_class = nullptr;
  --size_;
  if (!queue_class.jobs.empty()) {
    list(queue_class);
    return;
  }
  const auto model = signatures_of_model_.find(queue_class.model);
  if (model != signatures_of_model_.end()) {
    model->second.erase(queue_class.signature);
    if (model->second.empty()) signatures_of_model_.erase(model);
  }
  keys_.erase(&queue_class);
  classes_.erase(classes_.find(queue_class.signature));
}

JobRecord* JobQueue::next(const FairShare& tenants) const {
  if (ready_.empty()) return nullptr;
  const auto first_of = [](const auto& entry) { return entry.second->candidate; };
  JobRecord* next = first_of(*ready_.begin());
  if (!tenants.counts()) return next;
  double behind = tenants.virtual_time(next->job.tenant);
  for (auto entry = std::next(ready_.begin());
       entry != ready_.end() && entry->first.first == ready_.begin()->first.first; ++entry) {
    JobRecord* other = first_of(*entry);
    const double time = tenants.virtual_time(other->job.tenant);
    if (time >= behind) continue;
    next = other;
    behind = time;
  }
  return next;
}

void JobQueue::block(JobRecord& record, Block result) {
  DROVER_REQUIRE(record.queue_class != nullptr);
  QueueClass& queue_class = *record.queue_class;
  unlist(queue_class);
  // The class waits for the reason of its oldest job.
  const bool first = queue_class.tried.empty();
  if (queue_class.in_turn) queue_class.asked_in_turn = record.number;
  queue_class.tried.insert(record.number);
  // The others are published as they are decided, if their reason differs.
  if (!first && result.reason && record.reason != result.reason) {
    queue_class.published_apart[record.number] = *result.reason;
  }
  if (first) queue_class.result = std::move(result);
  if (queue_class.result.max_wait > Duration{0}) {
    sort_by_wait(queue_class);
  } else {
    queue_class.by_wait.clear();
  }
  list(queue_class);
}

void JobQueue::hold(JobRecord& record, Reason reason) {
  DROVER_REQUIRE(record.queue_class != nullptr);
  unlist(*record.queue_class);
  record.queue_class->result.reason = reason;
  record.queue_class->result.demands = {};
  record.queue_class->blocked = true;
  list(*record.queue_class);
}

void JobQueue::wake_model(std::string_view model) {
  if (!wakes_.contains(model)) wakes_.emplace(model);
}

void JobQueue::wake(QueueClass& queue_class) {
  if (!queue_class.blocked && queue_class.tried.empty()) return;
  unlist(queue_class);
  queue_class.blocked = false;
  queue_class.tried.clear();
  list(queue_class);
}

void JobQueue::apply_wakes() {
  if (wake_all_) {
    for (auto& [signature, queue_class] : classes_) wake(queue_class);
  } else {
    for (const std::string& model : wakes_) {
      const auto found = signatures_of_model_.find(model);
      if (found == signatures_of_model_.end()) continue;
      for (const std::string_view signature : found->second) wake(classes_.find(signature)->second);
    }
  }
  wake_all_ = false;
  wakes_.clear();
}

JobRecord* JobQueue::overdue(Instant now) const {
  if (overdue_.empty() || overdue_.begin()->first.first > now) return nullptr;
  const QueueClass& queue_class = *overdue_.begin()->second;
  return queue_class.jobs.at(queue_class.by_wait.begin()->second);
}

Instant JobQueue::next_overdue() const {
  return overdue_.empty() ? never : overdue_.begin()->first.first;
}

const JobRecord* JobQueue::longest_waiting() const {
  return by_since_.empty() ? nullptr : by_since_.begin()->second;
}

std::optional<Reason> JobQueue::waits_for(const JobRecord& record) const {
  return record.queue_class == nullptr ? std::nullopt : record.queue_class->result.reason;
}

std::map<Reason, std::uint64_t> JobQueue::waiting_by_reason() const {
  std::map<Reason, std::uint64_t> counts;
  for (const auto& [signature, queue_class] : classes_) {
    const auto& reason = queue_class.result.reason;
    if (reason) counts[*reason] += queue_class.jobs.size();
  }
  return counts;
}

std::map<std::string, std::uint64_t> JobQueue::waiting_by_pool() const {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [signature, queue_class] : classes_) {
    const std::string& wanted = queue_class.result.preferred_pool;
    if (!wanted.empty()) counts[wanted] += queue_class.jobs.size();
  }
  return counts;
}

std::vector<JobRecord*> JobQueue::take_unpublished(std::size_t most) {
  std::vector<JobRecord*> unpublished;
  for (auto& [signature, queue_class] : classes_) {
    const auto& reason = queue_class.result.reason;
    if (!reason) continue;
    if (queue_class.published != reason) {
      queue_class.published = reason;
      queue_class.published_up_to = 0;
    }
    auto next = queue_class.jobs.upper_bound(queue_class.published_up_to);
    for (; next != queue_class.jobs.end() && unpublished.size() < most; ++next) {
      queue_class.published_up_to = next->first;
      unpublished.push_back(next->second);
    }
    collect_unpublished_apart(queue_class, unpublished);
  }
  return unpublished;
}

void JobQueue::unlist(QueueClass& queue_class) {
  Keys& keys = keys_[&queue_class];
  if (keys.ready) ready_.erase(*keys.ready);
  if (keys.overdue) overdue_.erase(*keys.overdue);
  keys = {};
}

void JobQueue::list(QueueClass& queue_class) {
  queue_class.candidate = nullptr;
  if (queue_class.jobs.empty()) return;
  Keys& keys = keys_[&queue_class];
  if (!queue_class.tried.empty()) {
    // A new job may need less than all that were decided.
    if (queue_class.jobs.size() > 1) sort_by_demand(queue_class);
    queue_class.blocked = candidate_of(queue_class) == nullptr;
  }
  if (!queue_class.blocked) {
    queue_class.candidate = candidate_of(queue_class);
    keys.ready = ReadyKey{-queue_class.priority, queue_class.candidate->number};
    ready_.emplace(*keys.ready, &queue_class);
  }
  if (!queue_class.by_wait.empty()) {
    const auto& [began, number] = *queue_class.by_wait.begin();
    keys.overdue = OverdueKey{saturating_add(began, queue_class.result.max_wait), number};
    overdue_.emplace(*keys.overdue, &queue_class);
  }
}

}  // namespace drover::router
