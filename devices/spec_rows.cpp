#include "devices/spec_rows.h"

namespace drover::devices {
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr double mib = 1024.0 * 1024.0;
constexpr double micro = 1e-6;
constexpr double pico = 1e-12;

constexpr NumberRow numbers[] = {
    {"memory", "capacity_gib", &DeviceSpec::memory_bytes, gib, 0.1, 1e5, {}},
    {"memory", "bandwidth_gb_s", &DeviceSpec::memory_bandwidth, 1e9, 1, 1e6, {}},
    {"memory", "efficiency", &DeviceSpec::memory_efficiency, 1, 0.01, 1, {}},
    {"memory", "reserved_gib", &DeviceSpec::reserved_bytes, gib, 0, 1e4, {}},
    {"memory", "l2_mib", &DeviceSpec::l2_bytes, mib, 0, 1e5, 0},

    {"links", "bandwidth_gb_s", &DeviceSpec::link_bandwidth, 1e9, 0, 1e6, {}},
    {"links", "efficiency", &DeviceSpec::link_efficiency, 1, 0.01, 1, {}},
    {"links", "latency_us", &DeviceSpec::collective_latency_s, micro, 0, 1e5, {}},
    {"links", "host_gb_s", &DeviceSpec::host_bandwidth, 1e9, 0.01, 1e5, {}},
    {"links", "link_gb_s", &DeviceSpec::torus_link_bandwidth, 1e9, 0, 1e6, 0},
    {"links", "ring_share", &DeviceSpec::ring_share, 1, 0.01, 1, 0.7},
    {"links", "ring_start_us", &DeviceSpec::ring_start_s, micro, 0, 1e5, 25},
    {"links", "ring_step_us", &DeviceSpec::ring_step_s, micro, 0, 1e5, 4},
    {"links", "quick_share", &DeviceSpec::quick_share, 1, 0.01, 1, 0.45},
    {"links", "quick_start_us", &DeviceSpec::quick_start_s, micro, 0, 1e5, 15},
    {"links", "quick_step_us", &DeviceSpec::quick_step_s, micro, 0, 1e5, 1.5},
    {"links", "copy_gb_s", &DeviceSpec::copy_bandwidth, 1e9, 1, 1e6, 1000},
    {"links", "reduce_copy_share", &DeviceSpec::reduce_copy_share, 1, 0, 10, 1},
    {"links", "adding_share", &DeviceSpec::adding_share, 1, 0, 0.9, 0.056},
    {"links", "adding_step_share", &DeviceSpec::adding_step_share, 1, 0, 0.9, 0.26},
    {"links", "peer_share", &DeviceSpec::peer_share, 1, 0.01, 1, 0.64},
    {"links", "peer_step_us", &DeviceSpec::peer_step_s, micro, 0, 1e5, 5.7},
    {"links", "switch_share", &DeviceSpec::switch_share, 1, 0, 1, 0},
    {"links", "switch_start_us", &DeviceSpec::switch_start_s, micro, 0, 1e5, 0},
    {"links", "switch_quick_share", &DeviceSpec::switch_quick_share, 1, 0, 1, 0},
    {"links", "switch_quick_start_us", &DeviceSpec::switch_quick_start_s, micro, 0, 1e5, 0},
    {"links", "channel_gb_s", &DeviceSpec::channel_bandwidth, 1e9, 0.1, 1e5, 20},
    {"links", "message_start_us", &DeviceSpec::message_start_s, micro, 0, 1e5, 8},
    {"links", "message_gb_s", &DeviceSpec::message_bandwidth, 1e9, 0, 1e5, 0},

    {"network", "bandwidth_gb_s", &DeviceSpec::network_bandwidth, 1e9, 0, 1e6, 0},
    {"network", "efficiency", &DeviceSpec::network_efficiency, 1, 0.01, 1, 1},
    {"network", "latency_us", &DeviceSpec::network_latency_s, micro, 0, 1e6, 10},
    {"network", "cloud_card_gb_s", &DeviceSpec::cloud_card_bandwidth, 1e9, 0, 1e6, 0},
    {"network", "cloud_share", &DeviceSpec::cloud_share, 1, 0.01, 1, 1},
    {"network", "cloud_crowded_share", &DeviceSpec::cloud_crowded_share, 1, 0.01, 1, 1},
    {"network", "cloud_start_us", &DeviceSpec::cloud_start_s, micro, 0, 1e6, 30},
    {"network", "cloud_local_step_us", &DeviceSpec::cloud_local_step_s, micro, 0, 1e6, 0},
    {"network", "cloud_quick_step_us", &DeviceSpec::cloud_quick_step_s, micro, 0, 1e6, 0},

    {"matrix", "efficiency", &DeviceSpec::compute_efficiency, 1, 0.01, 1, {}},
    {"matrix", "fp32_efficiency", &DeviceSpec::fp32_efficiency, 1, 0, 1, 0},
    {"matrix", "tf32_efficiency", &DeviceSpec::tf32_efficiency, 1, 0, 1, 0},
    {"matrix", "fp16_efficiency", &DeviceSpec::fp16_efficiency, 1, 0, 1, 0},
    {"matrix", "fp8_efficiency", &DeviceSpec::fp8_efficiency, 1, 0, 1, 0},
    {"matrix", "int8_efficiency", &DeviceSpec::int8_efficiency, 1, 0, 1, 0},
    {"matrix", "fp4_efficiency", &DeviceSpec::fp4_efficiency, 1, 0, 1, 0},
    {"matrix", "int8_call_efficiency", &DeviceSpec::int8_call_efficiency, 1, 0, 1, 0},
    {"matrix", "operand_efficiency", &DeviceSpec::operand_efficiency, 1, 0, 1, 0},
    {"matrix", "floor_us", &DeviceSpec::kernel_floor_s, micro, 0, 1e5, 5},
    {"matrix", "launch_us", &DeviceSpec::launch_s, micro, 0, 1e5, {}},

    {"attention", "matrix_share", &DeviceSpec::attention_share, 1, 0.01, 1, 0.5},
    {"attention", "tuned_speed", &DeviceSpec::attention_tuned, 1, 0.1, 10, 1},
    {"attention", "cache_efficiency", &DeviceSpec::cache_efficiency, 1, 0, 1, 0},
    {"attention", "floor_us", &DeviceSpec::attention_floor_s, micro, 0, 1e5, 8},

    {"serving", "request_us", &DeviceSpec::request_s, micro, 0, 1e5, {}},
    {"serving", "compile_s_per_billion", &DeviceSpec::compile_s, 1, 0, 1e4, {}},

    {"training", "matrix_share", &DeviceSpec::training_matrix_share, 1, 0.01, 1, 0.65},
    {"training", "narrow_share", &DeviceSpec::training_narrow_share, 1, 0.01, 1, 0.6},
    {"training", "fp4_share", &DeviceSpec::training_fp4_share, 1, 0.01, 1, 0.55},
    {"training", "operand_exposed", &DeviceSpec::training_operand_exposed, 1, 0, 5, 1},
    {"training", "attention_share", &DeviceSpec::training_attention_share, 1, 0.01, 1, 0.35},
    {"training", "small_head_share", &DeviceSpec::training_small_head_share, 1, 0.1, 1, 0.9},
    {"training", "score_passes", &DeviceSpec::training_score_passes, 1, 0, 100, 0},
    {"training", "element_passes", &DeviceSpec::training_element_passes, 1, 0.1, 20, 1.5},
    {"training", "eager_attention_share", &DeviceSpec::training_eager_attention_share, 1, 0.01, 1,
     0.3},
    {"training", "eager_passes", &DeviceSpec::training_eager_passes, 1, 0.1, 20, 4},
    {"training", "cast_bytes", &DeviceSpec::training_cast_bytes, 1, 0, 30, 2},
    {"training", "fp4_cast_bytes", &DeviceSpec::training_fp4_cast_bytes, 1, 0, 50, 8},
    {"training", "gradient_exposed", &DeviceSpec::training_gradient_exposed, 1, 0, 2, 0.5},
    {"training", "link_exposed", &DeviceSpec::training_link_exposed, 1, 0, 1, 0.8},
    {"training", "shard_exposed", &DeviceSpec::training_shard_exposed, 1, 0, 1, 0.3},
    {"training", "expert_link_exposed", &DeviceSpec::training_expert_link_exposed, 1, 0, 1, 0.2},
    {"training", "expert_network_exposed", &DeviceSpec::training_expert_network_exposed, 1, 0, 1,
     0.7},
    {"training", "expert_share", &DeviceSpec::training_expert_share, 1, 0.05, 1, 0.6},
    {"training", "expert_passes", &DeviceSpec::training_expert_passes, 1, 0, 100, 5},
    {"training", "expert_element_passes", &DeviceSpec::training_expert_element_passes, 1, 0.1, 30,
     2},
    {"training", "biased_expert_factor", &DeviceSpec::training_biased_expert_factor, 1, 1, 30, 5},
    {"training", "recompute_share", &DeviceSpec::training_recompute_share, 1, 0.1, 1.5, 0.8},
    {"training", "layer_host_us", &DeviceSpec::training_layer_host_s, micro, 0, 100000.0, 0},
    {"training", "expert_host_us", &DeviceSpec::training_expert_host_s, micro, 0, 1000000.0, 0},
    {"training", "power_exponent", &DeviceSpec::training_power_exponent, 1, 0, 3, 0},
    {"training", "reference_w_per_tflop", &DeviceSpec::training_reference_w, 1, 0.01, 10, 1},
    {"training", "straggler_share", &DeviceSpec::training_straggler_share, 1, 0, 0.2, 0.005},
    {"training", "slice_straggler_share", &DeviceSpec::training_slice_straggler_share, 1, 0, 0.2,
     0.015},

    {"power", "tdp_w", &DeviceSpec::tdp_w, 1, 1, 1e5, {}},
    {"power", "idle_w", &DeviceSpec::idle_w, 1, 0, 1e5, {}},
    {"power", "open_w", &DeviceSpec::open_w, 1, 0, 1e5, {}},
    {"power", "active_w_per_unit", &DeviceSpec::active_unit_w, 1, 0, 1e4, {}},
    {"power", "matrix_w_per_unit", &DeviceSpec::matrix_unit_w, 1, 0, 1e4, {}},
    {"power", "matrix_exponent", &DeviceSpec::matrix_exponent, 1, 0.1, 1, 0.7},
    {"power", "memory_pj_per_byte", &DeviceSpec::memory_byte_j, pico, 0, 1e5, {}},
    {"power", "link_pj_per_byte", &DeviceSpec::link_byte_j, pico, 0, 1e5, 40},
    {"power", "limit_sharpness", &DeviceSpec::limit_sharpness, 1, 1, 100, 8},
    {"power", "reference_mhz", &DeviceSpec::power_reference_mhz, 1, 0, 1e5, 0},
    {"power", "cap_min_w", &DeviceSpec::power_cap_min_w, 1, 0, 1e5, {}},

    {"clock", "nominal_mhz", &DeviceSpec::clock_mhz, 1, 1, 1e5, {}},
    {"clock", "boost_mhz", &DeviceSpec::clock_boost_mhz, 1, 0, 1e5, 0},
    {"clock", "base_mhz", &DeviceSpec::clock_base_mhz, 1, 0, 1e5, 0},
    {"clock", "min_share", &DeviceSpec::clock_min_share, 1, 0.01, 1, {}},
    {"clock", "step_share", &DeviceSpec::clock_step_share, 1, 0.001, 0.5, {}},
    {"clock", "knee_mhz", &DeviceSpec::clock_knee_mhz, 1, 1, 1e5, {}},
    {"clock", "voltage_slope", &DeviceSpec::voltage_slope, 1, 0, 10, 1},

    {"heat", "die_k_per_w", &DeviceSpec::die_resistance, 1, 1e-4, 100, {}},
    {"heat", "die_s", &DeviceSpec::die_time_s, 1, 0.01, 1e4, {}},
    {"heat", "sink_k_per_w", &DeviceSpec::sink_resistance, 1, 0, 100, 0},
    {"heat", "sink_rise_k", &DeviceSpec::sink_rise_k, 1, 0, 200, 30},
    {"heat", "sink_s", &DeviceSpec::sink_time_s, 1, 0.01, 1e5, {}},
    {"heat", "max_c", &DeviceSpec::temperature_max_c, 1, 0, 200, {}},
    {"heat", "slowdown_c", &DeviceSpec::temperature_slowdown_c, 1, 0, 200, {}},
    {"heat", "shutdown_c", &DeviceSpec::temperature_shutdown_c, 1, 0, 250, {}},
    {"heat", "memory_offset_k", &DeviceSpec::memory_offset_k, 1, -50, 100, 0},
    {"heat", "memory_sink_share", &DeviceSpec::memory_sink_share, 1, 0, 3, 1},
    {"heat", "memory_die_share", &DeviceSpec::memory_die_share, 1, 0, 5, 1},
    {"heat", "memory_max_c", &DeviceSpec::memory_max_c, 1, 0, 250, 250},
    {"heat", "fan_steps", &DeviceSpec::fan_steps, 1, 0, 20, 0},
    {"heat", "fan_step_share", &DeviceSpec::fan_step_share, 1, 0, 1, 0.1},
    {"heat", "fan_below_max_k", &DeviceSpec::fan_below_max_k, 1, 0, 100, 8},

    {"sensor", "power_refresh_s", &DeviceSpec::sensor_power_refresh_s, 1, 0, 10, 0},
    {"sensor", "power_window_s", &DeviceSpec::sensor_power_window_s, 1, 0, 60, 0},
    {"sensor", "power_sampled_share", &DeviceSpec::sensor_power_sampled, 1, 0.01, 1, 1},
    {"sensor", "power_step_w", &DeviceSpec::sensor_power_step_w, 1, 0, 10, 0},
    {"sensor", "activity_s", &DeviceSpec::sensor_activity_s, 1, 0, 60, 0},
    {"sensor", "utilization_step", &DeviceSpec::sensor_utilization_step, 1, 0, 0.5, 0},
    {"sensor", "temperature_step_c", &DeviceSpec::sensor_temperature_step_c, 1, 0, 10, 0},
    {"sensor", "clock_step_mhz", &DeviceSpec::sensor_clock_step_mhz, 1, 0, 200, 0},

    {"price", "usd_per_h", &DeviceSpec::price_usd_per_h, 1, 0, 1e5, {}},
    {"price", "spot_usd_per_h", &DeviceSpec::spot_usd_per_h, 1, 0, 1e5, 0},
    {"price", "purchase_usd", &DeviceSpec::purchase_usd, 1, 0, 1e7, 0},
};

constexpr CountRow counts[] = {
    {"matrix", "tile", &DeviceSpec::matrix_tile, 1, {}},
    {"matrix", "units", &DeviceSpec::matrix_units, 1, {}},
    {"matrix", "row_padding", &DeviceSpec::row_padding, 1, {}},
    {"links", "domain", &DeviceSpec::link_domain, 1, 1},
    {"links", "peers", &DeviceSpec::link_peers, 0, 0},
    {"network", "cloud_cards", &DeviceSpec::cloud_cards, 0, 0},
    {"links", "wrap_axis", &DeviceSpec::torus_wrap, 1, 1},
    {"links", "pcie_gen", &DeviceSpec::pcie_generation, 0, 0},
    {"links", "pcie_lanes", &DeviceSpec::pcie_lanes, 1, 16},
};

constexpr OrderRow orders[] = {
    {"memory", "reserved_gib", &DeviceSpec::reserved_bytes, "capacity_gib",
     &DeviceSpec::memory_bytes},
    {"power", "idle_w", &DeviceSpec::idle_w, "open_w", &DeviceSpec::open_w},
    {"power", "open_w", &DeviceSpec::open_w, "tdp_w", &DeviceSpec::tdp_w},
    {"power", "cap_min_w", &DeviceSpec::power_cap_min_w, "tdp_w", &DeviceSpec::tdp_w},
    {"heat", "max_c", &DeviceSpec::temperature_max_c, "slowdown_c",
     &DeviceSpec::temperature_slowdown_c},
    {"heat", "slowdown_c", &DeviceSpec::temperature_slowdown_c, "shutdown_c",
     &DeviceSpec::temperature_shutdown_c},
    {"heat", "die_s", &DeviceSpec::die_time_s, "sink_s", &DeviceSpec::sink_time_s},
};

}  // namespace

std::span<const NumberRow> number_rows() { return numbers; }
std::span<const CountRow> count_rows() { return counts; }
std::span<const OrderRow> order_rows() { return orders; }

}  // namespace drover::devices
