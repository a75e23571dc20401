#include "router/decide_candidates.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "fleet/identity.h"
#include "router/criteria.h"

namespace drover::router {
namespace {

/// Rows are judged in blocks that stay in the fastest cache while every filter looks at them.
constexpr std::size_t block_rows = 64;
/// How often a pick of two draws before it looks at everything, and how few replicas are looked at
/// anyway.
constexpr int draws_max = 8;
constexpr std::size_t draw_from_min = 8;
/// When a group will be free is not known where replicas hold its devices (assumed: an hour).
constexpr double unknown_wait_s = 3600;

/// Decisions in one pool see few kinds, mostly the last one again.
class Kinds {
 public:
  Kinds(const Question& question, Estimator& estimator, DecisionScratch& scratch)
      : question_(question), estimator_(estimator), list_(scratch.kinds) {}

  std::uint16_t of_replica(const devices::DeviceSpec* spec, Precision precision, int devices) {
    const auto same = [&](const PlaceKind& kind) {
      return kind.spec == spec && kind.precision == precision && kind.devices == devices;
    };
    if (last_ < list_.size() && same(list_[last_])) return last_;
    for (last_ = 0; last_ < list_.size(); ++last_) {
      if (same(list_[last_])) return last_;
    }
    PlaceKind& kind = add(spec);
    kind.precision = precision;
    kind.devices = kind.group_devices = devices;
    return finish(kind);
  }

  std::uint16_t of_group(const GroupEntry& group) {
    const auto same = [&](const PlaceKind& kind) {
      return kind.spec == group.spec && kind.group_devices == group.group.count;
    };
    if (last_ < list_.size() && same(list_[last_])) return last_;
    for (last_ = 0; last_ < list_.size(); ++last_) {
      if (same(list_[last_])) return last_;
    }
    PlaceKind& kind = add(group.spec);
    kind.group_devices = group.group.count;
    kind.precision = choose_precision(question_, *group.spec);
    kind.devices = question_.purpose == Purpose::gang
                       ? std::max<int>(1, question_.ask.job->work.devices)
                       : replica_devices(question_, kind);
    return finish(kind);
  }

 private:
  PlaceKind& add(const devices::DeviceSpec* spec) {
    last_ = static_cast<std::uint16_t>(list_.size());
    PlaceKind& kind = list_.emplace_back();
    kind.spec = spec;
    kind.price_usd_per_h = question_.pool->price_per_hour.value_or(spec->price_usd_per_h);
    return kind;
  }

  std::uint16_t finish(PlaceKind& kind) {
    if (kind.precision && kind.devices > 0) {
      const devices::Placement placement{kind.spec, kind.devices, *kind.precision};
      if (question_.purpose == Purpose::gang) {
        kind.runs[0] = estimator_.train(placement, *question_.ask.model, question_.ask.job->work);
      } else {
        kind.serving = &estimator_.serving(placement, *question_.ask.model);
        kind.warmup_s = warmup_seconds(question_, kind);
      }
    }
    kind.failed = failed_filters(question_, kind);
    return last_;
  }

