// The software that runs a model. The serving engines that published measurements distinguish:
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

/// The software of nets that are not language models; recognised by the text of the precision.
enum class SoftwareStack : std::uint8_t {
  engine,     // compiled for the device: TensorRT, XLA; layers fused. Training: as framework
  framework,  // layer by layer, mixed precision arranged by hand: "fp16 mixed", "fp32"
  autocast,   // layer by layer, casts inserted automatically: "AMP"
  tuned,      // a benchmark submission: fused norms, CUDA graphs, no padding
};

}  // namespace drover::devices
