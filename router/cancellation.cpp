// Cancellation of jobs. A waiting job ends at once. A job with an attempt is marked, durably: any
// further report of its agent except Finished, or the loss of the agent, ends it as cancelled. A
// result that is already on its way when the Cancel arrives wins: each job has one end, the first
// that is written.
#include <algorithm>
#include <tuple>
#include <utility>

#include "fleet/base/text.h"
#include "router/actions.h"
#include "router/ledger/ledger.h"

namespace drover::router {
namespace {

constexpr std::size_t job_text_max = 32;
constexpr std::size_t named_in_words_max = 4;

std::string targets_of(const CancelJobs& asked) {
  std::string text;
  for (std::size_t index = 0; index < std::min(asked.jobs.size(), named_in_words_max); ++index) {
    text += fmt::format("{}job:{}", index > 0 ? " " : "", excerpt(asked.jobs[index], job_text_max));
  }
  const std::size_t more = asked.jobs.size() - std::min(asked.jobs.size(), named_in_words_max);
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

struct StatusWords {
  CancelStatus status;
  std::string_view one, many, then;
};
constexpr StatusWords status_words[] = {
    {CancelStatus::cancelled, "job is", "jobs are", " cancelled"},
    {CancelStatus::cancelling, "running job is", "running jobs are",
     " being cancelled: done when the host replies, unless the result comes first"},
    {CancelStatus::ended, "job had", "jobs had", " ended before"},
    {CancelStatus::unknown, "is not known", "are not known", ""},
};

/// "2 jobs are cancelled; 1 running job is being cancelled: ..".
std::string summary_of(const CancelReply& reply) {
  std::vector<std::string> parts;
  for (const StatusWords& words : status_words) {
    const auto count =
        std::count_if(reply.results.begin(), reply.results.end(),
                      [&](const CancelResult& result) { return result.status == words.status; });
    if (count == 0) continue;
    parts.push_back(fmt::format(
        "{}{}", counted(static_cast<std::uint64_t>(count), words.one, words.many), words.then));
  }
  return joined(parts, "; ");
}

/// The result for a job that had ended before.
std::pair<CancelStatus, std::string> after_end(JobState state) {
  if (state == JobState::cancelled) {
    return {CancelStatus::cancelled, "it had been cancelled already"};
  }
  return {CancelStatus::ended, fmt::format("it had {} already", to_text(state))};
}

bool done(const CancelResult& result) {
  return result.status == CancelStatus::cancelled || result.status == CancelStatus::cancelling;
}

}  // namespace

void Actions::handle(Instant now, const Caller& caller, const CancelJobs& asked) {
  const std::string by = client_name(caller);
  CancelReply reply;
  if (asked.jobs.empty()) reply.problem = "no job given, expected ids or their first digits";
  std::vector<JobRecord*> out;
  for (const std::string& text : asked.jobs) {
    reply.results.push_back(cancel(now, text, fmt::format("cancelled by {}", by), out));
  }
  if (!out.empty()) cancel_running_attempts(now, out);
  Audit audit{by, "cancel", targets_of(asked), false, reply.problem};
  audit.applied = std::any_of(reply.results.begin(), reply.results.end(), done);
  reply.summary = summary_of(reply);
  if (audit.detail.empty()) audit.detail = reply.summary;
  const std::uint64_t write = publisher.record_audit(now, std::move(audit));
  outbox.send(now, caller.peer, std::move(reply), write);
}

CancelResult Actions::cancel(Instant now, const std::string& text, const std::string& why,
                             std::vector<JobRecord*>& out) {
  const auto found = jobs.find_by_prefix(text);
  if (!found) return forgotten_end(text, found.error().message);
  JobRecord& record = **found;
  CancelResult result{text, record.job.id, CancelStatus::cancelled, ""};
  if (is_terminal(record.state)) {
    std::tie(result.status, result.detail) = after_end(record.state);
    if (record.state == JobState::failed) result.detail += ": " + record.detail;
    return result;
  }
  if (!record.holds_attempt()) {
    ends.fail(now, record, Reason::cancelled, why);
    return result;
  }
  result.status = CancelStatus::cancelling;
  result.detail =
      fmt::format("attempt {} on {} is being cancelled", record.attempt, record.lease.target);
  if (record.cancelled.empty()) {
    record.cancelled = why;
    out.push_back(&record);
  }
  return result;
}

CancelResult Actions::forgotten_end(const std::string& text, const std::string& problem) const {
  CancelResult result{text, {}, CancelStatus::unknown, problem};
  const auto id = parse_job_id(text);
  const auto known = id ? jobs.remembered(*id) : std::nullopt;
  if (!known) return result;
  result.job = *id;
  std::tie(result.status, result.detail) = after_end(known->state);
  return result;
}

void Actions::cancel_running_attempts(Instant now, const std::vector<JobRecord*>& out) {
  CancelReply marked;
  for (const JobRecord* record : out) {
    marked.results.push_back({"", record->job.id, CancelStatus::cancelling, record->cancelled});
  }
  const std::uint64_t write = outbox.write(ledger::audit(now, marked));
  attempts.cancel(now, out, write);
}

}  // namespace drover::router
