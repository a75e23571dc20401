// What clients and dashboards ask.
#include <algorithm>
#include <utility>

#include "fleet/codec.h"
#include "fleet/text.h"
#include "router/explain.h"
#include "router/snapshot.h"
#include "router/state.h"
#include "router/submission.h"
#include "router/work_class.h"

namespace drover::router {
namespace {

constexpr std::size_t jobs_reply_max = 1'000;
// Leaves room under `message_bytes_max` for the cover.
constexpr std::size_t jobs_reply_bytes_max = message_bytes_max - 64 * 1024;
// A dashboard that has lost the stream asks at most so often per heartbeat.
constexpr int snapshots_per_heartbeat = 5;
constexpr std::size_t id_digits = 32;
// Some 100 bytes each: far below what a message may hold.
constexpr std::size_t standings_told_max = 4096;

/// At least the encoded size of one entry: its texts, and what the rest takes at most.
std::size_t size_bound(const JobChanged& job) {
  constexpr std::size_t fixed = 512;
  std::size_t size = fixed + job.job.work.model.size() + job.job.work.framework.size() +
                     job.job.tenant.size() + job.target.size() + job.pool.size() +
                     job.detail.size();
  for (const std::string& op : job.job.work.ops) size += op.size() + 5;
  return size;
}

SubmitResult result_of(const Job& job, SubmitStatus status, JobState state) {
  SubmitResult result;
  result.job = job.id;
  result.status = status;
  result.state = state;
  return result;
}

SubmitResult conflict(const Job& job, JobState state) {
  SubmitResult result = result_of(job, SubmitStatus::conflict, state);
  result.detail = "another job was accepted under this id";
  return result;
}

}  // namespace

void Core::submit(Instant now, Caller caller, const Submit& submit) {
  if (submit.jobs.size() > submit_jobs_max) {
    mail.send(now, caller.peer,
              Problem{fmt::format("Submit.jobs: found {}, expected at most {}", submit.jobs.size(),
                                  submit_jobs_max)});
    return;
  }
  SubmitReply reply;
  std::uint64_t after_write = 0;
  for (const Job& job : submit.jobs) reply.results.push_back(submit_one(now, job, after_write));
  mail.send(now, caller.peer, std::move(reply), after_write);
}

SubmitResult Core::submit_one(Instant now, const Job& job, std::uint64_t& after_write) {
  if (const JobRecord* known = jobs.find(job.id)) {
    if (known->job != job) return conflict(job, known->state);
    after_write = std::max(after_write, known->accepted_write);
    return result_of(job, SubmitStatus::exists, known->state);
  }
  if (const auto known = jobs.remembered(job.id)) {
    if (known->content != content_hash(job)) return conflict(job, known->state);
    after_write = std::max(after_write, mail.last_write());
    return result_of(job, SubmitStatus::exists, known->state);
  }
  if (ending) return refuse(now, job, Reason::ended, "the run has ended", after_write);
  if (auto status = check_job(job, catalogue); !status) {
    return refuse(now, job, Reason::invalid, status.error().message, after_write);
  }
  if (queue.size() >= policy.limits.queue_max) {
    return refuse(now, job, Reason::capacity,
                  fmt::format("{} jobs wait, the policy's limit", queue.size()), after_write);
  }
  if (mail.uncommitted() > uncommitted_max || commits_stalled()) {
    // Without a row: it would wait for the same disk.
    SubmitResult refused = result_of(job, SubmitStatus::refused, JobState::failed);
    refused.reason = Reason::capacity;
    refused.detail = "the ledger's disk does not keep up";
    return refused;
  }
  if (refused_ids.erase(job.id) > 0) accounting.refusal_withdrawn();
  JobRecord& record = jobs.add(job, now);
  note_class(record);
  record.accepted_write = mail.write(ledger::accepted(now, job));
  after_write = std::max(after_write, record.accepted_write);
  accounting.accepted(job);
  if (record.deadline() != never) deadlines[{record.deadline(), record.number}] = &record;
  queue.push(record);
  more_to_decide = true;
  publish_job(now, record);
  return result_of(job, SubmitStatus::accepted, JobState::queued);
}

void Core::note_class(JobRecord& record) const {
  const auto model = catalogue.model(record.job.work.model);
  const WorkClass* found = model ? class_of(policy, record.job, (*model)->spec) : nullptr;
  record.work_class = found != nullptr ? found->name : "";
}

SubmitResult Core::refuse(Instant now, const Job& job, Reason reason, std::string detail,
                          std::uint64_t& after_write) {
  SubmitResult result = result_of(job, SubmitStatus::refused, JobState::failed);
  result.reason = reason;
  result.detail = std::move(detail);
  // Without an id it cannot be told from others; with one, it counts once however often it comes.
  const bool again = refused_ids.contains(job.id);
  if (again) return result;
  if (!job.id.empty() && refused_ids.size() < refused_kept) refused_ids.insert(job.id);
  accounting.refused();
  after_write =
      std::max(after_write, mail.write(ledger::refused(now, job.id, reason, result.detail)));
  return result;
}

JobChanged Core::told(const JobRecord& record) const {
  JobChanged changed = shown(record);
  if (record.state == JobState::queued) {
    if (const auto reason = queue.waits_for(record)) changed.reason = reason;
  }
  if (!record.cancelled.empty() && !is_terminal(record.state)) {
    changed.detail = fmt::format("being {}", record.cancelled);
  }
  return changed;
}

void Core::answer(Instant now, Caller caller, const JobsRequest& request) {
  JobsReply reply;
  if (request.job) {
    if (const JobRecord* record = jobs.find(*request.job)) reply.jobs.push_back(told(*record));
    mail.send(now, caller.peer, std::move(reply));
    return;
  }
  std::size_t bytes = 0;
  const auto add = [&](const JobRecord& record) {
    JobChanged job = told(record);
    const std::size_t size = size_bound(job);
    if (reply.jobs.size() >= jobs_reply_max || bytes + size > jobs_reply_bytes_max) {
      ++reply.left_out;
      return;
    }
    bytes += size;
    reply.jobs.push_back(std::move(job));
  };
  // What runs comes first: with 100,000 waiting jobs it would otherwise be left out.
  for (const bool out : {true, false}) {
    for (const auto& [number, record] : jobs.open()) {
      if (record->holds_attempt() == out) add(*record);
    }
  }
  const auto& ended_jobs = jobs.ended_jobs();
  const std::size_t count = std::min<std::size_t>(request.ended_max, ended_jobs.size());
  for (std::size_t at = 0; at < count; ++at) add(*ended_jobs[ended_jobs.size() - 1 - at]);
  mail.send(now, caller.peer, std::move(reply));
}

Result<JobRecord*> Core::named(const std::string& prefix) {
  const bool hexadecimal = !prefix.empty() && prefix.size() <= id_digits &&
                           prefix.find_first_not_of("0123456789abcdef") == std::string::npos;
  const auto found = hexadecimal ? jobs.with_prefix(prefix) : std::vector<JobRecord*>{};
  if (found.size() == 1) return found.front();
  const std::string shown_prefix = printable(prefix.substr(0, id_digits));
  if (found.empty()) {
    return error("no job begins with \"{}\"; expected the first of 32 digits 0-9 a-f",
                 shown_prefix);
  }
  return error("several jobs begin with \"{}\"; give more digits", shown_prefix);
}

void Core::answer(Instant now, Caller caller, const WhyRequest& request) {
  mail.send(now, caller.peer, why(now, request.job_prefix));
}

WhyReply Core::why(Instant now, const std::string& job_prefix) {
  WhyReply reply;
  const JobRecord* record = nullptr;
  if (job_prefix.empty()) {
    record = jobs.find(decisions.last_fallback());
    if (record == nullptr) reply.problem = "no job has fallen back since this router started";
  } else {
    const auto found = named(job_prefix);
    if (found) record = *found;
    if (!found) reply.problem = found.error().message;
  }
  if (record != nullptr) {
    reply.job = told(*record);
    for (const std::uint64_t number : record->decisions) {
      if (const Decision* decision = decisions.find(number)) reply.decisions.push_back(*decision);
    }
    if (reply.decisions.empty()) reply.problem = "its decisions are no longer kept";
    explain(now, *record, reply);
    if (record->state == JobState::queued && record->decisions.empty()) {
      reply.problem = "it waits behind others of its kind: no decision yet";
    }
  }
  return reply;
}

void Core::explain(Instant now, const JobRecord& record, WhyReply& reply) {
  if (!reply.decisions.empty()) {
    const std::uint64_t number = reply.decisions.back().number;
    const bool same_policy = reply.decisions.back().policy_version == policy_number();
    if (same_policy) {
      reply.standings = standings_of(roster, policy, decisions.record_of(number));
    }
    if (reply.standings.size() > standings_told_max) reply.standings.resize(standings_told_max);
    if (!reply.standings.empty()) reply.standings_of = number;
  }
  const auto model = catalogue.model(record.job.work.model);
  if (record.state != JobState::queued || !model) return;
  const Ask ask = ask_for(record, (*model)->spec);
  reply.nearest = nearest_fits(roster, policy, estimator, ask, now);
}

void Core::answer(Instant now, Caller caller, const SnapshotRequest&) {
  const bool before = caller.entry.snapshot_sent != Instant{};
  if (before &&
      now - caller.entry.snapshot_sent < settings.heartbeat_every / snapshots_per_heartbeat) {
    mail.send(now, caller.peer, Problem{"a snapshot was sent a moment ago"});
    return;
  }
  caller.entry.snapshot_sent = now;
  for (SnapshotPart& part :
       pack_parts(++snapshots, mail.last_published(), snapshot_messages(now))) {
    mail.send(now, caller.peer, std::move(part));
  }
}

std::vector<std::string> Core::snapshot_messages(Instant now) const {
  std::vector<std::string> messages;
  const auto add = [&](Message body) {
    messages.push_back(encode(Envelope{"router", mail.last_published(), now, std::move(body)}));
  };
  add(policy_shown());
  for (HostIndex host = 0; host < roster.hosts().size(); ++host) {
    add(host_shown(host));
    for (const Envelope& batch : rebuilt_samples(roster, host)) messages.push_back(encode(batch));
  }
  for (const ReplicaEntry& entry : roster.replicas()) {
    if (entry.replica.state == ReplicaState::gone) continue;
    add(ReplicaChanged{entry.replica, pool_of(entry.group)});
  }
  for (const JobRecord* record : jobs_to_show(jobs)) add(told(*record));
  for (const Decision* decision : decisions.last(snapshot_decisions_max)) add(*decision);
  for (const auto& [at, event] : events) {
    messages.push_back(encode(Envelope{"router", mail.last_published(), at, event}));
  }
  for (const auto& [device, condition] : conditions.all()) add(device_shown(device));
  for (Alert& alert : alerts.raised()) add(std::move(alert));
  if (!caption.text.empty()) add(caption);
  add(summary(now));
  return messages;
}

void Core::end_run(Instant now, Caller caller) {
  ending = true;
  std::vector<JobRecord*> open;
  for (const auto& [number, record] : jobs.open()) open.push_back(record);
  for (JobRecord* record : open) {
    if (record->holds_attempt()) call_off(now, *record, Reason::ended);
    fail(now, *record, Reason::ended, "the run ended before it did");
  }
  awaiting_hosts = false;
  write_counters(now);
  mail.send(now, caller.peer, summary(now), mail.last_write());
}

}  // namespace drover::router
