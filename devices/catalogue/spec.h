// The specification of one device model, read from a catalogue file (TOML) that has the sources.
//
// Facts common to a generation of chips are in the file of the generation; a device's file names it
// and overrides what differs. Facts common to all generations, mainly about software, are in the
// file `every_generation`. Every number has a basis: published by the vendor or measured
// (datasheet), fitted to published measurements, or assumed. In TOML:
//   bandwidth_gb_s = 3350                                        datasheet: the file's `source`
//   efficiency = { value = 0.77, fitted = "to what; with what error" }
//   reserved_gib = { value = 3.5, assumed = "why" }
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/engine.h"
#include "devices/catalogue/layer_costs.h"
#include "devices/catalogue/serving_constants.h"
#include "fleet/base/result.h"
#include "fleet/messages.h"
#include "fleet/workload.h"

namespace drover::devices {

enum class Basis : std::uint8_t { datasheet, fitted, assumed };
std::string_view to_text(Basis basis);

/// The file that a number is from, most specific first.
enum class FactFile : std::uint8_t { device, generation, every_generation, none };

/// The provenance of a number.
struct FactProvenance {
  Basis basis = Basis::datasheet;
  FactFile file = FactFile::device;
  std::string note;  // what it was fitted to and with what error, or why it was assumed
};

/// The torus of the devices of a slice or domain.
enum class Torus : std::uint8_t { none, two_axes, three_axes };

/// Maximum number of refresh periods in the window of a published mean.
inline constexpr int sensor_refreshes_max = 15;

inline constexpr double memory_limit_unknown_c = 250;

/// The rates that a communication library achieves on the links inside a domain. A collective uses
/// the faster of two protocols: LL (small packets that carry their own flags) and the ring of large
/// pipelined buffers. The values here are for links without a spec; devices have their defaults in
/// spec_rows.cpp.
struct LinkConstants {
  double ring_share = 0.7;  // of the bandwidth
  double ring_start_s = 20e-6;
  double ring_step_s = 1.2e-6;
  double ll_share = 0.44;
  double ll_start_s = 8e-6;
  double ll_step_s = 1.5e-6;
  // Relative to the mean step of an all-reduce, steps that add (reduce-scatter) are longer and
  // steps that copy (all-gather) are shorter by these shares.
  double adding_step_share = 0.26;  // of a step's start
  double adding_share = 0.056;      // of its bytes' time
  double copy_bandwidth = 1e12;     // bytes/s at which a device copies its own part
  double reduce_copy_share = 1;     // share of that copy that an all-reduce needs
  double peer_share = 0.64;         // of the host's bandwidth, device to device
  double peer_step_s = 5.7e-6;

  // Switches that reduce (NVLink SHARP); share 0: none.
  double nvls_share = 0;
  double nvls_start_s = 0;
  double nvls_ll_share = 0;
  double nvls_ll_start_s = 0;

  // One device to one other: the rate of a channel. A library opens 32 for all peers together.
  double channel_bandwidth = 20e9;
  double message_start_s = 8e-6;
  double message_bandwidth = 0;  // if known to be slower for one pair of devices; else 0
};

struct DeviceSpec : ServingConstants, LayerCosts, LinkConstants {
  std::string id;                    // "h100-sxm"
  std::string name;                  // "NVIDIA H100 SXM5 80GB"
  std::vector<std::string> aliases;  // other spellings
  DeviceClass device_class = DeviceClass::gpu;
  std::string vendor;      // "nvidia", "amd", "google"
  std::string generation;  // "hopper"
  std::string unit;  // what the operating system shows as a device: "one GPU", "one die of two"
  std::string confidence;  // in the facts: "high", "medium", "low"
  // Sources of datasheet numbers, by section; "": of sections without a source of their own.
  std::map<std::string, std::string, std::less<>> sources;
  std::uint32_t year = 0;  // 0: unknown
  std::uint32_t pcie_generation = 0, pcie_lanes = 16;

  // Peak rates, dense, in flop/s (int8: op/s); 0 where the type is not native.
  std::array<double, precision_count> peak_flops{};
  double memory_bytes = 0;
  double memory_bandwidth = 0;      // bytes/s
  double l2_bytes = 0;              // last-level cache on chip; 0: unknown or managed by software
  double link_bandwidth = 0;        // bytes/s, both directions added, per device; 0: PCIe only
  double host_bandwidth = 0;        // bytes/s from host memory (weights arrive here)
  std::uint32_t link_domain = 1;    // maximum number of devices connected by the fast links
  Torus torus = Torus::none;        // TPU slices
  std::uint32_t torus_wrap = 1;     // an axis of this length, or a multiple, is a ring
  double torus_link_bandwidth = 0;  // bytes/s of one link, one direction
  double network_bandwidth = 0;     // bytes/s between hosts, per device, one direction
  double network_efficiency = 1;    // share of it that large collectives achieve
  double network_latency_s = 0;     // of one step of a collective between hosts
  std::uint32_t link_peers = 0;     // mesh: neighbours with separate links; 0: a switch or bridge

