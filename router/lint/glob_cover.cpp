#include "router/lint/glob_cover.h"

#include <algorithm>
#include <vector>

namespace drover::router {
namespace {

/// Longer globs are only compared for equality: the work grows with the product of lengths.
constexpr std::size_t compared_max = 256;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

/// The glob in canonical form: lower case, and in each run of wildcards first the `?`, then at
/// most one `*`.
std::string spelled(std::string_view glob) {
  std::string text;
  bool star = false;
  for (const char letter : glob) {
    if (letter == '*') {
      star = true;
      continue;
    }
    if (star && letter != '?') {
      text += '*';
      star = false;
    }
    text += lower(letter);
  }
  if (star) text += '*';
  return text;
}

}  // namespace

bool covers_glob(std::string_view general, std::string_view special) {
  const std::string wide = spelled(general);
  const std::string narrow = spelled(special);
  if (wide == "*" || wide == narrow) return true;
  if (wide.size() > compared_max || narrow.size() > compared_max) return false;
  // covered[at]: whether the rest of `wide` covers narrow[at..]; `wide` is processed from its end.
  std::vector<bool> covered(narrow.size() + 1, false);
  covered[narrow.size()] = true;
  for (std::size_t rule = wide.size(); rule-- > 0;) {
    std::vector<bool> next(narrow.size() + 1, false);
    if (wide[rule] == '*') next[narrow.size()] = covered[narrow.size()];
    for (std::size_t at = narrow.size(); at-- > 0;) {
      if (wide[rule] == '*') {
        next[at] = covered[at] || next[at + 1];
      } else if (narrow[at] != '*' && (wide[rule] == '?' || wide[rule] == narrow[at])) {
        next[at] = covered[at + 1];
      }
    }
    covered = std::move(next);
  }
  return covered[0];
}

std::string text_of_glob(std::string_view glob) {
  std::string text(glob);
  std::erase(text, '*');
  std::replace(text.begin(), text.end(), '?', 'x');
  return text;
}

}  // namespace drover::router
