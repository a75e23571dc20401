// Fair shares for work of different sizes. Each device that becomes free goes to work that fits
// it, so a tenant with small jobs would get them all, and a tenant with gangs none, whatever their
// shares: the gang never finds enough devices at once.
//
// When the tenant furthest behind has a gang waiting for capacity, devices are reserved for it
// where they all become free soonest, as for preemption (preemption_control.cpp). Some of them
// idle until the last one is free, so this happens only if the tenant's deficit in device-seconds
// exceeds that cost, and for one gang at a time.
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "router/decision/candidates.h"
#include "router/decision/criteria.h"
#include "router/dispatch/replica_control.h"
#include "router/policy/work_class.h"

namespace drover::router {
namespace {

/// Waits are estimates: devices are reserved for somewhat longer.
constexpr double wait_slack = 1.5;

struct Chosen {
  GroupIndex group = no_index;
  double wait_s = 0;
};

/// The group of these pools that lacks only free devices, and has them soonest.
std::optional<Chosen> soonest(PlacementQuery& query, Estimator& estimator) {
  const std::uint32_t capacity = filters_of(Reason::capacity);
  std::optional<Chosen> best;
  for (const std::string& name : query.rule.pools) {
    const auto pool = query.policy.pool_index(name);
    if (!pool || !query.fleet_state.pool_has_groups(*pool)) continue;
    set_pool(query, *pool);
    accept_precisions(query, query.rule.precisions);
    DecisionScratch& scratch = estimator.scratch();
    gather(query, estimator, scratch);
    const CandidateTable& rows = scratch.rows;
    for (std::size_t row = 0; row < rows.size; ++row) {
      if (rows.failed[row] != capacity || rows.multi_host_gang_of(row) != nullptr) continue;
      if (!std::isfinite(rows.start_s[row])) continue;
      if (!best || rows.start_s[row] < best->wait_s) best = {rows.group[row], rows.start_s[row]};
    }
  }
  return best;
}

/// Its devices that are free by then, in the shape that the gang needs.
std::vector<std::uint16_t> devices_by(const FleetState& fleet_state, const GroupEntry& group,
                                      int count, Instant then) {
  const DeviceColumns& columns = fleet_state.devices();
  std::vector<bool> fits;
  for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
    fits.push_back(!is_closed(columns, device) &&
                   (columns.gang[device].empty() || columns.busy_until[device] <= then));
  }
  return lowest_devices(group, count, fits);
}

}  // namespace

void ReplicaControl::reserve_fair_shares(Instant now) {
  if (!tenants.counts() || preemptions.of(reserved_for_share_) != nullptr) return;
  const JobRecord* furthest = nullptr;
  double least_time = 0;
  for (const auto& [signature, queue_class] : queue.classes()) {
    const bool waits = queue_class.kind == WorkKind::train && !queue_class.jobs.empty() &&
                       queue_class.result.reason == Reason::capacity;
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
  const double deficit_device_s = tenants.deficit_device_s(furthest->job.tenant);
  if (reserve_devices(now, *furthest, deficit_device_s)) reserved_for_share_ = furthest->job.id;
}

bool ReplicaControl::reserve_devices(Instant now, const JobRecord& record,
                                     double deficit_device_s) {
  const auto model = catalogue.model(record.job.work.model);
  if (!model || deficit_device_s <= 0) return false;
  const PlacementRequest request = dispatcher.ask_for(record, (*model)->spec);
  const WorkClass* work_class = class_of(policy, record.job, (*model)->spec);
  const Rule* rule = find_rule(policy, record.job, (*model)->spec, work_class);
  if (rule == nullptr) return false;
  PlacementQuery query =
      make_query(fleet_state, policy, *rule, request, work_class, now, Purpose::gang);
  const std::optional<Chosen> chosen = soonest(query, estimator);
  const int count = std::max<int>(1, record.job.work.devices);
  if (!chosen || count * chosen->wait_s > deficit_device_s) return false;
  const GroupEntry& group = fleet_state.groups()[chosen->group];
  const Instant then = saturating_add(now, from_seconds(chosen->wait_s));
  const auto numbers = devices_by(fleet_state, group, count, then);
  if (numbers.empty()) return false;
  const HostEntry& host = fleet_state.hosts()[group.host];
  Preemption kept;
  kept.job = record.job.id;
  kept.hosts = {group.host};
  for (const std::uint16_t number : numbers) kept.devices.push_back(host.devices[number]);
  kept.grace_until = now;
  kept.until =
      saturating_add(now, from_seconds(wait_slack * chosen->wait_s) + 2 * settings.lost_after);
  publisher.event(
      now, Severity::info, to_short_text(record.job.id),
      fmt::format("{} is reserved for it: tenant {} has a deficit of {:.0f} device-seconds",
                  target_text(host.registration.host, numbers), record.job.tenant,
                  deficit_device_s));
  reserved.begin(std::move(kept));
  return true;
}

}  // namespace drover::router
