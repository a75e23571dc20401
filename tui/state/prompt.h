// A line that is being typed at the bottom of the screen: text, cursor, what was typed before, what
// could stand there, and what is wrong with it. Pure: keys come in.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

#include "tui/terminal/key.h"

namespace drover::tui {

enum class PromptKind : std::uint8_t { time, filter, command, find, confirm };
inline constexpr int prompt_kind_count = 5;

inline constexpr std::size_t prompt_bytes_max = 500;
inline constexpr std::size_t prompts_kept_max = 50;  // of each kind

/// What was typed before, the newest last.
using PromptMemory = std::array<std::deque<std::string>, prompt_kind_count>;

struct Prompt {
  PromptKind kind = PromptKind::time;
  std::string text;
  std::size_t at = 0;          // where the next letter goes, in bytes
  std::string question;        // of confirm: what will happen
  std::string problem;         // what is wrong, until the next key
  std::size_t problem_at = 0;  // where, in bytes; with a length of 0 nowhere in particular
  std::size_t problem_length = 0;
  std::vector<std::string> offers;  // what Tab can put there, while it goes through them
  std::size_t offers_at = 0;        // where these begin
  std::size_t offered = 0;          // which one stands there
  std::size_t back = 0;             // how far back in what was typed before
  std::string draft;                // what stood there before going back
};

enum class Typed : std::uint8_t { editing, wants_offers, entered, left, quit };

/// What a key does to the line. `wants_offers`: Tab was pressed, and the caller may `offer`.
Typed type(Prompt& prompt, const PromptMemory& memory, const Key& key);
/// Puts the first of the words at `from`, in place of what stands between it and the cursor; the
/// next Tabs go on through them. One word is taken at once.
void offer(Prompt& prompt, std::size_t from, std::vector<std::string> words);
/// Keeps what was entered; a text that stands there already moves to the end.
void remember(PromptMemory& memory, PromptKind kind, const std::string& text);

}  // namespace drover::tui
