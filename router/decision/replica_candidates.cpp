// Replicas as candidates for a request.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "router/decision/candidate_gathering.h"
#include "router/decision/criteria.h"
#include "router/decision/decision_record.h"

namespace drover::router {
namespace {

/// Draws of a pick of two before it evaluates all replicas; with at most this many replicas, all
/// are evaluated anyway.
constexpr int draws_max = 8;
constexpr std::size_t draw_from_min = 8;

const Estimator::Run& serving_run(const PlacementQuery& query, PlacementKind& kind,
                                  std::uint32_t exponent) {
  if ((kind.known_runs >> exponent & 1U) == 0) {
    kind.runs[exponent] = kind.serving->run(query.request.job->work, 1U << exponent);
    kind.known_runs |= 1U << exponent;
  }
  return kind.runs[exponent];
}

/// Values that depend on group, host and kind only: the same for most adjacent rows.
struct Common {
  GroupIndex group = no_index;
  Precision precision = Precision::bf16;
  bool in_pool = false;
  std::uint16_t devices = 0;
  std::uint16_t kind = 0;
  std::uint32_t failed = 0;
  std::uint32_t condition = 0;  // of the host
  float per_limit = 0;          // 1 / the devices' temperature limit; 0: no limit
  Instant registered{};
  double ratio = 1;      // learnt
  double usd_per_h = 0;  // of all its devices

  bool holds(const ReplicaEntry& entry) const {
    return group == entry.group && precision == entry.facts.precision &&
           devices == entry.facts.devices;
  }
};

/// The PlacementCondition bits of a replica's own state.
std::uint32_t condition_of(const ReplicaEntry& entry) {
  const ReplicaState state = entry.facts.state;
  const bool leaves = entry.retiring | (state == ReplicaState::draining);
  return (entry.outlier.ejected ? condition_ejected : 0U) | (leaves ? condition_drained : 0U) |
         (state != ReplicaState::ready ? condition_busy : 0U);
}

/// Rows of replicas, each filled from its entry in one pass.
class ReplicaRows {
 public:
  ReplicaRows(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch)
      : query_(query),
        scratch_(scratch),
        kinds_(query, estimator, scratch),
        ratios_(estimator.ratios(query.request.job->work.kind, query.request.model->id)) {}

  /// Returns false for a replica of another pool.
  [[gnu::always_inline]] bool add(ReplicaIndex index) {
    const ReplicaEntry& entry = query_.fleet_state.replicas()[index];
    if (!common_.holds(entry)) look_at(entry);
    if (!common_.in_pool) return false;
    CandidateTable& rows = scratch_.rows;
    const std::size_t row = rows.size++;
    rows.replica[row] = index;
    rows.group[row] = common_.group;
    rows.kind[row] = common_.kind;
    rows.failed[row] = common_.failed;
    rows.ratio[row] = common_.ratio;
    set_devices(row, entry);
    set_load(row, entry);
    set_prospects(row, entry);
    return true;
  }

 private:
  [[gnu::noinline]] void look_at(const ReplicaEntry& entry) {
    const GroupContext context = group_context(query_, entry.group, ratios_);
    const ReplicaFacts& facts = entry.facts;
    common_.group = entry.group;
    common_.precision = facts.precision;
    common_.devices = facts.devices;
    common_.in_pool = context.in_pool;
    if (!context.in_pool) return;
    common_.condition = router::condition_of(*context.host);
    common_.registered = context.host->registered;
    common_.ratio = context.ratio;
    common_.kind = kinds_.of_replica(context.group->spec, facts.precision, facts.devices);
    const PlacementKind& kind = scratch_.kinds[common_.kind];
    common_.failed = kind.failed;
    common_.usd_per_h = usd_per_h(query_, context, kind);
    const auto limit_c = static_cast<float>(kind.spec->thermal.max_c);
    common_.per_limit = limit_c > 0 ? 1 / limit_c : 0;
  }

