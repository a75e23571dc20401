// What one kind of device is: facts read from a catalogue file (TOML), each with its source there.
//
// What a generation of chips shares stands once, in the file of the generation; a device's file
// names it and says what differs. What no generation is known to differ in, software above all,
// stands in the file `every_generation`. Every number has a basis: printed by a maker or measured
// by somebody (datasheet), fitted here to published measurements, or assumed. In TOML:
//   bandwidth_gb_s = 3350                                        datasheet: the file's `source`
//   efficiency = { value = 0.77, fitted = "to what; with what error" }
//   reserved_gib = { value = 3.5, assumed = "why" }
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
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

/// The file that says a number, the nearest first.
enum class FactFile : std::uint8_t { device, generation, every_generation, none };

/// How a number of a spec is known.
struct FactBasis {
  Basis basis = Basis::datasheet;
  FactFile file = FactFile::device;
  std::string note;  // fitted to what, with what error; assumed why
};

/// How the devices of a slice or domain are joined.
enum class Torus : std::uint8_t { none, two_axes, three_axes };

/// A published mean spans at most so many of the periods at which it is renewed.
inline constexpr int sensor_refreshes_max = 15;

inline constexpr double memory_limit_unknown_c = 250;

struct DeviceSpec : ServingConstants, LayerCosts {
  std::string id;                    // "h100-sxm"
  std::string name;                  // "NVIDIA H100 SXM5 80GB"
  std::vector<std::string> aliases;  // other spellings of it
  DeviceClass device_class = DeviceClass::gpu;
  std::string vendor;      // "nvidia", "amd", "google"
  std::string generation;  // "hopper"
  std::string unit;        // what the OS shows as one: "one GPU", "one die of two"
  std::string confidence;  // of the facts: "high", "medium", "low"
  // Where plain numbers were read: of a section that says so itself, else under "".
  std::map<std::string, std::string, std::less<>> sources;
  std::uint32_t year = 0;  // 0: not known
  std::uint32_t pcie_generation = 0, pcie_lanes = 16;

  // Peak rates, dense, in flop/s (int8: op/s); 0 where the type is not native.
  std::array<double, precision_count> peak_flops{};
  double memory_bytes = 0;
  double memory_bandwidth = 0;      // bytes/s
  double l2_bytes = 0;              // last-level cache on chip; 0: not known or managed by software
  double link_bandwidth = 0;        // bytes/s, both directions added, per device; 0: PCIe only
  double host_bandwidth = 0;        // bytes/s from host memory (weights arrive here)
  std::uint32_t link_domain = 1;    // devices that the fast links join at most
  Torus torus = Torus::none;        // TPU slices
  std::uint32_t torus_wrap = 1;     // an axis of so many devices, or a multiple, closes to a ring
  double torus_link_bandwidth = 0;  // bytes/s of one link, one direction
  double network_bandwidth = 0;     // bytes/s between hosts, per device, one direction
  double network_efficiency = 1;    // share of it that large collectives reach
  double network_latency_s = 0;     // of one step of a collective between hosts
  std::uint32_t link_peers = 0;  // mesh: neighbours with links of their own; 0: a switch or bridge

  // Collectives inside a domain (devices/catalogue/topology.h says what each means).
  double ring_share = 0, ring_start_s = 0, ring_step_s = 0;
  double quick_share = 0, quick_start_s = 0, quick_step_s = 0;
  double copy_bandwidth = 0, reduce_copy_share = 0;
  double adding_share = 0, adding_step_share = 0;
  double peer_share = 0, peer_step_s = 0;  // through the host's PCIe
  double switch_share = 0, switch_start_s = 0;
  double switch_quick_share = 0, switch_quick_start_s = 0;
  double channel_bandwidth = 0, message_start_s = 0, message_bandwidth = 0;
  // Hosts of a cloud that share a few network cards; no cards: not measured.
  std::uint32_t cloud_cards = 0;
  double cloud_card_bandwidth = 0, cloud_share = 0, cloud_crowded_share = 0;
  double cloud_start_s = 0, cloud_local_step_s = 0, cloud_quick_step_s = 0;