  const Question& question_;
  Estimator& estimator_;
  std::vector<PlaceKind>& list_;
  std::uint16_t last_ = 0;
};

const Estimator::Run& serving_run(const Question& question, PlaceKind& kind, double batch) {
  const auto whole = static_cast<std::uint32_t>(std::clamp(batch, 1.0, 65536.0));
  const auto exponent = static_cast<std::uint32_t>(std::bit_width(whole - 1));
  if ((kind.known_runs >> exponent & 1U) == 0) {
    kind.runs[exponent] = kind.serving->run(question.ask.job->work, 1U << exponent);
    kind.known_runs |= 1U << exponent;
  }
  return kind.runs[exponent];
}

// ---- One row -----------------------------------------------------------------------------------

void add_device(const Question& question, DeviceIndex device, Instant enrolled,
                double temperature_max_c, Standing& row, Instant& oldest) {
  const DeviceColumns& columns = question.roster.devices();
  // A host just enrolled has not had the time to send a sample.
  oldest = std::min(oldest, std::max(columns.sampled[device], enrolled));
  row.throttle |= columns.throttle[device];
  // Columns that no scorer of the rule asks for are not touched: a scan is bound by memory.
  const auto& weights = question.rule.weights;
  if (weights[static_cast<std::size_t>(Scorer::temperature)] > 0 && temperature_max_c > 0) {
    row.hottest_share = std::max(
        row.hottest_share, columns.temperature_c[device] / static_cast<float>(temperature_max_c));
  }
  if (weights[static_cast<std::size_t>(Scorer::power_headroom)] <= 0) return;
  const float cap_w = columns.power_cap_w[device];
  if (cap_w > 0) {
    const float believed_w = columns.power_w[device] + columns.promised_w[device];
    row.power_share = std::max(row.power_share, believed_w / cap_w);
  }
}

void fill_host(const Question& question, const HostEntry& host, Standing& row) {
  row.health = host.health;
  row.draining = host.draining;
  const GroupEntry& group = question.roster.groups()[row.group];
  const double limit_c = group.spec->temperature_max_c;
  Instant oldest = never;
  if (row.replica != nowhere) {
    for (const std::uint16_t number : question.roster.replicas()[row.replica].replica.devices) {
      const DeviceIndex device = group.first + number - group.group.first;
      add_device(question, device, host.enrolled, limit_c, row, oldest);
    }
  } else {
    for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
      add_device(question, device, host.enrolled, limit_c, row, oldest);
    }
  }
  row.sampled = oldest;
}

/// Costs and joules of the row's share: of a batch for a request, all for a gang.
void fill_costs(const PlaceKind& kind, const HostEntry& host, double share, double power_w,
                Standing& row) {
  row.power_w = power_w * share;
  row.usd_per_h = kind.price_usd_per_h * host.hello.price_factor * kind.devices * share;
  row.energy_j = row.power_w * row.run_s;
  row.cost_usd = row.usd_per_h * row.run_s / 3600;
}

double learnt_ratio(const std::vector<double>* ratios, GroupIndex group) {
  return ratios != nullptr && group < ratios->size() ? (*ratios)[group] : 1.0;
}

void fill_replica(const Question& question, PlaceKind& kind, const std::vector<double>* ratios,
                  Standing& row) {
  const ReplicaEntry& entry = question.roster.replicas()[row.replica];
  const Replica& replica = entry.replica;
  const HostEntry& host = question.roster.hosts()[row.host];
  fill_host(question, host, row);
  row.near_weights = 1;
  row.draining = row.draining || entry.retiring || replica.state == ReplicaState::draining;
  row.ready = replica.state == ReplicaState::ready;
  const std::uint32_t reported = replica.queued + replica.running;
  row.load = std::max(entry.promised_requests, reported);
  const double batch_max = std::max(1U, replica.batch_max);
  const double overprovision = question.pool->overprovision;
  row.bound = overprovision == 1 ? batch_max : std::floor(batch_max * overprovision);
  row.tokens = static_cast<double>(std::max(entry.promised_tokens, replica.kv_used_tokens));
  row.tokens_max = static_cast<double>(replica.kv_capacity_tokens);
  if (kind.serving == nullptr) return;

  const double batch = std::min(row.load + 1, batch_max);
  const Estimator::Run& run = serving_run(question, kind, batch);
  row.ratio = learnt_ratio(ratios, row.group);
  row.run_s = run.seconds * row.ratio;
  // Prompts wait for those before them; a full batch gives a place every run_s / batch_max seconds.
  const double ahead = std::max(0.0, row.load + 1 - batch_max);
  row.start_s = std::max(to_seconds(Roster::prompt_wait(question.now, entry)),
                         ahead > 0 ? row.run_s * ahead / batch_max : 0.0);
  const bool warming =
      replica.state == ReplicaState::loading || replica.state == ReplicaState::compiling;
  if (warming) row.start_s = std::max(row.start_s, to_seconds(replica.ready_at - question.now));
  row.first_token_s = row.start_s + run.first_token_s * row.ratio;
  row.finish_s = row.start_s + row.run_s;
  fill_costs(kind, host, 1 / batch, run.power_w, row);
}

/// When enough of the group's devices will have ended their gangs.
double wait_for_devices(const Question& question, const GroupEntry& group, int wanted, int free,
                        std::vector<std::int64_t>& waits) {
  const DeviceColumns& columns = question.roster.devices();
  waits.clear();
  for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
    if (columns.gang[device].empty() || columns.replicas[device] != 0) continue;
    waits.push_back((columns.busy_until[device] - question.now).count());
  }
  const int missing = wanted - free;
  if (missing <= 0) return 0;
  if (static_cast<std::size_t>(missing) > waits.size()) return unknown_wait_s;
  const auto last = waits.begin() + (missing - 1);
  std::nth_element(waits.begin(), last, waits.end());
  return std::max(0.0, to_seconds(Duration(*last)));
}

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

