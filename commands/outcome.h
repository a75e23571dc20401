// How a verb ended: the exit code of the program, and one line for a person where it is not 0.
#pragma once

#include <string>
#include <utility>

#include "fleet/result.h"

namespace drover::commands {

enum class Exit : int { done = 0, failed = 1, usage = 2, partly = 3 };

struct Outcome {
  Exit exit = Exit::done;
  std::string message;  // what `drover VERB: ` is put before on stderr; empty: nothing is said

  static Outcome done() { return {}; }
  static Outcome failed(const Error& error) { return {Exit::failed, error.message}; }
  static Outcome usage(const Error& error) { return {Exit::usage, error.message}; }
  static Outcome partly(std::string message) { return {Exit::partly, std::move(message)}; }
};

}  // namespace drover::commands
