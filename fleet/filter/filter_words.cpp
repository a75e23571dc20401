#include "fleet/filter/filter_words.h"

#include <algorithm>
#include <array>

namespace drover::filter {

namespace {

constexpr std::string_view blanks = " \t\r\n\v\f";
constexpr std::string_view ends_of_words = " \t\r\n\v\f\"&|()!=<>~";
constexpr std::string_view ends_of_values = " \t\r\n\v\f\"&|()";

struct SignRow {
  std::string_view text;
  WordKind kind;
  Sign sign;
};

// The longer of two that begin alike stands first.
constexpr std::array signs_table = {
    SignRow{"==", WordKind::comparison, Sign::equal},
    SignRow{"=", WordKind::comparison, Sign::equal},
    SignRow{"!=", WordKind::comparison, Sign::unequal},
    SignRow{"!~", WordKind::comparison, Sign::no_search},
    SignRow{"<=", WordKind::comparison, Sign::at_most},
    SignRow{"<", WordKind::comparison, Sign::less},
    SignRow{">=", WordKind::comparison, Sign::at_least},
    SignRow{">", WordKind::comparison, Sign::more},
    SignRow{"~", WordKind::comparison, Sign::search},
    SignRow{"&&", WordKind::both, Sign::none},
    SignRow{"&", WordKind::both, Sign::none},
    SignRow{"||", WordKind::either, Sign::none},
    SignRow{"|", WordKind::either, Sign::none},
    SignRow{"!", WordKind::negation, Sign::none},
    SignRow{"(", WordKind::open, Sign::none},
    SignRow{")", WordKind::close, Sign::none},
};

WordKind kind_of(std::string_view word) {
  if (same_letters(word, "and")) return WordKind::both;
  if (same_letters(word, "or")) return WordKind::either;
  if (same_letters(word, "not")) return WordKind::negation;
  return WordKind::word;
}

}  // namespace

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool same_letters(std::string_view one, std::string_view other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char a, char b) { return lower(a) == lower(b); });
}

std::string_view to_text(Sign sign) {
  for (const SignRow& row : signs_table) {
    if (row.sign == sign && sign != Sign::none) return row.text;
  }
  return "";
}

Word Words::next() {
  skip_blanks();
  if (at_ == text_.size()) return {WordKind::end, at_, 0, "", Sign::none};
  if (text_[at_] == '"') return quoted();
  if (ends_of_words.find(text_[at_]) != std::string_view::npos) return signs();
  Word found = word(ends_of_words);
  found.kind = kind_of(found.text);
  return found;
}

Word Words::next_value() {
  skip_blanks();
  // A sign at its beginning is no value: `temp=>70`.
  if (at_ == text_.size() || ends_of_words.find(text_[at_]) != std::string_view::npos) {
    return next();
  }
  return word(ends_of_values);
}

void Words::skip_blanks() { at_ = std::min(text_.find_first_not_of(blanks, at_), text_.size()); }

Word Words::signs() {
  for (const SignRow& row : signs_table) {
    if (!text_.substr(at_).starts_with(row.text)) continue;
    const std::size_t begin = at_;
    at_ += row.text.size();
    return {row.kind, begin, row.text.size(), std::string(row.text), row.sign};
  }
  return word(blanks);  // not reached: the table holds every sign that ends a word
}

/// \" is a quote; every other backslash stays, as regular expressions want it.
Word Words::quoted() {
  Word found{WordKind::unended, at_, 0, "", Sign::none};
  for (++at_; at_ < text_.size(); ++at_) {
    if (text_[at_] == '"') {
      found.kind = WordKind::quoted;
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

Word Words::word(std::string_view ends) {
  const std::size_t begin = at_;
  at_ = std::min(text_.find_first_of(ends, begin), text_.size());
  return {WordKind::word, begin, at_ - begin, std::string(text_.substr(begin, at_ - begin)),
          Sign::none};
}

}  // namespace drover::filter
