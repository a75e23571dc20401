// A line that is typed: letters, cursor, what was typed before, what Tab puts there.
#include "tui/state/prompt.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

struct Case {
  std::vector<const char*> keys;
  std::string text;
  std::size_t at;
};

TEST(Prompt, KeysEditTheLine) {
  const std::vector<Case> cases = {
      {{"a", "b", "Space", "c"}, "ab c", 4},
      {{"a", "b", "Left", "c"}, "acb", 2},
      {{"a", "b", "Home", "c", "End", "d"}, "cabd", 4},
      {{"a", "b", "Backspace"}, "a", 1},
      {{"a", "b", "Home", "Delete"}, "b", 0},
      {{"Backspace", "Delete", "Left", "Right"}, "", 0},
      {{"é", "漢", "Left", "Backspace"}, "漢", 0},
      {{"a", "Space", "b", "c", "Ctrl-W"}, "a ", 2},
      {{"a", "b", "Left", "Ctrl-U"}, "b", 0},
      {{"a", "b", "Left", "Ctrl-K"}, "a", 1},
      {{"a", "F5", "PgUp", "Click"}, "a", 1},
  };
  for (const Case& c : cases) {
    Prompt prompt;
    std::string path;
    for (const char* key : c.keys) {
      EXPECT_EQ(type(prompt, {}, {key}), Typed::editing);
      path += std::string(key) + " ";
    }
    EXPECT_EQ(prompt.text, c.text) << path;
    EXPECT_EQ(prompt.at, c.at) << path;
  }
}

TEST(Prompt, APasteIsTheTextOfItsFirstLineMadeSafe) {
  Prompt prompt;
  Key paste{"Paste"};
  paste.text = "temp>70\x1b[2J\nq\n";
  EXPECT_EQ(type(prompt, {}, paste), Typed::editing);
  EXPECT_EQ(prompt.text, "temp>70^[[2J");
}

TEST(Prompt, UpGoesBackThroughWhatWasTypedAndDownReturnsToTheDraft) {
  PromptMemory memory;
  for (const char* text : {"one", "two", "one"}) remember(memory, PromptKind::filter, text);
  Prompt prompt;
  prompt.kind = PromptKind::filter;
  std::vector<std::string> seen;
  for (const char* key : {"x", "Up", "Up", "Up", "Down", "Down", "Down"}) {
    type(prompt, memory, {key});
    seen.push_back(prompt.text);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"x", "one", "two", "two", "one", "x", "x"}));
}

TEST(Prompt, TabGoesRoundWhatIsOfferedAndLettersEndThat) {
  Prompt prompt;
  for (const char* key : {"d", "r"}) type(prompt, {}, {key});
  ASSERT_EQ(type(prompt, {}, {"Tab"}), Typed::wants_offers);
  offer(prompt, 0, {"drain", "drop"});
  EXPECT_EQ(prompt.text, "drain");
  type(prompt, {}, {"Tab"});
  EXPECT_EQ(prompt.text, "drop");
  type(prompt, {}, {"Tab"});
  EXPECT_EQ(prompt.text, "drain");
  type(prompt, {}, {"s"});
  EXPECT_EQ(type(prompt, {}, {"Tab"}), Typed::wants_offers);
  EXPECT_EQ(prompt.text, "drains");
}

TEST(Prompt, IsNeverLongerThanItMay) {
  Prompt prompt;
  for (std::size_t i = 0; i < 2 * prompt_bytes_max; ++i) type(prompt, {}, {"漢"});
  EXPECT_LE(prompt.text.size(), prompt_bytes_max);
  EXPECT_GT(prompt.text.size(), prompt_bytes_max - 3);
}

}  // namespace
}  // namespace drover::tui
