// How a command ended: the exit code, and one line on stderr if it is not 0.
#pragma once

#include <string>
#include <utility>

#include "fleet/base/result.h"

namespace drover::commands {

enum class Exit : int { done = 0, failed = 1, usage = 2, partly = 3 };

struct CommandOutcome {
  Exit exit = Exit::done;
  std::string message;  // printed on stderr after "drover COMMAND: "; empty: nothing is printed

  static CommandOutcome done() { return {}; }
  static CommandOutcome failed(const Error& error) { return {Exit::failed, error.message}; }
  static CommandOutcome usage(const Error& error) { return {Exit::usage, error.message}; }
  static CommandOutcome partly(std::string message) { return {Exit::partly, std::move(message)}; }
};

}  // namespace drover::commands
