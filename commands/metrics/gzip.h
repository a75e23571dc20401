// A page compressed for clients that ask for gzip.
#pragma once

#include <string>

#include "commands/metrics/page/page.h"

namespace drover::commands {

/// Level 1: the most bytes saved per second of work.
std::string gzip(const Page& page);

}  // namespace drover::commands
