#include "commands/metrics/page/work_counts.h"

#include <algorithm>
#include <utility>

namespace drover::commands {

namespace {

constexpr std::size_t classes_max = 1'024;  // of a policy; messages are outside input

const Histogram::Bounds request_bounds = {
    {0.05, "0.05"}, {0.1, "0.1"}, {0.25, "0.25"}, {0.5, "0.5"}, {1, "1.0"},     {2.5, "2.5"},
    {5, "5.0"},     {10, "10.0"}, {30, "30.0"},   {60, "60.0"}, {120, "120.0"}, {300, "300.0"}};
const Histogram::Bounds completion_bounds = {
    {60, "60.0"},        {300, "300.0"},        {900, "900.0"},       {1'800, "1800.0"},
    {3'600, "3600.0"},   {7'200, "7200.0"},     {14'400, "14400.0"},  {43'200, "43200.0"},
    {86'400, "86400.0"}, {259'200, "259200.0"}, {604'800, "604800.0"}};

void add(std::map<std::string, Histogram>& all, const Histogram::Bounds& bounds,
         const JobChanged& job, double seconds, Instant now) {
  all.try_emplace(job.work_class, bounds).first->second.add(seconds, job.job.id, now);
}

}  // namespace

void WorkCounts::begin_snapshot() {
  ++snapshot_;
  in_snapshot_ = true;
}

/// What the snapshot did not contain has ended unseen.
void WorkCounts::end_snapshot() {
  in_snapshot_ = false;
  std::erase_if(open_, [&](const auto& one) { return one.second.snapshot != snapshot_; });
  std::erase_if(training_, [&](const auto& one) { return !open_.contains(one.first); });
}

std::uint32_t WorkCounts::class_number(const std::string& name) {
  const auto found = std::find(classes_.begin(), classes_.end(), name);
  const auto number = static_cast<std::uint32_t>(found - classes_.begin());
  if (found == classes_.end()) {
    if (classes_.size() == classes_max) return classes_max - 1;
    classes_.push_back(name);
  }
  return number;
}

void WorkCounts::take(Instant now, const JobChanged& changed) {
  const JobId& id = changed.job.id;
  const bool runs = changed.state == JobState::running && changed.job.work.kind == WorkKind::train;
  if (!runs) {
    training_.erase(id);
  } else if (training_.contains(id) || training_.size() < train_series_max) {
    training_[id] = {changed.job.tenant, changed.work_class, changed.pool, changed.target,
                     changed.progress};
  }
  if (is_terminal(changed.state)) {
    // A job that was not open has been counted, or ended before this began, unless it was accepted
    // and ended in one turn of the router.
    const bool was_open = open_.erase(id) > 0;
    const bool never_placed = changed.attempt == 0 && changed.state != JobState::finished;
    if ((was_open || never_placed) && !in_snapshot_) count_end(now, changed);
    return;
  }
  const auto known = open_.find(id);
  if (known == open_.end() && open_.size() >= counted_jobs_max) return;
  open_[id] = {changed.submitted, class_number(changed.work_class), changed.state, snapshot_};
}

void WorkCounts::count_end(Instant now, const JobChanged& changed) {
  ++ended[{changed.work_class, changed.state}];
  if (changed.state != JobState::finished) return;
  if (changed.job.work.kind != WorkKind::serve) {
    return add(completion_s, completion_bounds, changed, changed.latency_s, now);
  }
  add(latency_s, request_bounds, changed, changed.latency_s, now);
  // The outcome counts from the arrival of the attempt at its agent.
  const double before_s = std::max(0.0, changed.latency_s - changed.outcome.run_s);
  add(first_token_s, request_bounds, changed, before_s + changed.outcome.first_token_s, now);
}

void WorkCounts::take(const Decision& decision) {
  if (in_snapshot_) return;
  ++decisions[{to_text(decision.action), to_text(decision.kind)}];
  for (const Rejection& rejection : decision.rejections) {
    rejections[to_text(rejection.reason)] += rejection.count;
  }
  if (decision.action != Action::assign) return;
  ++placements[{decision.preferred_pool, decision.pool,
                fell_back(decision) ? to_text(*decision.fallback_reason) : ""}];
}

std::map<std::pair<std::string, JobState>, JobCount> WorkCounts::open_jobs() const {
  std::vector<JobCount> counts(classes_.size() * job_state_count);
  for (const auto& [id, job] : open_) {
    JobCount& count =
        counts[job.work_class * job_state_count + static_cast<std::size_t>(job.state)];
    ++count.jobs;
    count.oldest = std::min(count.oldest, job.submitted);
  }
  std::map<std::pair<std::string, JobState>, JobCount> by_class;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto state = static_cast<JobState>(i % job_state_count);
    if (is_terminal(state)) continue;
    by_class[{classes_[i / job_state_count], state}] = counts[i];
  }
  return by_class;
}

}  // namespace drover::commands
