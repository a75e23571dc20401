#include "router/decision/candidates.h"

#include <algorithm>
#include <limits>

#include "router/decision/candidate_gathering.h"
#include "router/decision/criteria.h"

namespace drover::router {
namespace {

/// It is not known when a group becomes free if replicas hold its devices.
constexpr double unknown_wait_s = std::numeric_limits<double>::infinity();

/// How near the model's weights are to this group, but not in it.
double nearness(const PlacementQuery& query, const HostEntry& host) {
  double near = 0;
  for (const ReplicaIndex index : query.fleet_state.replicas_of(query.request.model->id)) {
    const HostEntry& other = query.fleet_state.hosts()[query.fleet_state.replicas()[index].host];
    if (&other == &host) return 2.0 / 3;
    if (!host.registration.rack.empty() && other.registration.rack == host.registration.rack)
      near = 1.0 / 3;
  }
  return near;
}

/// Whether the devices have enough free memory for a new replica, by their samples.
bool has_memory(const PlacementQuery& query, const PlacementKind& kind, const HostEntry& host,
                const std::vector<std::uint16_t>& devices) {
  const devices::Placement placement{kind.spec, kind.devices, *kind.precision};
  const devices::ModelSpec& model = *query.request.model;
  const double tokens = static_cast<double>(std::max<std::uint64_t>(1, query.need_tokens));
  const double need = devices::weights_bytes(placement, model) +
                      tokens * devices::kv_bytes_per_token(placement, model) / kind.devices;
  const DeviceColumns& columns = query.fleet_state.devices();
  return std::ranges::all_of(devices, [&](std::uint16_t number) {
    const DeviceIndex device = host.devices[number];
    const double total = columns.memory_total[device];
    return total <= 0 || total - columns.memory_used[device] >= need;
  });
}

/// Seconds until `count` of the group's devices, in the required shape, have ended their gangs;
/// infinity when that is not known, because replicas hold them or new work is blocked.
double wait_in_group(const PlacementQuery& query, const GroupEntry& group, int count) {
  const DeviceColumns& columns = query.fleet_state.devices();
  std::vector<double> waits;  // by device
  for (const DeviceIndex device : group.devices()) {
    const bool taken = !columns.gang[device].empty();
    const double left_s =
        taken ? std::max(0.0, to_seconds(columns.busy_until[device] - query.now)) : 0;
    waits.push_back(is_closed(columns, device) ? unknown_wait_s : left_s);
  }
  std::vector<double> ends = waits;
  std::erase(ends, unknown_wait_s);
  std::ranges::sort(ends);
  // Slices have shapes: enough free devices may not suffice.
  const auto fits_at = [&](double end_s) {
    std::vector<bool> fits;
    for (const double wait_s : waits) fits.push_back(wait_s <= end_s);
    return !lowest_devices(group, count, fits).empty();
  };
  const auto end =
      std::ranges::partition_point(ends, [&](double end_s) { return !fits_at(end_s); });
  return end == ends.end() ? unknown_wait_s : *end;
}

void fill_group(const PlacementQuery& query, const GroupContext& context, const PlacementKind& kind,
                DecisionScratch& scratch, std::size_t row) {
  const GroupEntry& group = *context.group;
  CandidateTable& rows = scratch.rows;
  set_group(context, kind, rows, row);
  if (kind.devices < 1 || !kind.precision) {
    rows.condition[row] &= ~condition_busy;  // free devices do not matter here
    return;
  }

  const int free = free_count(query.fleet_state.devices(), group);
  const auto devices = free >= kind.devices
                           ? free_devices(query.fleet_state, context.index, kind.devices)
                           : std::vector<std::uint16_t>{};
  rows.condition[row] |= condition_of(query.fleet_state, context.index, kind.devices, devices) |
                         (group.outlier.ejected ? condition_ejected : 0U);
  const double wait_s = devices.empty() ? wait_in_group(query, group, kind.devices) : 0;
  rows.free_after[row] = static_cast<double>(std::max(0, free - kind.devices)) / group.group.count;
  rows.ratio[row] = context.ratio;
  rows.usd_per_h[row] = usd_per_h(query, context, kind);
  if (query.purpose == Purpose::gang) {
    if (!devices.empty()) rows.condition[row] &= ~condition_busy;
    rows.start_s[row] = wait_s;
    rows.run_s[row] = kind.runs[0].seconds * context.ratio;
    rows.power_w[row] = kind.runs[0].power_w;
    return;
  }
  const bool ready = query.purpose == Purpose::replica && !devices.empty() &&
                     has_memory(query, kind, *context.host, devices);
  const Estimator::Run run = kind.serving->run(query.request.job->work, 1);
  if (ready) rows.condition[row] &= ~condition_busy;
  rows.near_weights[row] = nearness(query, *context.host);
  rows.warmup_s[row] = kind.warmup_s;
  rows.start_s[row] = wait_s + kind.warmup_s;
  rows.run_s[row] = run.seconds * context.ratio;
  rows.first_token_s[row] = rows.start_s[row] + run.first_token_s * context.ratio;
  rows.power_w[row] = run.power_w;
}

/// Power that loading a replica adds; its requests add theirs.
void fill_opened_power(DecisionScratch& scratch) {
  for (std::size_t row = 0; row < scratch.rows.size; ++row) {
    const PlacementKind& kind = scratch.kinds[scratch.rows.kind[row]];
    if (kind.devices < 1 || !kind.precision) continue;
    scratch.rows.power_w[row] =
        std::max(0.0, kind.spec->power.context_idle_w - kind.spec->power.idle_w) * kind.devices;
  }
}

void gather_groups(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch) {
  PlacementKindCache kinds(query, estimator, scratch);
  const auto* ratios = estimator.ratios(query.request.job->work.kind, query.request.model->id);
  const auto& groups = query.fleet_state.groups();
  CandidateTable& rows = scratch.rows;
  rows.resize(groups.size());
  for (GroupIndex index = 0; index < groups.size(); ++index) {
    const GroupContext context = group_context(query, index, ratios);
    if (!context.in_pool) continue;
    const std::size_t row = rows.size++;
    rows.kind[row] = kinds.of_group(groups[index]);
    fill_group(query, context, scratch.kinds[rows.kind[row]], scratch, row);
  }
  fill_group_devices(query, scratch, 0);
  add_distance(query, rows, 0);
  rows.derive_totals(0);
  add_prices(query, rows, 0);
  if (query.purpose == Purpose::replica) fill_opened_power(scratch);
  apply_filters(query, rows, 0);
  if (query.purpose == Purpose::gang) gather_multi_host_gangs(query, estimator, scratch);
}

}  // namespace

void CandidateTable::resize(std::size_t rows) {
  if (rows <= failed.size()) return;
  for (auto* column : {&failed, &condition, &replica, &group}) column->resize(rows);
  for (auto* column : {&kind, &devices, &spread}) column->resize(rows);
  for (auto* column : {&hottest_share, &power_share}) column->resize(rows);
  for (auto* column : {&load,       &bound,         &tokens,       &tokens_max, &start_s,
                       &run_s,      &first_token_s, &finish_s,     &power_w,    &prompt_w,
                       &usd_per_h,  &ratio,         &energy_j,     &cost_usd,   &warmup_s,
                       &free_after, &near_weights,  &prefix_share, &transfer_s, &rtt_s}) {
    column->resize(rows);
  }
  reachable.resize(rows);
  sampled.resize(rows);
}

void CandidateTable::derive_totals(std::size_t begin) {
  for (std::size_t row = begin; row < size; ++row) finish_s[row] = start_s[row] + run_s[row];
  for (std::size_t row = begin; row < size; ++row) energy_j[row] = power_w[row] * run_s[row];
  for (std::size_t row = begin; row < size; ++row) {
    cost_usd[row] = usd_per_h[row] * run_s[row] / 3600;
  }
}

void set_group(const GroupContext& context, const PlacementKind& kind, CandidateTable& rows,
               std::size_t row) {
  rows.sampled[row] = context.host->registered;
  rows.group[row] = context.index;
  rows.replica[row] = no_index;
  rows.spread[row] = 0;
  rows.failed[row] = kind.failed;
  rows.condition[row] = condition_of(*context.host) | condition_busy;
  rows.devices[row] = static_cast<std::uint16_t>(std::clamp(kind.devices, 0, 65535));
  rows.load[row] = rows.tokens[row] = rows.tokens_max[row] = 0;
  rows.bound[row] = rows.ratio[row] = 1;
  rows.start_s[row] = rows.run_s[row] = rows.first_token_s[row] = rows.warmup_s[row] = 0;
  rows.power_w[row] = rows.usd_per_h[row] = 0;
  rows.free_after[row] = rows.near_weights[row] = rows.prefix_share[row] = 0;
}

void fill_group_devices(const PlacementQuery& query, DecisionScratch& scratch, std::size_t begin) {
  const FleetState& fleet_state = query.fleet_state;
  const DeviceColumns& columns = fleet_state.devices();
  const bool with_temperature = query.rule.scores(Scorer::temperature);
  CandidateTable& rows = scratch.rows;
  for (std::size_t row = begin; row < rows.size; ++row) {
    Instant oldest = never;
    float hottest_c = 0;
    each_device(fleet_state, rows, row, [&](DeviceIndex device) {
      // Nothing is placed on it, and it may not have sent samples for long.
      if ((columns.condition[device] & condition_unavailable) != 0) return;
      oldest = std::min(oldest, columns.sampled[device]);
      hottest_c = std::max(hottest_c, columns.temperature_c[device]);
    });
    // A host that just registered has not had time to send a sample.
    rows.sampled[row] = std::max(rows.sampled[row], oldest);
    if (!with_temperature) continue;
    const devices::DeviceSpec& spec = *scratch.kinds[rows.kind[row]].spec;
    const auto limit_c = static_cast<float>(spec.thermal.max_c);
    rows.hottest_share[row] = limit_c > 0 ? hottest_c / limit_c : 0;
  }
  fill_power_share(query, rows, begin);
}

void fill_power_share(const PlacementQuery& query, CandidateTable& rows, std::size_t begin) {
  if (!query.rule.scores(Scorer::power_headroom)) return;
  const FleetState& fleet_state = query.fleet_state;
  const DeviceColumns& columns = fleet_state.devices();
  for (std::size_t row = begin; row < rows.size; ++row) {
    float most = 0;
    const auto look = [&](DeviceIndex device) {
      const float cap_w = columns.power_cap_w[device];
      const float estimated_w = columns.power_w[device] + columns.reserved_w[device];
      if (cap_w > 0) most = std::max(most, estimated_w / cap_w);
    };
    each_device(fleet_state, rows, row, look);
    rows.power_share[row] = most;
  }
}

void add_waits(const PlacementQuery& query, const GroupEntry& group,
               std::vector<std::int64_t>& waits) {
  const DeviceColumns& columns = query.fleet_state.devices();
  for (const DeviceIndex device : group.devices()) {
    if (columns.gang[device].empty() || is_closed(columns, device)) continue;
    waits.push_back((columns.busy_until[device] - query.now).count());
  }
}

double wait_for(int missing, std::vector<std::int64_t>& waits) {
  if (missing <= 0) return 0;
  if (static_cast<std::size_t>(missing) > waits.size()) return unknown_wait_s;
  const auto last = waits.begin() + (missing - 1);
  std::nth_element(waits.begin(), last, waits.end());
  return std::max(0.0, to_seconds(Duration(*last)));
}

std::uint16_t PlacementKindCache::add_replica(const devices::DeviceSpec* spec, Precision precision,
                                              int devices) {
  PlacementKind& kind = add(spec);
  kind.precision = precision;
  kind.devices = kind.group_devices = devices;
  return finish(kind);
}

std::uint16_t PlacementKindCache::of_group(const GroupEntry& group) {
  const auto same = [&](const PlacementKind& kind) {
    return kind.spec == group.spec && kind.group_devices == group.group.count && kind.per_host == 0;
  };
  if (last_ < list_.size() && same(list_[last_])) return last_;
  for (last_ = 0; last_ < list_.size(); ++last_) {
    if (same(list_[last_])) return last_;
  }
  PlacementKind& kind = add(group.spec);
  kind.of_groups = true;
  kind.group_devices = group.group.count;
  kind.precision = choose_precision(query_, *group.spec);
  kind.devices = query_.purpose == Purpose::gang
                     ? std::max<int>(1, query_.request.job->work.devices)
                     : replica_devices(query_, kind);
  return finish(kind);
}

std::uint16_t PlacementKindCache::of_multi_host_gang(const devices::DeviceSpec* spec,
                                                     int per_host) {
  for (last_ = 0; last_ < list_.size(); ++last_) {
    if (list_[last_].spec == spec && list_[last_].per_host == per_host) return last_;
  }
  PlacementKind& kind = add(spec);
  kind.per_host = per_host;
  kind.precision = choose_precision(query_, *spec);
  kind.devices = kind.group_devices = std::max<int>(1, query_.request.job->work.devices);
  return finish(kind);
}

PlacementKind& PlacementKindCache::add(const devices::DeviceSpec* spec) {
  last_ = static_cast<std::uint16_t>(list_.size());
  PlacementKind& kind = list_.emplace_back();
  kind.spec = spec;
  kind.price_usd_per_h = spec->price.usd_per_h;
  return kind;
}

std::uint16_t PlacementKindCache::finish(PlacementKind& kind) {
  if (kind.precision && kind.devices > 0) {
    const devices::Placement placement{kind.spec, kind.devices, *kind.precision, 1, kind.per_host};
    if (query_.purpose == Purpose::gang) {
      kind.runs[0] = estimator_.train(placement, *query_.request.model, query_.request.job->work,
                                      query_.request.from_step);
    } else {
      kind.serving = &estimator_.serving(placement, *query_.request.model);
      // An existing replica is warm, or reports when it will be.
      if (kind.of_groups) kind.warmup_s = warmup_seconds(query_, kind);
    }
  }
  kind.failed = failed_filters(query_, kind);
  return last_;
}

void gather(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch) {
  scratch.rows.size = 0;
  scratch.rows.multi_host_gangs.clear();
  scratch.kinds.clear();
  if (query.purpose == Purpose::request) gather_replicas(query, estimator, scratch);
  // Without a replica of the model, the pool's groups give the reason why it cannot run here, or
  // not yet.
  if (scratch.rows.size == 0) gather_groups(query, estimator, scratch);
}

}  // namespace drover::router
