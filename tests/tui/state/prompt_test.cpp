// A line that is typed: letters, cursor, what was typed before, what Tab puts there.
#include "tui/state/prompt.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

struct PromptCase {
  std::vector<const char*> keys;
  std::string text;
  std::size_t at;
};

TEST(Prompt, KeysEditTheLine) {
  const std::vector<PromptCase> cases = {
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
  for (const PromptCase& c : cases) {
    Prompt prompt;
    std::string path;
    for (const char* key : c.keys) {
      EXPECT_EQ(handle_prompt_key(prompt, {}, {key}), PromptResult::editing);
      path += std::string(key) + " ";
    }
    EXPECT_EQ(prompt.text, c.text) << path;
    EXPECT_EQ(prompt.at, c.at) << path;
  }
}

TEST(Prompt, APasteInsertsItsFirstLineEscaped) {
  Prompt prompt;
  Key paste{"Paste"};
  paste.text = "temp>70\x1b[2J\nq\n";
  EXPECT_EQ(handle_prompt_key(prompt, {}, paste), PromptResult::editing);
  EXPECT_EQ(prompt.text, "temp>70^[[2J");
}

TEST(Prompt, UpRecallsTheHistoryAndDownReturnsToTheDraft) {
  PromptHistory memory;
  for (const char* text : {"one", "two", "one"}) add_to_history(memory, PromptKind::filter, text);
  Prompt prompt;
  prompt.kind = PromptKind::filter;
  std::vector<std::string> seen;
  for (const char* key : {"x", "Up", "Up", "Up", "Down", "Down", "Down"}) {
    handle_prompt_key(prompt, memory, {key});
    seen.push_back(prompt.text);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"x", "one", "two", "two", "one", "x", "x"}));
}

TEST(Prompt, TabCyclesThroughCompletionsUntilALetterIsTyped) {
  Prompt prompt;
  for (const char* key : {"d", "r"}) handle_prompt_key(prompt, {}, {key});
  ASSERT_EQ(handle_prompt_key(prompt, {}, {"Tab"}), PromptResult::wants_completions);
  offer_completions(prompt, 0, {"drain", "drop"});
  EXPECT_EQ(prompt.text, "drain");
  handle_prompt_key(prompt, {}, {"Tab"});
  EXPECT_EQ(prompt.text, "drop");
  handle_prompt_key(prompt, {}, {"Tab"});
  EXPECT_EQ(prompt.text, "drain");
  handle_prompt_key(prompt, {}, {"s"});
  EXPECT_EQ(handle_prompt_key(prompt, {}, {"Tab"}), PromptResult::wants_completions);
  EXPECT_EQ(prompt.text, "drains");
}

TEST(Prompt, NeverExceedsTheMaximumLength) {
  Prompt prompt;
  for (std::size_t i = 0; i < 2 * prompt_bytes_max; ++i) handle_prompt_key(prompt, {}, {"漢"});
  EXPECT_LE(prompt.text.size(), prompt_bytes_max);
  EXPECT_GT(prompt.text.size(), prompt_bytes_max - 3);
}

}  // namespace
}  // namespace drover::tui