void fill_group(const Question& question, const PlaceKind& kind, const std::vector<double>* ratios,
                DecisionScratch& scratch, Standing& row) {
  const GroupEntry& group = question.roster.groups()[row.group];
  const HostEntry& host = question.roster.hosts()[row.host];
  fill_host(question, host, row);
  row.devices = static_cast<std::uint16_t>(std::clamp(kind.devices, 0, 65535));
  row.ready = false;
  if (kind.devices < 1 || !kind.precision) return;

  const DeviceColumns& columns = question.roster.devices();
  int free = 0;
  for (DeviceIndex device = group.first; device < group.first + group.group.count; ++device) {
    free += is_free(columns, device) ? 1 : 0;
  }
  const auto devices = free >= kind.devices ? free_devices(question.roster, row.group, kind.devices)
                                            : std::vector<std::uint16_t>{};
  row.ready = question.purpose != Purpose::request && !devices.empty();
  row.free_after = static_cast<double>(std::max(0, free - kind.devices)) / group.group.count;
  row.ratio = learnt_ratio(ratios, row.group);
  const double wait_s =
      devices.empty() ? wait_for_devices(question, group, kind.devices, free, scratch.waits) : 0;
  if (question.purpose == Purpose::gang) {
    row.run_s = kind.runs[0].seconds * row.ratio;
    row.start_s = wait_s;
    row.finish_s = row.start_s + row.run_s;
    fill_costs(kind, host, 1, kind.runs[0].power_w, row);
    return;
  }
  row.near_weights = nearness(question, host);
  row.ready = row.ready && has_memory(question, kind, host, devices);
  row.warmup_s = kind.warmup_s;
  const Estimator::Run run = kind.serving->run(question.ask.job->work, 1);
  row.run_s = run.seconds * row.ratio;
  row.start_s = wait_s + row.warmup_s;
  row.first_token_s = row.start_s + run.first_token_s * row.ratio;
  row.finish_s = row.start_s + row.run_s;
  const double opened_w = std::max(0.0, kind.spec->open_w - kind.spec->idle_w) * kind.devices;
  fill_costs(kind, host, 1, run.power_w, row);
  row.power_w = question.purpose == Purpose::replica ? opened_w : row.power_w;
}

bool gather_replica(const Question& question, Kinds& kinds, DecisionScratch& scratch,
                    ReplicaIndex index, const std::vector<double>* ratios) {
  const ReplicaEntry& entry = question.roster.replicas()[index];
  const GroupEntry& group = question.roster.groups()[entry.group];
  if (!group.in_pool(question.pool_number)) return false;
  Standing& row = scratch.rows.emplace_back();
  row.host = entry.host;
  row.group = entry.group;
  row.replica = index;
  row.devices = static_cast<std::uint16_t>(entry.replica.devices.size());
  row.kind = kinds.of_replica(group.spec, entry.replica.precision, row.devices);
  row.failed = scratch.kinds[row.kind].failed;
  fill_replica(question, scratch.kinds[row.kind], ratios, row);
  return true;
}

