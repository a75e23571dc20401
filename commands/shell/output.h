// The output of commands. All output goes through these functions, so that a full disk or a closed
// descriptor ends every command in the same way: one line, and exit 1.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "commands/shell/table.h"
#include "fleet/base/result.h"

namespace drover::commands {

/// Call it first. If the parent process closed standard input, output or error, this keeps files
/// and sockets of the program from getting those descriptor numbers. Writing to such an output
/// still fails.
void reserve_standard_streams();

/// Writes to standard output. `flush_output` reports a failure.
void write_stdout_text(std::string_view text);
/// Writes to standard error. A failure cannot be reported.
void write_stderr_text(std::string_view text);

template <typename... Values>
void write_stdout(fmt::format_string<Values...> format, Values&&... values) {
  write_stdout_text(fmt::format(format, std::forward<Values>(values)...));
}

template <typename... Values>
void write_stderr(fmt::format_string<Values...> format, Values&&... values) {
  write_stderr_text(fmt::format(format, std::forward<Values>(values)...));
}

/// Of standard output or error, with $NO_COLOR and $TERM.
OutputFacts output_facts(int descriptor);

/// The lines wrapped to the width of the terminal on this descriptor; unchanged if it is none, so
/// that programs read whole lines.
std::string wrapped_for_terminal(const std::string& lines, int descriptor);

/// Whether anything has been written to standard output.
bool stdout_used();

/// Whether all output has been written. A closed pipe (`| head`) is not a failure.
Status flush_output();

/// The reader of standard output has closed it: the command need not continue.
bool output_closed();

}  // namespace drover::commands