  // Cloud hosts whose devices share a few NICs; 0 NICs: not measured.
  std::uint32_t cloud_nics = 0;
  double cloud_nic_bandwidth = 0, cloud_share = 0, cloud_contended_share = 0;
  double cloud_start_s = 0, cloud_local_step_s = 0, cloud_ll_step_s = 0;

  // Achievable shares and overheads; their basis and sources are in the TOML.
  double compute_efficiency = 0;  // share of the peak that large matrix products achieve
  // The same by precision if it differs; 0: as above.
  double fp32_efficiency = 0, tf32_efficiency = 0, fp16_efficiency = 0;
  double fp8_efficiency = 0, int8_efficiency = 0, fp4_efficiency = 0;
  double int8_call_efficiency = 0;  // of a plain library call, if it takes a slower path
  double operand_efficiency = 0;    // share of bandwidth when operands stream; 0: memory_efficiency
  double kernel_floor_s = 0;        // fixed time of a product measured alone: start and drain
  double attention_share = 0.6;     // of the 16-bit peak, in fused attention's products
  double cache_efficiency = 0;   // share of bandwidth when KV caches are read; 0: memory_efficiency
  double attention_floor_s = 0;  // fixed time of an attention kernel measured alone
  double memory_efficiency = 0;  // share of bandwidth that streaming achieves
  double link_efficiency = 0;
  double collective_latency_s = 0;  // per hop or ring step
  std::uint32_t matrix_tile = 1;    // GPU: output tile edge; TPU: systolic edge (128)
  std::uint32_t matrix_units = 1;   // GPU: SMs; TPU: MXUs
  std::uint32_t row_padding = 1;    // TPU: rows are padded to 8
  double reserved_bytes = 0;        // driver, context, compiler; not available to models
  double compile_s = 0;             // TPU: per shape bucket of a model, per 1e9 parameters

  // Training of decoders: achieved shares and exposed times (devices/training/training.h).
  double training_matrix_share = 0;      // of the 16-bit peak, in large products
  double training_8bit_share = 0;        // the same in 8 bits
  double training_fp4_share = 0;         // the same in 4 bits
  double training_operand_exposed = 0;   // exposed share of a product's operand and result traffic
  double training_attention_share = 0;   // of the 16-bit peak, in fused attention, both passes
  double training_small_head_share = 0;  // of that with heads of 64 and less
  // Before FlashAttention: 16-bit passes over the scores; 0: never without it.
  double training_score_passes = 0;
  double training_element_passes = 0;         // passes over kept activations of fused layers
  double training_eager_attention_share = 0;  // FlashAttention 1 in eager PyTorch
  double training_eager_passes = 0;      // passes over kept activations, one kernel per operation
  double training_cast_bytes = 0;        // to cast one operand element to 8 bits
  double training_fp4_cast_bytes = 0;    // to 4 bits
  double training_gradient_exposed = 0;  // of the traffic of fp32 gradient sums
  double training_link_exposed = 0;      // of tensor-parallel collectives
  double training_shard_exposed = 0;     // of gathered weights and reduced gradients
  double training_expert_link_exposed = 0;     // of tokens sent to experts inside the link domain
  double training_expert_network_exposed = 0;  // and between hosts
  double training_expert_share = 0;   // rate of grouped expert products relative to large ones
  double training_expert_passes = 0;  // passes over the tokens sorted for experts
  // Element-wise passes inside experts, relative to training_element_passes.
  double training_expert_element_passes = 0;
  double training_biased_expert_factor = 0;  // factor of that when experts have biases
  double training_recompute_share = 0;  // time of a recomputed forward pass relative to the first
  double training_layer_host_s = 0;     // host work per layer and micro-batch
  double training_expert_host_s = 0;    // and per layer with experts
  // Exponent of the board's W per peak TFLOP/s relative to the reference.
  double training_power_exponent = 0;
  double training_reference_w = 0;  // per peak TFLOP/s, of the board that the shares were fitted to
  double training_straggler_share = 0;        // extra time per doubling of the nodes
  double training_slice_straggler_share = 0;  // extra time per doubling of the TPU slices

