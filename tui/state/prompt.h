// The input line at the bottom of the screen: text, cursor, history, completions, and the error in
// the text. It does no input itself: the caller passes the keys.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "tui/terminal/key.h"

namespace drover::tui {

enum class PromptKind : std::uint8_t { time, filter, command, find, confirm, search };
inline constexpr int prompt_kind_count = 6;

inline constexpr std::size_t prompt_bytes_max = 500;
inline constexpr std::size_t prompt_history_max = 200;  // of each kind

/// Earlier inputs by kind of prompt, newest last.
using PromptHistory = std::array<std::deque<std::string>, prompt_kind_count>;

/// A line of the list above the prompt of a search.
struct FoundLine {
  std::string kind, name;
  std::size_t index = 0;  // in the list that was searched
};

struct Prompt {
  PromptKind kind = PromptKind::time;
  std::string text;
  std::size_t at = 0;          // the cursor, in bytes
  std::string question;        // of confirm: what will happen
  std::string problem;         // the error, until the next key
  std::size_t problem_at = 0;  // its position, in bytes; none if the length is 0
  std::size_t problem_length = 0;
  std::vector<std::string> completions;  // that Tab cycles through
  std::size_t completions_at = 0;        // where they begin in the text
  std::size_t completion_index = 0;      // of the one inserted
  std::size_t back = 0;                  // steps back in the history
  std::string draft;                     // the text before the first step back
  std::string before;                    // of a filter: the one that Esc restores
  std::string incomplete;                // of a filter: why the text is none yet
  std::vector<FoundLine> found;          // of a search, the best first
  std::size_t found_index = 0;           // of the one that Enter goes to
};

enum class PromptResult : std::uint8_t { editing, wants_completions, entered, left, quit };

/// Applies a key to the line. `wants_completions`: Tab was pressed, and the caller may call
/// offer_completions.
PromptResult handle_prompt_key(Prompt& prompt, const PromptHistory& memory, const Key& key);
/// Replaces the text between `from` and the cursor by the first word; further Tabs cycle through
/// the words. A single word is accepted at once.
void offer_completions(Prompt& prompt, std::size_t from, std::vector<std::string> words);
/// Adds an entered text to the history; if it is there already, it moves to the end.
void add_to_history(PromptHistory& memory, PromptKind kind, const std::string& text);

}  // namespace drover::tui
