// The entry point of the program: finds the command, gives its help or runs it.
#include <unistd.h>

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "commands/build_facts.h"
#include "commands/shell/options.h"
#include "commands/shell/outcome.h"
#include "commands/shell/output.h"
#include "commands/shell/parent_watchdog.h"
#include "commands/verb_table.h"
#include "fleet/base/text.h"

namespace {

using drover::Status;
using drover::commands::Arguments;
using drover::commands::CommandOutcome;
using drover::commands::CommandUsage;
using drover::commands::Exit;
using drover::commands::Verb;

namespace commands = drover::commands;

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
  if (!message.empty()) {
    commands::write_stderr_text(
        commands::wrapped_for_terminal(fmt::format("{}: {}\n", who, message), STDERR_FILENO));
  }
  return static_cast<int>(outcome.exit);
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

CommandOutcome unknown_command(const std::string& word) {
  std::vector<std::string> known;
  for (const Verb& verb : commands::verb_table()) {
    if (!verb.hidden()) known.emplace_back(verb.name);
  }
  return drover::error("unknown command '{}'{}", drover::excerpt(word),
                       drover::suggestion(word, known));
}

int run(const Verb& verb, const std::vector<std::string>& words) {
  const std::string who = fmt::format("drover {}", verb.name);
  const CommandUsage usage = commands::full_usage(verb);
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
  return end(who, verb.run(*arguments), json);
}

}  // namespace

int main(int count, char** values) {
  commands::reserve_standard_streams();
  std::vector<std::string> words(values + 1, values + count);
  // `drover help COMMAND` is `drover COMMAND --help`.
  if (words.size() > 1 && words[0] == "help") words = {words[1], "--help"};
  if (words.empty() || words[0] == "help" || asks_for_help(words[0])) {
    commands::write_stdout_text(commands::overview());
    return end("drover", CommandOutcome::done());
  }
  if (words[0] == "--version") {
    commands::write_stdout_text(commands::build_facts());
    return end("drover", CommandOutcome::done());
  }
  const Verb* verb = commands::find_verb(words[0]);
  if (verb == nullptr) return end("drover", unknown_command(words[0]));
  return run(*verb, {words.begin() + 1, words.end()});
}
