// Jobs that people end. One that waits ends at once. One that is out is marked, durably: whatever
// its agent says next, save that it has finished, ends it as cancelled; so does the agent's loss. A
// result that is on its way when the Cancel comes wins: each job has one end, the first that is
// written.
#include <algorithm>
#include <array>
#include <utility>

#include "fleet/text.h"
#include "router/state.h"

namespace drover::router {
namespace {

constexpr std::size_t job_text_max = 32;
constexpr std::size_t named_in_words_max = 4;

std::string words_of(const CancelReply& reply) {
  std::array<std::size_t, 4> counts{};
  for (const CancelResult& result : reply.results)
    ++counts[static_cast<std::size_t>(result.status)];
  std::string text;
  for (std::size_t status = 0; status < counts.size(); ++status) {
    if (counts[status] == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", counts[status],
                        to_text(static_cast<CancelStatus>(status)));
  }
  return text;
}

std::string targets_of(const CancelJobs& asked) {
  std::string text;
  for (std::size_t index = 0; index < std::min(asked.jobs.size(), named_in_words_max); ++index) {
    text += fmt::format("{}job:{}", index > 0 ? " " : "", excerpt(asked.jobs[index], job_text_max));
  }
  const std::size_t more = asked.jobs.size() - std::min(asked.jobs.size(), named_in_words_max);
  return more == 0 ? text : fmt::format("{} and {} more", text, more);
}

bool done(const CancelResult& result) {
  return result.status == CancelStatus::cancelled || result.status == CancelStatus::cancelling;
}

}  // namespace

void Core::act(Instant now, Caller caller, const CancelJobs& asked) {
  const std::string by = who(caller);
  CancelReply reply;
  if (asked.jobs.empty()) reply.problem = "no job is named, expected ids or their first digits";
  std::vector<JobRecord*> out;
  for (const std::string& text : asked.jobs) {
    reply.results.push_back(cancel(now, text, fmt::format("cancelled by {}", by), out));
  }
  if (!out.empty()) call_off_cancelled(now, out);
  Audit audit{by, "cancel", targets_of(asked), false, reply.problem};
  audit.applied = std::any_of(reply.results.begin(), reply.results.end(), done);
  if (audit.detail.empty()) audit.detail = words_of(reply);
  const std::uint64_t write = put_on_record(now, std::move(audit));
  mail.send(now, caller.peer, std::move(reply), write);
}

CancelResult Core::cancel(Instant now, const std::string& text, const std::string& why,
                          std::vector<JobRecord*>& out) {
  const auto found = named(text);
  if (!found) return forgotten_end(text, found.error().message);
  JobRecord& record = **found;
  CancelResult result{text, record.job.id, CancelStatus::cancelled, ""};
  if (is_terminal(record.state)) {
    const bool failed = record.state == JobState::failed;
    if (failed && record.reason == Reason::cancelled) {
      result.detail = "it had been cancelled already";
      return result;
    }
    result.status = CancelStatus::ended;
    result.detail = failed ? fmt::format("it had failed already: {}", record.detail)
                           : "it had finished already";
    return result;
  }
  if (!record.holds_attempt()) {
    fail(now, record, Reason::cancelled, why);
    return result;
  }
  result.status = CancelStatus::cancelling;
  result.detail =
      fmt::format("attempt {} on {} is called off", record.attempt, record.lease.target);
  if (record.cancelled.empty()) {
    record.cancelled = why;
    out.push_back(&record);
  }
  return result;
}

CancelResult Core::forgotten_end(const std::string& text, const std::string& problem) const {
  CancelResult result{text, {}, CancelStatus::unknown, problem};
  const auto id = parse_job_id(text);
  const auto known = id ? jobs.remembered(*id) : std::nullopt;
  if (!known) return result;
  result.job = *id;
  result.status = CancelStatus::ended;
  result.detail = fmt::format("it had {} already", to_text(known->state));
  return result;
}

void Core::call_off_cancelled(Instant now, const std::vector<JobRecord*>& out) {
  CancelReply marked;
  for (const JobRecord* record : out) {
    marked.results.push_back({"", record->job.id, CancelStatus::cancelling, record->cancelled});
  }
  const std::uint64_t write = mail.write(ledger::cancelled(now, marked));
  for (const JobRecord* record : out) {
    call_off(now, *record, Reason::cancelled, write);
    publish_job(now, *record);
  }
  next_call_off = std::min(next_call_off, saturating_add(now, settings.heartbeat_every));
}

}  // namespace drover::router
