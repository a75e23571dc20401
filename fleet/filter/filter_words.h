// The words of a filter's text, one after the other. Where a value is expected, a word goes on over
// signs that would end it elsewhere: `label==tier=fast`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::filter {

enum class WordKind : std::uint8_t {
  word,        // h100, temp, 80%
  quoted,      // "a text"
  unended,     // "a text
  comparison,  // == < ~ ..
  both,        // & && and
  either,      // | || or
  negation,    // ! not
  open,        // (
  close,       // )
  end,
};

/// A comparison's sign, or none of them.
enum class Sign : std::uint8_t {
  none,
  equal,
  unequal,
  less,
  at_most,
  more,
  at_least,
  search,
  no_search,
};
/// As the language writes it: "==".
std::string_view to_text(Sign sign);

struct Word {
  WordKind kind = WordKind::end;
  std::size_t at = 0;      // bytes from the beginning of the text
  std::size_t length = 0;  // quotes included
  std::string text;        // without quotes and escapes
  Sign sign = Sign::none;
};

class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}
  Word next();
  /// Where a value is expected: a word ends at a blank, a quote, & | ( or ).
  Word next_value();

 private:
  void skip_blanks();
  bool take(std::string_view sign);
  Word signs();
  Word quoted();
  Word word(std::string_view ends);

  std::string_view text_;
  std::size_t at_ = 0;
};

/// Letters of ASCII without regard to case.
char lower(char letter);
bool same_letters(std::string_view one, std::string_view other);

}  // namespace drover::filter
