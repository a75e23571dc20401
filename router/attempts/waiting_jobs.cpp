#include "router/attempts/waiting_jobs.h"

#include <algorithm>

#include "router/policy/work_class.h"

namespace drover::router {

void WaitingJobs::set_class(JobRecord& record) const {
  const auto model = catalogue.model(record.job.work.model);
  const WorkClass* found = model ? class_of(policy, record.job, (*model)->spec) : nullptr;
  record.work_class = found != nullptr ? found->name : "";
  const Rule* rule = model ? find_rule(policy, record.job, (*model)->spec, found) : nullptr;
  record.rule = rule != nullptr ? rule->name : "";
}

void WaitingJobs::renew_classes() {
  for (const auto& [number, record] : jobs.open()) {
    if (record->queue_class == nullptr) continue;
    queue.erase(*record);
    set_class(*record);
    queue.push(*record);
  }
}

void WaitingJobs::add(JobRecord& record) {
  set_class(record);
  queue.push(record);
  tenants.add_waiting(record.job.tenant);
}

void WaitingJobs::remove(JobRecord& record) {
  if (record.queue_class == nullptr) return;
  queue.erase(record);
  tenants.remove_waiting(record.job.tenant);
}

void WaitingJobs::watch_deadline(JobRecord& record) {
  if (record.deadline() != never) deadlines_[{record.deadline(), record.number}] = &record;
}

JobRecord* WaitingJobs::take_late(Instant now) {
  while (!deadlines_.empty() && deadlines_.begin()->first.first <= now) {
    JobRecord* record = deadlines_.begin()->second;
    deadlines_.erase(deadlines_.begin());
    // A running attempt may end late; a waiting job has missed its deadline.
    if (record->state == JobState::queued) return record;
  }
  return nullptr;
}

Instant WaitingJobs::retry_allowed_at(Instant now, const JobRecord& record, RetryLog& log) const {
  if (!record.failed_last) return now;
  RetryBudget budget = policy.retry.budget;
  budget.window = from_seconds(to_seconds(budget.window) * settings.speed);
  return log.next(now, budget, jobs.open().size());
}

void WaitingJobs::end_back_offs(Instant now) {
  while (!back_offs_.empty() && back_offs_.begin()->first <= now) {
    queue.wake_model(back_offs_.begin()->second);
    back_offs_.erase(back_offs_.begin());
  }
}

Instant WaitingJobs::next_deadline() const {
  Instant next = queue.next_overdue();
  if (!deadlines_.empty()) next = std::min(next, deadlines_.begin()->first.first);
  if (!back_offs_.empty()) next = std::min(next, back_offs_.begin()->first);
  return next;
}

}  // namespace drover::router
