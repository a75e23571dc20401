// A layer is a product (matrix.h) at the share of the peak that such layers were measured to reach,
// whose depth has a start: the first and last steps of the pipelines that feed the matrix units.
#include "devices/layer_rates.h"

#include <algorithm>
#include <array>

namespace drover::devices {
namespace {

/// Depth that a kernel's prologue and epilogue cost (fitted with the shares; 60 to 65).
constexpr double depth_start = 64;

struct ShareRow {
  Precision precision;
  double DeviceSpec::*share;
};
constexpr std::array<ShareRow, 6> share_rows = {{
    {Precision::fp32, &DeviceSpec::layer_fp32},
    {Precision::tf32, &DeviceSpec::layer_tf32},
    {Precision::bf16, &DeviceSpec::layer_fp16},
    {Precision::fp16, &DeviceSpec::layer_fp16},
    {Precision::int8, &DeviceSpec::layer_int8},
    {Precision::fp8, &DeviceSpec::layer_fp8},
}};

double share_of(const DeviceSpec& device, Precision precision) {
  const Precision computing = compute_precision(device, precision);
  for (const ShareRow& row : share_rows) {
    if (row.precision == computing) return device.*row.share;
  }
  return device.layer_fp16;
}

}  // namespace

LayerRates::LayerRates(const Placement& placement, double clock_share)
    : rates(placement, clock_share),
      share(share_of(rates.device, placement.precision)),
      element_bytes(bytes_each(placement.precision)),
      kernel_s(rates.device.kernel_cycles / (rates.device.clock_mhz * 1e6 * clock_share)) {}

double LayerRates::product_seconds(double rows, double inner, double columns) const {
  const double scale = rates.device.compute_efficiency / (share * rates.clock_share);
  return scale * matrix_seconds(rates.device, rates.peak, rows, {inner + depth_start, columns});
}

double LayerRates::attention_seconds(double flops) const {
  return flops / (rates.peak * share * rates.device.layer_attention * rates.clock_share);
}

void add_layer_kernel(StepSum& sum, const LayerRates& layer, double product_s, double flops,
                      double bytes, double times) {
  const double moved_s = layer.memory_seconds(bytes);
  const Part part = product_s >= moved_s ? Part::matrix : Part::memory;
  sum.add_kernel(part, times * std::max(product_s, moved_s), times * flops, times * bytes);
  sum.add_kernel(Part::launch, times * layer.kernel_s, 0, 0);
}

}  // namespace drover::devices
