// The entry point of the program: finds the command, gives its help or runs it.
#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands/connection/session.h"
#include "commands/shell/options.h"
#include "commands/shell/outcome.h"
#include "commands/shell/output.h"
#include "commands/shell/parent_watchdog.h"
#include "commands/subcommands.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"

namespace {

using drover::Status;
using drover::commands::Arguments;
using drover::commands::CommandOutcome;
using drover::commands::CommandUsage;
using drover::commands::Exit;

struct Subcommand {
  const char* name;
  const char* summary;  // empty: hidden
  CommandUsage (*usage)();
  CommandOutcome (*run)(Arguments&);
};

namespace commands = drover::commands;

#define DROVER_SUBCOMMAND(name, summary) \
  {#name, summary, commands::name##_usage, commands::run_##name},
constexpr Subcommand subcommands[] = {DROVER_VERBS(DROVER_SUBCOMMAND)};
#undef DROVER_SUBCOMMAND

std::string overview() {
  std::string text =
      "drover routes work across a mixed fleet of emulated GPUs and TPUs and shows the\n"
      "fleet live.\n\n"
      "usage: drover COMMAND [options]\n\nCommands:\n";
  for (const Subcommand& command : subcommands) {
    if (*command.summary != 0) text += fmt::format("  {:<11} {}\n", command.name, command.summary);
  }
  text +=
      "\nStart here:\n"
      "  drover demo               a router, four agents, work, and the dashboard\n"
      "  drover COMMAND --help     what a command does, with examples\n\n"
      "Exit codes: 0 done, 1 failed, 2 wrong usage, 3 partly done.\n";
  return text;
}

/// Prints the error of the outcome; with `json` also as an object, unless the command has printed
/// one. A command whose output could not be written has failed.
int end(const std::string& who, CommandOutcome outcome, bool json = false) {
  const bool failed = outcome.exit == Exit::failed || outcome.exit == Exit::usage;
  if (failed && json && !commands::stdout_used()) {
    commands::write_stdout(
        "{}\n", drover::Json::object().set("error", commands::to_json(outcome.error)).dump());
  }
  const Status written = commands::flush_output();
  if (!written && !failed) {
    outcome = CommandOutcome(written.error());
  }
  const std::string& message = outcome.error.message;
  if (!message.empty()) commands::write_stderr("{}: {}\n", who, message);
  return static_cast<int>(outcome.exit);
}

const Subcommand* find_subcommand(const std::string& word) {
  const auto* found = std::find_if(std::begin(subcommands), std::end(subcommands),
                                   [&](const Subcommand& command) { return word == command.name; });
  return found == std::end(subcommands) ? nullptr : found;
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

CommandOutcome unknown_command(const std::string& word) {
  std::vector<std::string> known;
  for (const Subcommand& command : subcommands) {
    if (*command.summary != 0) known.emplace_back(command.name);
  }
  return drover::error("unknown command '{}'{}", drover::excerpt(word),
                       drover::suggestion(word, known));
}

int run(const Subcommand& command, const std::vector<std::string>& words) {
  const std::string who = fmt::format("drover {}", command.name);
  const CommandUsage usage = commands::with_key_options(command.usage());
  if (std::any_of(words.begin(), words.end(), asks_for_help)) {
    commands::write_stdout_text(help_text(usage));
    return end(who, CommandOutcome::done());
  }
  const bool json = commands::prints_json(usage, words);
  auto arguments = Arguments::parse(usage, words);
  if (!arguments) return end(who, CommandOutcome(arguments.error()), json);
  if (const Status held = commands::watch_parent(*arguments); !held) {
    return end(who, CommandOutcome(held.error()), json);
  }
  return end(who, command.run(*arguments), json);
}

}  // namespace

int main(int count, char** values) {
  commands::reserve_standard_streams();
  std::vector<std::string> words(values + 1, values + count);
  // `drover help COMMAND` is `drover COMMAND --help`.
  if (words.size() > 1 && words[0] == "help") words = {words[1], "--help"};
  if (words.empty() || words[0] == "help" || asks_for_help(words[0])) {
    commands::write_stdout_text(overview());
    return end("drover", CommandOutcome::done());
  }
  if (words[0] == "--version") {
    commands::write_stdout("{}\n", drover::software_name);
    return end("drover", CommandOutcome::done());
  }
  const Subcommand* command = find_subcommand(words[0]);
  if (command == nullptr) return end("drover", unknown_command(words[0]));
  return run(*command, {words.begin() + 1, words.end()});
}
