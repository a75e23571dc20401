// The processes of an operator's day: a router on its ledger, agents, and commands against them.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/commands/program.h"
#include "tests/operations/runbook_table.h"

namespace drover::operations {

class FleetProcesses {
 public:
  /// Does one action of the table. Answers what was not as the table says; empty: all was.
  std::vector<std::string> act(const Action& action);

  /// `drover WORDS`, asked of this fleet.
  commands::ProcessResult ask(std::vector<std::string> words) const;
  /// All at once: so they are answered at nearly the same moment.
  std::vector<commands::ProcessResult> ask_all(
      const std::vector<std::vector<std::string>>& questions) const;

  double speed() const;  // fleet seconds in a wall second

  /// Ids of the jobs submitted under a name, in their order.
  const std::vector<std::string>& jobs_named(const std::string& name) const;
  /// Processes that have ended by themselves, with their last words.
  std::string ended() const;

 private:
  std::vector<std::string> start(const std::string& name, const std::vector<std::string>& words);
  std::vector<std::string> end(const std::string& name, int signal);
  std::vector<std::string> command(const Action& action);
  std::vector<std::string> submit(const std::string& name, const Action& action);
  std::vector<std::string> with_connect(std::vector<std::string> words) const;
  /// "$NAME" is the id of a job, NAME.toml a file beside the table.
  std::vector<std::string> words_of(const std::string& line) const;

  commands::TestFolder folder_;
  std::string endpoint_ = commands::free_endpoint();
  std::map<std::string, std::unique_ptr<commands::DroverProcess>> running_;
  std::map<std::string, std::vector<std::string>> jobs_;
};

}  // namespace drover::operations
