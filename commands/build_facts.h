// Of what this program was built: for `drover --version` and support bundles.
#pragma once

#include <string>

namespace drover::commands {

/// One line for each fact, the program and its version first. The same sources, compiler and
/// libraries give the same text.
std::string build_facts();

}  // namespace drover::commands
