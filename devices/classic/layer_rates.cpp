// A layer is a product (matrix.h) at the measured share of the peak for such layers, with an extra
// depth for the first and last steps of the pipelines that feed the matrix units.
#include "devices/classic/layer_rates.h"

#include <algorithm>
#include <array>

namespace drover::devices {
namespace {

/// Extra depth for a kernel's prologue and epilogue (fitted with the shares; 60 to 65).
constexpr double depth_start = 64;

struct ShareRow {
  Precision precision;
  double DeviceSpec::Layers::*share;
  std::string_view fact;
};
constexpr ShareRow fp16_row{Precision::fp16, &DeviceSpec::Layers::fp16, "layers.fp16"};
constexpr std::array<ShareRow, 6> share_rows = {{
    {Precision::fp32, &DeviceSpec::Layers::fp32, "layers.fp32"},
    {Precision::tf32, &DeviceSpec::Layers::tf32, "layers.tf32"},
    {Precision::bf16, &DeviceSpec::Layers::fp16, "layers.fp16"},
    fp16_row,
    {Precision::int8, &DeviceSpec::Layers::int8, "layers.int8"},
    {Precision::fp8, &DeviceSpec::Layers::fp8, "layers.fp8"},
}};

const ShareRow& share_row(const DeviceSpec& device, Precision precision) {
  const Precision computing = compute_precision(device, precision);
  for (const ShareRow& row : share_rows) {
    if (row.precision == computing) return row;
  }
  return fp16_row;
}

}  // namespace

Precision layer_precision(const DeviceSpec& device, const ModelSpec& model, Precision precision) {
  const bool convolves = model.architecture == Architecture::convolution;
  const bool narrowed = convolves && precision == Precision::fp32 && device.runs(Precision::tf32);
  return narrowed ? Precision::tf32 : precision;
}

std::string_view layer_fact(const DeviceSpec& device, Precision precision) {
  return share_row(device, precision).fact;
}

LayerRates::LayerRates(const Placement& placement, double clock_share)
    : rates(placement, clock_share),
      share(rates.device.layers.*share_row(rates.device, placement.precision).share),
      computes_fp32(compute_precision(rates.device, placement.precision) == Precision::fp32),
      element_bytes(bytes_each(placement.precision)),
      kernel_s(rates.device.layers.kernel_cycles /
               (rates.device.clock.nominal_mhz * 1e6 * clock_share)),
      products(rates.device, compute_precision(rates.device, Precision::bf16),
               rates.peak * rates.device.matrix.efficiency) {}

double LayerRates::product_seconds(double rows, double inner, double columns) const {
  const double scale = rates.device.matrix.efficiency / (share * rates.clock_share);
  return scale * products.seconds({rows, columns, inner + depth_start});
}

double LayerRates::attention_seconds(double flops) const {
  return flops / (rates.peak * share * rates.device.layers.attention * rates.clock_share);
}

void add_layer_kernel(StepAccumulator& sum, const LayerRates& layer, double product_s, double flops,
                      double bytes, double times) {
  const double moved_s = layer.memory_seconds(bytes);
  const TimeComponent part = product_s >= moved_s ? TimeComponent::matrix : TimeComponent::memory;
  sum.add_kernel(part, times * std::max(product_s, moved_s), times * flops, times * bytes);
  sum.add_kernel(TimeComponent::launch, times * layer.kernel_s, 0, 0);
}

}  // namespace drover::devices
