#include "devices/serving/replica.h"

#include <algorithm>
#include <cmath>

#include "devices/operation/clock.h"
#include "devices/operation/matrix.h"

namespace drover::devices {
namespace {

/// Memory for caches, as a share of the weights, below which more devices per replica give a higher
/// throughput (assumed: Llama 2 70B in 8 bits runs on 2 H100 or on 1 H200, MLPerf v4.1).
constexpr double cache_to_weights = 0.2;

ServingBytes bytes_of(Precision weights, ServingEngine engine) {
  ServingBytes bytes;
  bytes.weight = bytes_each(weights);
  const bool wide = weights == Precision::fp32 || weights == Precision::tf32;
  bytes.activation = wide ? 4 : 2;
  bytes.cache = bytes.activation;
  // TensorRT-LLM's 8-bit checkpoints have an 8-bit cache too; vLLM's default does not.
  if (engine == ServingEngine::offline && bytes.weight <= 1) bytes.cache = 1;
  bytes.scaled_blocks = weights == Precision::fp8;
  return bytes;
}

/// Bytes/s in one direction between two devices of a host without a fast link: PCI Express has
/// 0.985 GB/s per lane in its third generation, and each generation doubles it.
double bus_bandwidth(const DeviceSpec& device) {
  if (device.links.pcie_generation == 0) return device.links.host_bandwidth;
  return device.links.pcie_lanes * 0.985e9 *
         std::exp2(static_cast<double>(device.links.pcie_generation) - 3);
}

double link_bandwidth(const DeviceSpec& device, int devices) {
  const bool gpu = device.device_class == DeviceClass::gpu;
  const bool joined = !gpu || static_cast<std::uint32_t>(devices) <= device.links.domain;
  if (device.links.bandwidth <= 0 || !joined) return bus_bandwidth(device);
  return device.links.bandwidth / 2;
}

ServingChip chip_of(const DeviceSpec& device, Precision weights, const ServingPlan& plan,
                    double clock_share, double links) {
  ServingChip chip;
  chip.matrix_flops = compute_peak(device, weights);
  if (compute_precision(device, weights) != weights)
    chip.matrix_flops *= device.serving.dequantized_share;
  chip.attention_flops = compute_peak(device, Precision::bf16);
  chip.memory_bandwidth = memory_rate(device, clock_share);
  chip.link_bandwidth = links * link_bandwidth(device, std::max(plan.tensor, plan.expert));
  chip.clock_share = clock_share;
  return chip;
}

}  // namespace

ServingReplica::ServingReplica(const DeviceSpec& spec, const ModelSpec& model, Precision weights,
                               const ServingPlan& spread, ServingEngine software,
                               double clock_share, double links)
    : device(spec),
      chip(chip_of(spec, weights, spread, clock_share, links)),
      shape(serving_shape(model)),
      plan(spread),
      bytes(bytes_of(weights, software)),
      engine(software) {
  DROVER_REQUIRE(clock_share > 0 && links > 0);
}

Step step_of(const ServingReplica& replica, const ServingPass& pass) {
  Step step;
  step.seconds = pass.seconds();
  const auto set = [&step](TimeComponent part, double seconds) {
    step.parts[static_cast<std::size_t>(part)] = seconds;
  };
  set(TimeComponent::matrix, pass.matrix_s);
  set(TimeComponent::attention, pass.attention_s);
  set(TimeComponent::memory, pass.memory_s);
  set(TimeComponent::collectives, pass.collectives_s);
  set(TimeComponent::launch, pass.launches_s);
  set(TimeComponent::host, pass.host_s);
  if (step.seconds <= 0) return step;
  step.duty_cycle = 1 - pass.idle_s / step.seconds;
  step.waiting = pass.collectives_s / step.seconds;
  step.tensor_activity = std::min(1.0, pass.flops / step.seconds / replica.chip.matrix_flops);
  step.memory_activity =
      std::min(1.0, pass.memory_bytes / step.seconds / replica.device.memory.bandwidth);
  step.link_activity = std::min(1.0, pass.link_bytes / step.seconds / replica.chip.link_bandwidth);
  return step;
}

ServingPlan plan_for_saturation(const DeviceSpec& device, const ModelSpec& model, Precision weights,
                                int devices, ServingEngine engine) {
  for (int tensor = 1; tensor < devices; tensor *= 2) {
    if (devices % tensor != 0) continue;
    const ServingPlan plan = serving_plan(devices, tensor, 1, 1, 1);
    const ServingMemory memory =
        serving_memory(ServingReplica(device, model, weights, plan, engine, 1));
    if (memory.cache_room >= cache_to_weights * memory.weights) return plan;
  }
  return serving_plan(devices, devices, 1, 1, 1);
}

}  // namespace drover::devices
