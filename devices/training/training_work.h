// What the devices of one pipeline compute and exchange for one micro-batch.
#pragma once

#include "devices/training/training_rates.h"
#include "devices/training/training_sum.h"

namespace drover::devices {

/// Forward and backward through all layers and the vocabulary, per device of a tensor-parallel set;
/// a pipeline of p stages spends a p-th of it on each.
TrainingSum micro_batch_work(const TrainingJob& job, const Layout& layout,
                             const TrainingRates& rates);

/// Seconds that the host needs to launch and route it, on all stages together.
double micro_batch_host_s(const TrainingJob& job, const TrainingRates& rates);

}  // namespace drover::devices
