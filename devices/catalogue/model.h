// The description of a model: dimensions from which parameters, flops and bytes are computed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/layered.h"
#include "fleet/base/result.h"
#include "fleet/workload.h"

namespace drover::devices {

enum class Architecture : std::uint8_t { decoder, encoder, convolution, recurrent, perceptron };

/// Mixture of experts: some layers have `count` feed-forward blocks, of which each token uses
/// `active` (and all `shared` ones).
struct Experts {
  std::uint32_t count = 0;  // 0: the model is dense
  std::uint32_t active = 0;
  std::uint32_t feed_forward = 0;  // of one expert
  std::uint32_t shared = 0;        // experts of the same size that every token uses
  std::uint32_t dense_layers = 0;  // first layers, without experts
  std::uint32_t every = 1;         // of the other layers, every n-th has experts
};

/// Multi-head latent attention (DeepSeek-V2, arXiv:2405.04434): keys and values are cached as one
/// compressed vector per token. `head_size` is the part of a head without rotary position.
struct Latent {
  std::uint32_t kv_rank = 0;     // 0: ordinary attention
  std::uint32_t query_rank = 0;  // 0: queries are not compressed
  std::uint32_t rope_size = 0;
  std::uint32_t value_size = 0;
};

struct ModelSpec {
  std::string id;  // "llama-3.1-70b"
  std::string name;
  std::vector<std::string> aliases;  // other spellings
  std::string family;                // "llama"
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
  bool learned_positions = false;
  bool biases = false;                // of all matrices and norms
  bool qkv_biases = false;            // of query, key and value alone (Qwen)
  std::uint32_t norms_per_layer = 2;  // Gemma 2: 4
  std::uint32_t window = 0;           // tokens of sliding-window attention; 0: all
  std::uint32_t window_every = 0;     // every n-th layer attends to all tokens; 0: none does
  Experts experts;
  Latent latent;

  // Encoders and similar nets.
  std::uint32_t typical_tokens = 0;  // sequence length when none is given; 0: context_max
  double loss_share = 0;             // share of the tokens with an output in training
  bool packed = false;               // sequences are not padded to their maximum
  std::uint32_t memory_tokens = 0;   // cached tokens of the last segment (Transformer-XL)
  bool relative_positions = false;   // one more projection and score matrix per layer

  // All others: a list of layers.
  LayeredModel layered;
  double flops_per_item = 0;  // forward; a multiply-add counts as two
  double activation_bytes_per_item = 0;

  double published_parameters = 0;  // checked against the count (transformers)

  bool is_transformer() const {
    return architecture == Architecture::decoder || architecture == Architecture::encoder;
  }
  std::uint32_t expert_layers() const;

  /// Computed from the dimensions or the layers.
  double parameters() const;
  /// The parameters that one token uses: of the experts only the active and shared ones.
  double active_parameters() const;
};

Result<ModelSpec> parse_model_spec(std::string_view toml, std::string place);

/// Weights of the attention matrices of one layer.
double attention_parameters(const ModelSpec& model);
/// Weights of one feed-forward block with this inner size.
double feed_forward_parameters(const ModelSpec& model, double inner);

}  // namespace drover::devices
