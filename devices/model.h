// What one model is: dimensions from which parameters, flops and bytes are counted.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "fleet/result.h"
#include "fleet/workload.h"

namespace drover::devices {

enum class Architecture : std::uint8_t { decoder, encoder, convolution };

struct ModelSpec {
  std::string id;  // "llama-3.1-70b"
  std::string name;
  std::string family;  // "llama"
  Architecture architecture = Architecture::decoder;

  // Transformers.
  std::uint32_t layers = 0;
  std::uint32_t hidden = 0;
  std::uint32_t feed_forward = 0;
  bool gated = false;  // SwiGLU: three matrices instead of two
  std::uint32_t heads = 0;
  std::uint32_t kv_heads = 0;
  std::uint32_t head_size = 0;
  std::uint32_t vocabulary = 0;
  bool tied_embeddings = false;
  std::uint32_t context_max = 0;  // tokens

  // Convolutions: per image, from the published count.
  double flops_per_item = 0;  // forward, multiply and add counted as two
  double activation_bytes_per_item = 0;

  double published_parameters = 0;  // checked against the count (transformers)

  /// Counted from the dimensions (transformers) or as published (convolutions).
  double parameters() const;
};

Result<ModelSpec> parse_model_spec(std::string_view toml, std::string place);

}  // namespace drover::devices
