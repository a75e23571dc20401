// The options of one verb: declared once, parsed, checked, and shown by `--help`.
//
// The first problem that a reader finds sticks, like in fleet/text/toml.h: a verb reads everything
// it needs and then asks `status()` once. Unknown options list the nearest known ones. The only
// file that knows Boost.Program_options is options.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::commands {

/// One option. `value` names what follows it ("FILE"); empty: a switch.
struct Option {
  std::string name;
  std::string value;
  std::string help;
  bool hidden = false;                                  // works, but `--help` does not show it
  bool many = false;                                    // may be given several times
  Status (*check)(const std::string& value) = nullptr;  // what is wrong with a value, if anything
  char letter = 0;                                      // `-o` for `--output`; 0: none
};

/// What `drover VERB --help` says and what the verb understands.
struct CommandUsage {
  std::string synopsis;     // "drover why [JOB] [options]"
  std::string description;  // a paragraph
  std::vector<Option> options;
  std::vector<std::string> positionals;  // names; all optional, in order; a last "NAME..." repeats
  std::string examples;                  // each line one command with a comment under it
};

std::string help_text(const CommandUsage& usage);

class Arguments {
 public:
  /// An unknown option, a missing value, or a word too many is an error.
  static Result<Arguments> parse(const CommandUsage& usage, const std::vector<std::string>& words);
  ~Arguments();
  Arguments(Arguments&&) noexcept;
  Arguments& operator=(Arguments&&) noexcept;

  bool has(std::string_view name) const;
  std::string text(std::string_view name, std::string otherwise = "") const;
  std::vector<std::string> texts(std::string_view name) const;
  Duration duration(std::string_view name, Duration otherwise);
  double number(std::string_view name, double low, double high, double otherwise);
  std::int64_t integer(std::string_view name, std::int64_t low, std::int64_t high,
                       std::int64_t otherwise);
  /// One of `known`, else an error that lists the nearest.
  std::string one_of(std::string_view name, const std::vector<std::string>& known,
                     std::string otherwise);
  /// A name in the sense of `is_name`.
  std::string name(std::string_view name, std::string otherwise);

  /// Records a problem, unless one stands already.
  void complain(Error problem);
  Status status() const;

 private:
  struct State;
  explicit Arguments(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace drover::commands
