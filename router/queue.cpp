#include "router/queue.h"

#include <bit>
#include <iterator>
#include <utility>

#include "fleet/result.h"

namespace drover::router {
namespace {

void append(std::string& text, std::uint64_t number) {
  text += std::to_string(number);
  text += '|';
}

void append(std::string& text, std::string_view word) {
  text += word;
  text += '|';
}

}  // namespace

std::string class_signature(const JobRecord& record) {
  const Workload& work = record.job.work;
  std::string signature;
  signature.reserve(96);
  append(signature, to_text(work.kind));
  append(signature, work.model);
  append(signature, std::to_string(record.job.priority));
  append(signature, record.job.tenant);
  append(signature, record.work_class);
  append(signature, record.job.stage);
  append(signature, record.job.data_set);
  for (const Precision precision : work.precisions) append(signature, to_text(precision));
  append(signature, work.loss_scaling ? "scaled" : "");
  append(signature, work.framework);
  for (const auto& [name, version] : work.versions) {
    append(signature, name);
    append(signature, version);
  }
  for (const Pace& pace : work.paces) {
    append(signature, pace.device);
    append(signature, pace.devices);
  }
  for (const std::string& op : work.ops) append(signature, op);
  append(signature, std::bit_width(work.input_tokens));
  append(signature, std::bit_width(work.output_tokens));
  append(signature, work.devices);
  append(signature, work.batch);
  append(signature, work.sequence);
  append(signature, record.attempt > 0 ? "retry" : "first");
  // Jobs whose back-off ends at another time shall not hold each other up.
  append(signature, static_cast<std::uint64_t>(record.retry_at.time_since_epoch().count()));
  for (const std::string& target : record.avoid) append(signature, target);
  return signature;
}

void JobQueue::push(JobRecord& record) {
  DROVER_REQUIRE(record.queue_class == nullptr);
  std::string signature = class_signature(record);
  auto [place, fresh] = classes_.try_emplace(signature);
  QueueClass& queue_class = place->second;
  if (fresh) {
    queue_class.signature = signature;
    queue_class.priority = record.job.priority;
    queue_class.kind = record.job.work.kind;
    queue_class.model = record.job.work.model;
    signatures_of_model_[queue_class.model].insert(std::move(signature));
  }
  unlist(queue_class);
  queue_class.jobs.emplace(record.number, &record);
  record.queue_class = &queue_class;
  ++size_;
  list(queue_class);
}

void JobQueue::erase(JobRecord& record) {
  if (record.queue_class == nullptr) return;
  QueueClass& queue_class = *record.queue_class;
  unlist(queue_class);
  queue_class.jobs.erase(record.number);
  record.queue_class = nullptr;
  --size_;
  if (!queue_class.jobs.empty()) {
    list(queue_class);
    return;
  }
  const std::string signature = queue_class.signature;
  const auto model = signatures_of_model_.find(queue_class.model);
  if (model != signatures_of_model_.end()) {
    model->second.erase(signature);
    if (model->second.empty()) signatures_of_model_.erase(model);
  }
  keys_.erase(&queue_class);
  classes_.erase(signature);
}

JobRecord* JobQueue::next(const TenantBook& tenants) const {
  if (ready_.empty()) return nullptr;
  const auto first_of = [](const auto& entry) { return entry.second->jobs.begin()->second; };
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

void JobQueue::block(JobRecord& record, std::optional<Reason> reason, Duration max_wait,
                     std::string wanted_pool) {
  DROVER_REQUIRE(record.queue_class != nullptr);
  QueueClass& queue_class = *record.queue_class;
  unlist(queue_class);
  queue_class.blocked = true;
  queue_class.reason = reason;
  queue_class.max_wait = max_wait;
  queue_class.wanted_pool = std::move(wanted_pool);
  list(queue_class);
}

void JobQueue::hold(JobRecord& record) {
  DROVER_REQUIRE(record.queue_class != nullptr);
  unlist(*record.queue_class);
  record.queue_class->blocked = true;
  list(*record.queue_class);
}

void JobQueue::wake_model(std::string_view model) {
  if (!wakes_.contains(model)) wakes_.emplace(model);
}

void JobQueue::apply_wakes() {
  const auto wake = [&](QueueClass& queue_class) {
    if (!queue_class.blocked) return;
    unlist(queue_class);
    queue_class.blocked = false;
    list(queue_class);
  };
  if (wake_all_) {
    for (auto& [signature, queue_class] : classes_) wake(queue_class);
  } else {
    for (const std::string& model : wakes_) {
      const auto found = signatures_of_model_.find(model);
      if (found == signatures_of_model_.end()) continue;
      for (const std::string& signature : found->second) wake(classes_.at(signature));
    }
  }
  wake_all_ = false;
  wakes_.clear();
}

JobRecord* JobQueue::overdue(Instant now) const {
  if (overdue_.empty() || overdue_.begin()->first.first > now) return nullptr;
  return overdue_.begin()->second->jobs.begin()->second;
}

Instant JobQueue::next_overdue() const {
  return overdue_.empty() ? never : overdue_.begin()->first.first;
}

std::optional<Reason> JobQueue::waits_for(const JobRecord& record) const {
  return record.queue_class == nullptr ? std::nullopt : record.queue_class->reason;
}

std::map<Reason, std::uint64_t> JobQueue::waiting_by_reason() const {
  std::map<Reason, std::uint64_t> counts;
  for (const auto& [signature, queue_class] : classes_) {
    if (queue_class.reason) counts[*queue_class.reason] += queue_class.jobs.size();
  }
  return counts;
}

std::map<std::string, std::uint64_t> JobQueue::waiting_by_pool() const {
  std::map<std::string, std::uint64_t> counts;
  for (const auto& [signature, queue_class] : classes_) {
    if (!queue_class.wanted_pool.empty()) {
      counts[queue_class.wanted_pool] += queue_class.jobs.size();
    }
  }
  return counts;
}

void JobQueue::unlist(QueueClass& queue_class) {
  Keys& keys = keys_[&queue_class];
  if (keys.ready) ready_.erase(*keys.ready);
  if (keys.overdue) overdue_.erase(*keys.overdue);
  keys = {};
}

void JobQueue::list(QueueClass& queue_class) {
  if (queue_class.jobs.empty()) return;
  Keys& keys = keys_[&queue_class];
  const auto& [number, first] = *queue_class.jobs.begin();
  if (!queue_class.blocked) {
    keys.ready = ReadyKey{-queue_class.priority, number};
    ready_.emplace(*keys.ready, &queue_class);
  }
  if (queue_class.max_wait > Duration{0}) {
    keys.overdue = OverdueKey{saturating_add(first->submitted, queue_class.max_wait), number};
    overdue_.emplace(*keys.overdue, &queue_class);
  }
}

}  // namespace drover::router
