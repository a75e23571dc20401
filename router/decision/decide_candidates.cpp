#include "router/decision/decide_candidates.h"

#include <algorithm>
#include <limits>

#include "router/decision/criteria.h"
#include "router/decision/decide_gather.h"

namespace drover::router {
namespace {

/// When a group will be free is not known where replicas hold its devices: never, as far as anybody
/// can tell.
constexpr double unknown_wait_s = std::numeric_limits<double>::infinity();

/// How near the model's weights are to this group, but not in it.
double nearness(const Question& question, const HostEntry& host) {
  double near = 0;
  for (const ReplicaIndex index : question.roster.replicas_of(question.ask.model->id)) {
    const HostEntry& other = question.roster.hosts()[question.roster.replicas()[index].host];
    if (&other == &host) return 2.0 / 3;
    if (!host.hello.rack.empty() && other.hello.rack == host.hello.rack) near = 1.0 / 3;
  }
  return near;
}

/// Enough memory free on the devices for a new replica, as far as samples tell.
bool has_memory(const Question& question, const PlaceKind& kind, const HostEntry& host,
                const std::vector<std::uint16_t>& devices) {
  const devices::Placement placement{kind.spec, kind.devices, *kind.precision};
  const devices::ModelSpec& model = *question.ask.model;
  const double tokens = static_cast<double>(std::max<std::uint64_t>(1, question.need_tokens));
  const double need = devices::weights_bytes(placement, model) +
                      tokens * devices::kv_bytes_per_token(placement, model) / kind.devices;
  const DeviceColumns& columns = question.roster.devices();
  return std::all_of(devices.begin(), devices.end(), [&](std::uint16_t number) {
    const DeviceIndex device = host.devices[number];
    const double total = columns.memory_total[device];
    return total <= 0 || total - columns.memory_used[device] >= need;
  });
}

void fill_group(const Question& question, const Surroundings& around, const PlaceKind& kind,
                DecisionScratch& scratch, std::size_t row) {
  const GroupEntry& group = *around.group;
  Standings& rows = scratch.rows;
  set_group(around, kind, rows, row);
  if (kind.devices < 1 || !kind.precision) {
    rows.condition[row] &= ~condition_busy;  // whether anything is free says nothing
    return;
  }

  const DeviceColumns& columns = question.roster.devices();
  int free = 0;
  for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
    free += is_free(columns, device) ? 1 : 0;
  }
  const auto devices = free >= kind.devices
                           ? free_devices(question.roster, around.index, kind.devices)
                           : std::vector<std::uint16_t>{};
  rows.condition[row] |= condition_of(question.roster, around.index, kind.devices, devices) |
                         (group.trust.ejected ? condition_ejected : 0U);
  const double wait_s = devices.empty() ? wait_in_group(question, group, kind.devices, false) : 0;
  rows.free_after[row] = static_cast<double>(std::max(0, free - kind.devices)) / group.group.count;
  rows.ratio[row] = around.ratio;
  rows.usd_per_h[row] = usd_per_h(question, around, kind);
  if (question.purpose == Purpose::gang) {
    if (!devices.empty()) rows.condition[row] &= ~condition_busy;
    rows.start_s[row] = wait_s;
    rows.run_s[row] = kind.runs[0].seconds * around.ratio;
    rows.power_w[row] = kind.runs[0].power_w;
    return;
  }
  const bool ready = question.purpose == Purpose::replica && !devices.empty() &&
                     has_memory(question, kind, *around.host, devices);
  const Estimator::Run run = kind.serving->run(question.ask.job->work, 1);
  if (ready) rows.condition[row] &= ~condition_busy;
  rows.near_weights[row] = nearness(question, *around.host);
  rows.warmup_s[row] = kind.warmup_s;
  rows.start_s[row] = wait_s + kind.warmup_s;
  rows.run_s[row] = run.seconds * around.ratio;
  rows.first_token_s[row] = rows.start_s[row] + run.first_token_s * around.ratio;
  rows.power_w[row] = run.power_w;
}

/// What loading a replica adds to the power; its requests add theirs.
void fill_opened_power(DecisionScratch& scratch) {
  for (std::size_t row = 0; row < scratch.rows.size; ++row) {
    const PlaceKind& kind = scratch.kinds[scratch.rows.kind[row]];
    if (kind.devices < 1 || !kind.precision) continue;
    scratch.rows.power_w[row] = std::max(0.0, kind.spec->open_w - kind.spec->idle_w) * kind.devices;
  }
}

void gather_groups(const Question& question, Estimator& estimator, DecisionScratch& scratch) {
  Kinds kinds(question, estimator, scratch);
  const auto* ratios = estimator.ratios(question.ask.job->work.kind, question.ask.model->id);
  const auto& groups = question.roster.groups();
  Standings& rows = scratch.rows;
  rows.make_room(groups.size());
  for (GroupIndex index = 0; index < groups.size(); ++index) {
    const Surroundings around = look_around(question, index, ratios);
    if (!around.in_pool) continue;
    const std::size_t row = rows.size++;
    rows.kind[row] = kinds.of_group(groups[index]);
    fill_group(question, around, scratch.kinds[rows.kind[row]], scratch, row);
  }
  fill_group_devices(question, scratch, 0);
  add_distance(question, rows, 0);
  rows.conclude(0);
  add_prices(question, rows, 0);
  if (question.purpose == Purpose::replica) fill_opened_power(scratch);
  apply_filters(question, rows, 0);
  if (question.purpose == Purpose::gang) gather_spreads(question, estimator, scratch);
}

}  // namespace

