// Requests of clients and dashboards.
#include <algorithm>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/codec/codec.h"
#include "router/fleet_state/job_validation.h"
#include "router/policy/work_class.h"
#include "router/publishing/snapshot.h"
#include "router/router_core.h"

namespace drover::router {
namespace {

// Snapshots that a dashboard may request per heartbeat after it lost the stream.
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

void RouterCore::handle(Instant now, Caller caller, const Submit& submit) {
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

SubmitResult RouterCore::submit_one(Instant now, const Job& job, std::uint64_t& after_write) {
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
  if (ending) return refuse(job, Reason::ended, "the run has ended");
  if (auto status = check_job(job, catalogue, suggestions_left); !status) {
    return refuse(job, Reason::invalid, status.error().message);
  }
  if (std::string why = crowding(job, jobs, queue.size(), policy.limits); !why.empty()) {
    return refuse(job, Reason::capacity, std::move(why));
  }
  if (outbox.rejects_writes()) return refuse(job, Reason::capacity, outbox.backpressure().text());
  JobRecord& record = jobs.add(job, now);
  set_job_class(record);
  record.accepted_write = outbox.write(ledger::accepted(now, job));
  after_write = std::max(after_write, record.accepted_write);
  accounting.accepted(job);
  if (record.deadline() != never) deadlines[{record.deadline(), record.number}] = &record;
  enqueue(record);
  more_to_decide = true;
  publisher.publish_job(now, record);
  return result_of(job, SubmitStatus::accepted, JobState::queued);
}

void RouterCore::set_job_class(JobRecord& record) const {
  const auto model = catalogue.model(record.job.work.model);
  const WorkClass* found = model ? class_of(policy, record.job, (*model)->spec) : nullptr;
  record.work_class = found != nullptr ? found->name : "";
  const Rule* rule = model ? find_rule(policy, record.job, (*model)->spec, found) : nullptr;
  record.rule = rule != nullptr ? rule->name : "";
}

// Nothing is kept on disk or in memory, so that a flood fills neither.
SubmitResult RouterCore::refuse(const Job& job, Reason reason, std::string detail) {
  SubmitResult result = result_of(job, SubmitStatus::refused, JobState::failed);
  result.reason = reason;
  result.detail = std::move(detail);
  accounting.refused();
  return result;
}

Result<JobRecord*> RouterCore::find_job_by_prefix(const std::string& prefix) {
  const bool hexadecimal = !prefix.empty() && prefix.size() <= id_digits &&
                           prefix.find_first_not_of("0123456789abcdef") == std::string::npos;
  const auto found = hexadecimal ? jobs.with_prefix(prefix) : std::vector<JobRecord*>{};
  if (found.size() == 1) return found.front();
  const std::string shown_prefix = printable(prefix.substr(0, id_digits));
  if (found.empty()) {
    return error(
        "no job id begins with \"{}\"; expected a job id (32 digits 0-9 a-f) or its first digits",
        shown_prefix);
  }
  return error("several jobs begin with \"{}\"; give more digits", shown_prefix);
}

void RouterCore::handle(Instant now, Caller caller, const SnapshotRequest&) {
  const bool before = caller.entry.snapshot_sent != Instant{};
  if (before &&
      now - caller.entry.snapshot_sent < settings.heartbeat_every / snapshots_per_heartbeat) {
    outbox.send(now, caller.peer,
                RequestError{"a snapshot was just sent on this connection; retry later", true});
    return;
  }
  caller.entry.snapshot_sent = now;
  for (SnapshotPart& part :
       pack_parts(++snapshots, outbox.last_published(), snapshot_messages(now))) {
    outbox.send(now, caller.peer, std::move(part));
  }
}

std::vector<std::string> RouterCore::snapshot_messages(Instant now) const {
  std::vector<std::string> messages;
  const auto add = [&](Message body) {
    messages.push_back(encode(Envelope{"router", outbox.last_published(), now, std::move(body)}));
  };
  add(policy_changed());
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    if (fleet_state.hosts()[host].forgotten) continue;
    add(publisher.host_changed(host));
    for (const Envelope& batch : rebuilt_samples(fleet_state, host))
      messages.push_back(encode(batch));
  }
  for (const ReplicaEntry& entry : fleet_state.replicas()) {
    if (entry.replica.state == ReplicaState::gone) continue;
    add(ReplicaChanged{entry.replica, pool_of(fleet_state, policy, entry.group)});
  }
  for (const JobRecord* record : jobs_to_show(jobs)) add(publisher.job_changed(*record));
  for (const Decision* decision : decisions.last(snapshot_decisions_max)) add(*decision);
  for (const auto& [at, event] : publisher.events()) {
    messages.push_back(encode(Envelope{"router", outbox.last_published(), at, event}));
  }
  for (const auto& [device, condition] : conditions.all()) add(publisher.device_changed(device));
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    if (!fleet_state.hosts()[host].draining) continue;
    for (const DeviceIndex device : fleet_state.hosts()[host].devices) {
      const DeviceKey key{host, fleet_state.devices().number[device]};
      if (!conditions.all().contains(key)) add(publisher.device_changed(key));
    }
  }
  for (Alert& alert : alerts.raised()) add(std::move(alert));
  if (!caption.text.empty()) add(caption);
  add(totals.summary_for_snapshot(now));
  return messages;
}

void RouterCore::handle(Instant now, Caller caller, const EndRunRequest&) {
  ending = true;
  std::vector<JobRecord*> open;
  for (const auto& [number, record] : jobs.open()) open.push_back(record);
  for (JobRecord* record : open) {
    if (record->holds_attempt()) cancel_attempt(now, *record, Reason::ended);
    fail(now, *record, Reason::ended, "the run ended before the job did");
  }
  awaiting_hosts = false;
  totals.end_run(now, caller);
}

}  // namespace drover::router
