// What one device reaches in training: shares of its datasheet rates, fitted per generation.
#pragma once

#include "devices/training/layout.h"

namespace drover::devices {

/// Software that the published runs of a family of models used.
enum class TrainingStack : std::uint8_t {
  fused,    // Megatron-LM with Transformer Engine, NeMo, MaxText: fused layers, FlashAttention 2, 3
  eager,    // PyTorch FSDP of 2023, llm-foundry: one kernel per operation, FlashAttention 1
  unfused,  // Megatron-LM before FlashAttention (2019 to 2022): scores are written and read
};
TrainingStack training_stack(const ModelSpec& model, const DeviceSpec& device);

struct TrainingRates {
  TrainingRates(const TrainingJob& job, double clock_share);

  const DeviceSpec& device;
  bool tpu;
  TrainingStack stack;
  double peak;        // datasheet flop/s of the products' precision
  double products;    // flop/s, reached by large products in that precision
  double wide;        // flop/s, in 16 bits: vocabulary, scores before FlashAttention
  double attention;   // flop/s of fused attention
  double memory;      // bytes/s
  double cast_bytes;  // read and written to narrow one operand element; 0 in 16 bits
};

/// Bytes/s, one direction, that each device of a ring of `members` gets. Neighbours of the ring
/// stand `apart` devices from each other, so several rings share a link domain; a ring that leaves
/// the domain crosses with the network cards of all its members there.
double ring_rate(const TrainingRates& rates, const Layout& layout, int members, int apart);
/// Bytes/s between neighbours of a pipeline.
double neighbour_rate(const TrainingRates& rates, const Layout& layout);
/// Bytes/s per device between hosts or slices.
double network_rate(const DeviceSpec& device);
/// Bytes/s per device inside the link domain, one direction.
double link_rate(const TrainingRates& rates);

}  // namespace drover::devices
