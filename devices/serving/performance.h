// Prefill, decode, memory and warm-up of one replica: the truth that agents run by (with each
// device's own variation on top) and the model that the router estimates with. Pure functions.
#pragma once

#include <cstdint>

#include "devices/catalogue/model.h"
#include "devices/operation/step.h"

namespace drover::devices {

/// One chunk of a prompt: `tokens` new tokens after `context` earlier ones of the same request.
Step prefill_step(const Placement&, const ModelSpec&, std::uint32_t tokens, std::uint64_t context,
                  double clock_share);

/// A decode step of `batch` requests with `context` tokens in all their KV caches together takes
/// `base_s + per_context_token_s * context`: linear, so that k steps have a closed form.
struct DecodePace {
  double base_s = 0;
  double per_context_token_s = 0;
  double seconds(double context) const { return base_s + per_context_token_s * context; }
};
DecodePace decode_pace(const Placement&, const ModelSpec&, std::uint32_t batch, double clock_share);
/// The same step with its activities, at one context.
Step decode_step(const Placement&, const ModelSpec&, std::uint32_t batch, double context,
                 double clock_share);

double weights_bytes(const Placement&, const ModelSpec&);
/// KV cache of one token over the whole replica (all its devices together).
double kv_bytes_per_token(const Placement&, const ModelSpec&);
/// Tokens of KV cache that fit beside the weights on the whole replica; 0 when the weights do not.
std::uint64_t kv_capacity_tokens(const Placement&, const ModelSpec&);
/// Weights from host memory to the devices.
double load_seconds(const Placement&, const ModelSpec&);
/// TPU: compile one shape bucket (prefill length or decode batch); GPU: 0.
double compile_seconds(const Placement&, const ModelSpec&);
/// The bucket a size is padded to: the next power of two, at least 16, on TPUs; GPUs: the size.
std::uint32_t shape_bucket(const DeviceSpec&, std::uint32_t size);
/// Buckets compiled before a replica is ready (the usual ones); later ones compile on first use.
int warm_buckets(const DeviceSpec&);

}  // namespace drover::devices
