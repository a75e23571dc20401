// The compute and collectives of one micro-batch on the devices of one pipeline.
#pragma once

#include "devices/training/rates.h"
#include "devices/training/step_breakdown.h"

namespace drover::devices {

/// Forward and backward pass through all layers and the vocabulary, per device of a tensor-parallel
/// set. Each stage of a pipeline with p stages takes a p-th of it.
TrainingStepBreakdown micro_batch_work(const TrainingJob& job, const Layout& layout,
                                       const TrainingRates& rates);

/// Host seconds to launch and route a micro-batch, over all stages.
double micro_batch_host_s(const TrainingJob& job, const TrainingRates& rates);

}  // namespace drover::devices
