#include "agents/execution/training.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "agents/execution/replica.h"
#include "devices/training/training.h"
#include "fleet/base/result.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

devices::TrainingShape shape_of(const Workload& work) {
  return {std::max(1u, work.batch), std::max(1u, work.sequence)};
}

/// Factor of a measured step time over the device model's, for the same operations and bytes.
double stretch_of(const devices::Placement& placement, const devices::ModelSpec& model,
                  const Workload& work) {
  const MeasuredThroughput* pace =
      measured_throughput(work, placement.device->id, placement.devices, placement.per_host > 0);
  if (pace == nullptr || pace->steps_per_s <= 0) return 1;
  const double modelled_s = devices::training_step(placement, model, shape_of(work), 1).seconds;
  return modelled_s > 0 ? 1 / (pace->steps_per_s * modelled_s) : 1;
}

/// Spreads the same operations and bytes over a longer time.
void stretch(devices::Step& step, double factor) {
  step.seconds *= factor;
  for (double& part : step.parts) part *= factor;
  for (double* share : {&step.tensor_activity, &step.memory_activity, &step.link_activity}) {
    *share = std::min(1.0, *share / factor);
  }
}

}  // namespace

std::optional<Refusal> refuse_training(const devices::Placement& placement,
                                       const devices::ModelSpec& model, const Workload& work,
                                       std::uint32_t from_step) {
  const devices::DeviceSpec& device = *placement.device;
  if (work.steps == 0) return Refusal{Reason::invalid, "a training job without steps"};
  if (from_step >= work.steps) {
    return Refusal{
        Reason::invalid,
        fmt::format("a training job of {} steps cannot start at step {}", work.steps, from_step)};
  }
  if (!device.runs(placement.precision)) {
    return Refusal{Reason::precision, fmt::format("{} does not run {} natively", device.id,
                                                  to_text(placement.precision))};
  }
  if (auto refusal = refuse_needs(device, work)) return refusal;
  const auto& sizes = device.slice_sizes;
  const int slice = placement.per_host > 0 ? placement.per_host : placement.devices;
  if (!sizes.empty() && std::find(sizes.begin(), sizes.end(), slice) == sizes.end()) {
    return Refusal{Reason::topology, fmt::format("{} has no slices of {} (it has slices of {})",
                                                 device.id, slice, joined(sizes, ", "))};
  }
  const bool transformer = model.is_transformer();
  if (transformer && model.context_max > 0 && work.sequence > model.context_max) {
    return Refusal{Reason::context,
                   fmt::format("{} tokens per sample exceed the context of {} ({})", work.sequence,
                               model.id, model.context_max)};
  }
  const MeasuredThroughput* tried =
      measured_throughput(work, device.id, placement.devices, placement.per_host > 0);
  if (tried != nullptr && tried->steps_per_s <= 0) {
    return Refusal{Reason::memory,
                   fmt::format("a measured throughput says that it does not run on {} {}",
                               placement.devices, device.id)};
  }
  if (!devices::fits_training(placement, model, shape_of(work))) {
    return Refusal{
        Reason::memory,
        fmt::format("needs {:.1f} GiB on each of {} devices, {} has {:.1f} GiB",
                    devices::training_bytes(placement, model, shape_of(work)) / (1 << 30),
                    placement.devices, device.id,
                    (device.memory.bytes - device.memory.reserved_bytes) / (1 << 30))};
  }
  return std::nullopt;
}

TrainingGang::TrainingGang(AttemptKey key, std::vector<std::uint16_t> devices,
                           devices::Placement placement, devices::ModelSpec model,
                           const Workload& work, double pace, const EnergyReading& reading,
                           std::uint32_t from_step, const std::optional<GangLayout>& layout)
    : key_(key),
      devices_(std::move(devices)),
      placement_(placement),
      model_(std::move(model)),
      shape_(shape_of(work)),
      steps_(work.steps),
      from_step_(from_step),
      checkpoint_steps_(work.checkpoint_steps),
      pace_(pace),
      stretch_(stretch_of(placement, model_, work)),
      started_(reading),
      steps_left_(work.steps - from_step),
      began_(reading.at),
      layout_(layout) {
  if (layout_ && layout_->reservation_timeout > Duration{0}) {
    reserved_until_ = saturating_add(reading.at, layout_->reservation_timeout);
  }
  run_.step_time = {own_step(pace_, placement_).seconds, 0};
}

devices::Step TrainingGang::own_step(double pace, const devices::Placement& placement) const {
  devices::Step step = devices::training_step(placement, model_, shape_, pace);
  if (stretch_ != 1) stretch(step, stretch_);
  return step;
}

devices::Step TrainingGang::activity() const {
  if (waits()) {
    devices::Step idle;
    idle.duty_cycle = begun_ ? 1 : 0;  // once started, it spins until the others enter
    return idle;
  }
  devices::Step step = own_step(pace_, placement_);
  if (layout_ && gang_step_s_ > step.seconds) {
    // It waits for slower members in the exchange.
    const double own_s = step.seconds;
    stretch(step, gang_step_s_ / own_s);
    step.waiting = 1 - own_s / gang_step_s_ * (1 - step.waiting);
  }
  return step;
}

