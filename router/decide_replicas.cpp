// Candidates that are replicas: what a request would find at each.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "router/criteria.h"
#include "router/decide_gather.h"
#include "router/decide_record.h"

namespace drover::router {
namespace {

/// How often a pick of two draws before it looks at everything, and how few replicas are looked at
/// anyway.
constexpr int draws_max = 8;
constexpr std::size_t draw_from_min = 8;

const Estimator::Run& serving_run(const Question& question, PlaceKind& kind,
                                  std::uint32_t exponent) {
  if ((kind.known_runs >> exponent & 1U) == 0) {
    kind.runs[exponent] = kind.serving->run(question.ask.job->work, 1U << exponent);
    kind.known_runs |= 1U << exponent;
  }
  return kind.runs[exponent];
}

/// What a row owes to its group and kind alone: the same for most of the rows that stand together.
struct Common {
  Surroundings around;
  Precision precision = Precision::bf16;
  std::uint16_t devices = 0;
  std::uint16_t kind = 0;
  std::uint32_t failed = 0;
  double usd_per_h = 0;  // of all its devices

  bool holds(const ReplicaEntry& entry) const {
    return around.index == entry.group && precision == entry.facts.precision &&
           devices == entry.facts.devices;
  }
};

/// Rows of replicas, of which only the place is known yet.
class ReplicaRows {
 public:
  ReplicaRows(const Question& question, Estimator& estimator, DecisionScratch& scratch)
      : question_(question),
        scratch_(scratch),
        kinds_(question, estimator, scratch),
        ratios_(estimator.ratios(question.ask.job->work.kind, question.ask.model->id)) {}

  /// Answers false for a replica of another pool.
  bool add(ReplicaIndex index) {
    const ReplicaEntry& entry = question_.roster.replicas()[index];
    if (!common_.holds(entry)) look_at(entry);
    const Surroundings& around = common_.around;
    if (!around.in_pool) return false;
    Standings& rows = scratch_.rows;
    const std::size_t row = rows.size++;
    rows.replica[row] = index;
    rows.group[row] = around.index;
    rows.kind[row] = common_.kind;
    rows.failed[row] = common_.failed;
    rows.health[row] = around.host->health;
    rows.draining[row] = around.host->draining ? 1 : 0;
    rows.sampled[row] = around.host->enrolled;
    rows.ratio[row] = around.ratio;
    rows.usd_per_h[row] = common_.usd_per_h;
    return true;
  }

 private:
  void look_at(const ReplicaEntry& entry) {
    const Surroundings around = look_around(question_, entry.group, ratios_);
    const ReplicaFacts& facts = entry.facts;
    common_ = {around, facts.precision, facts.devices};
    if (!around.in_pool) return;
    common_.kind = kinds_.of_replica(around.group->spec, facts.precision, facts.devices);
    const PlaceKind& kind = scratch_.kinds[common_.kind];
    common_.failed = kind.failed;
    common_.usd_per_h = usd_per_h(question_, around, kind);
  }

