// How long work takes on a device and what it asks of its parts: the truth that agents run by (with
// each device's own variation on top) and the model that the router estimates with. Pure functions.
//
// A roofline per part of a step: matrix work at the achievable rate after padding to the hardware's
// tiles, memory traffic at the achievable bandwidth, collectives on the links, launches. Compute
// stretches with the clock, memory and links do not.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "devices/model.h"
#include "devices/spec.h"
#include "fleet/result.h"
#include "fleet/workload.h"

namespace drover::devices {

/// What the time of a step goes to.
enum class Part : std::uint8_t {
  matrix,       // products on the matrix units
  attention,    // scores and weighted sums
  memory,       // element-wise work, weights and caches streamed where memory bounds them
  collectives,  // links and network, as far as nothing hides them
  launch,       // kernels and host between them
  bubble,       // a pipeline fills and drains
  optimizer,
  host,  // engine or framework per step, per request; data loading
};
inline constexpr std::size_t part_count = 8;
std::string_view to_text(Part part);

/// Time of one step and how busy it keeps each part of every device of the set, all at one clock.
/// Activities are achieved rate over datasheet peak, averaged over the step.
struct Step {
  double seconds = 0;
  double matrix_activity = 0;
  double memory_activity = 0;
  double link_activity = 0;
  double duty = 1;     // share of the step in which the device runs anything
  double waiting = 0;  // share in which what it runs waits for the other devices
  std::array<double, part_count> parts{};  // of `seconds`, by Part; their sum is `seconds`
};

/// The devices that run one replica or gang together.
struct Placement {
  const DeviceSpec* device = nullptr;
  int devices = 1;
  Precision precision = Precision::bf16;  // of the weights
  double link_share = 1;                  // of the interconnect's bandwidth, when it is degraded
  int per_host = 0;  // a gang over hosts: of its largest part; 0: as many as the links join
};

struct TrainingShape {
  std::uint32_t batch = 1;     // samples per optimiser step over the gang
  std::uint32_t sequence = 1;  // tokens per sample; images: 1
};

/// One optimiser step, data parallel with sharded states where the states do not fit whole.
Step training_step(const Placement&, const ModelSpec&, const TrainingShape&, double clock_share);

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

// ---- Memory, bytes per device unless said ------------------------------------------------------

double weights_bytes(const Placement&, const ModelSpec&);
/// KV cache of one token over the whole replica (all its devices together).
double kv_bytes_per_token(const Placement&, const ModelSpec&);
/// Tokens of KV cache that fit beside the weights on the whole replica; 0 when the weights do not.
std::uint64_t kv_capacity_tokens(const Placement&, const ModelSpec&);
/// States, gradients and activations of a training gang.
double training_bytes(const Placement&, const ModelSpec&, const TrainingShape&);
bool fits_training(const Placement&, const ModelSpec&, const TrainingShape&);

// ---- Warm-up, s --------------------------------------------------------------------------------

/// Weights from host memory to the devices.
double load_seconds(const Placement&, const ModelSpec&);
/// TPU: compile one shape bucket (prefill length or decode batch); GPU: 0.
double compile_seconds(const Placement&, const ModelSpec&);
/// The bucket a size is padded to: the next power of two, at least 16, on TPUs; GPUs: the size.
std::uint32_t shape_bucket(const DeviceSpec&, std::uint32_t size);
/// Buckets compiled before a replica is ready (the usual ones); later ones compile on first use.
int warm_buckets(const DeviceSpec&);

// ---- Power -------------------------------------------------------------------------------------

/// Watts at a clock share (of nominal), before leakage variation and heat. The activity is as
/// achieved at that clock.
double power_w(const DeviceSpec&, const Step& activity, bool context_open, double clock_share);

/// Largest clock share whose power stays under the cap, in the spec's clock steps; the activity is
/// given as at the nominal clock, and its matrix part slows down with the clock. The smallest share
/// when none stays under.
double clock_share_under_cap(const DeviceSpec&, const Step& activity, double cap_w);

}  // namespace drover::devices
