// The options of one command: declared once, then parsed, checked, and shown by `--help`.
//
// Only the first problem is kept, as in fleet/text/toml.h: a command reads all its options and then
// checks `status()` once. The error for an unknown option suggests the nearest known ones. Only
// options.cpp includes Boost.Program_options.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::commands {

/// One option. `value` is the name of its value ("FILE"); empty: a switch; "[=FILE]": the value may
/// be left out, and is then empty.
struct Option {
  std::string name;
  std::string value;
  std::string help;
  bool value_optional() const { return value.starts_with('['); }
  bool hidden = false;                                  // works, but `--help` does not show it
  bool repeatable = false;                              // may be given several times
  Status (*check)(const std::string& value) = nullptr;  // returns the problem with a value
  char letter = 0;                                      // `-o` for `--output`; 0: none
  std::vector<std::string> known = {};  // the values of an enumeration, for completions

  /// An option whose values are these names.
  static Option choice(std::string name, std::string value, std::string help,
                       std::vector<std::string> known);
};

/// The options and arguments of a command, and the text of its `--help`.
struct CommandUsage {
  std::string synopsis;     // "drover why [JOB] [options]"
  std::string description;  // paragraphs, each on one line; `help_text` wraps them
  std::vector<Option> options;
  std::vector<std::string> positionals;  // names; all optional, in order; a last "NAME..." repeats
  std::string examples;  // one command a line, with a comment below it if needed; not wrapped

  void add(const std::vector<Option>& more) {
    options.insert(options.end(), more.begin(), more.end());
  }
};

/// One less than the width of the smallest usual terminal: some terminals wrap a full line.
inline constexpr std::size_t help_columns = 79;

/// The text (ASCII) with each line that is longer than `columns` broken at blanks. The lines that
/// continue it are indented by `indent`. A word that does not fit has a line of its own.
std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent);

std::string help_text(const CommandUsage& usage);

/// The first words that the synopsis of a command with actions allows, such as up, status, logs and
/// down of "usage: drover launch up|status|logs|down FLEET.toml [HOSTS] [options]"; else none.
std::vector<std::string> actions_of(const CommandUsage& usage);

/// Whether the words ask for JSON, even if others of them are wrong.
bool prints_json(const CommandUsage& usage, const std::vector<std::string>& words);

class Arguments {
 public:
  /// An unknown option, a missing value, or a surplus word is an error.
  static Result<Arguments> parse(const CommandUsage& usage, const std::vector<std::string>& words);

  bool has(std::string_view name) const { return values_.contains(name); }
  std::string text(std::string_view name, std::string otherwise = "") const;
  std::vector<std::string> text_list(std::string_view name) const;
  /// What `parse` reads from the text and the option as messages name it ("--at"); `otherwise`
  /// without the option, or with a problem.
  template <typename Parse, typename Value>
  Value parsed(std::string_view name, const Parse& parse, Value otherwise) {
    if (!has(name)) return otherwise;
    const auto value = parse(text(name), "--" + std::string(name));
    if (value) return *value;
    add_problem(value.error());
    return otherwise;
  }
  Duration duration(std::string_view name, Duration otherwise);
  double number(std::string_view name, double low, double high, double otherwise);
  std::int64_t integer(std::string_view name, std::int64_t low, std::int64_t high,
                       std::int64_t otherwise);
  /// One of `known`; adds a problem with the nearest names for any other value.
  std::string one_of(std::string_view name, const std::vector<std::string>& known,
                     std::string otherwise);
  /// A valid name (`is_name`).
  std::string name(std::string_view name, std::string otherwise);

  /// Keeps the problem, unless there is one already.
  void add_problem(Error problem);
  Status status() const { return problem_; }

 private:
  std::map<std::string, std::vector<std::string>, std::less<>> values_;  // switches: no values
  Status problem_;
};

/// "30s" after the start of a recording or journal, or "2026-11-21T02:38:01Z".
struct TimeArgument {
  Duration after_start{};     // when there is no `at`
  std::optional<Instant> at;  // fleet time
  Instant in(Instant start) const { return at ? *at : saturating_add(start, after_start); }
};

/// `place` names the source of the text ("--at").
Result<TimeArgument> parse_time_argument(std::string_view text, std::string_view place);

}  // namespace drover::commands
