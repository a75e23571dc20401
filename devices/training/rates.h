// The rates that one device achieves in training: shares of its datasheet rates, fitted per
// generation.
#pragma once

#include "devices/training/layout.h"

namespace drover::devices {

/// The software of the published training runs of a family of models.
enum class TrainingStack : std::uint8_t {
  // Megatron-LM with Transformer Engine, NeMo, MaxText: fused layers, FlashAttention 2, 3
  fused,
  eager,    // PyTorch FSDP of 2023, llm-foundry: one kernel per operation, FlashAttention 1
  unfused,  // Megatron-LM before FlashAttention (2019 to 2022): scores go through memory
};
TrainingStack training_stack(const ModelSpec& model, const DeviceSpec& device);

struct TrainingRates {
  TrainingRates(const TrainingJob& job, double clock_share);

  const DeviceSpec& device;
  bool tpu;
  TrainingStack stack;
  double peak;        // datasheet flop/s in the products' precision
  double products;    // flop/s of large products in that precision
  double wide;        // flop/s in 16 bits: vocabulary, scores before FlashAttention
  double attention;   // flop/s of fused attention
  double memory;      // bytes/s
  double cast_bytes;  // read and written to cast one operand element; 0 in 16 bits
};

/// Bytes/s per device in one direction in a ring of `members`. Neighbours in the ring are `apart`
/// devices from each other, so several rings share a link domain. A ring that leaves the domain
/// uses the NICs of all its members there.
double ring_rate(const TrainingRates& rates, const Layout& layout, int members, int apart);
/// Bytes/s between neighbours of a pipeline.
double neighbour_rate(const TrainingRates& rates, const Layout& layout);
/// Bytes/s per device between hosts or slices.
double network_rate(const DeviceSpec& device);
/// Bytes/s per device in one direction inside the link domain.
double link_rate(const TrainingRates& rates);

}  // namespace drover::devices
