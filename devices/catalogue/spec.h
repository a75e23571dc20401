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
struct CollectiveConstants {
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

/// The network between hosts: NICs that the devices of a host share.
struct NetworkSpec {
  double nic_bandwidth = 0;    // bytes/s, one direction, of one NIC
  std::uint32_t nics = 0;      // per host; 0: one for every device
  double share = 0.9;          // achieved
  double contended_share = 1;  // of that, when more devices than NICs send
  double start_s = 8e-6;       // per doubling of the number of hosts, in each direction
  double local_step_s = 0;     // ring: per further device of a host
  double ll_step_s = 0;        // LL: the same
};

/// Thermal resistances (K/W) and time constants (s) of a device. REQUIRES die_s < sink_s.
struct Cooling {
  double die_k_per_w = 0, die_s = 0;
  double sink_k_per_w = 0, sink_s = 0;
};

/// The coupling of the memory's temperature; by default it is the die's temperature.
struct MemoryThermalCoupling {
  double offset_k = 0, sink_share = 1, die_share = 1;
};

struct DeviceSpec {
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
  /// Drover reads this device and gives it no work. Numbers may be missing, as 0: a board that is
  /// in no catalogue has few.
  bool real = false;

  // Peak rates, dense, in flop/s (int8: op/s); 0 where the type is not native.
  std::array<double, precision_count> peak_flops{};

  struct Memory {
    double bytes = 0;
    double bandwidth = 0;       // bytes/s
    double efficiency = 0;      // share of bandwidth that streaming achieves
    double l2_bytes = 0;        // last-level cache on chip; 0: unknown or managed by software
    double reserved_bytes = 0;  // driver, context, compiler; not available to models
  } memory;

  /// The links of a device to others of its domain and to its host.
  struct Links {
    double bandwidth = 0;       // bytes/s, both directions added, per device; 0: PCIe only
    double efficiency = 0;      // share of it that is achieved
    double latency_s = 0;       // of a collective, per hop or ring step
    double host_bandwidth = 0;  // bytes/s from host memory (weights arrive here)
    std::uint32_t pcie_generation = 0, pcie_lanes = 16;
    std::uint32_t domain = 1;         // maximum number of devices connected by the fast links
    std::uint32_t peers = 0;          // mesh: neighbours with separate links; 0: a switch or bridge
    Torus torus = Torus::none;        // TPU slices
    std::uint32_t torus_wrap = 1;     // an axis of this length, or a multiple, is a ring
    double torus_link_bandwidth = 0;  // bytes/s of one link, one direction

    /// Bytes/s in one direction; without direct links, over the host's bus.
    double one_way() const { return bandwidth > 0 ? bandwidth / 2 : host_bandwidth; }
  } links;

  CollectiveConstants collectives;

  /// The network of a cluster built for training.
  struct Network {
    double bandwidth = 0;   // bytes/s, per device, one direction
    double efficiency = 1;  // share of it that large collectives achieve
    double latency_s = 0;   // of one step of a collective between hosts
  } network;

  NetworkSpec cloud;  // hosts whose devices share a few NICs; 0 NICs: not measured

  /// Matrix products.
  struct Matrix {
    double efficiency = 0;  // share of the peak that large matrix products achieve
    // The same by precision if it differs; 0: as above.
    double fp32_efficiency = 0, tf32_efficiency = 0, fp16_efficiency = 0;
    double fp8_efficiency = 0, int8_efficiency = 0, fp4_efficiency = 0;
    double int8_call_efficiency = 0;  // of a plain library call, if it takes a slower path
    double operand_efficiency = 0;  // share of bandwidth of streamed operands; 0: memory.efficiency
    double floor_s = 0;             // fixed time of a product measured alone: start and drain
    std::uint32_t tile = 1;         // GPU: output tile edge; TPU: systolic edge (128)
    std::uint32_t units = 1;        // GPU: SMs; TPU: MXUs
    std::uint32_t row_padding = 1;  // TPU: rows are padded to 8
  } matrix;

  /// Fused attention.
  struct Attention {
    double matrix_share = 0.6;  // of the 16-bit peak, in its products
    // Share of the memory's bandwidth when KV caches are read; 0: memory.efficiency.
    double cache_efficiency = 0;
    double floor_s = 0;  // fixed time of a kernel measured alone
  } attention;

  /// Serving on one generation of chips. The costs of each engine (engine.h) are separate: without
  /// prefix for vLLM 0.11, `vllm_0_5_` (in the spec files `early_`) for vLLM 0.5, `offline_` for
  /// TensorRT-LLM.
  struct Serving {
    double weights_share = 0;      // of the bandwidth, when reading weights
    double cache_share = 0;        // of the bandwidth, when reading the KV cache
    double product_share = 0;      // of the peak, in products of the rows of a step
    double dequantized_share = 0;  // of that, when weights are dequantized
    double score_share = 0;        // of the peak, in scores and weighted sums
    double kernel_s = 0;           // exposed latency of one kernel

