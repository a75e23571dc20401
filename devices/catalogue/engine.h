// The software that serves a language model around the kernels of its layers, as far as published
// measurements tell engines apart:
//
//   vllm-0.11   answers tokens as they come (ML.ENERGY leaderboard v3, 2025)
//   vllm-0.5    the same a year before: in these runs the time of a step grows with the layers and
//               the sequences, as if the host fed the device layer by layer, to three times as
//               long on the same board (ML.ENERGY leaderboard v2, 2024)
//   offline     drains a queue of requests: throughput at saturation (TensorRT-LLM, vLLM on MI300X
//               and TPUs, MLPerf)
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "devices/catalogue/serving_constants.h"

namespace drover::devices {

enum class Engine : std::uint8_t {
  vllm_0_11,
  vllm_0_5,
  offline,
};
std::string_view to_text(Engine engine);
/// Also with more of a release, "vLLM 0.5.4" (up to 0.6 as 0.5, later ones as 0.11, which "vllm"
/// alone is); "tensorrt-llm" is offline.
std::optional<Engine> parse_engine(std::string_view text);
inline constexpr std::string_view engine_choice = "vllm-0.11, vllm-0.5 or offline";

/// What an engine costs around the kernels.
struct EngineConstants {
  double request_s, step_s, all_reduce_s, hop_s, reduce_share;
  double recorded_rows, layer_launch_s, gang_launches;
  double idle_request_s = 0;  // of request_s, in which the device waits; it samples in the rest
};

EngineConstants engine_constants(const ServingConstants& serving, Engine engine);

}  // namespace drover::devices
