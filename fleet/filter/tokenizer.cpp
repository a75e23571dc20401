#include "fleet/filter/tokenizer.h"

#include <algorithm>
#include <array>

#include "fleet/base/text.h"

namespace drover::filter {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";
constexpr std::string_view ends_of_words = " \t\r\n\v\f\"&|()!=<>~";
constexpr std::string_view ends_of_values = " \t\r\n\v\f\"&|()";

struct SignRow {
  std::string_view text;
  TokenKind kind;
  ComparisonOperator sign;
};

// An operator that begins with another one comes first.
constexpr std::array signs_table = {
    SignRow{"==", TokenKind::comparison, ComparisonOperator::equal},
    SignRow{"=", TokenKind::comparison, ComparisonOperator::equal},
    SignRow{"!=", TokenKind::comparison, ComparisonOperator::unequal},
    SignRow{"!~", TokenKind::comparison, ComparisonOperator::no_search},
    SignRow{"<=", TokenKind::comparison, ComparisonOperator::at_most},
    SignRow{"<", TokenKind::comparison, ComparisonOperator::less},
    SignRow{">=", TokenKind::comparison, ComparisonOperator::at_least},
    SignRow{">", TokenKind::comparison, ComparisonOperator::more},
    SignRow{"~", TokenKind::comparison, ComparisonOperator::search},
    SignRow{"&&", TokenKind::both, ComparisonOperator::none},
    SignRow{"&", TokenKind::both, ComparisonOperator::none},
    SignRow{"||", TokenKind::either, ComparisonOperator::none},
    SignRow{"|", TokenKind::either, ComparisonOperator::none},
    SignRow{"!", TokenKind::negation, ComparisonOperator::none},
    SignRow{"(", TokenKind::open, ComparisonOperator::none},
    SignRow{")", TokenKind::close, ComparisonOperator::none},
};

TokenKind kind_of(std::string_view word) {
  if (equal_ignoring_case(word, "and")) return TokenKind::both;
  if (equal_ignoring_case(word, "or")) return TokenKind::either;
  if (equal_ignoring_case(word, "not")) return TokenKind::negation;
  return TokenKind::word;
}

}  // namespace

Token Tokenizer::next() {
  skip_blanks();
  if (at_ == text_.size()) return {TokenKind::end, at_, 0, "", ComparisonOperator::none};
  if (text_[at_] == '"') return quoted();
  if (ends_of_words.find(text_[at_]) != std::string_view::npos) return signs();
  Token found = word(ends_of_words);
  found.kind = kind_of(found.text);
  return found;
}

Token Tokenizer::next_value() {
  skip_blanks();
  // A value cannot begin with an operator: `temp=>70`.
  if (at_ == text_.size() || ends_of_words.find(text_[at_]) != std::string_view::npos) {
    return next();
  }
  return word(ends_of_values);
}

void Tokenizer::skip_blanks() {
  at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size());
}

Token Tokenizer::signs() {
  for (const SignRow& row : signs_table) {
    if (!text_.substr(at_).starts_with(row.text)) continue;
    const std::size_t begin = at_;
    at_ += row.text.size();
    return {row.kind, begin, row.text.size(), std::string(row.text), row.sign};
  }
  return word(blanks);  // not reached: the table has every operator that ends a word
}

/// \" is a quote. Every other backslash is kept, for regular expressions.
Token Tokenizer::quoted() {
  Token found{TokenKind::unended, at_, 0, "", ComparisonOperator::none};
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      found.kind = TokenKind::quoted;
      ++at_;
      break;
    }
    if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
      if (text_[at_ + 1] != '"') found.text += '\\';
      ++at_;
    }
    found.text += text_[at_];
  }
  found.length = at_ - found.at;
  return found;
}

Token Tokenizer::word(std::string_view ends) {
  const std::size_t begin = at_;
  at_ = std::min(text_.find_first_of(ends, begin), text_.size());
  return {TokenKind::word, begin, at_ - begin, std::string(text_.substr(begin, at_ - begin)),
          ComparisonOperator::none};
}

}  // namespace drover::filter
