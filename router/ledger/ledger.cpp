#include "router/ledger/ledger.h"

#include "fleet/codec/codec.h"
#include "fleet/target.h"
#include "router/jobs/checkpoints.h"

namespace drover::router::ledger {
namespace {

constexpr std::size_t content_bytes = 8;

LedgerRow row_of(Transition transition, Instant now, const JobId& job, std::uint32_t attempt,
                 Message payload, std::string sender = "router") {
  return {transition, now, job, attempt,
          encode(Envelope{std::move(sender), 0, now, std::move(payload)})};
}

std::string_view name_of(Transition transition) {
  static constexpr std::string_view names[] = {"started",  "accepted", "leased", "running",
                                               "returned", "finished", "failed", "stale",
                                               "counters", "audit",    "known",  "sums"};
  const auto index = static_cast<std::size_t>(transition);
  return index < std::size(names) ? names[index] : "unknown";
}

/// The row's payload as this kind of message.
template <typename Body>
Result<Body> body_of(const LedgerRow& row) {
  DROVER_ASSIGN(auto envelope, decode(row.payload));
  if (Body* body = std::get_if<Body>(&envelope.body)) return std::move(*body);
  return error("payload is a {}", kind_name(envelope.body));
}

void end_attempt(JobTable& jobs, JobRecord& record) {
  jobs.unbind(record);
  record.progress = 0;
  record.remaining_s = 0;
}

}  // namespace

LedgerRow started(Instant now, double speed, const std::string& software) {
  JoinAccepted anchor;
  anchor.fleet_time = now;
  anchor.speed = speed;
  anchor.software = software;
  return row_of(Transition::started, now, {}, 0, std::move(anchor));
}

LedgerRow accepted(Instant now, const Job& job) {
  return row_of(Transition::accepted, now, job.id, 0, Submit{{job}});
}

LedgerRow leased(Instant now, const JobRecord& record) {
  JobChanged change;
  change.job.id = record.job.id;
  change.state = JobState::leased;
  change.attempt = record.attempt;
  change.target = record.lease.target;
  change.pool = record.lease.pool;
  change.reason = record.lease.fallback;
  change.remaining_s = record.lease.predicted_s;
  change.detail = place_text(record.lease);
  change.change = record.change;
  change.work_class = record.work_class;
  change.policy_version = record.policy_version;
  change.usage = {0, record.lease.more.energy_j, record.lease.more.cost_usd};
  change.latency_s = record.lease.more.finish_s;
  change.progress = record.lease.more.wait_known ? 0 : 1;  // 1: latency_s is unknown
  return row_of(Transition::leased, now, record.job.id, record.attempt, std::move(change),
                record.lease.members.front().host);
}

LedgerRow running(Instant now, const JobRecord& record) {
  return {Transition::running, now, record.job.id, record.attempt, ""};
}

LedgerRow ended(Transition transition, Instant now, const Finished& finished) {
  return row_of(transition, now, finished.job, finished.attempt, finished);
}

LedgerRow ended(Transition transition, Instant now, const Failed& failed) {
  return row_of(transition, now, failed.job, failed.attempt, failed);
}

LedgerRow counters(Instant now, const SampleBatch& energies) {
  return row_of(Transition::counters, now, {}, 0, energies, energies.host);
}

LedgerRow counters(Instant now, double fleet_energy_j, double fleet_cost_usd) {
  Summary sums;
  sums.fleet_energy_j = fleet_energy_j;
  sums.fleet_cost_usd = fleet_cost_usd;
  return row_of(Transition::counters, now, {}, 0, std::move(sums));
}

LedgerRow shown(Instant now, const PublishedTotals& shown) {
  Summary sums;
  sums.charged = {0, shown.energy_j, shown.cost_usd};
  sums.decisions = shown.decisions;
  sums.undecodable = shown.undecodable;
  sums.sample_gaps = shown.sample_gaps;
  sums.classes = shown.classes;
  sums.refused = shown.refused;
  return row_of(Transition::counters, now, {}, 0, std::move(sums));
}

LedgerRow host_counts(Instant now, const std::string& host, Incarnation agent,
                      const HostCounts& counts) {
  HostChanged noted;
  noted.registration.host = host;
  noted.registration.incarnation = agent;
  noted.sample_gaps = counts.sample_gaps;
  noted.samples_thinned = counts.samples_thinned;
  noted.undecodable = counts.undecodable;
  return row_of(Transition::counters, now, {}, 0, std::move(noted), host);
}

LedgerRow audit(Instant now, Message said) {
  return row_of(Transition::audit, now, {}, 0, std::move(said));
}

LedgerRow known(const JobId& job, std::uint64_t content, CompactedEnd as) {
  LedgerRow row{Transition::known, {}, job, static_cast<std::uint32_t>(as), {}};
  for (std::size_t byte = 0; byte < content_bytes; ++byte) {
    row.payload += static_cast<char>(content >> (8 * (content_bytes - 1 - byte)));
  }
  return row;
}

LedgerRow sums(Instant now, const Accounting& accounting) {
  return {Transition::sums, now, {}, 0, accounting.job_sums()};
}

bool is_shown(const Summary& sums) {
  return sums.charged != Usage{} ||
         sums.decisions + sums.undecodable + sums.sample_gaps + sums.refused > 0;
}

Status Reader::read(const LedgerRow& row) {
  ++row_;
  const Status status = read_any(row);
  if (status) return status;
  return error(ErrorKind::io, "ledger row {} ({}): {}", row_, name_of(row.transition),
               status.error().message);
}

Status Reader::read_any(const LedgerRow& row) {
  switch (row.transition) {
    case Transition::started:
      if (!began_) accounting_.ledger_started(row.at);
      began_ = true;
      return {};
    case Transition::accepted:
      return read_accepted(row);
    case Transition::counters:
      return read_counters(row);
    case Transition::audit:
      return read_audit(row);
    case Transition::known:
      return read_known(row);
    case Transition::sums:
      began_ = true;
      return accounting_.restore_job_sums(row.payload);
    case Transition::stale:
      accounting_.stale_result();
      if (JobRecord* record = jobs_.find(row.job)) record->stale.push_back(row.attempt);
      return {};
    default:
      return read_step(row);
  }
}

/// Reads a row of an open job.
Status Reader::read_step(const LedgerRow& row) {
  JobRecord* record = jobs_.find(row.job);
  if (record == nullptr || is_terminal(record->state)) {
    return error("job {} is {}", to_text(row.job),
                 record == nullptr ? "not known" : "ended already");
  }
  Status status;
  if (row.transition == Transition::leased) {
    status = read_leased(row, *record);
  } else if (row.transition == Transition::running) {
    record->state = JobState::running;
  } else if (row.transition == Transition::returned) {
    status = read_returned(row, *record);
  } else if (row.transition == Transition::finished) {
    return read_finished(row, *record);
  } else if (row.transition == Transition::failed) {
    return read_failed(row, *record);
  } else {
    return error("unknown transition {}", static_cast<int>(row.transition));
  }
  record->since = row.at;
  return status;
}

Status Reader::read_counters(const LedgerRow& row) {
  DROVER_ASSIGN(auto envelope, decode(row.payload));
  if (auto* batch = std::get_if<SampleBatch>(&envelope.body)) {
    DROVER_TRY(check(*batch));
    energies_.push_back(std::move(*batch));
    return {};
  }
  if (auto* noted = std::get_if<HostChanged>(&envelope.body)) {
    host_counts_.insert_or_assign(noted->registration.host, std::move(*noted));
    return {};
  }
  const auto* sums = std::get_if<Summary>(&envelope.body);
  if (sums == nullptr) return error("payload is a {}", kind_name(envelope.body));
  if (is_shown(*sums)) {
    accounting_.restore_shown({sums->charged.energy_j, sums->charged.cost_usd, sums->decisions,
                               sums->undecodable, sums->sample_gaps, sums->classes, sums->refused});
    return {};
  }
  for (const SampleBatch& batch : energies_) accounting_.restore_energy(batch);
  energies_.clear();
  accounting_.restore_sums(sums->fleet_energy_j, sums->fleet_cost_usd);
  return {};
}

Status Reader::read_audit(const LedgerRow& row) {
  DROVER_ASSIGN(auto envelope, decode(row.payload));
  if (auto* cap = std::get_if<SetPowerCap>(&envelope.body)) {
    power_caps_.emplace_back(row.at, std::move(*cap));
    return {};
  }
  if (auto* said = std::get_if<SetDrain>(&envelope.body)) {
    DROVER_TRY(parse_target(said->target));
    drains_.emplace_back(row.at, std::move(*said));
    return {};
  }
  if (auto* applied = std::get_if<PolicyReply>(&envelope.body)) {
    policy_ = std::move(*applied);
    return {};
  }
  if (const auto* jobs = std::get_if<CancelReply>(&envelope.body)) {
    read_cancelled(*jobs);
    return {};
  }
  if (std::holds_alternative<Audit>(envelope.body)) return {};
  return error("payload is a {}", kind_name(envelope.body));
}

void Reader::read_cancelled(const CancelReply& jobs) {
  for (const CancelResult& one : jobs.results) {
    JobRecord* record = jobs_.find(one.job);
    if (record != nullptr && !is_terminal(record->state)) record->cancelled = one.detail;
  }
}

Status Reader::read_known(const LedgerRow& row) {
  if (row.attempt > static_cast<std::uint32_t>(CompactedEnd::cancelled)) {
    return error("job {} ended as {}", to_text(row.job), row.attempt);
  }
  const auto as = static_cast<CompactedEnd>(row.attempt);
  if (row.payload.size() != content_bytes) {
    return error("{} bytes, expected {}", row.payload.size(), content_bytes);
  }
  std::uint64_t content = 0;
  for (const char byte : row.payload) content = content << 8 | static_cast<unsigned char>(byte);
  const JobState state = as == CompactedEnd::finished    ? JobState::finished
                         : as == CompactedEnd::cancelled ? JobState::cancelled
                                                         : JobState::failed;
  jobs_.remember(row.job, {content, state});
  return {};
}

Status Reader::read_accepted(const LedgerRow& row) {
  DROVER_ASSIGN(auto submit, body_of<Submit>(row));
  if (submit.jobs.size() != 1) return error("{} jobs, expected one", submit.jobs.size());
  if (submit.jobs[0].id != row.job) return error("the payload names another job");
  if (jobs_.find(row.job) != nullptr || jobs_.remembered(row.job)) {
    return error("job {} was accepted before", to_text(row.job));
  }
  jobs_.add(submit.jobs[0], row.at);
  accounting_.accepted(submit.jobs[0]);
  return {};
}

Status Reader::read_leased(const LedgerRow& row, JobRecord& record) {
  DROVER_ASSIGN(auto payload, decode(row.payload));
  DROVER_ASSIGN(auto lease, read_lease(payload));
  if (record.state != JobState::queued || row.attempt != record.attempt + 1) {
    return error("attempt {} follows attempt {} in state {}", row.attempt, record.attempt,
                 to_text(record.state));
  }
  if (lease.fallback) accounting_.fell_back(*lease.fallback, lease.more);
  if (row.attempt > 1) accounting_.retried();
  record.waited += row.at - record.since;
  record.lease = std::move(lease);
  record.lease.begun = row.at;
  record.lease.from_step = record.steps_saved;
  if (const auto* change = std::get_if<JobChanged>(&payload.body)) {
    record.change = change->change;
    record.work_class = change->work_class;
    record.policy_version = change->policy_version;
  }
  record.attempt = row.attempt;
  record.state = JobState::leased;
  record.remaining_s = record.lease.predicted_s;
  jobs_.bind(record);
  return {};
}

Status Reader::read_returned(const LedgerRow& row, JobRecord& record) {
  DROVER_ASSIGN(auto failed, body_of<Failed>(row));
  failed.usage = plausible(failed.usage);
  accounting_.wasted(keep_checkpoint(record, failed));
  record.usage += failed.usage;
  record.failed_last = !record.excuses(failed);
  if (!record.failed_last) {
    record.excuse(failed.reason);
    if (failed.reason == Reason::preempted) accounting_.preempted();
  } else {
    record.avoid.insert(record.lease.target);
  }
  record.last_reason = failed.reason;
  record.returned = return_text(row.at, row.attempt, failed);
  record.detail = failed.detail;
  record.state = JobState::queued;
  end_attempt(jobs_, record);
  record.progress = saved_share(record);
  return {};
}

Status Reader::read_finished(const LedgerRow& row, JobRecord& record) {
  DROVER_ASSIGN(auto finished, body_of<Finished>(row));
  finished.usage = plausible(finished.usage);
  record.usage += finished.usage;
  record.outcome = finished.outcome;
  record.latency_s = to_seconds(row.at - record.submitted);
  record.state = JobState::finished;
  record.since = row.at;
  end_attempt(jobs_, record);
  record.progress = 1;
  Usage charged = finished.usage;
  charged += record.kept;
  accounting_.finished(record.job, charged, finished.outcome, record.latency_s);
  jobs_.ended(record);
  return {};
}

Status Reader::read_failed(const LedgerRow& row, JobRecord& record) {
  DROVER_ASSIGN(auto failed, body_of<Failed>(row));
  failed.usage = plausible(failed.usage);
  accounting_.wasted(failed.usage);
  accounting_.wasted(record.kept);
  accounting_.failed(failed.reason);
  record.usage += failed.usage;
  record.reason = failed.reason;
  record.detail = failed.detail;
  record.latency_s = to_seconds(row.at - record.submitted);
  record.state = end_state(failed.reason);
  record.since = row.at;
  end_attempt(jobs_, record);
  jobs_.ended(record);
  return {};
}

}  // namespace drover::router::ledger
