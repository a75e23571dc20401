// How a command ended: the exit code, and one line on stderr if it is not 0.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "fleet/base/result.h"
#include "fleet/text/json.h"

namespace drover::commands {

enum class Exit : int { done = 0, failed = 1, usage = 2, partly = 3 };

struct ErrorKindRow {
  ErrorKind kind;
  std::string_view name;  // `error.kind` in JSON
  Exit exit;
};
/// In the order of the enumerators.
inline constexpr std::array<ErrorKindRow, 5> error_kinds{{
    {ErrorKind::invalid, "invalid", Exit::usage},
    {ErrorKind::not_found, "not_found", Exit::failed},
    {ErrorKind::refused, "refused", Exit::failed},
    {ErrorKind::lost, "lost", Exit::failed},
    {ErrorKind::io, "io", Exit::failed},
}};
constexpr const ErrorKindRow& row_of(ErrorKind kind) {
  return error_kinds[static_cast<std::size_t>(kind)];
}

/// `error` in the output of commands with --json.
inline Json to_json(const Error& error) {
  return Json::object().set("kind", row_of(error.kind).name).set("message", error.message);
}

struct CommandOutcome {
  Exit exit = Exit::done;
  Error error;  // printed on stderr after "drover COMMAND: "; without a message nothing is printed

  CommandOutcome() = default;
  CommandOutcome(Exit with, Error why) : exit(with), error(std::move(why)) {}
  CommandOutcome(Error why) : exit(row_of(why.kind).exit), error(std::move(why)) {}

  static CommandOutcome done() { return {}; }
  static CommandOutcome partly(std::string message) { return {Exit::partly, {std::move(message)}}; }
  /// The command has printed its result, and the result is bad.
  static CommandOutcome bad_result(std::string message) {
    return {Exit::failed, {std::move(message)}};
  }
};

}  // namespace drover::commands
