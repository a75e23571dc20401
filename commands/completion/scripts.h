// The completion scripts of shells. Each asks `drover complete` what may stand at the cursor, so
// that it never falls behind the program.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace drover::commands {

struct CompletionScript {
  std::string_view shell;
  std::string_view text;
};
std::span<const CompletionScript> completion_scripts();

}  // namespace drover::commands
