#include "devices/step_sum.h"

#include <algorithm>
#include <cmath>

namespace drover::devices {
namespace {

double narrow_bytes(Precision precision) {
  // Activations and KV cache stay 16 bits wide beside narrower weights; that is what serving
  // engines do by default.
  return precision == Precision::fp32 || precision == Precision::tf32 ? 4 : 2;
}

/// Steps of an all-reduce that cannot overlap. GPUs behind a switch use trees: up and down. TPUs
/// pass along the axes of a torus, each way half around.
double latency_steps(const DeviceSpec& device, int devices) {
  const double count = devices;
  return device.device_class == DeviceClass::gpu ? 2 * std::ceil(std::log2(count)) : count;
}

constexpr std::array<std::string_view, part_count> part_names{
    "matrix", "attention", "memory", "collectives", "launch", "bubble", "optimizer", "host"};

}  // namespace

std::string_view to_text(Part part) { return part_names[static_cast<std::size_t>(part)]; }

Rates::Rates(const Placement& placement, double share)
    : device(*placement.device),
      devices(std::max(1, placement.devices)),
      clock_share(share),
      precision(placement.precision),
      peak(compute_peak(device, placement.precision)),
      memory(device.memory_bandwidth * device.memory_efficiency),
      // Without a direct link, devices talk over the host's bus.
      link((device.link_bandwidth > 0 ? device.link_bandwidth / 2 : device.host_bandwidth) *
           device.link_efficiency * placement.link_share),
      weight_bytes(bytes_each(placement.precision)),
      activation_bytes(narrow_bytes(placement.precision)) {
  DROVER_REQUIRE(share > 0 && placement.link_share > 0);
}

void StepSum::add_product(double rows, const MatrixShape& shape, double count) {
  const ElementBytes elements{rates_.activation_bytes, rates_.weight_bytes,
                              rates_.activation_bytes};
  const Kernel kernel =
      product_kernel(rates_.device, rates_.precision, {rows, shape.columns, shape.inner}, elements,
                     rates_.clock_share);
  add(kernel.matrix_seconds >= kernel.memory_seconds ? Part::matrix : Part::memory,
      count * kernel.seconds);
  flops_ += count * kernel.flops;
  memory_bytes_ += count * kernel.bytes;
}

void StepSum::add_kernel(Part part, const Kernel& kernel, double count) {
  add(part, count * kernel.seconds);
  flops_ += count * kernel.flops;
  memory_bytes_ += count * kernel.bytes;
}

void StepSum::add_attention(double flops, double bytes) {
  const double rate =
      rates_.peak * rates_.device.compute_efficiency * attention_efficiency * rates_.clock_share;
  add(Part::attention, std::max(flops / rate, bytes / rates_.memory));
  flops_ += flops;
  memory_bytes_ += bytes;
}

void StepSum::add_flops(double flops, double share_of_matrix_rate) {
  const double rate =
      rates_.peak * rates_.device.compute_efficiency * share_of_matrix_rate * rates_.clock_share;
  add(Part::matrix, flops / rate);
  flops_ += flops;
}

void StepSum::add_kernel(Part part, double seconds, double flops, double bytes) {
  add(part, seconds);
  flops_ += flops;
  memory_bytes_ += bytes;
}

void StepSum::add_memory(double bytes) {
  add(Part::memory, bytes / rates_.memory);
  memory_bytes_ += bytes;
}

void StepSum::add_launches(double count) { add(Part::launch, count * rates_.device.launch_s); }

double all_reduce_bytes(const Rates& rates, double bytes) {
  const double count = rates.devices;
  return 2 * (count - 1) / count * bytes;
}

double all_reduce_seconds(const Rates& rates, double bytes) {
  if (rates.devices <= 1) return 0;
  return latency_steps(rates.device, rates.devices) * rates.device.collective_latency_s +
         all_reduce_bytes(rates, bytes) / rates.link;
}

void StepSum::add_all_reduce(double bytes, double count) {
  if (rates_.devices <= 1) return;
  add(Part::collectives, count * all_reduce_seconds(rates_, bytes));
  link_bytes_ += count * all_reduce_bytes(rates_, bytes);
}

void StepSum::add_link(double bytes, double exposed_seconds) {
  link_bytes_ += bytes;
  add(Part::collectives, exposed_seconds);
}

void StepSum::times(double count) {
  for (double& part : parts_) part *= count;
  flops_ *= count;
  memory_bytes_ *= count;
  link_bytes_ *= count;
}

double StepSum::seconds() const {
  double sum = 0;
  for (const double part : parts_) sum += part;
  return sum;
}

Step StepSum::step() const {
  Step step;
  step.seconds = seconds();
  step.parts = parts_;
  if (step.seconds <= 0) return step;
  const DeviceSpec& device = rates_.device;
  const double link_peak =
      device.link_bandwidth > 0 ? device.link_bandwidth / 2 : device.host_bandwidth;
  step.matrix_activity = std::min(1.0, flops_ / step.seconds / rates_.peak);
  step.memory_activity = std::min(1.0, memory_bytes_ / step.seconds / device.memory_bandwidth);
  step.link_activity = std::min(1.0, link_bytes_ / step.seconds / link_peak);
  return step;
}

}  // namespace drover::devices
