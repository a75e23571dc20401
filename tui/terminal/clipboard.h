// The escape sequence that copies text to the clipboard of the terminal, also over ssh.
#pragma once

#include <string>
#include <string_view>

namespace drover::tui {

/// OSC 52 (xterm's control sequences, "Manipulate Selection Data"), with the text in base64, so
/// that nothing in it can be a sequence of its own.
std::string clipboard_sequence(std::string_view text);

}  // namespace drover::tui
