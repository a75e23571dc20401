// Prefill and decode of one replica as agents and router ask for them: the pass of serving_step.cpp
// for transformers, with the engine that answers tokens as they come; a roofline for convolutions.
#include "devices/performance.h"

#include <algorithm>

#include "devices/serving_replica.h"
#include "devices/step_sum.h"

namespace drover::devices {
namespace {

/// Passes over the activations of a convolution net in a forward pass (assumed).
constexpr double convolution_forward_passes = 2;

Step convolution_step(const Placement& placement, const ModelSpec& model, double items,
                      double clock_share) {
  const Rates rates(placement, clock_share);
  StepSum sum(rates);
  sum.add_flops(items * model.flops_per_item, convolution_efficiency);
  sum.add_memory(items * model.activation_bytes_per_item * convolution_forward_passes);
  sum.add_launches(50);
  return sum.step();
}

ServingReplica replica_of(const Placement& placement, const ModelSpec& model, double clock_share) {
  const int devices = std::max(1, placement.devices);
  return {*placement.device,   model,
          placement.precision, serving_plan(devices, devices, 1, 1, 1),
          Engine::interactive, clock_share,
          placement.link_share};
}

ServingPass decode_pass(const ServingReplica& replica, double batch, double context) {
  ServingLoad load;
  load.sequences = std::max(batch, 1.0);
  load.context_tokens = context;
  return serving_pass(replica.chip, replica.shape, replica.plan, replica.bytes, load,
                      replica.engine);
}

}  // namespace

Step prefill_step(const Placement& placement, const ModelSpec& model, std::uint32_t tokens,
                  std::uint64_t context, double clock_share) {
  const double rows = std::max(tokens, 1u);
  if (!model.is_transformer()) {
    return convolution_step(placement, model, shape_bucket(*placement.device, tokens), clock_share);
  }
  const ServingReplica replica = replica_of(placement, model, clock_share);
  // A decoder's token sees the earlier ones and half of its chunk; an encoder's sees all.
  const double earlier =
      static_cast<double>(context) + (model.architecture == Architecture::encoder ? rows / 2 : 0);
  const ServingPass pass = prompt_pass(replica.chip, replica.shape, replica.plan, replica.bytes,
                                       rows, earlier, 1, replica.engine);
  return step_of(replica, *placement.device, pass);
}

DecodePace decode_pace(const Placement& placement, const ModelSpec& model, std::uint32_t batch,
                       double clock_share) {
  if (!model.is_transformer()) {
    return {decode_step(placement, model, batch, 0, clock_share).seconds, 0};
  }
  const ServingReplica replica = replica_of(placement, model, clock_share);
  DecodePace pace;
  pace.base_s = decode_pass(replica, batch, 0).seconds();
  pace.per_context_token_s =
      seconds_per_cached_token(replica.chip, replica.shape, replica.plan, replica.bytes, 0);
  return pace;
}

Step decode_step(const Placement& placement, const ModelSpec& model, std::uint32_t batch,
                 double context, double clock_share) {
  if (!model.is_transformer()) {
    const std::uint32_t items = shape_bucket(*placement.device, std::max(batch, 1u));
    return convolution_step(placement, model, items, clock_share);
  }
  const ServingReplica replica = replica_of(placement, model, clock_share);
  return step_of(replica, *placement.device, decode_pass(replica, batch, context));
}

}  // namespace drover::devices
