// The sizes of a transformer for serving: what each layer reads, multiplies and caches, computed
// from the dimensions, before it is split over devices; and how a model is split.
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
  double shared_weights = 0;  // of experts that every row uses
  double experts = 0, experts_active = 0;
  double output_weights = 0;     // hidden to vocabulary
  double embedding_weights = 0;  // 0 when tied to the output matrix

  double cache_heads = 0;  // key and value heads of one layer; latent attention: 0
  double cache_head_size = 0;
  double latent_size = 0;    // elements of one token's latent and its rotary part
  double query_size = 0;     // heads times the elements multiplied with one cached token
  double window = 0;         // tokens that window layers attend to; 0: no such layers
  double window_layers = 0;  // as a share of the attention layers
  double kernels = 0;        // consecutive kernels of one layer
};

ServingShape serving_shape(const ModelSpec& model);

/// How the replicas of a model are split over devices.
struct ServingPlan {
  int tensor = 1;    // devices that share each matrix of attention and dense layers
  int pipeline = 1;  // groups of layers
  int data = 1;      // attention on separate batches, experts shared
  int expert = 1;    // devices that share the experts; 1: experts are split like other matrices
  int replicas = 1;  // independent copies

  int devices() const { return tensor * pipeline * data; }
};

/// The plan for the degrees of a case; 0: not given. Expert parallelism with one tensor rank means
/// an engine that splits attention over the same devices: `tp 1, ep 8, dp 1` on 8 devices is one
/// replica whose attention is split in 8. Remaining devices form further replicas.
ServingPlan serving_plan(int devices, int tensor, int pipeline, int data, int expert);

/// The number of cached tokens that a layer reads on average, of a context of `context`.
double tokens_seen(const ServingShape& shape, double context);

/// The expected number of experts of one layer used by `rows` rows, each of which chooses k =
/// `experts_active` of E. With independent, uniform choices one row misses an expert with
/// probability 1 - k/E, so E (1 - (1 - k/E)^rows) are used. Real routers prefer some experts: fewer
/// are used, as with fewer rows, so a row counts as `popularity` independent choices.
double experts_touched(const ServingShape& shape, double rows, double popularity);

}  // namespace drover::devices
