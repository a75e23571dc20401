// Prefill, decode, memory and warm-up of one replica. Agents use these for the emulated execution
// (with each device's variation), the router for its estimates. Pure functions.
#pragma once

#include <cstdint>

#include "devices/catalogue/model.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// One chunk of a prompt: `tokens` new tokens after `context` earlier ones of the same request.
Step prefill_step(const Placement&, const ModelSpec&, std::uint32_t tokens, std::uint64_t context,
                  double clock_share);

/// A decode step of `batch` requests with a total of `context` tokens in their KV caches takes
/// `base_s + per_context_token_s * context`. It is linear so that k steps have a closed form.
struct DecodeStepTime {
  double base_s = 0;
  double per_context_token_s = 0;
  double seconds(double context) const { return base_s + per_context_token_s * context; }
};
DecodeStepTime decode_step_time(const Placement&, const ModelSpec&, std::uint32_t batch,
                                double clock_share);
/// The same step with its activities, at one context.
Step decode_step(const Placement&, const ModelSpec&, std::uint32_t batch, double context,
                 double clock_share);

double weights_bytes(const Placement&, const ModelSpec&);
/// Bytes of KV cache per token, over all devices of the replica.
double kv_bytes_per_token(const Placement&, const ModelSpec&);
/// Tokens of KV cache that fit on the replica besides the weights; 0 when the weights do not fit.
std::uint64_t kv_capacity_tokens(const Placement&, const ModelSpec&);
/// Seconds to load the weights from host memory to the devices.
double load_seconds(const Placement&, const ModelSpec&);
/// TPU: seconds to compile one shape bucket (prefill length or decode batch). GPU: 0.
double compile_seconds(const Placement&, const ModelSpec&);
/// TPU: the bucket to which a size is padded, the next power of two from 16. GPU: the size.
std::uint32_t shape_bucket(const DeviceSpec&, std::uint32_t size);
/// The number of usual buckets, compiled before a replica is ready; others compile on first use.
int warm_buckets(const DeviceSpec&);

}  // namespace drover::devices
