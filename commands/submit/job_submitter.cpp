#include "commands/submit/job_submitter.h"

#include <utility>

namespace drover::commands {

void JobSubmitter::add(Job job) {
  ++counts_.given;
  waiting_.push_back(std::move(job));
}

void JobSubmitter::dispatch(Submit submit, WallTime now, std::vector<Submit>& sends) {
  if (submit.jobs.empty()) return;
  Batch batch{now + retry_after, {}};
  for (const Job& job : submit.jobs) batch.jobs.push_back(job.id);
  batches_.push_back(std::move(batch));
  sends.push_back(std::move(submit));
}

std::vector<Submit> JobSubmitter::due(WallTime now) {
  std::vector<Submit> sends;
  while (!batches_.empty() && batches_.front().again <= now) {
    Submit again;
    for (const JobId& id : batches_.front().jobs) {
      const auto found = in_flight_.find(id);
      if (found != in_flight_.end()) again.jobs.push_back(found->second);
    }
    batches_.pop_front();
    counts_.sent_again += again.jobs.size();
    dispatch(std::move(again), now, sends);
  }
  while (!waiting_.empty() && in_flight_.size() < in_flight_max) {
    Submit fresh;
    while (!waiting_.empty() && fresh.jobs.size() < submit_jobs_max &&
           in_flight_.size() < in_flight_max) {
      in_flight_.emplace(waiting_.front().id, waiting_.front());
      fresh.jobs.push_back(std::move(waiting_.front()));
      waiting_.pop_front();
    }
    dispatch(std::move(fresh), now, sends);
  }
  return sends;
}

WallTime JobSubmitter::next_deadline() const {
  return batches_.empty() ? WallTime::max() : batches_.front().again;
}

void JobSubmitter::receive(const SubmitReply& reply) {
  for (const SubmitResult& result : reply.results) {
    // A second answer for a job that was sent twice is ignored.
    if (in_flight_.erase(result.job) == 0) continue;
    if (is_taken(result.status) && on_accepted) on_accepted(result.job);
    switch (result.status) {
      case SubmitStatus::accepted:
        ++counts_.accepted;
        break;
      case SubmitStatus::exists:
        ++counts_.existed;
        break;
      case SubmitStatus::conflict:
      case SubmitStatus::refused:
        ++counts_.refused;
        if (on_refusal) on_refusal(result);
        break;
    }
  }
  // Completely acknowledged batches need no retry.
  while (!batches_.empty()) {
    bool open = false;
    for (const JobId& id : batches_.front().jobs) open = open || in_flight_.contains(id);
    if (open) break;
    batches_.pop_front();
  }
}

}  // namespace drover::commands