/// A scan waits for memory more than it computes: what the rows after this one will read is asked
/// for early. Distances (fitted) are in rows.
void fetch_ahead(const Roster& roster, const std::vector<ReplicaIndex>& replicas, std::size_t at) {
  constexpr std::size_t entries_ahead = 12;
  constexpr std::size_t devices_ahead = 6;
  constexpr std::size_t line_bytes = 64;
  if (at + entries_ahead >= replicas.size()) return;
  const auto* entry =
      reinterpret_cast<const char*>(&roster.replicas()[replicas[at + entries_ahead]]);
  for (std::size_t offset = 0; offset < sizeof(ReplicaEntry); offset += line_bytes) {
    __builtin_prefetch(entry + offset);
  }
  __builtin_prefetch(roster.replicas()[replicas[at + devices_ahead]].replica.devices.data());
}

void judge_from(const Question& question, DecisionScratch& scratch, std::size_t first) {
  apply_filters(question, std::span<Standing>(scratch.rows).subspan(first));
}

void gather_groups(const Question& question, Kinds& kinds, DecisionScratch& scratch,
                   const std::vector<double>* ratios) {
  const auto& groups = question.roster.groups();
  std::size_t judged = 0;
  for (GroupIndex index = 0; index < groups.size(); ++index) {
    if (!groups[index].in_pool(question.pool_number)) continue;
    Standing& row = scratch.rows.emplace_back();
    row.host = groups[index].host;
    row.group = index;
    row.kind = kinds.of_group(groups[index]);
    row.failed = scratch.kinds[row.kind].failed;
    fill_group(question, scratch.kinds[row.kind], ratios, scratch, row);
    if (scratch.rows.size() - judged == block_rows) {
      judge_from(question, scratch, judged);
      judged = scratch.rows.size();
    }
  }
  judge_from(question, scratch, judged);
}

}  // namespace

void gather(const Question& question, Estimator& estimator, DecisionScratch& scratch) {
  scratch.rows.clear();
  scratch.kinds.clear();
  Kinds kinds(question, estimator, scratch);
  const std::string& model = question.ask.model->id;
  const auto* ratios = estimator.ratios(question.ask.job->work.kind, model);
  if (question.purpose == Purpose::request) {
    std::size_t judged = 0;
    const std::vector<ReplicaIndex>& replicas = question.roster.replicas_of(model);
    for (std::size_t at = 0; at < replicas.size(); ++at) {
      const ReplicaIndex index = replicas[at];
      fetch_ahead(question.roster, replicas, at);
      gather_replica(question, kinds, scratch, index, ratios);
      if (scratch.rows.size() - judged == block_rows) {
        judge_from(question, scratch, judged);
        judged = scratch.rows.size();
      }
    }
    judge_from(question, scratch, judged);
    // Without a replica of the model, the pool's groups say why it could not, or does not yet, run
    // here.
    if (!scratch.rows.empty()) return;
  }
  gather_groups(question, kinds, scratch, ratios);
}

void gather_drawn(const Question& question, Estimator& estimator, DecisionScratch& scratch,
                  Dice& dice) {
  scratch.rows.clear();
  scratch.kinds.clear();
  const std::string& model = question.ask.model->id;
  const std::vector<ReplicaIndex>& replicas = question.roster.replicas_of(model);
  if (replicas.size() < draw_from_min) return;
  Kinds kinds(question, estimator, scratch);
  const auto* ratios = estimator.ratios(question.ask.job->work.kind, model);
  int passed = 0;
  std::array<ReplicaIndex, draws_max> seen{};
  for (int draw = 0; draw < draws_max && passed < 2; ++draw) {
    const ReplicaIndex index = replicas[dice.below(replicas.size())];
    const bool again = std::find(seen.begin(), seen.begin() + draw, index) != seen.begin() + draw;
    seen[static_cast<std::size_t>(draw)] = index;
    if (again || !gather_replica(question, kinds, scratch, index, ratios)) continue;
    judge_from(question, scratch, scratch.rows.size() - 1);
    if (scratch.rows.back().failed == 0) ++passed;
  }
  if (passed == 0) scratch.rows.clear();
}

}  // namespace drover::router
