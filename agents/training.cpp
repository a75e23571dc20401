#include "agents/training.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "agents/replica.h"
#include "fleet/result.h"

namespace drover::agents {
namespace {

devices::TrainingShape shape_of(const Workload& work) {
  return {std::max(1u, work.batch), std::max(1u, work.sequence)};
}

/// How much longer a step takes than the model says, where its owner has measured it: the same
/// operations and bytes, spread over the measured time.
double stretch_of(const devices::Placement& placement, const devices::ModelSpec& model,
                  const Workload& work) {
  const Pace* pace = measured_pace(work, placement.device->id, placement.devices);
  if (pace == nullptr || pace->steps_per_s <= 0) return 1;
  const double modelled_s = devices::training_step(placement, model, shape_of(work), 1).seconds;
  return modelled_s > 0 ? 1 / (pace->steps_per_s * modelled_s) : 1;
}

}  // namespace

std::optional<Refusal> refuse_training(const devices::Placement& placement,
                                       const devices::ModelSpec& model, const Workload& work) {
  const devices::DeviceSpec& device = *placement.device;
  if (work.steps == 0) return Refusal{Reason::invalid, "a training job of no steps"};
  if (!device.runs(placement.precision)) {
    return Refusal{Reason::precision, fmt::format("{} does not run {} natively", device.id,
                                                  to_text(placement.precision))};
  }
  if (auto refusal = refuse_needs(device, work)) return refusal;
  const auto& sizes = device.slice_sizes;
  if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), placement.devices) == sizes.end()) {
    return Refusal{Reason::topology, fmt::format("{} forms no slice of {} (it forms {})", device.id,
                                                 placement.devices, fmt::join(sizes, ", "))};
  }
  const bool transformer = model.is_transformer();
  if (transformer && model.context_max > 0 && work.sequence > model.context_max) {
    return Refusal{Reason::context, fmt::format("{} tokens per sample, {} takes {}", work.sequence,
                                                model.id, model.context_max)};
  }
  const Pace* tried = measured_pace(work, device.id, placement.devices);
  if (tried != nullptr && tried->steps_per_s <= 0) {
    return Refusal{Reason::memory, fmt::format("its owner has tried it on {} {}: it does not run",
                                               placement.devices, device.id)};
  }
  if (!devices::fits_training(placement, model, shape_of(work))) {
    return Refusal{
        Reason::memory,
        fmt::format("{:.1f} GiB on each of {} devices, {} has {:.1f} GiB",
                    devices::training_bytes(placement, model, shape_of(work)) / (1 << 30),
                    placement.devices, device.id,
                    (device.memory_bytes - device.reserved_bytes) / (1 << 30))};
  }
  return std::nullopt;
}

TrainingGang::TrainingGang(AttemptKey key, std::vector<std::uint16_t> devices,
                           devices::Placement placement, devices::ModelSpec model,
                           const Workload& work, double pace, const Meter& meter)
    : key_(key),
      devices_(std::move(devices)),
      placement_(placement),
      model_(std::move(model)),
      shape_(shape_of(work)),
      steps_(work.steps),
      pace_(pace),
      stretch_(stretch_of(placement, model_, work)),
      started_(meter),
      steps_left_(work.steps),
      began_(meter.at) {
  run_.pace = {activity().seconds, 0};
}

devices::Step TrainingGang::activity() const {
  devices::Step step = devices::training_step(placement_, model_, shape_, pace_);
  if (stretch_ == 1) return step;
  step.seconds *= stretch_;
  for (double& part : step.parts) part *= stretch_;
  for (double* share : {&step.matrix_activity, &step.memory_activity, &step.link_activity}) {
    *share = std::min(1.0, *share / stretch_);
  }
  return step;
}

double TrainingGang::elapsed_s(Instant now) const {
  return to_seconds(standstill_.own(now) - began_);
}

Instant TrainingGang::next_event() const {
  if (standstill_.holds()) return never;
  return saturating_add(began_, from_seconds(run_.seconds(steps_left_)));
}

void TrainingGang::stand_still(Instant now, bool still) {
  if (still == standstill_.holds()) return;
  if (still) return standstill_.begin(now);
  began_ += standstill_.end(now);
}

void TrainingGang::set_pace(Instant now, double pace, double link_share) {
  DROVER_REQUIRE(!standstill_.holds());
  pace_ = pace;
  placement_.link_share = link_share;
  const std::uint64_t done = run_.steps_within(elapsed_s(now), steps_left_);
  if (done >= steps_left_) return;
  run_ = run_.after(elapsed_s(now), steps_left_, {activity().seconds, 0});
  steps_left_ -= done;
  began_ = now;
}

double TrainingGang::memory_bytes() const {
  return devices::training_bytes(placement_, model_, shape_);
}

Progress TrainingGang::progress(Instant now) const {
  const double left_s = std::max(0.0, run_.seconds(steps_left_) - elapsed_s(now));
  const double left_steps = run_.pace.base_s > 0 ? left_s / run_.pace.base_s : 0;
  return {key_.job, key_.attempt, std::clamp(1 - left_steps / steps_, 0.0, 1.0), left_s};
}

EndedAttempt TrainingGang::ended(const Meter& meter) const {
  EndedAttempt ended;
  ended.key = key_;
  ended.at = meter.at;
  ended.usage.device_s = static_cast<double>(devices_.size()) * to_seconds(meter.at - started_.at);
  ended.usage.energy_j = meter.energy_j - started_.energy_j;
  ended.usage.cost_usd = ended.usage.device_s / 3600 * placement_.device->price_usd_per_h;
  return ended;
}

EndedAttempt TrainingGang::finish(const Meter& meter) const {
  EndedAttempt done = ended(meter);
  done.outcome.steps = steps_;
  done.outcome.run_s = to_seconds(meter.at - started_.at);
  return done;
}

EndedAttempt TrainingGang::stop(const Meter& meter, Reason reason, std::string detail) const {
  EndedAttempt stopped = ended(meter);
  stopped.failure = reason;
  stopped.detail = std::move(detail);
  return stopped;
}

}  // namespace drover::agents
