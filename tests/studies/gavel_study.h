// Gavel's trace (docs/traces.md) on a fleet like the one of its simulations.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "devices/catalogue/catalogue.h"
#include "fleet/base/result.h"
#include "simulator/experiment.h"

namespace drover::simulator {

struct GavelFiles {
  std::string trace;
  std::string throughputs;
};

/// The trace's first `jobs_max` jobs, each with its measured throughputs.
Result<std::vector<Arrival>> read_gavel(const GavelFiles& files,
                                        const devices::Catalogue& catalogue, std::uint64_t seed,
                                        std::size_t jobs_max);

/// So many K80 dies, P100 and V100, on hosts of 8 (the last of a kind may have fewer), a rack for
/// each kind. Every second host is called spot; only policies that ask for the label care.
std::vector<agents::AgentSettings> gavel_fleet(std::uint16_t of_each);

}  // namespace drover::simulator
