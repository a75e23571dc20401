// The verbs as a table: what `main` runs, and what the overview, the man pages and the completions
// are made of.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "commands/shell/options.h"
#include "commands/shell/outcome.h"

namespace drover::commands {

struct Verb {
  const char* name;
  const char* summary;  // empty: hidden
  CommandUsage (*usage)();
  CommandOutcome (*run)(Arguments&);

  bool hidden() const { return *summary == 0; }
};

/// In the order of the overview.
std::span<const Verb> verb_table();
/// Null if there is none.
const Verb* find_verb(std::string_view name);

/// The usage with the options that every verb of its kind has (--keys and --key).
CommandUsage full_usage(const Verb& verb);

/// One sentence: what the program is.
extern const char* const program_summary;
struct ExitCode {
  int code;
  const char* meaning;
};
std::span<const ExitCode> exit_codes();

/// What `drover --help` prints.
std::string overview();

}  // namespace drover::commands
