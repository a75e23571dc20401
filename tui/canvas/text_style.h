// How text looks, in the sequences that switch it (SGR of ECMA-48, with xterm's 256 colours), so
// that going from one look to another costs no more bytes than their difference.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drover::tui {

struct TextStyle {
  std::string attributes;  // parameters in ascending order: "1" bold, "2" dim, "7" reverse
  std::string ink = "39", ground = "49";  // parameters: "38;5;244"; at first the terminal's own
  bool operator==(const TextStyle&) const = default;

  /// Whether blanks of both look the same.
  bool same_blank(const TextStyle& other) const;
};

/// The style that a text of nothing but SGR sequences leaves, whatever was before; none when it
/// holds anything else or does not begin with a reset.
std::optional<TextStyle> parse_style(std::string_view text);

/// The shortest sequence from one style to the other; empty when they are the same.
std::string change_of_style(const TextStyle& from, const TextStyle& to);

}  // namespace drover::tui
