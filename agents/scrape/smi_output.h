// What `nvidia-smi` and `amd-smi` print, as readings: the way to read a host on which Drover's own
// program cannot run.
#pragma once

#include <string>
#include <string_view>

#include "agents/watch/reading.h"
#include "fleet/base/result.h"

namespace drover::agents {

/// The columns that are asked for with --query-gpu, in this order; `index` is the first.
std::string nvidia_smi_query();

/// The output of `nvidia-smi --query-gpu=.. --format=csv,nounits`, with its header; columns may be
/// missing. The error is what it says instead.
Result<HostReading> read_nvidia_smi(std::string_view output);

/// The outputs of `amd-smi static --json` (may be empty) and `amd-smi metric --json`, of ROCm 6 and
/// 7. The error is what it says instead.
Result<HostReading> read_amd_smi(std::string_view statics, std::string_view metrics);

}  // namespace drover::agents
