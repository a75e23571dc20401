#include "tui/state/prompt.h"

#include <utility>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

bool begins_character(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) != 0x80; }

std::size_t before(const std::string& text, std::size_t at) {
  while (at > 0 && !begins_character(text[--at])) {
  }
  return at;
}

std::size_t after(const std::string& text, std::size_t at) {
  if (at < text.size()) ++at;
  while (at < text.size() && !begins_character(text[at])) ++at;
  return at;
}

/// The beginning of the word before the cursor.
std::size_t word_before(const std::string& text, std::size_t at) {
  while (at > 0 && text[at - 1] == ' ') --at;
  while (at > 0 && text[at - 1] != ' ') --at;
  return at;
}

void insert(Prompt& prompt, std::string_view text) {
  if (prompt.text.size() + text.size() > prompt_bytes_max) return;
  prompt.text.insert(prompt.at, text);
  prompt.at += text.size();
}

void erase(Prompt& prompt, std::size_t from, std::size_t to) {
  prompt.text.erase(from, to - from);
  prompt.at = from;
}

void go_back(Prompt& prompt, const PromptHistory& memory, bool older) {
  const auto& texts = memory[static_cast<std::size_t>(prompt.kind)];
  if (older ? prompt.back >= texts.size() : prompt.back == 0) return;
  if (prompt.back == 0) prompt.draft = prompt.text;
  prompt.back += older ? 1 : std::size_t(-1);
  prompt.text = prompt.back == 0 ? prompt.draft : texts[texts.size() - prompt.back];
  prompt.at = prompt.text.size();
}

/// Applies a key that changes text or cursor; others do nothing.
void edit(Prompt& prompt, const PromptHistory& memory, const Key& key) {
  if (key.name == "Left" || key.name == "Ctrl-B") {
    prompt.at = before(prompt.text, prompt.at);
  } else if (key.name == "Right" || key.name == "Ctrl-F") {
    prompt.at = after(prompt.text, prompt.at);
  } else if (key.name == "Home" || key.name == "Ctrl-A") {
    prompt.at = 0;
  } else if (key.name == "End" || key.name == "Ctrl-E") {
    prompt.at = prompt.text.size();
  } else if (key.name == "Up" || key.name == "Down") {
    go_back(prompt, memory, key.name == "Up");
  } else if (key.name == "Backspace") {
    erase(prompt, before(prompt.text, prompt.at), prompt.at);
  } else if (key.name == "Delete") {
    erase(prompt, prompt.at, after(prompt.text, prompt.at));
  } else if (key.name == "Ctrl-U") {
    erase(prompt, 0, prompt.at);
  } else if (key.name == "Ctrl-K") {
    erase(prompt, prompt.at, prompt.text.size());
  } else if (key.name == "Ctrl-W") {
    erase(prompt, word_before(prompt.text, prompt.at), prompt.at);
  } else if (key.name == "Paste") {
    // Only the first line is pasted, so that a paste never enters a command.
    insert(prompt, printable(key.text.substr(0, key.text.find_first_of("\r\n"))));
  } else if (key.name == "Space") {
    insert(prompt, " ");
  } else if (after(key.name, 0) == key.name.size()) {  // one character
    insert(prompt, key.name);
  }
}

}  // namespace

PromptResult handle_prompt_key(Prompt& prompt, const PromptHistory& memory, const Key& key) {
  prompt.problem.clear();
  prompt.problem_length = 0;
  if (key.name == "Ctrl-C") return PromptResult::quit;
  if (key.name == "Tab" && !prompt.completions.empty()) {
    const std::size_t next = (prompt.completion_index + 1) % prompt.completions.size();
    erase(prompt, prompt.completions_at, prompt.at);
    insert(prompt, prompt.completions[next]);
    prompt.completion_index = next;
    return PromptResult::editing;
  }
  prompt.completions.clear();
  if (key.name == "Tab") return PromptResult::wants_completions;
  if (key.name == "Esc") return PromptResult::left;
  if (key.name == "Enter") return PromptResult::entered;
  edit(prompt, memory, key);
  return PromptResult::editing;
}

void offer_completions(Prompt& prompt, std::size_t from, std::vector<std::string> words) {
  if (words.empty() || from > prompt.at) return;
  erase(prompt, from, prompt.at);
  insert(prompt, words.front());
  if (words.size() == 1) return;
  prompt.completions = std::move(words);
  prompt.completions_at = from;
  prompt.completion_index = 0;
}

void add_to_history(PromptHistory& memory, PromptKind kind, const std::string& text) {
  auto& texts = memory[static_cast<std::size_t>(kind)];
  std::erase(texts, text);
  texts.push_back(text);
  if (texts.size() > prompt_history_max) texts.pop_front();
}

}  // namespace drover::tui
