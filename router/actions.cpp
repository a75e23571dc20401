#include "router/actions.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/target.h"
#include "fleet/xid.h"
#include "router/actions/reply_text.h"
#include "router/ledger/ledger.h"

namespace drover::router {
namespace {

// Length limit of clients' texts, which are published and quoted in other texts.
constexpr std::size_t caption_max = 200;
/// Its key, view, metric and device.
constexpr std::size_t caption_word_max = 96;

/// "h1/0-3: throttle=0.5 for 60s: work there slows down; 2 jobs run there now".
std::string injection_text(const InjectFault& inject, const std::vector<FaultTarget>& reached,
                           const std::vector<std::string>& targets, std::size_t runs,
                           double speed) {
  const bool hosts = !reached.empty() && reached.front().whole;
  const std::string fault = inject.fault.kind == FaultKind::reclaim
                                ? "reclaim with a notice of " +
                                      duration_phrase(from_seconds(inject.fault.amount), speed) +
                                      ","
                                : to_text(inject.fault);
  return fmt::format("{}: {} for {}: {}; {} there now", compact_targets(targets), fault,
                     duration_phrase(inject.fault.duration, speed),
                     fault_effect_text(inject.fault, hosts),
                     runs == 0 ? "nothing runs" : counted(runs, "job runs", "jobs run"));
}

/// All devices of the host if the fault reaches it as a whole.
std::vector<DeviceKey> devices_reached(const FleetState& fleet_state, const FaultTarget& reached) {
  std::vector<DeviceKey> devices;
  for (const std::uint16_t number : reached.devices) devices.emplace_back(reached.host, number);
  if (!reached.whole) return devices;
  for (const DeviceIndex device : fleet_state.hosts()[reached.host].devices) {
    devices.emplace_back(reached.host, fleet_state.devices().number[device]);
  }
  return devices;
}

/// "h1: draining 8 devices, 2 jobs have until 14:02:10 (10m), then they are requeued".
std::string drain_text(Instant now, const SetDrain& order, const std::string& place,
                       std::size_t devices, std::size_t runs, double speed) {
  const std::string there = counted(devices, "device", "devices");
  if (devices == 0) return fmt::format("{}: drained, it has no devices now", place);
  if (runs == 0) return fmt::format("{}: drained {}, nothing runs there", place, there);
  const std::string jobs = counted(runs, "job", "jobs");
  if (order.deadline <= Duration{0}) {
    return fmt::format("{}: draining {}; {} still {} and will finish", place, there, jobs,
                       runs == 1 ? "runs" : "run");
  }
  return fmt::format("{}: draining {}, {} {} until {} ({}), then {} requeued", place, there, jobs,
                     runs == 1 ? "has" : "have",
                     fleet_time_text(saturating_add(now, order.deadline)),
                     duration_phrase(order.deadline, speed), runs == 1 ? "it is" : "they are");
}

/// "h1: resumed 8 devices, 3 waiting jobs are decided again".
std::string resume_text(const std::string& place, std::size_t devices, std::size_t waiting) {
  if (devices == 0) return fmt::format("{}: resumed, it has no devices now", place);
  return fmt::format(
      "{}: resumed {}, {}", place, counted(devices, "device", "devices"),
      waiting == 0 ? "no job waits"
                   : counted(waiting, "waiting job is", "waiting jobs are") + " re-evaluated");
}

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
    const auto count = std::ranges::count_if(
        reply.results, [&](const CancelResult& result) { return result.status == words.status; });
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

void Actions::handle(Instant now, const Caller& caller, const InjectFault& inject) {
  const auto reached = plan_injection(inject, fleet_state, policy);
  if (!reached) {
    return publisher.refuse_action(now, caller, action_text(inject), inject.target,
                                   reached.error().message);
  }
  ActionReply reply;
  reply.applied = true;
  std::vector<DeviceKey> struck;
  for (const FaultTarget& one : *reached) {
    const HostEntry& host = fleet_state.hosts()[one.host];
    if (one.whole) reply.targets.push_back(host.registration.host);
    for (const std::uint16_t number : one.devices) {
      reply.targets.push_back(to_text(DeviceId{host.registration.host, number}));
    }
    for (const DeviceKey& device : devices_reached(fleet_state, one)) struck.push_back(device);
  }
  reply.summary =
      injection_text(inject, *reached, reply.targets, running_on(struck), settings.speed);
  const std::uint64_t write =
      publisher.reply_to_action(now, caller, action_text(inject), inject.target, std::move(reply));
  for (const FaultTarget& one : *reached) apply_fault(now, one, inject.fault, write);
}

void Actions::apply_fault(Instant now, const FaultTarget& reached, const Fault& fault,
                          std::uint64_t after_write) {
  const auto peer = connections.peer_of(fleet_state.host_name(reached.host));
  if (!peer) return;  // the host was lost meanwhile
  outbox.send_in_order(now, {Channel::control, *peer},
                       ApplyFault{reached.whole, reached.devices, fault}, after_write);
  if (clears_immediately(fault)) return;
  for (const DeviceKey& device : devices_reached(fleet_state, reached)) {
    availability.inject(now, device, fault, reached.whole);
  }
}

void Actions::handle(Instant now, const Caller& caller, const Caption& said) {
  caption_ = said;
  caption_.text = excerpt(said.text, caption_max);
  for (std::string* word : {&caption_.key, &caption_.view, &caption_.metric, &caption_.device}) {
    *word = excerpt(*word, caption_word_max);
  }
  caption_by_ = caller.peer.number;
  outbox.publish(now, caption_);
}

void Actions::end_caption(Instant now) {
  if (caption_.text.empty() || connections.find(caption_by_) != nullptr) return;
  caption_ = {};
  outbox.publish(now, caption_);
}

// Drains ordered by operators.

void Actions::handle(Instant now, const Caller& caller, const SetDrain& asked) {
  const auto target = check_drain(asked, fleet_state, policy, drains);
  if (!target) {
    return publisher.refuse_action(now, caller, action_text(asked), asked.target,
                                   target.error().message);
  }
  const std::vector<DeviceKey> reached = devices_of(*target);
  const bool stands = drains.is_drained_target(*target) ||
                      std::ranges::any_of(reached, [&](const DeviceKey& device) {
                        return conditions.of(device).drained;
                      });
  if (!asked.drained && !stands) {
    return publisher.refuse_action(now, caller, action_text(asked), asked.target,
                                   fmt::format("no device of {} is drained", to_text(*target)));
  }
  ActionReply reply;
  reply.applied = true;
  for (const auto& [host, number] : reached) {
    reply.targets.push_back(to_text(DeviceId{fleet_state.host_name(host), number}));
  }
  if (reached.empty()) reply.targets = {to_text(*target)};
  const SetDrain order{to_text(*target), asked.drained, asked.deadline};
  // The order's own row first: an audited action must survive a restart.
  outbox.write(ledger::audit(now, order));
  drains.apply(now, order);
  const std::string place = describe_target(*target);
  reply.summary = order.drained ? drain_text(now, order, place, reached.size(), running_on(reached),
                                             settings.speed)
                                : resume_text(place, reached.size(), queue.size());
  availability.reapply_drains(now);
  attempts.check_cancels_at(drains.next_deadline());
  publisher.reply_to_action(now, caller, action_text(order), asked.target, std::move(reply));
}

std::vector<DeviceKey> Actions::devices_of(const Target& target) const {
  std::vector<DeviceKey> devices;
  for (const HostIndex host : hosts_by_name(fleet_state)) {
    for (const std::uint16_t number : covered_devices(target, fleet_state, policy, host)) {
      devices.emplace_back(host, number);
    }
  }
  return devices;
}

std::size_t Actions::running_on(const std::vector<DeviceKey>& devices) const {
  const std::set<DeviceKey> asked(devices.begin(), devices.end());
  std::set<HostIndex> hosts;
  for (const DeviceKey& device : devices) hosts.insert(device.first);
  std::set<const JobRecord*> running;
  for (const HostIndex host : hosts) {
    const std::string& name = fleet_state.host_name(host);
    for (const JobRecord* record : jobs.on_host(name)) {
      for (const std::uint16_t number :
           member_devices(fleet_state, *record, *record->lease.member(name))) {
        if (asked.contains({host, number})) running.insert(record);
      }
    }
  }
  return running.size();
}

// Cancellation of jobs. A waiting job ends at once. A job with an attempt is marked, durably: any
// further report of its agent except Finished, or the loss of the agent, ends it as cancelled. A
// result that is already on its way when the Cancel arrives wins: each job has one end, the first
// that is written.

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
  audit.applied = std::ranges::any_of(reply.results, done);
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
