// Everything a late subscriber needs.
#include "router/queries.h"

#include <algorithm>
#include <utility>

#include "fleet/base/units.h"
#include "fleet/codec/codec.h"
#include "fleet/codec/limits.h"
#include "router/publishing/snapshot.h"

namespace drover::router {
namespace {

// Snapshots that a dashboard may request per heartbeat after it lost the stream.
constexpr int snapshots_per_heartbeat = 5;

// One page takes a millisecond, so that a client that lists all jobs delays nobody.
constexpr std::size_t jobs_reply_bytes_max = 128 * 1024;

/// Upper bound on the encoded size of an entry: its texts and lists, plus the most that the rest
/// takes.
std::size_t size_bound(const JobChanged& job) {
  constexpr std::size_t fixed = 640;
  constexpr std::size_t of_text = 5;
  constexpr std::size_t of_number = 9;
  constexpr std::size_t of_throughput = 80;
  const Workload& work = job.job.work;
  std::size_t size = fixed + work.model.size() + work.framework.size() + job.job.tenant.size() +
                     job.job.work_class.size() + job.job.stage.size() + job.job.data_set.size() +
                     job.target.size() + job.pool.size() + job.detail.size() +
                     job.work_class.size() + job.change.size() + work.prefix.size() * of_number;
  for (const std::string& op : work.ops) size += op.size() + of_text;
  for (const auto& [name, version] : work.versions)
    size += name.size() + version.size() + 2 * of_text;
  for (const MeasuredThroughput& throughput : work.throughputs)
    size += throughput.device.size() + of_throughput;
  return size;
}

/// Fills a reply until it is full, with at least one job; later jobs are only counted.
class Listing {
 public:
  Listing(const Publisher& publisher, JobsReply& reply) : publisher_(publisher), reply_(reply) {}
  void add(const JobRecord& record) {
    if (!full_) {
      JobChanged job = publisher_.job_changed(record);
      bytes_ += size_bound(job);
      full_ = reply_.jobs.size() >= codec::jobs_reply_max ||
              (bytes_ > jobs_reply_bytes_max && !reply_.jobs.empty());
      if (!full_) return reply_.jobs.push_back(std::move(job));
    }
    ++reply_.left_out;
  }

 private:
  const Publisher& publisher_;
  JobsReply& reply_;
  std::size_t bytes_ = 0;
  bool full_ = false;
};

/// List position of an open job: running jobs come first, because with 100,000 waiting jobs they
/// would otherwise be on the last page.
using ListedAt = std::pair<bool, std::uint64_t>;  // waits, number

ListedAt listed_at(const JobRecord& record) {
  return {!record.holds_attempt() && !is_terminal(record.state), record.number};
}

NearestFit budget_fit(Instant now, Instant allowed_at) {
  NearestFit fit;
  fit.reason = Reason::budget;
  fit.amount = allowed_at == never ? 0 : to_seconds(allowed_at - now);
  fit.change = allowed_at == never ? "a retry budget ([retry] budget) that allows retries"
                                   : fmt::format("{}, or a larger retry budget ([retry] budget)",
                                                 duration_text(fit.amount));
  return fit;
}

/// Until then no change helps on its own.
void add_budget(std::vector<NearestFit>& fits, Instant now, Instant allowed_at) {
  for (NearestFit& fit : fits) {
    const double wait_s = allowed_at == never ? 0 : to_seconds(allowed_at - now);
    if (fit.reason == Reason::capacity && fit.amount >= wait_s && allowed_at != never) continue;
    fit.change += allowed_at == never
                      ? ", and a retry budget ([retry] budget) that allows retries"
                      : fmt::format(", and {} for the retry budget", duration_text(wait_s));
  }
}

}  // namespace

void Queries::handle(Instant now, const Caller& caller, const SnapshotRequest&) {
  const bool before = caller.entry.snapshot_sent != Instant{};
  if (before &&
      now - caller.entry.snapshot_sent < settings.heartbeat_every / snapshots_per_heartbeat) {
    outbox.send(now, caller.peer,
                RequestError{"a snapshot was just sent on this connection; retry later", true});
    return;
  }
  caller.entry.snapshot_sent = now;
  for (SnapshotPart& part :
       pack_parts(++snapshots_, outbox.last_published(), snapshot_messages(now))) {
    outbox.send(now, caller.peer, std::move(part));
  }
}

std::vector<std::string> Queries::snapshot_messages(Instant now) const {
  std::vector<std::string> messages;
  const auto add = [&](Message body) {
    messages.push_back(encode(Envelope{"router", outbox.last_published(), now, std::move(body)}));
  };
  add(policy_control.policy_changed());
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
  for (const auto& [device, board] : boards) {
    add(BoardChanged{fleet_state.host_name(device.first), board});
  }
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    if (!fleet_state.hosts()[host].draining) continue;
    for (const DeviceIndex device : fleet_state.hosts()[host].devices) {
      const DeviceKey key{host, fleet_state.devices().number[device]};
      if (!conditions.all().contains(key)) add(publisher.device_changed(key));
    }
  }
  for (Alert& alert : alerts.raised()) add(std::move(alert));
  if (!actions.caption().text.empty()) add(actions.caption());
  add(totals.summary_for_snapshot(now));
  return messages;
}

// Job lists for clients: open jobs, and ended ones in pages, newest first.

void Queries::handle(Instant now, const Caller& caller, const JobsRequest& request) {
  JobsReply reply;
  if (request.job) {
    if (const JobRecord* record = jobs.find(*request.job))
      reply.jobs.push_back(publisher.job_changed(*record));
  } else {
    reply = listed(request);
  }
  outbox.send(now, caller.peer, std::move(reply));
}

