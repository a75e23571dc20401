// What one kind of device is: facts read from a catalogue file (TOML), each with its source there.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/messages.h"
#include "fleet/result.h"
#include "fleet/workload.h"

namespace drover::devices {

struct DeviceSpec {
  std::string id;    // "h100-sxm"
  std::string name;  // "NVIDIA H100 SXM5 80GB"
  DeviceClass device_class = DeviceClass::gpu;

  // Peak rates, dense, in flop/s (int8: op/s); 0 where the type is not native.
  std::array<double, precision_count> peak_flops{};
  double memory_bytes = 0;
  double memory_bandwidth = 0;  // bytes/s
  double link_bandwidth = 0;    // bytes/s, both directions added, per device; 0: PCIe only
  double host_bandwidth = 0;    // bytes/s from host memory (weights arrive here)

  // Achievable shares and overheads; tags and sources stand in the TOML.
  double compute_efficiency = 0;  // share of peak that large matrix products reach
  double memory_efficiency = 0;   // share of bandwidth that streaming reaches
  double link_efficiency = 0;
  double launch_s = 0;              // per kernel or fused step part
  double request_s = 0;             // per request of a decode step: sampling, scheduling
  double collective_latency_s = 0;  // per hop or ring step
  std::uint32_t matrix_tile = 1;    // GPU: output tile edge; TPU: systolic edge (128)
  std::uint32_t matrix_units = 1;   // GPU: SMs; TPU: MXUs
  std::uint32_t row_padding = 1;    // TPU: rows are padded to 8
  double reserved_bytes = 0;        // driver, context, compiler: not for models
  double compile_s = 0;             // TPU: per shape bucket of a model, per 1e9 parameters

  // Power, W.
  double tdp_w = 0;
  double idle_w = 0;    // nothing open
  double open_w = 0;    // context open, nothing running
  double active_w = 0;  // added while anything runs: schedulers, caches, vector units
  double memory_w = 0;  // added at full achieved memory bandwidth
  double matrix_w = 0;  // added at full achieved matrix rate
  double link_w = 0;
  double power_cap_min_w = 0;

  // Clock: share of the nominal clock in steps; the voltage knee of the power law.
  double clock_mhz = 0;
  double clock_min_share = 0;
  double clock_step_share = 0;
  double clock_knee_share = 0;

  // Heat: die to sink to inlet, K/W and s; limits, C.
  double die_resistance = 0, die_time_s = 0;
  double sink_resistance = 0, sink_time_s = 0;
  double temperature_max_c = 0;       // software slows down above
  double temperature_slowdown_c = 0;  // hardware halves the clock
  double temperature_shutdown_c = 0;

  double price_usd_per_h = 0;            // on demand
  double spot_usd_per_h = 0;             // 0: not known
  std::vector<std::string> frameworks;   // that run on it
  std::vector<std::string> missing_ops;  // "custom_cuda", "dynamic_shape", ..
  std::vector<int> slice_sizes;          // TPU: gangs that form; empty: any

  double peak(Precision precision) const { return peak_flops[static_cast<std::size_t>(precision)]; }
  bool runs(Precision precision) const { return peak(precision) > 0; }
};

/// Refuses missing keys, unknown keys and impossible values, naming place and key.
Result<DeviceSpec> parse_device_spec(std::string_view toml, std::string place);

}  // namespace drover::devices
