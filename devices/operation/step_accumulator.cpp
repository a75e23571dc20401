#include "devices/operation/step_accumulator.h"

#include <algorithm>
#include <cmath>

#include "devices/operation/clock.h"

namespace drover::devices {
namespace {

/// Sequential steps of an all-reduce. GPUs behind a switch use trees, up and down. TPUs go along
/// the axes of a torus, half around in each direction.
double latency_steps(const DeviceSpec& device, int devices) {
  const double count = devices;
  return device.device_class == DeviceClass::gpu ? 2 * std::ceil(std::log2(count)) : count;
}

constexpr std::array<std::string_view, part_count> part_names{
    "matrix", "attention", "memory", "collectives", "launch", "bubble", "optimizer", "host"};

}  // namespace

std::string_view to_text(TimeComponent part) { return part_names[static_cast<std::size_t>(part)]; }

Rates::Rates(const Placement& placement, double share)
    : device(*placement.device),
      devices(std::max(1, placement.devices)),
      clock_share(share),
      precision(placement.precision),
      peak(compute_peak(device, placement.precision)),
      memory(memory_rate(device, share) * device.memory.efficiency),
      link(device.links.one_way() * device.links.efficiency * placement.link_share) {
  DROVER_REQUIRE(share > 0 && placement.link_share > 0);
}

void StepAccumulator::add_kernel(TimeComponent part, double seconds, double flops, double bytes) {
  add(part, seconds);
  flops_ += flops;
  memory_bytes_ += bytes;
}

void StepAccumulator::add_memory(double bytes) {
  add(TimeComponent::memory, bytes / rates_.memory);
  memory_bytes_ += bytes;
}

double all_reduce_bytes(const Rates& rates, double bytes) {
  const double count = rates.devices;
  return 2 * (count - 1) / count * bytes;
}

double all_reduce_seconds(const Rates& rates, double bytes) {
  if (rates.devices <= 1) return 0;
  return latency_steps(rates.device, rates.devices) * rates.device.links.latency_s +
         all_reduce_bytes(rates, bytes) / rates.link;
}

void StepAccumulator::add_link(double bytes, double exposed_seconds) {
  link_bytes_ += bytes;
  add(TimeComponent::collectives, exposed_seconds);
}

void StepAccumulator::times(double count) {
  for (double& part : parts_) part *= count;
  flops_ *= count;
  memory_bytes_ *= count;
  link_bytes_ *= count;
}

double StepAccumulator::seconds() const {
  double sum = 0;
  for (const double part : parts_) sum += part;
  return sum;
}

Step StepAccumulator::step() const {
  Step step;
  step.seconds = seconds();
  step.parts = parts_;
  if (step.seconds <= 0) return step;
  const DeviceSpec& device = rates_.device;
  step.tensor_activity = std::min(1.0, flops_ / step.seconds / rates_.peak);
  step.memory_activity = std::min(1.0, memory_bytes_ / step.seconds / device.memory.bandwidth);
  step.link_activity = std::min(1.0, link_bytes_ / step.seconds / device.links.one_way());
  step.waiting = parts_[static_cast<std::size_t>(TimeComponent::collectives)] / step.seconds;
  return step;
}

}  // namespace drover::devices
