// The name of this machine.
#pragma once

#include <string>

namespace drover::commands {

/// As the system has it; "localhost" if that is no valid name of a host (`is_name`).
std::string own_host_name();

}  // namespace drover::commands
