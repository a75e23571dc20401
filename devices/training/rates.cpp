#include "devices/training/rates.h"

#include <algorithm>
#include <cmath>

#include "devices/operation/clock.h"
#include "devices/operation/matrix.h"

namespace drover::devices {
namespace {

/// Share of a torus's links that gathers along its axes achieve (assumed: scaling-book counts 1).
constexpr double torus_share = 0.8;

double narrow_share(const DeviceSpec::Training& training, Precision precision) {
  if (precision == Precision::fp4) return training.matrix_fp4_share;
  if (bytes_each(precision) <= 1) return training.matrix_8bit_share;
  return training.matrix_share;
}

double cast_bytes(const DeviceSpec::Training& training, Precision precision) {
  if (precision == Precision::fp4) return training.fp4_cast_bytes;
  return bytes_each(precision) <= 1 ? training.cast_bytes : 0;
}

/// The precision of operations that stay in 16 bits or more.
Precision wide_precision(Precision precision) {
  return bytes_each(precision) >= 2 ? precision : Precision::bf16;
}

/// Boards of one generation with more watts per flop sustain higher clocks, beyond the power model:
/// GB300 with 1400 W trains 1.2 times as fast as GB200 with 1200 W and the same peak, MI325X 1.3
/// times as fast as MI300X.
double power_share(const DeviceSpec& device) {
  const double peak_tflops = device.peak(Precision::bf16) / 1e12;
  if (device.training.power_exponent <= 0 || peak_tflops <= 0) return 1;
  return std::pow(device.power.tdp_w / peak_tflops / device.training.reference_w,
                  device.training.power_exponent);
}

int axes(const DeviceSpec& device) {
  if (device.links.torus == Torus::three_axes) return 3;
  return device.links.torus == Torus::two_axes ? 2 : 1;
}

}  // namespace

TrainingStack training_stack(const ModelSpec& model, const DeviceSpec& device) {
  if (device.device_class == DeviceClass::tpu) return TrainingStack::fused;
  if (model.family == "mpt") return TrainingStack::eager;
  if (model.family == "gpt" && device.training.score_passes > 0) return TrainingStack::unfused;
  return TrainingStack::fused;
}

TrainingRates::TrainingRates(const TrainingJob& job, double clock_share)
    : device(*job.placement.device),
      tpu(device.device_class == DeviceClass::tpu),
      stack(training_stack(*job.model, device)),
      peak(compute_peak(device, job.placement.precision)),
      memory(memory_rate(device, clock_share) * device.memory.efficiency) {
  DROVER_REQUIRE(clock_share > 0);
  const DeviceSpec::Training& training = device.training;
  const Precision precision = compute_precision(device, job.placement.precision);
  clock_share *= power_share(device);
  const double wide_peak = compute_peak(device, wide_precision(precision));
  products = peak * narrow_share(training, precision) * clock_share;
  wide = wide_peak * training.matrix_share * clock_share;
  const bool eager = stack == TrainingStack::eager;
  attention =
      wide_peak * clock_share * (eager ? training.eager_attention_share : training.attention_share);
  if (job.model->head_size <= 64) attention *= training.small_head_share;
  cast_bytes = devices::cast_bytes(training, precision);
}

double link_rate(const TrainingRates& rates) {
  const DeviceSpec& device = rates.device;
  if (rates.tpu) return 2 * axes(device) * device.links.torus_link_bandwidth * torus_share;
  return device.links.one_way() * device.links.efficiency;
}

double network_rate(const DeviceSpec& device) {
  const double own = device.network.bandwidth * device.network.efficiency;
  return own > 0 ? own : device.links.host_bandwidth;
}

double ring_rate(const TrainingRates& rates, const Layout& layout, int members, int apart) {
  const double inside = link_rate(rates);
  if (rates.tpu || members * apart <= layout.domain) return inside;
  const int beside = std::max(1, layout.domain / std::max(1, apart));
  return std::min(inside, network_rate(rates.device) * beside);
}

double neighbour_rate(const TrainingRates& rates, const Layout& layout) {
  const int together = layout.tensor * layout.context * layout.pipeline;
  return together <= layout.domain ? link_rate(rates) : network_rate(rates.device);
}

}  // namespace drover::devices
