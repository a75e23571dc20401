#include "tui/state/fuzzy_match.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace drover::tui {
namespace {

constexpr int letter_points = 16;    // each letter of the pattern
constexpr int in_a_row_points = 12;  // right after the letter before
constexpr int word_start_points = 10;
constexpr int text_start_points = 6;  // besides those of a word's start
constexpr int gap_points = -1;        // each letter that is passed over between two matches
constexpr int text_columns_max = 64;  // beyond this, length no longer counts

constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

constexpr bool is_word(char letter) {
  const char low = lower(letter);
  return (low >= 'a' && low <= 'z') || (low >= '0' && low <= '9') ||
         static_cast<unsigned char>(letter) >= 0x80;
}

bool begins_word(std::string_view text, std::size_t at) {
  return at == 0 || (is_word(text[at]) && !is_word(text[at - 1]));
}

/// The position of the letter from `from` on.
std::size_t find_letter(std::string_view text, char letter, std::size_t from) {
  while (from < text.size() && lower(text[from]) != letter) ++from;
  return from;
}

/// The points of the match that ends first, tightened from its end, as fzf does it: linear, and
/// hardly ever another match than the best.
int points_of(std::string_view pattern, std::string_view text, std::size_t end) {
  std::size_t at = end;
  std::size_t after = end;  // the position of the next letter of the pattern
  int points = 0;
  for (std::size_t i = pattern.size(); i-- > 0;) {
    while (lower(text[at]) != pattern[i]) --at;
    points += letter_points;
    if (begins_word(text, at)) points += word_start_points;
    if (at == 0) points += text_start_points;
    if (i + 1 < pattern.size()) {
      const auto gap = static_cast<int>(after - at) - 1;
      points += gap == 0 ? in_a_row_points : gap * gap_points;
    }
    after = at;
    if (i > 0) --at;
  }
  return points;
}

std::string folded(std::string_view pattern) {
  std::string letters;
  for (const char letter : pattern) {
    if (letter != ' ') letters += lower(letter);
  }
  return letters;
}

std::optional<int> score(std::string_view letters, std::string_view text) {
  const int shorter =
      text_columns_max - std::min<int>(text_columns_max, static_cast<int>(text.size()));
  if (letters.empty()) return shorter;
  std::optional<int> best;
  // A second match may begin a word where the first one does not: "ev" in "device events".
  for (std::size_t begin = find_letter(text, letters[0], 0); begin < text.size();
       begin = find_letter(text, letters[0], begin + 1)) {
    std::size_t end = begin;
    for (std::size_t i = 1; i < letters.size() && end < text.size(); ++i) {
      end = find_letter(text, letters[i], end + 1);
    }
    if (end >= text.size()) break;
    best = std::max(best.value_or(INT32_MIN), points_of(letters, text, end));
  }
  // The length decides only between equal matches.
  if (best) *best = *best * (text_columns_max + 1) + shorter;
  return best;
}

}  // namespace

std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text) {
  return score(folded(pattern), text);
}

std::vector<std::size_t> best_matches(std::string_view pattern,
                                      const std::vector<std::string_view>& texts,
                                      std::size_t most) {
  const std::string letters = folded(pattern);
  std::vector<std::pair<int, std::size_t>> found;  // negative points, so that they sort first
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (const auto points = score(letters, texts[i])) found.emplace_back(-*points, i);
  }
  const std::size_t shown = std::min(most, found.size());
  std::partial_sort(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(shown), found.end());
  std::vector<std::size_t> indexes;
  for (std::size_t i = 0; i < shown; ++i) indexes.push_back(found[i].second);
  return indexes;
}

}  // namespace drover::tui
