// The software that serves a language model around the kernels of its layers. Three are known:
//
//   vllm-0.11      answers tokens as they come; its launches are recorded once and played back
//                  (ML.ENERGY leaderboard v3, 2025)
//   vllm-0.5       the same before: its host feeds the device layer by layer, and a step takes
//   three
//                  times as long on the same board (ML.ENERGY leaderboard v2, 2024)
//   tensorrt-llm   drains a queue of requests; throughput at saturation is published
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "devices/serving_constants.h"

namespace drover::devices {

enum class Engine : std::uint8_t {
  interactive,  // "vllm-0.11"
  early,        // "vllm-0.5"
  offline,      // "tensorrt-llm"
};
std::string_view to_text(Engine engine);
/// Also as engines name themselves: "vLLM 0.5.4", "TensorRT-LLM 0.14", "trtllm"; "vllm" is the
/// later one.
std::optional<Engine> parse_engine(std::string_view text);
inline constexpr std::string_view engine_choice = "vllm-0.11, vllm-0.5 or tensorrt-llm";

/// What the software around the kernels costs.
struct EngineConstants {
  double request_s, step_s, all_reduce_s, hop_s, reduce_share;
  double recorded_rows, layer_launch_s, gang_launches;
  double idle_request_s = 0;  // of request_s, in which the device waits; it samples in the rest
};

EngineConstants engine_constants(const ServingConstants& serving, Engine engine);

}  // namespace drover::devices
