// Filters: an expression over fields that holds for a thing or does not.
//
//   kind==tpu & temp>70 | job~llama        fields, units and signs: docs/filters.md
//
// A text is parsed once into a list of comparisons with jumps between them; judging a thing asks it
// for the few fields that decide, and takes no memory of its own. What is not known compares as
// false, whatever the sign; `temp==none` asks for it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "fleet/filter/filter_fields.h"
#include "fleet/filter/filter_regex.h"

namespace drover::filter {

// Limits: whoever sends a filter must not take this process's time or memory.
inline constexpr std::size_t text_bytes_max = 1'000;
inline constexpr std::size_t depth_max = 32;  // of parentheses and negations in each other
inline constexpr std::size_t comparisons_max = 64;

/// Looks at the values of a text field, one after the other, until it has seen enough.
class TextTest {
 public:
  enum class How : std::uint8_t { any, equal, contains, pattern };
  TextTest(How how, std::string_view lower_word, const Regex* pattern)
      : how_(how), word_(lower_word), pattern_(pattern) {}

  /// One value; answers whether no more need be shown. The text need not outlive the call.
  bool see(std::string_view text);

  bool seen() const { return seen_; }  // any value at all
  bool held() const { return held_; }  // for one of them

 private:
  bool holds(std::string_view text) const;

  How how_;
  std::string_view word_;
  const Regex* pattern_;
  bool seen_ = false, held_ = false;
};

/// What is judged: a device, a job, an alert.
class Thing {
 public:
  virtual ~Thing() = default;
  /// In the unit of the field's kind; NaN when it is not known, or no such thing has it.
  virtual double number(Field field) const = 0;
  /// Shows every value of a text field; none when it is not known, or no such thing has it.
  virtual void texts(Field field, TextTest& test) const = 0;
};

/// Where a text is no filter, in bytes of it, for a mark under it; `length` may be 0 at its end.
struct Problem {
  std::size_t at = 0;
  std::size_t length = 0;
  std::string message;  // what was found there and what was expected; one line, printable
  bool operator==(const Problem&) const = default;
};

class Filter {
 public:
  /// Holds for everything, as an empty or blank text does.
  Filter() = default;

  /// `of`: the things it will judge. A field that none of them has is a problem.
  static std::variant<Filter, Problem> parse(std::string_view text, Subjects of = anything);

  bool matches(const Thing& thing) const;

  bool empty() const { return steps_.empty(); }
  const std::string& text() const { return text_; }
  /// Whether it may ask a thing for this field.
  bool asks(Field field) const;

 private:
  friend class Parser;
  enum class Test : std::uint8_t { within, outside, unknown, known, text, no_text, names };
  static constexpr std::uint8_t held = 0xff, failed = 0xfe;  // where the jumps end
  static_assert(comparisons_max < failed);

  struct Step {
    Field field = Field::id;
    Test test = Test::within;
    TextTest::How how = TextTest::How::any;
    std::uint8_t if_true = held, if_false = failed;
    double low = 0, high = 0;  // within, outside
    std::size_t place = 0;     // of words_ or patterns_
  };
  bool holds(const Step& step, const Thing& thing) const;
  bool text_holds(const Step& step, const Thing& thing) const;

  std::string text_;
  std::vector<Step> steps_;
  std::vector<std::string> words_;  // lower case
  std::vector<Regex> patterns_;
};

/// The text and, under it, a line that marks the problem's place: "temp>hot\n     ^~~". Both
/// printable.
std::string marked(std::string_view text, const Problem& problem);

}  // namespace drover::filter
