// The serving engines that published measurements distinguish, and their costs besides the kernels
// of the layers:
//
//   vllm-0.11   online serving, token by token (ML.ENERGY leaderboard v3, 2025)
//   vllm-0.5    the same a year earlier. In these runs the time of a step grows with the number of
//               layers and sequences, as if the host launched each layer separately, and is up to
//               three times as long on the same board (ML.ENERGY leaderboard v2, 2024).
//   offline     processes a queue of requests: throughput at saturation (TensorRT-LLM, vLLM on
//               MI300X and TPUs, MLPerf)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "devices/catalogue/serving_constants.h"

namespace drover::devices {

enum class ServingEngine : std::uint8_t {
  vllm_0_11,
  vllm_0_5,
  offline,
};
std::string_view to_text(ServingEngine engine);
/// Accepts other releases too: "vLLM 0.5.4" and up to 0.6 are vllm-0.5; later ones and "vllm" are
/// vllm-0.11. "tensorrt-llm" is offline.
std::optional<ServingEngine> parse_engine(std::string_view text);
inline constexpr std::string_view engine_choice = "vllm-0.11, vllm-0.5 or offline";

/// The costs of an engine besides the kernels.
struct EngineConstants {
  double request_s, step_s, all_reduce_s, hop_s, reduce_share;
  double cuda_graph_rows_max, layer_launch_s, gang_launches;
  double idle_request_s = 0;  // part of request_s in which the device waits; it samples in the rest
};

EngineConstants engine_constants(const ServingConstants& serving, ServingEngine engine);

}  // namespace drover::devices