  // Achievable shares and overheads; tags and sources stand in the TOML.
  double compute_efficiency = 0;  // share of peak that large matrix products reach
  // The same by precision where it differs, 0: as above.
  double fp32_efficiency = 0, tf32_efficiency = 0, fp16_efficiency = 0;
  double fp8_efficiency = 0, int8_efficiency = 0, fp4_efficiency = 0;
  double int8_call_efficiency = 0;  // of a plain library call, where it takes a slower path
  double operand_efficiency = 0;    // share of bandwidth at which operands stream; 0: as memory's
  double kernel_floor_s = 0;        // fixed time of a product measured alone: start and drain
  double attention_share = 0.6;     // of the 16-bit peak, in fused attention's products
  double attention_tuned = 1;       // how much faster a maker's own kernels are
  double cache_efficiency = 0;   // share of bandwidth at which KV caches are read; 0: as memory's
  double attention_floor_s = 0;  // fixed time of an attention kernel measured alone
  double memory_efficiency = 0;  // share of bandwidth that streaming reaches
  double link_efficiency = 0;
  double launch_s = 0;              // per kernel or fused step part
  double collective_latency_s = 0;  // per hop or ring step
  std::uint32_t matrix_tile = 1;    // GPU: output tile edge; TPU: systolic edge (128)
  std::uint32_t matrix_units = 1;   // GPU: SMs; TPU: MXUs
  std::uint32_t row_padding = 1;    // TPU: rows are padded to 8
  double reserved_bytes = 0;        // driver, context, compiler: not for models
  double compile_s = 0;             // TPU: per shape bucket of a model, per 1e9 parameters

  // Training of decoders: shares that are reached and what nothing hides
  // (devices/training/training.h).
  double training_matrix_share =
      0;  // share of the 16-bit peak that large products reach in training
  double training_narrow_share = 0;  // the same in 8 bits
  double training_fp4_share = 0;     // the same in 4 bits
  double training_operand_exposed =
      0;  // of a product's operand and result traffic, not hidden behind it
  double training_attention_share =
      0;  // share of the 16-bit peak that fused attention reaches, forward and backward
  double training_small_head_share = 0;  // of that with heads of 64 and less
  double training_score_passes =
      0;  // before FlashAttention: 16-bit passes over the scores; 0: never without it
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
  double training_expert_share = 0;   // rate of grouped products of experts, of that of large ones
  double training_expert_passes = 0;  // passes over the tokens sorted for experts
  double training_expert_element_passes =
      0;  // element-wise passes inside experts, of element_passes
  double training_biased_expert_factor = 0;  // more of them where experts have biases
  double training_recompute_share = 0;       // time of a recomputed forward pass, of the first one
  double training_layer_host_s = 0;          // host work per layer and micro-batch
  double training_expert_host_s = 0;         // and per layer with experts
  double training_power_exponent = 0;        // of the board's W per peak TFLOP/s, to the reference
  double training_reference_w = 0;  // per peak TFLOP/s: of the board that the shares were fitted to
  double training_straggler_share = 0;        // longer per doubling of the nodes
  double training_slice_straggler_share = 0;  // longer per doubling of the slices of TPUs

  // Power, W.
  double tdp_w = 0;
  double idle_w = 0;               // nothing open
  double open_w = 0;               // context open, nothing running
  double active_unit_w = 0;        // added per SM (CU, core) while anything runs
  double matrix_unit_w = 0;        // added per SM at full matrix rate
  double matrix_exponent = 1;      // of the matrix rate per cycle in that
  double memory_byte_j = 0;        // per byte of memory traffic
  double link_byte_j = 0;          // per byte over the links
  double limit_sharpness = 8;      // how near to its limit the mean power of a board comes
  double power_reference_mhz = 0;  // clock at which the W per SM hold; 0: the nominal one
  double power_cap_min_w = 0;