void set_group(const Surroundings& around, const PlaceKind& kind, Standings& rows,
               std::size_t row) {
  rows.sampled[row] = around.host->enrolled;
  rows.group[row] = around.index;
  rows.replica[row] = nowhere;
  rows.spread[row] = 0;
  rows.failed[row] = kind.failed;
  rows.condition[row] = condition_of(*around.host) | condition_busy;
  rows.devices[row] = static_cast<std::uint16_t>(std::clamp(kind.devices, 0, 65535));
  rows.load[row] = rows.tokens[row] = rows.tokens_max[row] = 0;
  rows.bound[row] = rows.ratio[row] = 1;
  rows.start_s[row] = rows.run_s[row] = rows.first_token_s[row] = rows.warmup_s[row] = 0;
  rows.power_w[row] = rows.usd_per_h[row] = 0;
  rows.free_after[row] = rows.near_weights[row] = rows.prefix_share[row] = 0;
}

double wait_in_group(const Question& question, const GroupEntry& group, int count,
                     bool without_replicas) {
  const DeviceColumns& columns = question.roster.devices();
  std::vector<double> waits;  // by device
  for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
    const bool closed = (columns.condition[device] & condition_barred) != 0 ||
                        (columns.replicas[device] != 0 && !without_replicas);
    const bool taken = !columns.gang[device].empty();
    const double left_s =
        taken ? std::max(0.0, to_seconds(columns.busy_until[device] - question.now)) : 0;
    waits.push_back(closed ? unknown_wait_s : left_s);
  }
  std::vector<double> ends = waits;
  std::erase(ends, unknown_wait_s);
  std::sort(ends.begin(), ends.end());
  // Slices have shapes: so many free ones need not be enough.
  const auto fits_at = [&](double end_s) {
    std::vector<bool> fits;
    for (const double wait_s : waits) fits.push_back(wait_s <= end_s);
    return !lowest_devices(group, count, fits).empty();
  };
  const auto end =
      std::partition_point(ends.begin(), ends.end(), [&](double end_s) { return !fits_at(end_s); });
  return end == ends.end() ? unknown_wait_s : *end;
}

void add_waits(const Question& question, const GroupEntry& group,
               std::vector<std::int64_t>& waits) {
  const DeviceColumns& columns = question.roster.devices();
  for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
    if (columns.gang[device].empty() || columns.replicas[device] != 0) continue;
    if ((columns.condition[device] & condition_barred) != 0) continue;  // others will not have it
    waits.push_back((columns.busy_until[device] - question.now).count());
  }
}

double wait_for(int missing, std::vector<std::int64_t>& waits) {
  if (missing <= 0) return 0;
  if (static_cast<std::size_t>(missing) > waits.size()) return unknown_wait_s;
  const auto last = waits.begin() + (missing - 1);
  std::nth_element(waits.begin(), last, waits.end());
  return std::max(0.0, to_seconds(Duration(*last)));
}

std::uint16_t Kinds::add_replica(const devices::DeviceSpec* spec, Precision precision,
                                 int devices) {
  PlaceKind& kind = add(spec);
  kind.precision = precision;
  kind.devices = kind.group_devices = devices;
  return finish(kind);
}

std::uint16_t Kinds::of_group(const GroupEntry& group) {
  const auto same = [&](const PlaceKind& kind) {
    return kind.spec == group.spec && kind.group_devices == group.group.count && kind.per_host == 0;
  };
  if (last_ < list_.size() && same(list_[last_])) return last_;
  for (last_ = 0; last_ < list_.size(); ++last_) {
    if (same(list_[last_])) return last_;
  }
  PlaceKind& kind = add(group.spec);
  kind.of_groups = true;
  kind.group_devices = group.group.count;
  kind.precision = choose_precision(question_, *group.spec);
  kind.devices = question_.purpose == Purpose::gang
                     ? std::max<int>(1, question_.ask.job->work.devices)
                     : replica_devices(question_, kind);
  return finish(kind);
}

std::uint16_t Kinds::of_spread(const devices::DeviceSpec* spec, int per_host) {
  for (last_ = 0; last_ < list_.size(); ++last_) {
    if (list_[last_].spec == spec && list_[last_].per_host == per_host) return last_;
  }
  PlaceKind& kind = add(spec);
  kind.per_host = per_host;
  kind.precision = choose_precision(question_, *spec);
  kind.devices = kind.group_devices = std::max<int>(1, question_.ask.job->work.devices);
  return finish(kind);
}

PlaceKind& Kinds::add(const devices::DeviceSpec* spec) {
  last_ = static_cast<std::uint16_t>(list_.size());
  PlaceKind& kind = list_.emplace_back();
  kind.spec = spec;
  kind.price_usd_per_h = spec->price_usd_per_h;
  return kind;
}

std::uint16_t Kinds::finish(PlaceKind& kind) {
  if (kind.precision && kind.devices > 0) {
    const devices::Placement placement{kind.spec, kind.devices, *kind.precision, 1, kind.per_host};
    if (question_.purpose == Purpose::gang) {
      kind.runs[0] = estimator_.train(placement, *question_.ask.model, question_.ask.job->work,
                                      question_.ask.from_step);
    } else {
      kind.serving = &estimator_.serving(placement, *question_.ask.model);
      // A replica that is there is warm, or says when it will be.
      if (kind.of_groups) kind.warmup_s = warmup_seconds(question_, kind);
    }
  }
  kind.failed = failed_filters(question_, kind);
  return last_;
}

void gather(const Question& question, Estimator& estimator, DecisionScratch& scratch) {
  scratch.rows.size = 0;
  scratch.rows.spreads.clear();
  scratch.kinds.clear();
  if (question.purpose == Purpose::request) gather_replicas(question, estimator, scratch);
  // Without a replica of the model, the pool's groups say why it could not, or does not yet, run
  // here.
  if (scratch.rows.size == 0) gather_groups(question, estimator, scratch);
}

}  // namespace drover::router
