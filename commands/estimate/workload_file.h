// Reads the workload classes of `drover compare --workloads` from a TOML file.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "devices/estimate/comparison.h"
#include "fleet/base/result.h"

namespace drover::commands {

struct WorkloadRow {
  devices::ComparisonWorkload work;
  double batch = 1;
};

/// `[[workload]]` tables: name, kind (train, serve, infer), model, batch, precision, sequence,
/// input, output, samples, ttft, tpot, step. The error names file, line and key.
Result<std::vector<WorkloadRow>> read_workloads(std::string_view toml, std::string place,
                                                const devices::Catalogue& catalogue);

}  // namespace drover::commands