    // Mixtures of experts.
    double expert_weights_share = 0;
    double expert_product_share = 0;
    double expert_layer_s = 0;     // routing of one layer
    double expert_row_s = 0;       // sorting and scattering, per row
    double expert_block_s = 0;     // per expert, with 8-bit weights and a scale per block
    double expert_popularity = 0;  // independent choices that one row counts as
    double expert_imbalance = 0;   // load of the busiest device, in standard deviations

    double kv_cache_utilization = 0;  // share of the memory left by weights and reserve

    double request_s = 0;            // scheduling, sampling and output per running sequence
    double step_s = 0;               // the same per step
    double all_reduce_s = 0;         // latency of one collective between two devices
    double hop_s = 0;                // added by each further device
    double reduce_share = 0;         // of one direction of the links
    double cuda_graph_rows_max = 0;  // maximum number of rows with CUDA graphs
    double layer_launch_s = 0;       // host time per layer of a step without CUDA graph

    double vllm_0_5_request_s = 0;
    double vllm_0_5_step_s = 0;
    double vllm_0_5_layer_launch_s = 0;  // of every step: no CUDA graphs
    double vllm_0_5_gang_launches = 0;   // factor of that when a replica has several devices

    double offline_request_s = 0;
    double offline_step_s = 0;
    double offline_all_reduce_s = 0;
    double offline_hop_s = 0;
    double offline_reduce_share = 0;
    double offline_sequences = 0;  // concurrent sequences

    double compile_s = 0;  // TPU: per shape bucket of a model, per 1e9 parameters
  } serving;

  /// Training of decoders: achieved shares and exposed times (devices/training/training.h).
  struct Training {
    double matrix_share = 0;            // of the 16-bit peak, in large products
    double matrix_8bit_share = 0;       // the same in 8 bits
    double matrix_fp4_share = 0;        // the same in 4 bits
    double operand_exposed = 0;         // exposed share of a product's operand and result traffic
    double attention_share = 0;         // of the 16-bit peak, in fused attention, both passes
    double small_head_share = 0;        // of that with heads of 64 and less
    double score_passes = 0;            // 16-bit passes over scores before FlashAttention; 0: never
    double element_passes = 0;          // passes over kept activations of fused layers
    double eager_attention_share = 0;   // FlashAttention 1 in eager PyTorch
    double eager_passes = 0;            // passes over kept activations, one kernel per operation
    double cast_bytes = 0;              // to cast one operand element to 8 bits
    double fp4_cast_bytes = 0;          // to 4 bits
    double gradient_exposed = 0;        // of the traffic of fp32 gradient sums
    double link_exposed = 0;            // of tensor-parallel collectives
    double shard_exposed = 0;           // of gathered weights and reduced gradients
    double expert_link_exposed = 0;     // of tokens sent to experts inside the link domain
    double expert_network_exposed = 0;  // and between hosts
    double expert_share = 0;            // rate of grouped expert products relative to large ones
    double expert_passes = 0;           // passes over the tokens sorted for experts
    double expert_element_passes = 0;   // passes inside experts, relative to element_passes
    double biased_expert_factor = 0;    // factor of that when experts have biases
    double recompute_share = 0;         // time of a recomputed forward pass relative to the first
    double layer_host_s = 0;            // host work per layer and micro-batch
    double expert_host_s = 0;           // and per layer with experts
    double power_exponent = 0;   // of the board's W per peak TFLOP/s relative to the reference
    double reference_w = 0;      // per peak TFLOP/s, of the board that the shares were fitted to
    double straggler_share = 0;  // extra time per doubling of the nodes
    double slice_straggler_share = 0;  // extra time per doubling of the TPU slices
  } training;

  /// Achieved shares and costs of the layers of convolution, recurrent and encoder nets and of
  /// their software. Fitted; see docs/devices.md. A "pass" is one read or write of a tensor.
  struct Layers {
    // Share of the peak that large convolutions and encoder products achieve, by precision.
    double fp32 = 0, tf32 = 0, fp16 = 0, int8 = 0, fp8 = 0;
    double attention = 0;        // of that share: scores and weighted sums
    double winograd_factor = 1;  // saving in fp32 products of 3 x 3 taps (classic/layers.cpp)
    double kernel_cycles = 0;    // minimum from one kernel's start to the next

    // Inference by a compiled engine.
    double engine_traffic = 1;         // share of activations that go through memory, not caches
    double engine_fixed_s = 0;         // per batch
    double engine_encoder_passes = 0;  // per encoder layer, tokens x hidden
    double engine_score_passes = 0;
    double group_norm_passes = 0;  // norms that need the output's statistics, per output element

