// The memory of a replica, and the time of its warm-up.
#include <algorithm>
#include <bit>

#include "devices/serving/performance.h"

namespace drover::devices {
namespace {

/// Serving engines leave a tenth of the memory to fragmentation and peaks
/// (vLLM gpu_memory_utilization = 0.9).
constexpr double usable_share = 0.9;

/// Tokens with live activations: one prefill chunk (vLLM's default of 2048).
constexpr double chunk_tokens = 2048;

/// XLA pads sizes to this or its doubles (vLLM on TPU).
constexpr std::uint32_t bucket_min = 16;
constexpr std::uint32_t bucket_max = 1u << 31;

/// Buckets that are compiled before a TPU replica is ready: decode batches and prefill chunks of
/// the usual sizes (assumed; others are compiled on first use).
constexpr int warm_bucket_count = 5;

int device_count(const Placement& placement) { return std::max(1, placement.devices); }

double cache_bytes_each(Precision precision) {
  return precision == Precision::fp32 || precision == Precision::tf32 ? 4 : 2;
}

/// Bytes of one prefill chunk on one device: the widest pair of layer tensors, and the scores.
double chunk_bytes(const Placement& placement, const ModelSpec& model) {
  if (!model.is_transformer()) return model.activation_bytes_per_item;
  const double widest =
      4.0 * model.hidden + (model.gated ? 3.0 : 2.0) * model.feed_forward / device_count(placement);
  return chunk_tokens * widest * cache_bytes_each(placement.precision);
}

}  // namespace

double weights_bytes(const Placement& placement, const ModelSpec& model) {
  return model.parameters() * bytes_each(placement.precision) / device_count(placement);
}

double kv_bytes_per_token(const Placement& placement, const ModelSpec& model) {
  if (!model.is_transformer()) return model.activation_bytes_per_item;
  const int devices = device_count(placement);
  // An encoder has no cache; a token uses about as much while its layer runs.
  const double layers = model.architecture == Architecture::decoder ? model.layers : 1;
  if (model.latent.kv_rank > 0) {
    // All heads use the compressed vector of a token, so each device keeps the whole vector.
    const double latent = double{1} * model.latent.kv_rank + model.latent.rope_size;
    return layers * latent * devices * cache_bytes_each(placement.precision);
  }
  const double heads_each = std::max(1.0, static_cast<double>(model.kv_heads) / devices);
  return 2 * layers * heads_each * devices * model.head_size *
         cache_bytes_each(placement.precision);
}

std::uint64_t kv_capacity_tokens(const Placement& placement, const ModelSpec& model) {
  const DeviceSpec& device = *placement.device;
  const double room = usable_share * device.memory.bytes - device.memory.reserved_bytes -
                      weights_bytes(placement, model) - chunk_bytes(placement, model);
  if (room <= 0) return 0;
  const double tokens = room * device_count(placement) / kv_bytes_per_token(placement, model);
  // Paged caches have blocks of 16 tokens.
  return static_cast<std::uint64_t>(tokens / 16) * 16;
}

double load_seconds(const Placement& placement, const ModelSpec& model) {
  return weights_bytes(placement, model) / placement.device->links.host_bandwidth;
}

double compile_seconds(const Placement& placement, const ModelSpec& model) {
  if (placement.device->device_class != DeviceClass::tpu) return 0;
  return placement.device->serving.compile_s * model.parameters() / 1e9;
}

std::uint32_t shape_bucket(const DeviceSpec& device, std::uint32_t size) {
  if (device.device_class != DeviceClass::tpu) return size;
  return std::bit_ceil(std::clamp(size, bucket_min, bucket_max));
}

int warm_buckets(const DeviceSpec& device) {
  return device.device_class == DeviceClass::tpu ? warm_bucket_count : 0;
}

}  // namespace drover::devices