  void set_devices(std::size_t row, const ReplicaEntry& entry) {
    const DeviceColumns& columns = query_.fleet_state.devices();
    Instant oldest = never;
    std::uint32_t condition = common_.condition | condition_of(entry);
    float hottest_c = 0;
    const auto look = [&](DeviceIndex device) {
      // std::min and std::max would keep these in memory, because they take references.
      oldest = columns.sampled[device] < oldest ? columns.sampled[device] : oldest;
      condition |= columns.condition[device];
      hottest_c =
          columns.temperature_c[device] > hottest_c ? columns.temperature_c[device] : hottest_c;
    };
    if (entry.facts.devices == 1 && entry.facts.side_by_side) {
      look(entry.facts.first_device);
    } else {
      query_.fleet_state.each_device(entry, look);
    }
    CandidateTable& rows = scratch_.rows;
    // A host that just registered has not had time to send a sample.
    rows.sampled[row] = common_.registered < oldest ? oldest : common_.registered;
    rows.condition[row] = condition;
    rows.hottest_share[row] = hottest_c * common_.per_limit;
  }

  void set_load(std::size_t row, const ReplicaEntry& entry) {
    const ReplicaFacts& facts = entry.facts;
    const Pool& pool = *query_.pool;
    CandidateTable& rows = scratch_.rows;
    rows.load[row] = facts.requests;
    double bound = facts.batch_max;
    if (pool.overprovision != 1) bound = std::floor(bound * pool.overprovision);
    if (pool.concurrency > 0) {
      bound = std::min(bound, std::max(1.0, pool.concurrency * facts.devices));
    }
    rows.bound[row] = bound;
    rows.tokens[row] = facts.tokens;
    rows.tokens_max[row] = facts.tokens_max;
  }

  /// Estimates for one more request.
  void set_prospects(std::size_t row, const ReplicaEntry& entry) {
    const ReplicaFacts& facts = entry.facts;
    const Estimator::Run& run =
        serving_run(query_, scratch_.kinds[common_.kind], facts.batch_exponent);
    const double ratio = common_.ratio;
    const double prompt_s = run.first_token_s * ratio;
    const double decode_s = (run.seconds - run.first_token_s) * ratio;
    const double run_s = prompt_s + decode_s * facts.disturbance;
    // Prompts wait for earlier prompts.
    double start_s = to_seconds(FleetState::prompt_wait(query_.now, entry));
    // A full batch frees a slot every run_s / batch_max seconds.
    const double ahead = facts.requests + 1 - facts.batch_max;
    if (ahead > 0) start_s = std::max<double>(start_s, run_s * ahead / facts.batch_max);
    if (facts.state == ReplicaState::loading || facts.state == ReplicaState::compiling) {
      start_s = std::max<double>(start_s, to_seconds(facts.ready_at - query_.now));
    }
    CandidateTable& rows = scratch_.rows;
    rows.start_s[row] = start_s;
    rows.run_s[row] = run_s;
    rows.first_token_s[row] = start_s + prompt_s;
    rows.power_w[row] = run.power_w * facts.batch_share;
    rows.prompt_w[row] = run.prompt_w;
    rows.usd_per_h[row] = common_.usd_per_h * facts.batch_share;
  }

