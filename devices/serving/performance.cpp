// Prefill and decode of one replica for agents and router: the pass of step.cpp for transformers,
// with the device's engine for online serving; a static batch for other models.
#include "devices/serving/performance.h"

#include <algorithm>

#include "devices/classic/inference.h"
#include "devices/serving/replica.h"

namespace drover::devices {
namespace {

/// Models that do not generate: a static batch by a compiled engine, on each device separately.
Step batch_step(const Placement& placement, const ModelSpec& model, std::uint32_t items,
                double clock_share) {
  Placement one = placement;
  one.devices = 1;
  const double batch = shape_bucket(*placement.device, std::max(items, 1u));
  return inference_step(one, model, {batch, 0, SoftwareStack::engine}, clock_share);
}

ServingReplica replica_of(const Placement& placement, const ModelSpec& model, double clock_share) {
  const int devices = std::max(1, placement.devices);
  return {*placement.device,
          model,
          placement.precision,
          serving_plan(devices, devices, 1, 1, 1),
          placement.device->token_engine,
          clock_share,
          placement.link_share};
}

ServingPass decode_pass(const ServingReplica& replica, double batch, double context) {
  ServingLoad load;
  load.sequences = std::max(batch, 1.0);
  load.context_tokens = context;
  return serving_pass(replica, load);
}

}  // namespace

Step prefill_step(const Placement& placement, const ModelSpec& model, std::uint32_t tokens,
                  std::uint64_t context, double clock_share) {
  const double rows = std::max(tokens, 1u);
  if (!model.is_transformer()) {
    return batch_step(placement, model, tokens, clock_share);
  }
  const ServingReplica replica = replica_of(placement, model, clock_share);
  // A decoder's token attends to the earlier ones and half of its chunk, an encoder's to all.
  const double earlier =
      static_cast<double>(context) + (model.architecture == Architecture::encoder ? rows / 2 : 0);
  return step_of(replica, prompt_pass(replica, rows, earlier, 1));
}

DecodeStepTime decode_step_time(const Placement& placement, const ModelSpec& model,
                                std::uint32_t batch, double clock_share) {
  if (!model.is_transformer()) {
    return {decode_step(placement, model, batch, 0, clock_share).seconds, 0};
  }
  const ServingReplica replica = replica_of(placement, model, clock_share);
  return {decode_pass(replica, batch, 0).seconds(), seconds_per_cached_token(replica)};
}

Step decode_step(const Placement& placement, const ModelSpec& model, std::uint32_t batch,
                 double context, double clock_share) {
  if (!model.is_transformer()) return batch_step(placement, model, batch, clock_share);
  const ServingReplica replica = replica_of(placement, model, clock_share);
  return step_of(replica, decode_pass(replica, batch, context));
}

}  // namespace drover::devices
