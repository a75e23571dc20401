// A ledger with many ended jobs, as a router that ran them leaves it.
#pragma once

#include <cstdint>
#include <string>

#include "fleet/job.h"

namespace drover {

Job bench_job(std::uint64_t number);

/// Makes the file, compacted as a router would have, and answers when it is closed.
void fill_ledger(const std::string& path, std::uint64_t jobs);

}  // namespace drover
