// What serving reaches on one generation of chips, in SI units: the section [serving] of the spec
// files, where each number stands with what it was fitted to.
#pragma once

namespace drover::devices {

/// What the software around the kernels costs. Two are known: one that answers tokens as they come
/// (vLLM, of which inter-token times are published) and one that drains a queue of requests
/// (TensorRT-LLM and alike, of which throughput at saturation is published).
struct EngineConstants {
  double step_s = 0;        // scheduling, sampling and output of one step
  double sequence_s = 0;    // the same per running sequence
  double all_reduce_s = 0;  // latency of one collective between two devices
  double hop_s = 0;         // and what each further device adds
  double link_share = 1;    // of one direction of the links, in collectives
  double captured = 0;      // largest batch whose launches are recorded (CUDA graphs); 0: none
  double launch_s = 0;      // host time per layer of a step that is not recorded
  double gang_launches = 1; // the same by this factor where several devices run one replica
  double sequences_max = 0; // that run at once
};

struct ServingConstants {
  double memory_share = 1;     // of the bandwidth, reading weights
  double cache_share = 1;      // of the bandwidth, reading the KV cache
  double matrix_share = 1;     // of the peak, products of the rows of a step
  double attention_share = 1;  // of the peak, scores and weighted sums
  double kernel_s = 0;         // latency of one kernel that no other work hides

  // Mixtures of experts.
  double expert_memory_share = 1;
  double expert_matrix_share = 1;
  double expert_layer_s = 0;     // routing, sorting and scattering the rows of one layer
  double expert_row_s = 0;       // the same per row
  double block_expert_s = 0;     // per expert held, for weights of 8 bits with a scale per block
  double popularity = 1;         // rows that choose like independent ones, per row
  double imbalance = 0;          // deviations by which the busiest device leads

  double memory_use = 1;     // of what the weights leave, for the KV cache
  double reserved_bytes = 0; // context, collectives, graphs and activations

  EngineConstants interactive, offline;
};

}  // namespace drover::devices
