// What a verb says. Everything goes through here, so that a full disk or a closed descriptor ends
// every verb in the same way: one line, and exit 1.
#pragma once

#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/result.h"

namespace drover::commands {

/// To be called first of all: where the caller has closed standard input, output or error, no file
/// or socket of ours may take its number. Writing to such an output fails as it should.
void hold_standard_streams();

/// To standard output; what goes wrong is kept for `flush_output`.
void put_text(std::string_view text);
/// To standard error. There is nowhere left to say that this failed.
void put_error_text(std::string_view text);

template <typename... Values>
void put(fmt::format_string<Values...> format, Values&&... values) {
  put_text(fmt::format(format, std::forward<Values>(values)...));
}

template <typename... Values>
void put_error(fmt::format_string<Values...> format, Values&&... values) {
  put_error_text(fmt::format(format, std::forward<Values>(values)...));
}

/// Whether all that was put has been written. A reader who has left (`| head`) is no failure.
Status flush_output();

/// The reader of standard output has left: there is nobody to go on for.
bool output_closed();

}  // namespace drover::commands
