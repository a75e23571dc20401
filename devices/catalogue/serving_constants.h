// What serving reaches on one generation of chips, in SI units: the section [serving] of the spec
// files, where each number stands with what it was fitted to.
//
// What the software around the kernels costs stands apart for each engine (engine.h): without a
// word before it for vLLM 0.11, `early` for vLLM 0.5, `offline` for TensorRT-LLM.
#pragma once

namespace drover::devices {

struct ServingConstants {
  double weights_share = 0;  // of the bandwidth, reading weights
  double cache_share = 0;    // of the bandwidth, reading the KV cache
  double product_share = 0;  // of the peak, products of the rows of a step
  double widened_share = 0;  // of that, when narrow weights are widened on the way
  double score_share = 0;    // of the peak, scores and weighted sums
  double kernel_s = 0;       // latency of one kernel that no other work hides

  // Mixtures of experts.
  double expert_weights_share = 0;
  double expert_product_share = 0;
  double expert_layer_s = 0;     // routing of one layer
  double expert_row_s = 0;       // sorting and scattering, per row
  double expert_block_s = 0;     // per expert held, weights of 8 bits with a scale per block
  double expert_popularity = 0;  // independent choices that one row counts as
  double expert_imbalance = 0;   // deviations by which the busiest device leads

  double cache_use = 0;  // share of what weights and reserve leave that caches take

  double request_s = 0;       // scheduling, sampling and output per running sequence
  double step_s = 0;          // the same per step
  double all_reduce_s = 0;    // latency of one collective between two devices
  double hop_s = 0;           // what each further device adds
  double reduce_share = 0;    // of one direction of the links
  double recorded_rows = 0;   // most rows whose launches are recorded (CUDA graphs)
  double layer_launch_s = 0;  // host time per layer of a step that is not recorded

  double early_request_s = 0;
  double early_step_s = 0;
  double early_layer_launch_s = 0;  // of every step: none is recorded
  double early_gang_launches = 0;   // by this factor where several devices run one replica

  double offline_request_s = 0;
  double offline_step_s = 0;
  double offline_all_reduce_s = 0;
  double offline_hop_s = 0;
  double offline_reduce_share = 0;
  double offline_sequences = 0;  // that run at once
};

}  // namespace drover::devices