  // Power, W.
  double tdp_w = 0;
  double idle_w = 0;               // nothing open
  double context_idle_w = 0;       // context open, nothing running
  double active_unit_w = 0;        // added per SM (CU, core) while anything runs
  double matrix_unit_w = 0;        // added per SM at full matrix rate
  double matrix_exponent = 1;      // of the matrix rate per cycle in that
  double memory_byte_j = 0;        // per byte of memory traffic
  double link_byte_j = 0;          // per byte over the links
  double limit_sharpness = 8;      // how close the mean power of a board comes to its limit
  double power_reference_mhz = 0;  // clock for which the W per SM are given; 0: the nominal one
  double power_cap_min_w = 0;

  // Clock steps as shares of the nominal clock, and the voltage.
  double clock_mhz = 0;        // nominal: the one for which the peak rates are given
  double clock_boost_mhz = 0;  // highest; 0: the nominal one
  double clock_base_mhz = 0;   // guaranteed; 0: unknown; no model uses it
  double clock_min_share = 0;
  double clock_memory_share = 0;  // below it the cores cannot use the whole memory bandwidth
  double clock_step_share = 0;
  double clock_knee_mhz = 0;
  double voltage_slope = 0;  // relative rise over the relative rise of the clock, above the knee

  // Thermal model: die to sink to inlet, K/W and s; limits, C.
  double die_resistance = 0, die_time_s = 0;
  double sink_resistance = 0, sink_time_s = 0;
  double temperature_max_c = 0;       // software throttles above
  double temperature_slowdown_c = 0;  // hardware halves the clock
  double temperature_shutdown_c = 0;
  double sink_rise_k = 0;  // at the board's power limit; used if sink_k_per_w is not given
  // The memory's temperature above the inlet; see MemoryThermalCoupling. By default it is that of
  // the die.
  double memory_offset_k = 0, memory_sink_share = 1, memory_die_share = 1;
  double memory_max_c = 0;     // software throttles above; memory_limit_unknown_c: unknown
  double fan_steps = 0;        // fan steps above the usual speed; 0: constant speed
  double fan_step_share = 0;   // additional air flow per step
  double fan_below_max_k = 0;  // fans step up from this far below temperature_max_c

  // Sensors: periods in s, resolutions in the unit of the reading; 0: exact.
  double sensor_power_refresh_s = 0;  // refresh period
  double sensor_power_sampled = 1;    // share of the period that is sampled
  double sensor_power_window_s = 0;   // averaging window
  double sensor_activity_s = 0;       // period of utilization and activities
  double sensor_power_step_w = 0;
  double sensor_temperature_step_c = 0;
  double sensor_clock_step_mhz = 0;
  double sensor_utilization_step = 0;

  double price_usd_per_h = 0;  // on demand
  double spot_usd_per_h = 0;   // 0: unknown
  double purchase_usd = 0;     // 0: unknown
  // Default engine for online serving.
  ServingEngine token_engine = ServingEngine::vllm_0_11;
  std::vector<std::string> frameworks;   // that run on it
  std::vector<std::string> missing_ops;  // "custom_cuda", "dynamic_shape", ..
  std::vector<int> slice_sizes;          // TPU: possible sizes of gangs; empty: any

  double peak(Precision precision) const { return peak_flops[static_cast<std::size_t>(precision)]; }
  bool runs(Precision precision) const { return peak(precision) > 0; }
  /// Whether its power limit can be lowered. Users cannot lower that of a TPU.
  bool takes_power_cap() const { return power_cap_min_w > 0 && power_cap_min_w < tdp_w; }

  /// By "section.key" as in the file; numbers without an entry are from the datasheet.
  std::map<std::string, FactProvenance, std::less<>> bases;
};

/// Parses a spec written by `to_toml` of this or another build. Unknown keys are ignored.
Result<DeviceSpec> parse_received_spec(std::string_view toml, std::string place);

/// Checks a generation file: known sections and keys, possible values.
Status check_generation(std::string_view toml, std::string place);

/// The whole spec as self-contained TOML, as sent in Register. Parsing it gives the same spec.
std::string to_toml(const DeviceSpec& spec);

/// Changes one number, "matrix.efficiency", in the file's unit. Errors: no such key, a value out of
/// its range.
Status set_fact(DeviceSpec& spec, std::string_view section_and_key, double value);

}  // namespace drover::devices
