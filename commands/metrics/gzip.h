// gzip: pages for clients that ask for it, and archives.
#pragma once

#include <string>
#include <string_view>

#include "commands/metrics/page/page.h"

namespace drover::commands {

/// Level 1: the most bytes saved per second of work.
std::string gzip(const Page& page);
std::string gzip(std::string_view text);

}  // namespace drover::commands