  // Clock: share of the nominal clock in steps; the voltage over it.
  double clock_mhz = 0;        // nominal: the one at which the peak rates are given
  double clock_boost_mhz = 0;  // highest the board reaches; 0: the nominal one
  double clock_base_mhz = 0;   // guaranteed; 0: not known
  double clock_min_share = 0;
  double clock_memory_share = 0;  // below it the cores cannot keep the memory busy
  double clock_step_share = 0;
  double clock_knee_mhz = 0;
  double voltage_slope = 0;  // relative rise over the relative rise of the clock, above the knee

  // Heat: die to sink to inlet, K/W and s; limits, C.
  double die_resistance = 0, die_time_s = 0;
  double sink_resistance = 0, sink_time_s = 0;
  double temperature_max_c = 0;       // software slows down above
  double temperature_slowdown_c = 0;  // hardware halves the clock
  double temperature_shutdown_c = 0;
  double sink_rise_k = 0;  // at the board's limit; used where sink_k_per_w is not given
  // The memory's temperature above the inlet: see MemoryHeat; without values it is the die's.
  double memory_offset_k = 0, memory_sink_share = 1, memory_die_share = 1;
  double memory_max_c = 0;     // software slows down above; memory_limit_unknown_c: not known
  double fan_steps = 0;        // that the fans can go above their usual speed; 0: they stay there
  double fan_step_share = 0;   // more air per step
  double fan_below_max_k = 0;  // they act from so far below temperature_max_c

  // Sensors, s and units of what they show; 0: perfect.
  double sensor_power_refresh_s = 0;  // a new value so often
  double sensor_power_sampled = 1;    // share of the time between that is looked at
  double sensor_power_window_s = 0;   // over which the values are averaged
  double sensor_activity_s = 0;       // period of utilization and activities
  double sensor_power_step_w = 0;
  double sensor_temperature_step_c = 0;
  double sensor_clock_step_mhz = 0;
  double sensor_utilization_step = 0;

  double price_usd_per_h = 0;               // on demand
  double spot_usd_per_h = 0;                // 0: not known
  double purchase_usd = 0;                  // 0: not known
  Engine token_engine = Engine::vllm_0_11;  // of answers token by token, where nobody names one
  std::vector<std::string> frameworks;      // that run on it
  std::vector<std::string> missing_ops;     // "custom_cuda", "dynamic_shape", ..
  std::vector<int> slice_sizes;             // TPU: gangs that form; empty: any
  std::vector<std::string> slice_shapes;    // TPU: "2x4", the topologies that are offered

  double peak(Precision precision) const { return peak_flops[static_cast<std::size_t>(precision)]; }
  bool runs(Precision precision) const { return peak(precision) > 0; }
  /// Whether its own power limit can be lowered. Of a TPU nobody but its maker can.
  bool takes_power_cap() const { return power_cap_min_w > 0 && power_cap_min_w < tdp_w; }
  /// Whether the heat of its memory is modelled, and published. Other boards with HBM have a sensor
  /// too; nobody has logged one.
  bool tells_memory_temperature() const { return memory_max_c < memory_limit_unknown_c; }

  /// By "section.key" as in the file; those that are not here are datasheet.
  std::map<std::string, FactBasis, std::less<>> bases;
  Basis basis(std::string_view section_and_key) const;
};

/// Refuses missing keys, unknown keys and impossible values, naming place and key. `generation` is
/// the text of the generation that the file names, when it names one: it gives what is not said.
Result<DeviceSpec> parse_device_spec(std::string_view toml, std::string place,
                                     std::string_view generation = {});

/// A spec as `to_toml` of this or another build wrote it: what this one does not know is passed
/// over.
Result<DeviceSpec> parse_travelled_spec(std::string_view toml, std::string place);

/// Whether a text is a good file of a generation: known sections and keys, possible values.
Status check_generation(std::string_view toml, std::string place);

/// The whole spec as TOML that needs no generation: what travels in Hello. Reads back the same.
std::string to_toml(const DeviceSpec& spec);

/// Changes one number, "matrix.efficiency", in the file's unit. Problems: no such key, a value out
/// of its range.
Status set_fact(DeviceSpec& spec, std::string_view section_and_key, double value);

}  // namespace drover::devices