JobsReply Queries::listed(const JobsRequest& request) const {
  const auto asked = [&](const JobRecord* record) {
    return !request.state || record->state == *request.state;
  };
  JobsReply reply;
  Listing listing(publisher, reply);
  const JobRecord* before = request.open_after ? jobs.find(*request.open_after) : nullptr;
  const bool gone = request.open_after && before == nullptr;
  const std::optional<ListedAt> from = before ? std::optional(listed_at(*before)) : std::nullopt;
  if (request.newest_first && !request.ended_only && !gone) {
    for (auto next = jobs.open().rbegin(); next != jobs.open().rend(); ++next) {
      const bool later = !before || next->first < before->number;
      if (later && asked(next->second)) listing.add(*next->second);
    }
  }
  for (const bool waits : {false, true}) {
    if (request.ended_only || gone || request.newest_first) break;
    for (const auto& [number, record] : jobs.open()) {
      const ListedAt at = listed_at(*record);
      if (at.first == waits && (!from || at > *from) && asked(record)) {
        listing.add(*record);
      }
    }
  }
  const auto& ended = jobs.ended_jobs();
  auto next = ended.rbegin();
  if (request.ended_before) {
    next = std::find(next, ended.rend(), jobs.find(*request.ended_before));
    if (next != ended.rend()) ++next;
  }
  for (std::uint32_t count = 0; next != ended.rend() && count < request.ended_max; ++next) {
    if (!asked(*next)) continue;
    listing.add(**next);
    ++count;
  }
  reply.ended_kept = request.state ? static_cast<std::uint64_t>(std::ranges::count_if(ended, asked))
                                   : ended.size();
  for (const JobState state : {JobState::finished, JobState::failed, JobState::cancelled}) {
    if (!request.state || *request.state == state) reply.ended_ever += accounting.ended(state);
  }
  return reply;
}

// Explanations of decisions.

WhyReply Queries::why(Instant now, const std::string& job_prefix) {
  WhyReply reply;
  const JobRecord* record = nullptr;
  if (job_prefix.empty()) {
    record = jobs.find(decisions.last_fallback());
    if (record == nullptr) reply.problem = "no job has fallen back since this router started";
  } else {
    const auto found = jobs.find_by_prefix(job_prefix);
    if (found) record = *found;
    if (!found) reply.problem = found.error().message;
  }
  if (record != nullptr) {
    reply.job = publisher.job_changed(*record);
    for (const std::uint64_t number : record->decisions) {
      if (const Decision* decision = decisions.find(number)) reply.decisions.push_back(*decision);
    }
    explain(now, *record, reply);
    if (reply.decisions.empty()) reply.problem = "its decisions are no longer kept";
  }
  return reply;
}

WaitState Queries::wait_of(const JobRecord& record, const PlacementResult& result) const {
  WaitState wait;
  if (result.max_wait > Duration{0}) {
    wait.fails_at = saturating_add(record.wait_began(), result.max_wait);
  }
  for (const auto& [job, preemption] : preemptions.all()) wait.kept.push_back(preemption);
  return wait;
}

void Queries::explain_wait(Instant now, const JobRecord& record, WhyReply& reply) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model) return;
  const Instant allowed_at = waiting.retry_would_be_allowed_at(now, record);
  const bool held = allowed_at > now;
  std::string held_text = held ? retry_wait_text(allowed_at) : "";
  PlacementRequest request = dispatcher.ask_for(record, (*model)->spec);
  request.avoid_binds = now < record.retry_at;
  RandomStream drawn = random;  // a copy: later decisions draw as without this query
  PlacementResult result = reserved.decide(now, record, request, drawn);
  reply.candidates = candidate_statuses(fleet_state, policy, estimator.scratch().record);
  reply.candidates_of_decision = 0;
  if (!result.place) {
    reply.nearest =
        nearest_fits(fleet_state, policy, estimator, request, now, wait_of(record, result));
    if (held) add_budget(reply.nearest, now, allowed_at);
  } else if (held) {
    reply.nearest.push_back(budget_fit(now, allowed_at));
  }
  Decision decision = held ? dispatcher.held_decision(now, record, std::move(held_text))
                           : std::move(result.decision);
  if (decision.action == Action::queue && reply.job->reason != decision.fallback_reason) {
    reply.job->reason = decision.fallback_reason;
    if (record.cancelled.empty()) reply.job->detail.clear();
  }
  // Its reason may have changed since its decision, and only some jobs of its class are decided.
  const bool same = !reply.decisions.empty() &&
                    reply.decisions.back().fallback_reason == decision.fallback_reason &&
                    reply.decisions.back().action == decision.action;
  if (!same) reply.decisions.push_back(std::move(decision));
}

void Queries::explain(Instant now, const JobRecord& record, WhyReply& reply) {
  if (!reply.decisions.empty()) {
    const std::uint64_t number = reply.decisions.back().number;
    const bool same_policy =
        reply.decisions.back().policy_version == static_cast<std::uint64_t>(policy.version);
    if (same_policy) {
      reply.candidates = candidate_statuses(fleet_state, policy, decisions.record_of(number));
    }
    if (!reply.candidates.empty()) reply.candidates_of_decision = number;
  }
  if (record.state == JobState::queued) explain_wait(now, record, reply);
  if (reply.candidates.size() > codec::candidate_statuses_max)
    reply.candidates.resize(codec::candidate_statuses_max);
}

}  // namespace drover::router
