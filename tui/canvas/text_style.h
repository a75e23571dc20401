// The look of text as parameters of SGR sequences (ECMA-48, with xterm's 256 colours), so that a
// switch from one look to another takes no more bytes than their difference.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace drover::tui {

struct TextStyle {
  std::string attributes;  // parameters in ascending order: "1" bold, "2" dim, "7" reverse
  std::string foreground = "39",
              background = "49";  // parameters: "38;5;244"; at first the terminal's own
  bool operator==(const TextStyle&) const = default;

  /// Whether blanks of both look the same.
  bool same_blank(const TextStyle& other) const;
};

/// The style after a text of SGR sequences. None if the text contains anything else or does not
/// begin with a reset.
std::optional<TextStyle> parse_style(std::string_view text);

/// The shortest sequence from one style to the other; empty if they are the same.
std::string style_transition(const TextStyle& from, const TextStyle& to);

}  // namespace drover::tui
