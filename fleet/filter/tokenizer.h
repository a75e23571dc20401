// Splits a filter's text into tokens. Where a value is expected, a word may contain operator
// characters: `label==tier=fast`.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace drover::filter {

enum class TokenKind : std::uint8_t {
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

enum class ComparisonOperator : std::uint8_t {
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

struct Token {
  TokenKind kind = TokenKind::end;
  std::size_t at = 0;      // bytes from the beginning of the text
  std::size_t length = 0;  // quotes included
  std::string text;        // without quotes and escapes
  ComparisonOperator sign = ComparisonOperator::none;
};

class Tokenizer {
 public:
  explicit Tokenizer(std::string_view text) : text_(text) {}
  Token next();
  /// The next token where a value is expected: a word ends at a blank, a quote, & | ( or ).
  Token next_value();

 private:
  void skip_blanks();
  Token signs();
  Token quoted();
  Token word(std::string_view ends);

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace drover::filter
