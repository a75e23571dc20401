#include "router/submissions.h"

#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/fleet_state/job_validation.h"
#include "router/ledger/ledger.h"

namespace drover::router {
namespace {

SubmitResult result_of(const Job& job, SubmitStatus status, JobState state) {
  SubmitResult result;
  result.job = job.id;
  result.status = status;
  result.state = state;
  return result;
}

SubmitResult conflict(const Job& job, JobState state) {
  SubmitResult result = result_of(job, SubmitStatus::conflict, state);
  result.detail = "another job was accepted with this id";
  return result;
}

/// Why this job is one too many; empty: it is not.
std::string crowding(const Job& job, const JobTable& jobs, std::size_t waiting,
                     const Limits& limits) {
  if (waiting >= limits.queue_max) {
    return counted(waiting, "job waits", "jobs wait") + ", the policy's limit";
  }
  const std::size_t most = payload_bytes_max(limits.queue_max);
  if (jobs.open_payload_bytes() + payload_bytes(job) <= most) return {};
  return fmt::format("{} use {} for measured throughputs, operations and prompts; the limit is {}",
                     counted(jobs.open().size(), "open job"),
                     bytes_text(static_cast<double>(jobs.open_payload_bytes())),
                     bytes_text(static_cast<double>(most)));
}

}  // namespace

void Submissions::handle(Instant now, const Caller& caller, const Submit& submit) {
  if (submit.jobs.size() > submit_jobs_max) {
    outbox.send(now, caller.peer,
                RequestError{fmt::format("Submit.jobs: found {}, expected at most {}",
                                         submit.jobs.size(), submit_jobs_max)});
    return;
  }
  SubmitReply reply;
  std::uint64_t after_write = 0;
  for (const Job& job : submit.jobs) reply.results.push_back(submit_one(now, job, after_write));
  outbox.send(now, caller.peer, std::move(reply), after_write);
}

SubmitResult Submissions::submit_one(Instant now, const Job& job, std::uint64_t& after_write) {
  if (const JobRecord* known = jobs.find(job.id)) {
    if (known->job != job) return conflict(job, known->state);
    after_write = std::max(after_write, known->accepted_write);
    return result_of(job, SubmitStatus::exists, known->state);
  }
  if (const auto known = jobs.remembered(job.id)) {
    if (known->content != content_hash(job)) return conflict(job, known->state);
    after_write = std::max(after_write, outbox.last_write());
    return result_of(job, SubmitStatus::exists, known->state);
  }
  if (waiting.closed()) return refuse(job, Reason::ended, "the run has ended");
  if (auto status = check_job(job, catalogue, suggestions_left_); !status) {
    return refuse(job, Reason::invalid, status.error().message);
  }
  if (std::string why = crowding(job, jobs, queue.size(), policy.limits); !why.empty()) {
    return refuse(job, Reason::capacity, std::move(why));
  }
  if (outbox.rejects_writes()) return refuse(job, Reason::capacity, outbox.backpressure().text());
  JobRecord& record = jobs.add(job, now);
  record.accepted_write = outbox.write(ledger::accepted(now, job));
  after_write = std::max(after_write, record.accepted_write);
  accounting.accepted(job);
  waiting.watch_deadline(record);
  waiting.add(record);
  dispatcher.expect_more();
  publisher.publish_job(now, record);
  return result_of(job, SubmitStatus::accepted, JobState::queued);
}

// Nothing is kept on disk or in memory, so that a flood fills neither.
SubmitResult Submissions::refuse(const Job& job, Reason reason, std::string detail) {
  SubmitResult result = result_of(job, SubmitStatus::refused, JobState::failed);
  result.reason = reason;
  result.detail = std::move(detail);
  accounting.refused();
  return result;
}

}  // namespace drover::router
