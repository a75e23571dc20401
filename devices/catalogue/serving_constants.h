// The constants of serving on one generation of chips, in SI units: the section [serving] of the
// spec files, which say what each number was fitted to.
//
// The costs of each engine (engine.h) are separate: without prefix for vLLM 0.11, `vllm_0_5_` (in
// the spec files `early_`) for vLLM 0.5, `offline_` for TensorRT-LLM.
#pragma once

namespace drover::devices {

struct ServingConstants {
  double weights_share = 0;      // of the bandwidth, when reading weights
  double cache_share = 0;        // of the bandwidth, when reading the KV cache
  double product_share = 0;      // of the peak, in products of the rows of a step
  double dequantized_share = 0;  // of that, when weights are dequantized
  double score_share = 0;        // of the peak, in scores and weighted sums
  double kernel_s = 0;           // exposed latency of one kernel

  // Mixtures of experts.
  double expert_weights_share = 0;
  double expert_product_share = 0;
  double expert_layer_s = 0;     // routing of one layer
  double expert_row_s = 0;       // sorting and scattering, per row
  double expert_block_s = 0;     // per expert, with 8-bit weights and a scale per block
  double expert_popularity = 0;  // independent choices that one row counts as
  double expert_imbalance = 0;   // load of the busiest device, in standard deviations

  double kv_cache_utilization = 0;  // share of the memory left by weights and reserve

  double request_s = 0;            // scheduling, sampling and output per running sequence
  double step_s = 0;               // the same per step
  double all_reduce_s = 0;         // latency of one collective between two devices
  double hop_s = 0;                // added by each further device
  double reduce_share = 0;         // of one direction of the links
  double cuda_graph_rows_max = 0;  // maximum number of rows with CUDA graphs
  double layer_launch_s = 0;       // host time per layer of a step without CUDA graph

  double vllm_0_5_request_s = 0;
  double vllm_0_5_step_s = 0;
  double vllm_0_5_layer_launch_s = 0;  // of every step: no CUDA graphs
  double vllm_0_5_gang_launches = 0;   // factor of that when a replica has several devices

  double offline_request_s = 0;
  double offline_step_s = 0;
  double offline_all_reduce_s = 0;
  double offline_hop_s = 0;
  double offline_reduce_share = 0;
  double offline_sequences = 0;  // concurrent sequences
};

}  // namespace drover::devices