  const PlacementQuery& query_;
  DecisionScratch& scratch_;
  PlacementKindCache kinds_;
  const std::vector<double>* ratios_;
  Common common_;
};

// Each of these fills some columns of all rows from `begin` on.

/// Share of leading prompt blocks that the replica has read recently.
void fill_prefix(const PlacementQuery& query, CandidateTable& rows, std::size_t begin) {
  if (!query.rule.scores(Scorer::prefix)) return;
  const std::vector<std::uint64_t>& prefix = query.request.job->work.prefix;
  for (std::size_t row = begin; row < rows.size; ++row) {
    rows.prefix_share[row] = prefix.empty()
                                 ? 0
                                 : static_cast<double>(query.fleet_state.prefix_cache().shared(
                                       rows.replica[row], prefix)) /
                                       static_cast<double>(prefix.size());
  }
}

void fill_of_no_group(CandidateTable& rows, std::size_t begin) {
  for (auto* column : {&rows.warmup_s, &rows.free_after}) {
    std::fill_n(column->begin() + static_cast<std::ptrdiff_t>(begin), rows.size - begin, 0.0);
  }
  std::fill_n(rows.near_weights.begin() + static_cast<std::ptrdiff_t>(begin), rows.size - begin,
              1.0);
}

/// Fills everything that filters and scorers read, for added rows.
void fill_rows(const PlacementQuery& query, DecisionScratch& scratch, std::size_t begin) {
  CandidateTable& rows = scratch.rows;
  fill_power_share(query, rows, begin);
  fill_of_no_group(rows, begin);
  add_distance(query, rows, begin);
  fill_prefix(query, rows, begin);
  rows.derive_totals(begin);
  add_prices(query, rows, begin);
}

}  // namespace

ReplicaLoad load_of(const FleetState& fleet_state, ReplicaIndex replica) {
  if (replica == no_index) return {};
  const ReplicaFacts& facts = fleet_state.replicas()[replica].facts;
  return {1 / facts.batch_share, facts.disturbance};
}

Estimate estimate_at(const PlacementQuery& query, DecisionScratch& scratch, std::size_t row,
                     ReplicaLoad load) {
  CandidateTable& rows = scratch.rows;
  const Estimate now = estimate_of(rows, row);
  if (rows.replica[row] == no_index) return now;
  const ReplicaFacts& facts = query.fleet_state.replicas()[rows.replica[row]].facts;
  const double batch = std::min(load.batch, facts.batch_max);
  const Estimator::Run& run =
      serving_run(query, scratch.kinds[rows.kind[row]], batch_exponent(batch));
  const std::array kept = {rows.run_s[row], rows.power_w[row], rows.usd_per_h[row]};
  const double prompt_s = run.first_token_s * rows.ratio[row];
  const double decode_s = (run.seconds - run.first_token_s) * rows.ratio[row];
  rows.run_s[row] = prompt_s + decode_s * load.disturbance;
  rows.power_w[row] = run.power_w / batch;
  rows.usd_per_h[row] /= facts.batch_share * batch;
  // For this row alone; the size is restored afterwards.
  const std::size_t size = std::exchange(rows.size, row + 1);
  rows.derive_totals(row);
  add_prices(query, rows, row);
  const Estimate then = estimate_of(rows, row);
  rows.run_s[row] = kept[0];
  rows.power_w[row] = kept[1];
  rows.usd_per_h[row] = kept[2];
  rows.derive_totals(row);
  add_prices(query, rows, row);
  rows.size = size;
  return {now.start_s, now.finish_s, then.energy_j, then.cost_usd, now.wait_known};
}

void gather_replicas(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch) {
  const auto& replicas = query.fleet_state.replicas_of(query.request.model->id);
  scratch.rows.resize(replicas.size());
  ReplicaRows rows(query, estimator, scratch);
  for (const ReplicaIndex index : replicas) rows.add(index);
  fill_rows(query, scratch, 0);
  apply_filters(query, scratch.rows, 0);
}

void gather_drawn(const PlacementQuery& query, Estimator& estimator, DecisionScratch& scratch,
                  RandomStream& random) {
  scratch.rows.size = 0;
  scratch.kinds.clear();
  const std::vector<ReplicaIndex>& replicas =
      query.fleet_state.replicas_of(query.request.model->id);
  if (replicas.size() < draw_from_min) return;
  scratch.rows.resize(draws_max);
  ReplicaRows rows(query, estimator, scratch);
  int passed = 0;
  std::array<ReplicaIndex, draws_max> seen{};
  for (int draw = 0; draw < draws_max && passed < 2; ++draw) {
    const ReplicaIndex index = replicas[random.below(replicas.size())];
    const bool again = std::find(seen.begin(), seen.begin() + draw, index) != seen.begin() + draw;
    seen[static_cast<std::size_t>(draw)] = index;
    if (again || !rows.add(index)) continue;
    const std::size_t row = scratch.rows.size - 1;
    fill_rows(query, scratch, row);
    apply_filters(query, scratch.rows, row);
    if (scratch.rows.failed[row] == 0) ++passed;
  }
  if (passed == 0) scratch.rows.size = 0;
}

}  // namespace drover::router
