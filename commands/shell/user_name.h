// Who sits at this terminal.
#pragma once

#include <string>

namespace drover::commands {

/// The login name of the user that runs this process, by which the router's record and its answers
/// call him; `otherwise` where the system knows none. Nothing proves it: a key does, and its name
/// then stands before this one.
std::string user_name(const std::string& otherwise);

}  // namespace drover::commands
