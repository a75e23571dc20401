// The command line of ssh for one host, and what its failures mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "agents/launch/fleet_file.h"

namespace drover::launch {

/// Exit code of ssh itself, when it did not reach the host.
inline constexpr int ssh_failed = 255;

/// The words that run `command` on the host. `program`: empty: "ssh".
std::vector<std::string> ssh_words(const LaunchHost& host, std::string_view program,
                                   const std::string& command);

/// Why ssh failed, in our words where they are known, and its last line.
std::string ssh_failure(const std::string& standard_error);

/// The last line that is not blank, printable and not too long.
std::string last_line(const std::string& text);

}  // namespace drover::launch
