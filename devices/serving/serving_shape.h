// A transformer as serving sees it: what is read, multiplied and kept per layer, counted from the
// dimensions, before it is cut over devices.
#pragma once

#include "devices/catalogue/model.h"

namespace drover::devices {

struct ServingShape {
  double layers = 0;
  double expert_layers = 0;
  double hidden = 0;

  // Weights of one layer, by part.
  double attention_weights = 0;
  double dense_weights = 0;   // feed-forward of a layer without experts
  double expert_weights = 0;  // of one expert
  double shared_weights = 0;  // experts that every row passes
  double experts = 0, experts_active = 0;
  double output_weights = 0;     // hidden to vocabulary
  double embedding_weights = 0;  // 0 where the output matrix serves for both

  double cache_heads = 0;  // key and value heads of one layer; latent attention: 0
  double cache_head_size = 0;
  double latent_size = 0;    // numbers of one token's latent and its rotary part
  double query_size = 0;     // heads times the numbers multiplied with one cached token
  double window = 0;         // tokens that window layers see; 0: no such layers
  double window_layers = 0;  // share of the attention layers
  double kernels = 0;        // of one layer that follow each other
};

ServingShape serving_shape(const ModelSpec& model);

/// Tokens of a cached context of `context` that the mean layer reads.
double tokens_seen(const ServingShape& shape, double context);

/// Experts of one layer that `rows` rows touch, each choosing `experts_active` of them. Popular
/// experts are chosen again and again: rows count as `popularity` independent choices.
double experts_touched(const ServingShape& shape, double rows, double popularity);

}  // namespace drover::devices
