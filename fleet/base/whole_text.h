// Parses a text that is one number and nothing else.
#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace drover {

/// As std::from_chars() reads it: without a plus sign, without blanks. `form`: the base of an
/// integer. Nothing: the text is no such number, or it does not fit.
template <typename Number, typename... Form>
std::optional<Number> parse_whole_text(std::string_view text, Form... form) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number, form...);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return number;
}

}  // namespace drover
