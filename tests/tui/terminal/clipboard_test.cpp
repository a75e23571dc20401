#include "tui/terminal/clipboard.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

TEST(Clipboard, SendsTheTextInBase64) {
  // RFC 4648, section 10.
  for (const auto& [text, encoded] :
       {std::pair{"", ""}, std::pair{"f", "Zg=="}, std::pair{"fo", "Zm8="},
        std::pair{"foo", "Zm9v"}, std::pair{"foob", "Zm9vYg=="}, std::pair{"fooba", "Zm9vYmE="},
        std::pair{"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(clipboard_sequence(text), std::string("\x1b]52;c;") + encoded + "\x07");
  }
}

TEST(Clipboard, NothingInTheTextEndsTheSequence) {
  const std::string sequence = clipboard_sequence("a\x07\x1b\\\xff");
  EXPECT_EQ(sequence.find('\x07'), sequence.size() - 1);
  EXPECT_EQ(sequence.rfind('\x1b'), 0u);
}

}  // namespace
}  // namespace drover::tui