  const Question& question_;
  DecisionScratch& scratch_;
  Kinds kinds_;
  const std::vector<double>* ratios_;
  Common common_;
};

// Each of these fills some columns of all rows from `begin` on.

void fill_load(const Question& question, Standings& rows, std::size_t begin) {
  const double overprovision = question.pool->overprovision;
  const double concurrency = question.pool->concurrency;
  for (std::size_t row = begin; row < rows.size; ++row) {
    const ReplicaEntry& entry = question.roster.replicas()[rows.replica[row]];
    const ReplicaFacts& facts = entry.facts;
    const bool leaves = entry.retiring || facts.state == ReplicaState::draining;
    rows.draining[row] |= leaves ? 1 : 0;
    rows.condition[row] |= entry.trust.ejected ? condition_ejected : 0U;
    rows.ready[row] = facts.state == ReplicaState::ready ? 1 : 0;
    rows.load[row] = facts.requests;
    rows.bound[row] =
        overprovision == 1 ? facts.batch_max : std::floor(facts.batch_max * overprovision);
    if (concurrency > 0) {
      rows.bound[row] = std::min(rows.bound[row], std::max(1.0, concurrency * facts.devices));
    }
    rows.tokens[row] = facts.tokens;
    rows.tokens_max[row] = facts.tokens_max;
  }
}

/// What one request more would find.
void fill_prospects(const Question& question, DecisionScratch& scratch, std::size_t begin) {
  Standings& rows = scratch.rows;
  for (std::size_t row = begin; row < rows.size; ++row) {
    const ReplicaEntry& entry = question.roster.replicas()[rows.replica[row]];
    const ReplicaFacts& facts = entry.facts;
    const Estimator::Run& run =
        serving_run(question, scratch.kinds[rows.kind[row]], facts.batch_exponent);
    const double prompt_s = run.first_token_s * rows.ratio[row];
    const double decode_s = (run.seconds - run.first_token_s) * rows.ratio[row];
    const double run_s = prompt_s + decode_s * facts.disturbance;
    // Prompts wait for those before them.
    double start_s = to_seconds(Roster::prompt_wait(question.now, entry));
    // A full batch gives a place every run_s / batch_max seconds.
    const double ahead = facts.requests + 1 - facts.batch_max;
    if (ahead > 0) start_s = std::max<double>(start_s, run_s * ahead / facts.batch_max);
    if (facts.state == ReplicaState::loading || facts.state == ReplicaState::compiling) {
      start_s = std::max<double>(start_s, to_seconds(facts.ready_at - question.now));
    }
    rows.start_s[row] = start_s;
    rows.run_s[row] = run_s;
    rows.first_token_s[row] = start_s + prompt_s;
    rows.power_w[row] = run.power_w * facts.batch_share;
    rows.prompt_w[row] = run.prompt_w;
    rows.usd_per_h[row] *= facts.batch_share;
  }
}

/// Leading blocks of the prompt that the replica has read lately.
void fill_prefix(const Question& question, Standings& rows, std::size_t begin) {
  if (question.rule.weights[static_cast<std::size_t>(Scorer::prefix)] <= 0) return;
  const std::vector<std::uint64_t>& prefix = question.ask.job->work.prefix;
  for (std::size_t row = begin; row < rows.size; ++row) {
    rows.prefix_share[row] =
        prefix.empty()
            ? 0
            : static_cast<double>(question.roster.prefixes().shared(rows.replica[row], prefix)) /
                  static_cast<double>(prefix.size());
  }
}

/// Whatever filters and scorers look at, of rows that have been added.
void fill_and_judge(const Question& question, DecisionScratch& scratch, std::size_t begin) {
  Standings& rows = scratch.rows;
  fill_devices(question, scratch, begin);
  fill_load(question, rows, begin);
  fill_prospects(question, scratch, begin);
  for (std::size_t row = begin; row < rows.size; ++row) rows.near_weights[row] = 1;
  for (std::size_t row = begin; row < rows.size; ++row) rows.warmup_s[row] = 0;
  for (std::size_t row = begin; row < rows.size; ++row) rows.free_after[row] = 0;
  add_distance(question, rows, begin);
  fill_prefix(question, rows, begin);
  rows.conclude(begin);
  add_prices(question, rows, begin);
  apply_filters(question, rows, begin);
}

}  // namespace

Fill fill_of(const Roster& roster, ReplicaIndex replica) {
  if (replica == nowhere) return {};
  const ReplicaFacts& facts = roster.replicas()[replica].facts;
  return {1 / facts.batch_share, facts.disturbance};
}

Estimate estimate_at(const Question& question, DecisionScratch& scratch, std::size_t row,
                     Fill fill) {
  Standings& rows = scratch.rows;
  const Estimate now = estimate_of(rows, row);
  if (rows.replica[row] == nowhere) return now;
  const ReplicaFacts& facts = question.roster.replicas()[rows.replica[row]].facts;
  const double batch = std::min(fill.batch, facts.batch_max);
  const Estimator::Run& run =
      serving_run(question, scratch.kinds[rows.kind[row]], batch_exponent(batch));
  const std::array kept = {rows.run_s[row], rows.power_w[row], rows.usd_per_h[row]};
  const double prompt_s = run.first_token_s * rows.ratio[row];
  const double decode_s = (run.seconds - run.first_token_s) * rows.ratio[row];
  rows.run_s[row] = prompt_s + decode_s * fill.disturbance;
  rows.power_w[row] = run.power_w / batch;
  rows.usd_per_h[row] /= facts.batch_share * batch;
  // Of this row alone, and then as it was.
  const std::size_t size = std::exchange(rows.size, row + 1);
  rows.conclude(row);
  add_prices(question, rows, row);
  const Estimate then = estimate_of(rows, row);
  rows.run_s[row] = kept[0];
  rows.power_w[row] = kept[1];
  rows.usd_per_h[row] = kept[2];
  rows.conclude(row);
  add_prices(question, rows, row);
  rows.size = size;
  return {now.start_s, now.finish_s, then.energy_j, then.cost_usd};
}

void gather_replicas(const Question& question, Estimator& estimator, DecisionScratch& scratch) {
  const auto& replicas = question.roster.replicas_of(question.ask.model->id);
  scratch.rows.make_room(replicas.size());
  ReplicaRows rows(question, estimator, scratch);
  for (const ReplicaIndex index : replicas) rows.add(index);
  fill_and_judge(question, scratch, 0);
}

void gather_drawn(const Question& question, Estimator& estimator, DecisionScratch& scratch,
                  Dice& dice) {
  scratch.rows.size = 0;
  scratch.kinds.clear();
  const std::vector<ReplicaIndex>& replicas = question.roster.replicas_of(question.ask.model->id);
  if (replicas.size() < draw_from_min) return;
  scratch.rows.make_room(draws_max);
  ReplicaRows rows(question, estimator, scratch);
  int passed = 0;
  std::array<ReplicaIndex, draws_max> seen{};
  for (int draw = 0; draw < draws_max && passed < 2; ++draw) {
    const ReplicaIndex index = replicas[dice.below(replicas.size())];
    const bool again = std::find(seen.begin(), seen.begin() + draw, index) != seen.begin() + draw;
    seen[static_cast<std::size_t>(draw)] = index;
    if (again || !rows.add(index)) continue;
    const std::size_t row = scratch.rows.size - 1;
    fill_and_judge(question, scratch, row);
    if (scratch.rows.failed[row] == 0) ++passed;
  }
  if (passed == 0) scratch.rows.size = 0;
}

}  // namespace drover::router
