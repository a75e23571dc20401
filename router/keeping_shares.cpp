// Fair shares where work comes in pieces of different sizes. Each device that comes free goes to
// work that fits it, so a tenant with small jobs would get all of them, and one with gangs none,
// whatever their shares: the gang never finds enough devices at once.
//
// When the tenant that is furthest behind has a gang waiting for room, devices are kept for it
// where they all are free soonest, as those of work that is preempted are (preempting.cpp). Some
// idle until the last one is free: so that is done only where the tenant is owed more
// device-seconds than that can cost, and for one gang at a time.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "router/decision/criteria.h"
#include "router/decision/decide_candidates.h"
#include "router/policy/work_class.h"
#include "router/state.h"

namespace drover::router {
namespace {

/// Waits are estimates: devices are kept for somewhat longer.
constexpr double wait_slack = 1.5;

struct Chosen {
  GroupIndex group = nowhere;
  double wait_s = 0;
};

/// The group of these pools that lacks nothing but free devices, and has them soonest.
std::optional<Chosen> soonest(Question& question, Estimator& estimator) {
  const std::uint32_t capacity = filters_of(Reason::capacity);
  std::optional<Chosen> best;
  for (const std::string& name : question.rule.pools) {
    const auto pool = question.policy.pool_index(name);
    if (!pool || !question.roster.pool_has_groups(*pool)) continue;
    ask_pool(question, *pool);
    accept_precisions(question, question.rule.precisions);
    DecisionScratch& scratch = estimator.scratch();
    gather(question, estimator, scratch);
    const Standings& rows = scratch.rows;
    for (std::size_t row = 0; row < rows.size; ++row) {
      if (rows.failed[row] != capacity || rows.spread_of(row) != nullptr) continue;
      if (!std::isfinite(rows.start_s[row])) continue;
      if (!best || rows.start_s[row] < best->wait_s) best = {rows.group[row], rows.start_s[row]};
    }
  }
  return best;
}

/// Its devices that are free by then, in the shape that the gang needs.
std::vector<std::uint16_t> devices_by(const Roster& roster, const GroupEntry& group, int count,
                                      Instant then) {
  const DeviceColumns& columns = roster.devices();
  std::vector<bool> fits;
  for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
    const bool closed =
        (columns.condition[device] & condition_barred) != 0 || columns.replicas[device] != 0;
    fits.push_back(!closed && (columns.gang[device].empty() || columns.busy_until[device] <= then));
  }
  return lowest_devices(group, count, fits);
}

}  // namespace

void Core::keep_shares(Instant now) {
  if (!tenants.counts() || preemptions.of(kept_for_share) != nullptr) return;
  const JobRecord* furthest = nullptr;
  double least_time = 0;
  for (const auto& [signature, queue_class] : queue.classes()) {
    const bool waits = queue_class.kind == WorkKind::train && !queue_class.jobs.empty() &&
                       queue_class.verdict.reason == Reason::capacity;
    if (!waits) continue;
    const JobRecord* first = queue_class.jobs.begin()->second;
    if (now - first->wait_began() < policy.replicas.start_after) continue;
    const double time = tenants.virtual_time(first->job.tenant);
    const bool behind = furthest == nullptr || time < least_time ||
                        (time == least_time && first->number < furthest->number);
    if (!behind) continue;
    furthest = first;
    least_time = time;
  }
  if (furthest == nullptr || preemptions.of(furthest->job.id) != nullptr) return;
  const double owed_device_s = tenants.owed_device_s(furthest->job.tenant);
  if (keep_devices(now, *furthest, owed_device_s)) kept_for_share = furthest->job.id;
}

bool Core::keep_devices(Instant now, const JobRecord& record, double owed_device_s) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model || owed_device_s <= 0) return false;
  const Ask ask = ask_for(record, (*model)->spec);
  const WorkClass* work_class = class_of(policy, record.job, (*model)->spec);
  const Rule* rule = find_rule(policy, record.job, (*model)->spec, work_class);
  if (rule == nullptr) return false;
  Question question = make_question(roster, policy, *rule, ask, work_class, now, Purpose::gang);
  const std::optional<Chosen> chosen = soonest(question, estimator);
  const int count = std::max<int>(1, record.job.work.devices);
  if (!chosen || count * chosen->wait_s > owed_device_s) return false;
  const GroupEntry& group = roster.groups()[chosen->group];
  const Instant then = saturating_add(now, from_seconds(chosen->wait_s));
  const auto numbers = devices_by(roster, group, count, then);
  if (numbers.empty()) return false;
  const HostEntry& host = roster.hosts()[group.host];
  Preemption kept;
  kept.job = record.job.id;
  kept.hosts = {group.host};
  for (const std::uint16_t number : numbers) kept.devices.push_back(host.devices[number]);
  kept.grace_until = now;
  kept.until =
      saturating_add(now, from_seconds(wait_slack * chosen->wait_s) + 2 * settings.lost_after);
  event(now, Severity::info, to_short_text(record.job.id),
        fmt::format("{} is kept for it: tenant {} is owed {:.0f} device-seconds",
                    target_text(host.hello.host, numbers), record.job.tenant, owed_device_s));
  reserve(preemptions.begin(std::move(kept)), true);
  return true;
}

}  // namespace drover::router
