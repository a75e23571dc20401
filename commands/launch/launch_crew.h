// Child processes that each serve one host (ssh, or a shell here): so many at once, none longer
// than its limit, none waiting for another.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "commands/shell/clock.h"
#include "commands/shell/stop_signals.h"

namespace drover::commands {

struct Errand {
  std::vector<std::string> command;
  std::string script;  // written to its standard input first
};

enum class Fate : std::uint8_t {
  unasked,      // never started
  under_way,    //
  ended,        // by itself; see `status`
  overdue,      // was ended at its limit
  interrupted,  // was ended because the launcher was told to end
};

struct Returned {
  Fate fate = Fate::unasked;
  int status = 0;      // as waitpid tells it
  std::string out;     // limited; what comes after is dropped
  std::string err;     // its beginning
  bool cargo = false;  // asked for the cargo
  double took_s = 0;
};

struct CrewPlan {
  std::size_t fanout = 32;
  Wall limit = std::chrono::seconds(60);  // for each errand
  const std::string* cargo = nullptr;     // sent to those that ask for it
  /// An errand has started, asked for the cargo, or come to its end.
  std::function<void(std::size_t errand, const Returned&)> changed;
};

/// Answers in the order of the errands. Children have no terminal, so nobody is asked for a
/// password, and are killed with this process.
std::vector<Returned> run_errands(const std::vector<Errand>& errands, const CrewPlan& plan,
                                  StopSignals& signals);

}  // namespace drover::commands
