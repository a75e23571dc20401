// Estimates of serving interpolate between knots: prompt lengths at four knots per octave, batches
// at powers of two. A request of `i` prompt and `o` output tokens in a batch of b takes
//
//   seconds = prefill(i) + (o - 1) * pace_b(b * (i + o / 2))
//
// because all b requests are assumed to be like it, on average half way through their output.
// Prefill of other requests in the meantime is added from the replica's reservations: see
// `disturbance` in router/fleet_state/replicas.cpp.
#include "router/decision/estimate.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>
#include <utility>

#include "devices/operation/power.h"
#include "devices/training/training.h"
#include "fleet/base/search.h"
#include "router/decision/candidates.h"

namespace drover::router {
namespace {

constexpr std::size_t knots_per_octave = 4;
constexpr std::uint32_t batch_exponent_max = 16;
/// Weight of the newest attempt in a learnt ratio (assumed: settles in about ten attempts).
constexpr double ratio_gain = 0.2;
constexpr double ratio_min = 0.2;
constexpr double ratio_max = 5;
/// Weight of the newest attempt in the published error (assumed: about the last hundred attempts).
constexpr double error_gain = 0.02;
/// Limit of one prediction's error factor, so that a single bad one does not dominate the mean for
/// long.
constexpr double error_factor_max = 10;
/// Distinct training runs kept; beyond it the memo is cleared.
constexpr std::size_t training_memo_max = 100'000;

/// Knots are 1, 2, 3, then 4, 5, 6, 7, 8, 10, 12, 14, 16, ..: distinct integers below 2^63.
double knot_tokens(std::size_t knot) {
  if (knot < 3) return static_cast<double>(knot + 1);
  const std::size_t octave = (knot - 3) / knots_per_octave;
  const std::size_t quarter = (knot - 3) % knots_per_octave;
  DROVER_REQUIRE(octave < 60);
  return static_cast<double>((knots_per_octave + quarter) << octave);
}

/// The last knot at or below `tokens`. REQUIRES tokens >= 1 and tokens < 2^60.
std::size_t knot_below(double tokens) {
  const auto whole = static_cast<std::uint64_t>(tokens);
  if (whole < 4) return whole - 1;
  const auto octave = static_cast<std::size_t>(std::bit_width(whole)) - 3;
  const std::size_t quarter = (whole >> octave) - knots_per_octave;
  return 3 + octave * knots_per_octave + quarter;
}

struct ServingKey {
  const devices::DeviceSpec* spec;
  Precision precision;
  int devices;
  bool operator==(const ServingKey&) const = default;
};

/// Of one model. Few: scanned linearly.
using ServingMemos = std::vector<std::pair<ServingKey, std::unique_ptr<ServingMemo>>>;

/// Keyed by the spec's address for lookup only; never iterated.
using TrainingKey = std::tuple<const devices::DeviceSpec*, std::string, Precision, int, int,
                               std::uint32_t, std::uint32_t>;

}  // namespace

// Serving.

ServingMemo::ServingMemo(const devices::Placement& placement, const devices::ModelSpec& model)
    : placement_(placement), model_(model) {
  decode_.resize(batch_exponent_max + 1);
}

double ServingMemo::above_open_w(const devices::Step& step) const {
  const double each_w =
      devices::power_w(*placement_.device, step, true, 1) - placement_.device->power.context_idle_w;
  return std::max(0.0, each_w) * placement_.devices;
}

const ServingMemo::Prefill& ServingMemo::prefill_at(std::size_t knot) {
  if (knot >= prefill_.size()) prefill_.resize(knot + 1);
  if (prefill_[knot].seconds < 0) {
    const auto tokens = static_cast<std::uint32_t>(std::min(knot_tokens(knot), 4294967295.0));
    const devices::Step step = devices::prefill_step(placement_, model_, tokens, 0, 1);
    prefill_[knot] = {step.seconds, above_open_w(step)};
  }
  return prefill_[knot];
}

double ServingMemo::prefill_s(double tokens) {
  const std::size_t below = knot_below(std::max(1.0, tokens));
  const double low = knot_tokens(below);
  const double at_low = prefill_at(below).seconds;
  if (tokens <= low) return at_low;
  const double share = (tokens - low) / (knot_tokens(below + 1) - low);
  return at_low + share * (prefill_at(below + 1).seconds - at_low);
}

const ServingMemo::Decode& ServingMemo::decode(std::uint32_t batch_exponent) {
  Decode& memo = decode_[batch_exponent];
  if (!memo.known) {
    const std::uint32_t batch = 1U << batch_exponent;
    // assumed: 1,000 tokens of context per request, for power only.
    const double context = 1000.0 * batch;
    memo.step_time = devices::decode_step_time(placement_, model_, batch, 1);
    const devices::Step step = devices::decode_step(placement_, model_, batch, context, 1);
    memo.power_w = above_open_w(step);
    memo.known = true;
  }
  return memo;
}

Estimator::Run ServingMemo::run(const Workload& work, std::uint32_t batch) {
  const std::uint32_t bounded = std::clamp(batch, 1U, 1U << batch_exponent_max);
  const auto exponent = static_cast<std::uint32_t>(std::bit_width(bounded - 1));
  const Decode& step = decode(exponent);
  const double input = std::max(1.0, static_cast<double>(work.input_tokens));
  const double output = work.output_tokens;
  const double context = static_cast<double>(1U << exponent) * (input + output / 2);
  Estimator::Run run;
  run.first_token_s = prefill_s(input);
  run.seconds = run.first_token_s + std::max(0.0, output - 1) * step.step_time.seconds(context);
  if (work.kind == WorkKind::batch) {
    // The items run `batch` at a time.
    run.seconds *= std::ceil(static_cast<double>(std::max(1U, work.items)) / bounded);
  }
  run.power_w = step.power_w;
  run.prompt_w = prefill_at(knot_below(input)).power_w;
  return run;
}

// Estimator.

struct Estimator::State {
  std::map<std::string, ServingMemos, std::less<>> models;
  std::size_t servings = 0;  // of all models
  std::map<TrainingKey, Run> trainings;
  std::array<std::map<std::string, std::vector<double>, std::less<>>, work_kind_count> ratios;
  double miss = 0;  // mean |ln(predicted / actual)|
  bool learnt = false;
  DecisionScratch scratch;
};

Estimator::Estimator() : state_(std::make_unique<State>()) {}
Estimator::~Estimator() = default;

ServingMemo& Estimator::serving(const devices::Placement& placement,
                                const devices::ModelSpec& model) {
  DROVER_REQUIRE(placement.device != nullptr);
  ServingMemos& memos = state_->models[model.id];
  const ServingKey key{placement.device, placement.precision, placement.devices};
  for (auto& [known, memo] : memos) {
    if (known == key) return *memo;
  }
  ++state_->servings;
  return *memos.emplace_back(key, std::make_unique<ServingMemo>(placement, model)).second;
}

Estimator::Run Estimator::train(const devices::Placement& placement,
                                const devices::ModelSpec& model, const Workload& work,
                                std::uint32_t from_step) {
  DROVER_REQUIRE(placement.device != nullptr);
  const devices::DeviceSpec& spec = *placement.device;
  const TrainingKey key{
      &spec,      model.id,     placement.precision, placement.devices, placement.per_host,
      work.batch, work.sequence};
  auto found = state_->trainings.find(key);
  if (found == state_->trainings.end()) {
    if (state_->trainings.size() >= training_memo_max) state_->trainings.clear();
    const devices::TrainingShape shape{std::max(1U, work.batch), std::max(1U, work.sequence)};
    const devices::Step step = devices::training_step(placement, model, shape, 1);
    Run of_one_step;
    of_one_step.seconds = step.seconds;
    of_one_step.power_w = std::max(0.0, devices::power_w(spec, step, true, 1) - spec.power.idle_w) *
                          placement.devices;
    found = state_->trainings.emplace(key, of_one_step).first;
  }
  Run run = found->second;
  const MeasuredThroughput* measured =
      measured_throughput(work, spec.id, placement.devices, placement.per_host > 0);
  if (measured != nullptr && measured->steps_per_s > 0) run.seconds = 1 / measured->steps_per_s;
  run.seconds *= std::max(1U, work.steps - std::min(from_step, work.steps));
  run.first_token_s = 0;
  return run;
}

// Learning.

const std::vector<double>* Estimator::ratios(WorkKind kind, std::string_view model) const {
  return find_in(state_->ratios[static_cast<std::size_t>(kind)], model);
}

double Estimator::ratio(GroupIndex group, WorkKind kind, std::string_view model) const {
  const std::vector<double>* known = ratios(kind, model);
  return known != nullptr && group < known->size() ? (*known)[group] : 1.0;
}

void Estimator::learn_from(const Estimator& other) {
  state_->ratios = other.state_->ratios;
  state_->miss = other.state_->miss;
  state_->learnt = other.state_->learnt;
}

void Estimator::forget(GroupIndex group) {
  for (auto& of_kind : state_->ratios) {
    for (auto& [model, ratios] : of_kind) {
      if (group < ratios.size()) ratios[group] = 1.0;
    }
  }
}

void Estimator::forget_devices() {
  state_->models.clear();
  state_->servings = 0;
  state_->trainings.clear();
}

void Estimator::forget_excess() {
  if (state_->servings > serving_memos_max) forget_devices();
}

std::size_t Estimator::serving_count() const { return state_->servings; }

void Estimator::learn(GroupIndex group, WorkKind kind, std::string_view model, double predicted_s,
                      double actual_s, double ratio_then) {
  const bool sane = std::isfinite(predicted_s) && std::isfinite(actual_s) && predicted_s > 0 &&
                    actual_s > 0 && group < device_rows_max;
  if (!sane) return;
  auto& known = state_->ratios[static_cast<std::size_t>(kind)][std::string(model)];
  if (group >= known.size()) known.resize(std::size_t{group} + 1, 1.0);
  double& learnt = known[group];
  const double held = ratio_then > 0 ? ratio_then : ratio(group, kind, model);
  const double observed = std::clamp(held * actual_s / predicted_s, ratio_min, ratio_max);
  // Ratios are averaged as factors: half as long and twice as long average to one, not 1.25.
  learnt *= std::pow(observed / learnt, ratio_gain);

  // As a factor, so that half as long and twice as long are equal errors.
  const double miss =
      std::min(std::abs(std::log(predicted_s / actual_s)), std::log(error_factor_max));
  state_->miss = state_->learnt ? state_->miss + error_gain * (miss - state_->miss) : miss;
  state_->learnt = true;
}

double Estimator::error() const { return std::expm1(state_->miss); }

DecisionScratch& Estimator::scratch() { return state_->scratch; }

}  // namespace drover::router
