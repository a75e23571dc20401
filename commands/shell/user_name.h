// The name of the user.
#pragma once

#include <string>

namespace drover::commands {

/// The login name of the user that runs this process, or `otherwise` if the system has none. The
/// router's records and replies use it. It is not authenticated; with a key, the router puts the
/// key's name before it.
std::string user_name(const std::string& otherwise);

}  // namespace drover::commands
