// `drover estimate` alone, for the fits; with the word `compare` first, `drover compare`.
#include <string>
#include <vector>

#include "commands/options.h"
#include "commands/outcome.h"
#include "commands/output.h"
#include "commands/verbs.h"

int main(int count, char** values) {
  namespace commands = drover::commands;
  std::vector<std::string> words(values + 1, values + count);
  const bool compares = !words.empty() && words[0] == "compare";
  if (compares) words.erase(words.begin());
  auto arguments = commands::Arguments::parse(
      compares ? commands::compare_usage() : commands::estimate_usage(), words);
  if (!arguments) {
    commands::put_error("{}\n", arguments.error().message);
    return 2;
  }
  const commands::Outcome outcome =
      compares ? commands::run_compare(*arguments) : commands::run_estimate(*arguments);
  if (!outcome.message.empty()) commands::put_error("{}\n", outcome.message);
  const drover::Status written = commands::flush_output();
  return written ? static_cast<int>(outcome.exit) : 1;
}