    // Inference by a framework, one call per layer.
    // Per output element of a convolution; with matrix units this includes their layout conversion.
    double framework_passes = 0, narrow_framework_passes = 0;
    double framework_encoder_passes = 0, framework_score_passes = 0;
    double framework_layer_s = 0, autocast_layer_s = 0;  // host, per layer
    double framework_fixed_s = 0;                        // host, per batch
    double framework_encoder_s = 0;                      // host, per encoder layer, not hidden
    double evaluation_s = 0;                             // host, per evaluation of a diffusion net

    // Training: norms, activation functions and their gradients, per output element; in tf32 also
    // the conversion to and from the layout of matrix units (NHWC).
    double training_passes = 0, tf32_training_passes = 0, mixed_training_passes = 0;
    double autocast_training_passes = 0, tuned_training_passes = 0;
    double encoder_training_passes = 0, mixed_encoder_training_passes = 0;
    double tuned_encoder_training_passes = 0;
    double encoder_training_score_passes = 0, relative_score_factor = 1;
    double training_layer_s = 0, encoder_training_layer_s = 0;    // host, per layer
    double optimizer_layer_s = 0, optimizer_encoder_layer_s = 0;  // not hidden, per layer
    double tuned_fixed_s = 0;                                     // per step
    double optimizer_passes = 0;                                  // over the fp32 parameters
    double recurrent_step_s = 0;                                  // of one dependent step
    double hidden_reduction = 0;  // share of the step that hides the reduction of gradients
  } layers;

  /// Power, W.
  struct Power {
    double tdp_w = 0;
    double idle_w = 0;           // nothing open
    double context_idle_w = 0;   // context open, nothing running
    double active_unit_w = 0;    // added per SM (CU, core) while anything runs
    double matrix_unit_w = 0;    // added per SM at full matrix rate
    double matrix_exponent = 1;  // of the matrix rate per cycle in that
    double memory_byte_j = 0;    // per byte of memory traffic
    double link_byte_j = 0;      // per byte over the links
    double limit_sharpness = 8;  // how close the mean power of a board comes to its limit
    double reference_mhz = 0;    // clock for which the W per SM are given; 0: the nominal one
    double cap_min_w = 0;
  } power;

  /// Clock steps as shares of the nominal clock, and the voltage.
  struct Clock {
    double nominal_mhz = 0;  // the one for which the peak rates are given
    double boost_mhz = 0;    // highest; 0: the nominal one
    double base_mhz = 0;     // guaranteed; 0: unknown; no model uses it
    double min_share = 0;
    double memory_share = 0;  // below it the cores cannot use the whole memory bandwidth
    double step_share = 0;
    double knee_mhz = 0;
    double voltage_slope = 0;  // relative rise over the relative rise of the clock, above the knee
  } clock;

  /// Thermal model: die to sink to inlet; limits, C.
  struct Thermal {
    Cooling cooling;
    double sink_rise_k = 0;  // at the board's power limit; used if sink_k_per_w is not given
    double max_c = 0;        // software throttles above
    double slowdown_c = 0;   // hardware halves the clock
    double shutdown_c = 0;
    MemoryThermalCoupling memory;
    double memory_max_c = 0;     // software throttles above; memory_limit_unknown_c: unknown
    double fan_steps = 0;        // fan steps above the usual speed; 0: constant speed
    double fan_step_share = 0;   // additional air flow per step
    double fan_below_max_k = 0;  // fans step up from this far below max_c
  } thermal;

  /// Periods in s, resolutions in the unit of the reading; 0: exact.
  struct Sensors {
    double power_refresh_s = 0;  // refresh period
    double power_sampled = 1;    // share of the period that is sampled
    double power_window_s = 0;   // averaging window
    double activity_s = 0;       // period of utilization and activities
    double power_step_w = 0;
    double temperature_step_c = 0;
    double clock_step_mhz = 0;
    double utilization_step = 0;
  } sensor;

  struct Price {
    double usd_per_h = 0;       // on demand
    double spot_usd_per_h = 0;  // 0: unknown
    double purchase_usd = 0;    // 0: unknown
  } price;

  // Default engine for online serving.
  ServingEngine token_engine = ServingEngine::vllm_0_11;
  std::vector<std::string> frameworks;   // that run on it
  std::vector<std::string> missing_ops;  // "custom_cuda", "dynamic_shape", ..
  std::vector<int> slice_sizes;          // TPU: possible sizes of gangs; empty: any

  double peak(Precision precision) const { return peak_flops[static_cast<std::size_t>(precision)]; }
  bool runs(Precision precision) const { return peak(precision) > 0; }
  /// Whether its power limit can be lowered. Users cannot lower that of a TPU.
  bool takes_power_cap() const { return power.cap_min_w > 0 && power.cap_min_w < power.tdp_w; }

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
