#include "devices/estimate/comparison.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "devices/estimate/parts.h"
#include "devices/operation/matrix.h"

namespace drover::devices {
namespace {

constexpr std::array<std::string_view, 3> measure_names{"time", "cost", "energy"};
constexpr double million = 1e6;

/// The narrowest precision of the device that needs no retraining.
Precision usual_precision(const DeviceSpec& device) {
  for (const Precision precision : {Precision::bf16, Precision::fp16, Precision::fp32}) {
    if (device.runs(precision)) return precision;
  }
  return Precision::int8;
}

Case question_of(const ComparisonWorkload& work, const Candidate& candidate, double batch) {
  Case question;
  question.kind = work.kind;
  question.device = candidate.device;
  question.devices = candidate.count;
  question.model = work.model;
  question.precision = work.precision.value_or(usual_precision(*candidate.device));
  question.sequence = work.sequence;
  question.input = work.input;
  question.output = work.output;
  question.batch = batch;
  if (work.kind == CaseKind::train) question.global_batch = batch;
  return question;
}

struct Limit {
  const char* name;
  std::optional<double> limit_s;
  double found_s;
};

/// The first missed objective as text; empty when all are met.
std::string missed(const Objectives& objectives, const Estimate& estimate) {
  for (const Limit& it : {Limit{"time to first token", objectives.ttft_s, estimate.ttft_s},
                          Limit{"time per token", objectives.tpot_s, estimate.tpot_s},
                          Limit{"step", objectives.step_s, estimate.seconds}}) {
    if (!it.limit_s || it.found_s < 0 || it.found_s <= *it.limit_s) continue;
    return fmt::format("{} {:.3g} ms, limit {:.3g} ms", it.name, it.found_s * 1e3,
                       *it.limit_s * 1e3);
  }
  return "";
}

void set_units(ComparisonResult& compared, const ComparisonWorkload& work) {
  const Estimate& estimate = *compared.estimate;
  const double per_s =
      work.kind == CaseKind::serve ? estimate.tokens_per_s : estimate.samples_per_s;
  const double unit = work.kind == CaseKind::train ? work.samples : million;
  compared.unit_s = unit / per_s;
  const double price = compared.candidate.device->price.usd_per_h;
  compared.unit_usd = price > 0 ? price / 3600 * compared.candidate.count * compared.unit_s : -1;
  const double watts = estimate.power_w * compared.candidate.count;
  compared.unit_j = watts * compared.unit_s;
  compared.units_per_wh = watts > 0 ? per_s * 3600 / watts : 0;
}

/// Achieved flop/s over peak: 2 flops per active parameter and token, in training three times that.
double utilization(const ComparisonResult& compared, const ComparisonWorkload& work) {
  const Estimate& estimate = *compared.estimate;
  if (estimate.mfu >= 0) return estimate.mfu;
  const double peak =
      compute_peak(*compared.candidate.device, compared.precision) * compared.candidate.count;
  if (!work.model->is_transformer()) {
    return std::max(0.0, estimate.samples_per_s) * work.model->flops_per_item *
           (work.kind == CaseKind::train ? 3 : 1) / peak;
  }
  const double prompts = work.kind == CaseKind::serve
                             ? 1 + work.input.value_or(0) / std::max(1.0, work.output.value_or(1))
                             : 1;
  const double tokens_per_s = estimate.tokens_per_s >= 0
                                  ? estimate.tokens_per_s * prompts
                                  : estimate.samples_per_s * work.sequence.value_or(1);
  return tokens_per_s * 2 * work.model->active_parameters() / peak;
}

std::optional<std::size_t> winner_at(const ComparisonWorkload& work,
                                     const std::vector<Candidate>& candidates, double batch,
                                     RankingMetric measure) {
  std::vector<ComparisonResult> compared;
  for (const Candidate& candidate : candidates) {
    compared.push_back(compare_one(work, candidate, batch));
  }
  return winner(compared, measure);
}

}  // namespace

std::string_view to_text(RankingMetric measure) {
  return measure_names[static_cast<std::size_t>(measure)];
}

double ComparisonResult::value(RankingMetric measure) const {
  switch (measure) {
    case RankingMetric::time:
      return unit_s;
    case RankingMetric::cost:
      return unit_usd;
    case RankingMetric::energy:
      return unit_j;
  }
  return unit_s;
}

ComparisonResult compare_one(const ComparisonWorkload& work, const Candidate& candidate,
                             double batch) {
  DROVER_REQUIRE(work.model != nullptr && candidate.device != nullptr);
  const Case question = question_of(work, candidate, batch);
  ComparisonResult compared;
  compared.candidate = candidate;
  compared.batch = batch;
  compared.precision = question.precision;
  compared.confidence = confidence(question);
  const Result<Estimate> estimated = estimate(question);
  if (!estimated) {
    compared.why = estimated.error().message;
    return compared;
  }
  compared.estimate = *estimated;
  set_units(compared, work);
  compared.utilization = utilization(compared, work);
  compared.why = estimated->feasible ? missed(work.objectives, *estimated)
                                     : (estimated->note.empty() ? "does not fit" : estimated->note);
  compared.eligible = compared.why.empty();
  return compared;
}

std::optional<std::size_t> winner(const std::vector<ComparisonResult>& compared,
                                  RankingMetric measure) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < compared.size(); ++i) {
    const double value = compared[i].value(measure);
    // A candidate without a price cannot win by cost.
    if (!compared[i].eligible || value < 0) continue;
    if (!best || value < compared[*best].value(measure)) best = i;
  }
  return best;
}

std::vector<WinningRange> winning_ranges(const ComparisonWorkload& work,
                                         const std::vector<Candidate>& candidates, double low,
                                         double high, RankingMetric measure) {
  std::vector<WinningRange> ranges{{low, low, winner_at(work, candidates, low, measure)}};
  double at = low;
  while (at < high) {
    const double next = std::min(at * 2, high);
    const std::optional<std::size_t> present = ranges.back().candidate;
    if (winner_at(work, candidates, next, measure) == present) {
      ranges.back().high = at = next;
      continue;
    }
    double last = at, first = next;  // last batch of this winner, first batch of another
    while (first - last > 1) {
      const double middle = std::floor((last + first) / 2);
      (winner_at(work, candidates, middle, measure) == present ? last : first) = middle;
    }
    ranges.back().high = last;
    ranges.push_back({first, first, winner_at(work, candidates, first, measure)});
    at = first;
  }
  return ranges;
}

}  // namespace drover::devices
