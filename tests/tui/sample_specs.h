// What agents of the sample fleet say of their devices: of one kind all that the dashboard looks
// up, as the catalogue has it.
#pragma once

#include <string_view>

namespace drover::tui {

inline constexpr std::string_view h100_text = R"(class = "gpu"
source = "NVIDIA H100 whitepaper and page; arXiv:2605.23918; nvidia-smi dumps"
year = 2022
[peak_tflops]
fp32 = 66.9
tf32 = 494.7
bf16 = 989.4
fp16 = 989.4
fp8 = 1978.9
int8 = 1978.9
fp64 = 33.5
[clock]
nominal_mhz = 1830
boost_mhz = 1980
base_mhz = 0
min_share = { value = 0.3, assumed = "lowest clock the limiter uses under load" }
memory_share = { value = 0.3, assumed = "default" }
step_share = { value = 0.02, assumed = "hardware moves in 15 MHz steps; coarser here" }
knee_mhz = { value = 1153, fitted = "95 points of one H100 PCIe board, 5 mV RMS" }
voltage_slope = { value = 0.496, fitted = "95 points of one H100 PCIe board, 5 mV RMS" }
[thermal]
die_k_per_w = { value = 0.0237, fitted = "load steps on H100 PCIe and H800 SXM, 0.7 C RMS left out" }
die_s = { value = 0.23, fitted = "load steps on H100 PCIe and H800 SXM, 0.7 C RMS left out" }
sink_k_per_w = { value = 0.046571428571428576, fitted = "load steps on H800 SXM, 0.5 C RMS left out; an SXM board at its TDP" }
sink_rise_k = { value = 32.6, fitted = "load steps on H800 SXM, 0.5 C RMS left out; an SXM board at its TDP" }
sink_s = { value = 42, fitted = "load steps on H800 SXM, 0.5 C RMS left out" }
max_c = 87
slowdown_c = 89
shutdown_c = 95
memory_offset_k = { value = 6.6, fitted = "load steps on H800 SXM, 1.1 C RMS left out" }
memory_sink_share = { value = 0.88, fitted = "load steps on H800 SXM, 1.1 C RMS left out" }
memory_die_share = { value = 1.13, fitted = "load steps on H800 SXM, 1.1 C RMS left out" }
memory_max_c = 95
fan_steps = { value = 5, assumed = "the fans can move half as much air again" }
fan_step_share = { value = 0.1, assumed = "per step" }
fan_below_max_k = { value = 8, assumed = "an H100 PCIe shows no change of air up to 77 C" }
[matrix]
efficiency = { value = 0.76, fitted = "Vidur GEMM on H100, 6.5 " }
units = 132
[memory]
capacity_gib = 80
bandwidth_gb_s = 3350
efficiency = { value = 0.93, fitted = "Vidur residual addition, 0.96 on H100" }
reserved_gib = { value = 3.5, assumed = "context, collective buffers and graphs" }
l2_mib = 50
[power]
tdp_w = 700
idle_w = 71.8
context_idle_w = 121.7
active_w_per_unit = { value = 1.32, fitted = "H100, vLLM decode of dense models, ML.ENERGY v3, 6.8 %, by hand: without bias" }
matrix_w_per_unit = { value = 4.65, fitted = "H100, vLLM decode of dense models, ML.ENERGY v3, 6.8 %, by hand: without bias" }
matrix_exponent = { value = 0.7, assumed = "default" }
memory_pj_per_byte = { value = 75, fitted = "H100, vLLM decode of dense models, ML.ENERGY v3, 6.8 %, by hand: without bias" }
link_pj_per_byte = { value = 40, assumed = "default" }
limit_sharpness = { value = 8, fitted = "H100, vLLM decode of dense models, ML.ENERGY v3, 6.8 %, by hand: without bias" }
reference_mhz = 1830
cap_min_w = 200
[price]
source = "AWS p5.48xlarge / 8, us-east-1, 2026-11-09; spot CoreWeave, 2026-09-20; purchase data-gate.ch"
usd_per_h = 6.88
spot_usd_per_h = 2.464
purchase_usd = 27500
[sensor]
power_refresh_s = 0.1
power_window_s = 1
power_sampled_share = 0.25
power_step_w = 0.01
activity_s = 1
utilization_step = 0.01
temperature_step_c = 1
clock_step_mhz = 15
)";

}  // namespace drover::tui
