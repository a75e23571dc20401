// Training of nets that are no decoders, as the estimate asks for it.
#pragma once

#include "devices/estimate/estimate.h"

namespace drover::devices {

/// REQUIRES a model that is no decoder.
Result<Estimate> estimate_classic_training(const Case& question);

}  // namespace drover::devices
