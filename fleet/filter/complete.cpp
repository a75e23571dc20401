#include "fleet/filter/complete.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "fleet/base/text.h"
#include "fleet/filter/filter.h"
#include "fleet/filter/tokenizer.h"

namespace drover::filter {

namespace {

enum class Awaited : std::uint8_t { operand, sign_or_join, value, join };

/// The position in the grammar after the tokens before the cursor.
struct Place {
  Awaited awaited = Awaited::operand;
  std::optional<Field> field;  // its operator or value is expected next
  std::size_t open = 0;        // open parentheses
};

void step(Place& place, const Token& word) {
  switch (word.kind) {
    case TokenKind::word:
    case TokenKind::quoted:
    case TokenKind::unended:
      if (place.awaited == Awaited::operand) {
        place.field = word.kind == TokenKind::word ? find_field(word.text) : std::nullopt;
        place.awaited = Awaited::sign_or_join;
      } else {
        place.awaited = Awaited::join;
      }
      break;
    case TokenKind::comparison:
      place.awaited = Awaited::value;
      break;
    case TokenKind::both:
    case TokenKind::either:
    case TokenKind::negation:
      place.awaited = Awaited::operand;
      break;
    case TokenKind::open:
      ++place.open;
      place.awaited = Awaited::operand;
      break;
    case TokenKind::close:
      if (place.open > 0) --place.open;
      place.awaited = Awaited::join;
      break;
    case TokenKind::end:
      break;
  }
}

std::vector<std::string> signs_of(ValueKind kind) {
  if (kind == ValueKind::text) return {"==", "!=", "~", "!~"};
  return {"==", "!=", "<", "<=", ">", ">="};
}

bool begins(std::string_view text, std::string_view beginning) {
  return text.size() >= beginning.size() &&
         equal_ignoring_case(text.substr(0, beginning.size()), beginning);
}

bool is_plain(std::string_view value) {
  const Token word = Tokenizer(value).next_value();
  return word.kind == TokenKind::word && word.length == value.size() &&
         !equal_ignoring_case(value, "none");
}

std::string quoted(std::string_view value) {
  std::string text = "\"";
  for (const char letter : value) {
    if (letter == '"') text += '\\';
    text += letter;
  }
  return text + '"';
}

/// Whether a word that ends at the cursor can continue.
bool goes_on(const Token& word) {
  if (word.kind == TokenKind::word || word.kind == TokenKind::unended) return true;
  const bool is_join = word.kind == TokenKind::both || word.kind == TokenKind::either ||
                       word.kind == TokenKind::negation;
  return is_join && lower(word.text[0]) >= 'a' && lower(word.text[0]) <= 'z';
}

class Offer {
 public:
  Offer(const Place& place, const Token& word, const KnownValues& known, Subjects of)
      : place_(place), word_(word), known_(known), of_(of) {}

  std::vector<std::string> words() {
    switch (place_.awaited) {
      case Awaited::operand:
        operands();
        break;
      case Awaited::sign_or_join:
        if (place_.field) {
          for (const std::string& sign : signs_of(facts(*place_.field).kind)) offer(sign);
        }
        joins();
        break;
      case Awaited::value:
        values();
        break;
      case Awaited::join:
        joins();
        break;
    }
    return std::move(words_);
  }

 private:
  void offer(std::string text) {
    if (words_.size() < completions_max) words_.push_back(std::move(text));
  }

  void operands() {
    if (word_.kind == TokenKind::quoted || word_.kind == TokenKind::unended) return;
    for (const std::string& name : field_names(of_)) {
      if (begins(name, word_.text) && name.size() > word_.text.size()) offer(name);
    }
    const std::optional<Field> whole = find_field(word_.text);
    if (whole && (facts(*whole).of & of_) != 0) {
      for (const std::string& sign : signs_of(facts(*whole).kind)) offer(word_.text + sign);
    }
    if (word_.text.empty()) {
      offer("!");
      offer("(");
    }
  }

  void values() {
    if (!place_.field) return;
    if (facts(*place_.field).kind == ValueKind::text && known_) {
      for (const std::string& value : known_(*place_.field)) {
        if (begins(value, word_.text)) offer(is_plain(value) ? value : quoted(value));
      }
    }
    if (word_.kind != TokenKind::unended && begins("none", word_.text)) offer("none");
  }

  void joins() {
    if (word_.length > 0) {
      for (const char* join : {"and", "or"}) {
        if (word_.kind == TokenKind::word && begins(join, word_.text)) offer(join);
      }
      return;
    }
    offer("&");
    offer("|");
    if (place_.open > 0) offer(")");
  }

  const Place& place_;
  const Token& word_;
  const KnownValues& known_;
  Subjects of_;
  std::vector<std::string> words_;
};

}  // namespace

Completion complete(std::string_view text, std::size_t cursor, const KnownValues& known,
                    Subjects of) {
  text = text.substr(0, std::min({cursor, text.size(), text_bytes_max}));
  Place place;
  Tokenizer words(text);
  while (true) {
    const Token word = place.awaited == Awaited::value ? words.next_value() : words.next();
    if (word.kind == TokenKind::end || (word.at + word.length == text.size() && goes_on(word))) {
      return {word.at, Offer(place, word, known, of).words()};
    }
    if (word.kind == TokenKind::negation && place.awaited == Awaited::sign_or_join) {
      return {word.at, {"!=", "!~"}};  // its second character is missing
    }
    step(place, word);
  }
}

}  // namespace drover::filter