MemberStepTime TrainingGang::own_step_time(double pace, double link_share, bool hung) const {
  MemberStepTime own{key_.job, key_.attempt, 0, 0};
  devices::Placement placement = placement_;
  placement.link_share = link_share;
  if (hung || pace <= 0) return own;
  const devices::Step step = own_step(pace, placement);
  own.exchange_s = step.parts[static_cast<std::size_t>(devices::TimeComponent::collectives)];
  own.compute_s = step.seconds - own.exchange_s;
  return own;
}

bool TrainingGang::take_step_time_change(const MemberStepTime& step_time) {
  constexpr double notable = 0.002;  // share of a step
  const double before_s = reported_ ? reported_->compute_s + reported_->exchange_s : -1;
  const double now_s = step_time.compute_s + step_time.exchange_s;
  if (reported_ && std::abs(now_s - before_s) <= notable * before_s) return false;
  reported_ = step_time;
  return true;
}

double TrainingGang::elapsed_s(Instant now) const {
  return to_seconds(paused_clock_.own(now) - began_);
}

Instant TrainingGang::next_event() const {
  if (waits() && !begun_) return reserved_until_;
  if (paused_clock_.is_paused()) return never;
  return saturating_add(began_, from_seconds(run_.seconds(steps_left_)));
}

void TrainingGang::set_paused(Instant now, bool paused) {
  if (paused == paused_clock_.is_paused()) return;
  if (paused) return paused_clock_.begin(now);
  began_ += paused_clock_.end(now);
  if (layout_) rebase(now);  // the others' pace may have changed meanwhile
}

void TrainingGang::set_pace(Instant now, double pace, double link_share) {
  DROVER_REQUIRE(!paused_clock_.is_paused());
  pace_ = pace;
  placement_.link_share = link_share;
  rebase(now);
}

void TrainingGang::set_gang_step(Instant now, double step_s) {
  DROVER_REQUIRE(layout_.has_value());
  gang_step_s_ = step_s;
  begun_ |= step_s > 0;
  if (!paused_clock_.is_paused() && !waits()) rebase(now);
}

void TrainingGang::rebase(Instant now) {
  const std::uint64_t done = run_.steps_within(elapsed_s(now), steps_left_);
  if (done >= steps_left_) return;
  run_ = run_.after(elapsed_s(now), steps_left_, {activity().seconds, 0});
  steps_left_ -= done;
  began_ = now;
}

double TrainingGang::memory_bytes() const {
  return devices::training_bytes(placement_, model_, shape_);
}

double TrainingGang::steps_done(Instant now) const {
  const double left_s = std::max(0.0, run_.seconds(steps_left_) - elapsed_s(now));
  const double left_steps = run_.step_time.base_s > 0 ? left_s / run_.step_time.base_s : 0;
  return std::clamp(steps_ - left_steps, static_cast<double>(from_step_),
                    static_cast<double>(steps_));
}

std::uint32_t TrainingGang::steps_saved(Instant now) const {
  if (checkpoint_steps_ == 0) return from_step_;
  const std::uint64_t done = steps_ - steps_left_ + run_.steps_within(elapsed_s(now), steps_left_);
  // A gang that has done all steps has finished, and needs no checkpoint.
  const std::uint64_t begun = std::min<std::uint64_t>(done, steps_ - 1);
  const auto saved = static_cast<std::uint32_t>(begun / checkpoint_steps_ * checkpoint_steps_);
  return std::max(from_step_, saved);
}

Progress TrainingGang::progress(Instant now) const {
  const double left_s = std::max(0.0, run_.seconds(steps_left_) - elapsed_s(now));
  return {key_.job, key_.attempt, steps_done(now) / steps_, left_s, steps_saved(now)};
}

EndedAttempt TrainingGang::ended(const EnergyReading& reading) const {
  EndedAttempt ended;
  ended.key = key_;
  ended.at = reading.at;
  ended.usage.device_s =
      static_cast<double>(devices_.size()) * to_seconds(reading.at - started_.at);
  ended.usage.energy_j = reading.energy_j - started_.energy_j;
  ended.usage.cost_usd = ended.usage.device_s / 3600 * placement_.device->price.usd_per_h;
  return ended;
}

EndedAttempt TrainingGang::finish(const EnergyReading& reading) const {
  EndedAttempt done = ended(reading);
  done.outcome.steps = steps_;
  done.outcome.run_s = to_seconds(reading.at - started_.at);
  return done;
}

EndedAttempt TrainingGang::stop(const EnergyReading& reading, Reason reason,
                                std::string detail) const {
  EndedAttempt stopped = ended(reading);
  stopped.failure = reason;
  stopped.detail = std::move(detail);
  stopped.steps_done = steps_done(reading.at);
  stopped.steps_saved = steps_saved(reading.at);
  return stopped;
}

}  // namespace drover::agents
