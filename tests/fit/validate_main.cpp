// `drover validate` alone, built quickly.
#include <string>
#include <vector>

#include "commands/shell/options.h"
#include "commands/shell/outcome.h"
#include "commands/shell/output.h"
#include "commands/subcommands.h"

int main(int count, char** values) {
  namespace commands = drover::commands;
  const std::vector<std::string> words(values + 1, values + count);
  auto arguments = commands::Arguments::parse(commands::validate_usage(), words);
  if (!arguments) {
    commands::write_stderr("{}\n", arguments.error().message);
    return 2;
  }
  const commands::CommandOutcome outcome = commands::run_validate(*arguments);
  if (!outcome.error.message.empty()) commands::write_stderr("{}\n", outcome.error.message);
  const drover::Status written = commands::flush_output();
  return written ? static_cast<int>(outcome.exit) : 1;
}
