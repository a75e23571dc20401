// What clients and dashboards ask.
#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/codec/codec.h"
#include "fleet/pause.h"
#include "router/policy/work_class.h"
#include "router/roster/submission.h"
#include "router/snapshot.h"
#include "router/state.h"

namespace drover::router {
namespace {

// A dashboard that has lost the stream asks at most so often per heartbeat.
constexpr int snapshots_per_heartbeat = 5;
constexpr std::size_t id_digits = 32;

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

/// Why this job is one too many; empty: it is not.
std::string crowding(const Job& job, const JobBook& jobs, std::size_t waiting,
                     const Limits& limits) {
  if (waiting >= limits.queue_max) {
    return counted(waiting, "job waits", "jobs wait") + ", the policy's limit";
  }
  const std::size_t room = carried_bytes_max(limits.queue_max);
  if (jobs.carried_bytes_open() + carried_bytes(job) <= room) return {};
  return fmt::format("{} hold {} of paces, operations and prompts, expected at most {}",
                     counted(jobs.open().size(), "open job"),
                     bytes_text(static_cast<double>(jobs.carried_bytes_open())),
                     bytes_text(static_cast<double>(room)));
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
  if (ending) return refuse(job, Reason::ended, "the run has ended");
  if (auto status = check_job(job, catalogue, suggestions_left); !status) {
    return refuse(job, Reason::invalid, status.error().message);
  }
  if (std::string why = crowding(job, jobs, queue.size(), policy.limits); !why.empty()) {
    return refuse(job, Reason::capacity, std::move(why));
  }
  if (takes_no_writes()) return refuse(job, Reason::capacity, disk.words());
  JobRecord& record = jobs.add(job, now);
  note_class(record);
  record.accepted_write = mail.write(ledger::accepted(now, job));
  after_write = std::max(after_write, record.accepted_write);
  accounting.accepted(job);
  if (record.deadline() != never) deadlines[{record.deadline(), record.number}] = &record;
  enqueue(record);
  more_to_decide = true;
  publish_job(now, record);
  return result_of(job, SubmitStatus::accepted, JobState::queued);
}

void Core::note_class(JobRecord& record) const {
  const auto model = catalogue.model(record.job.work.model);
  const WorkClass* found = model ? class_of(policy, record.job, (*model)->spec) : nullptr;
  record.work_class = found != nullptr ? found->name : "";
  const Rule* rule = model ? find_rule(policy, record.job, (*model)->spec, found) : nullptr;
  record.rule = rule != nullptr ? rule->name : "";
}

// Nothing of it is kept, on disk or in memory: whoever floods would fill both.
SubmitResult Core::refuse(const Job& job, Reason reason, std::string detail) {
  SubmitResult result = result_of(job, SubmitStatus::refused, JobState::failed);
  result.reason = reason;
  result.detail = std::move(detail);
  accounting.refused();
  return result;
}

JobChanged Core::told(const JobRecord& record) const {
  JobChanged changed = shown(record);
  if (record.state == JobState::queued) {
    // One that was asked has its own reason; the others wait for what their class waits for. How
    // its last attempt ended is no longer the reason.
    const bool asked =
        record.queue_class != nullptr && record.queue_class->tried.contains(record.number);
    const auto reason = asked ? record.reason : queue.waits_for(record);
    if (reason && reason != changed.reason) changed.detail.clear();
    if (reason) changed.reason = reason;
  }
  if (record.holds_attempt() && record.lease.replica) {
    const auto host = roster.find_host(record.lease.members.front().host);
    const auto replica = host ? roster.find_replica(*host, *record.lease.replica) : std::nullopt;
    if (replica) changed.pause = pause_of_requests(roster.replicas()[*replica].replica);
  }
  if (!record.cancelled.empty() && !is_terminal(record.state)) {
    changed.detail = fmt::format("being {}", record.cancelled);
  }
  return changed;
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

void Core::answer(Instant now, Caller caller, const SnapshotRequest&) {
  const bool before = caller.entry.snapshot_sent != Instant{};
  if (before &&
      now - caller.entry.snapshot_sent < settings.heartbeat_every / snapshots_per_heartbeat) {
    mail.send(now, caller.peer, Problem{"a snapshot was sent a moment ago", true});
    return;
  }
  caller.entry.snapshot_sent = now;
  for (SnapshotPart& part :
       pack_parts(++snapshots, mail.last_published(), snapshot_messages(now))) {
    mail.send(now, caller.peer, std::move(part));
  }
}

void Core::answer(Instant now, Caller caller, const SummaryRequest&) {
  // Sums wait for the rows before them. While the disk takes none, those told last are certain.
  if (disk.holds_answers(mail.uncommitted()) && told_totals) {
    return mail.send(now, caller.peer, *told_totals);
  }
  note_shown(now);
  mail.send(now, caller.peer, summary(now), mail.last_write());
}

std::vector<std::string> Core::snapshot_messages(Instant now) const {
  std::vector<std::string> messages;
  const auto add = [&](Message body) {
    messages.push_back(encode(Envelope{"router", mail.last_published(), now, std::move(body)}));
  };
  add(policy_shown());
  for (HostIndex host = 0; host < roster.hosts().size(); ++host) {
    if (roster.hosts()[host].forgotten) continue;
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
  for (HostIndex host = 0; host < roster.hosts().size(); ++host) {
    if (!roster.hosts()[host].draining) continue;
    for (const DeviceIndex device : roster.hosts()[host].devices) {
      const DeviceKey key{host, roster.devices().number[device]};
      if (!conditions.all().contains(key)) add(device_shown(key));
    }
  }
  for (Alert& alert : alerts.raised()) add(std::move(alert));
  if (!caption.text.empty()) add(caption);
  // Nothing that a later life could take back.
  const bool on_disk = mail.uncommitted() == 0 && shown_now(now) == accounting.noted();
  add(on_disk || !told_totals ? summary(now) : *told_totals);
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
  note_shown(now);
  mail.send(now, caller.peer, summary(now), mail.last_write());
}

}  // namespace drover::router
