// Filters: boolean expressions over the fields of a subject.
//
//   kind==tpu & temp>70 | job~llama        fields, units and operators: docs/filters.md
//
// A text is parsed once into a list of comparisons with jumps between them. Matching reads only the
// fields that are needed. A comparison with an unknown value is false, whatever the operator;
// `temp==none` tests for unknown values.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fleet/filter/fields.h"
#include "fleet/filter/regex.h"

namespace drover::filter {

// Limits, so that an untrusted filter cannot exhaust this process's time or memory.
inline constexpr std::size_t text_bytes_max = 1'000;
inline constexpr std::size_t depth_max = 32;  // of nested parentheses and negations
inline constexpr std::size_t comparisons_max = 64;

/// Tests the values of a text field one after the other, until the result is known.
class TextMatcher {
 public:
  enum class MatchMode : std::uint8_t { any, equal, contains, pattern };
  TextMatcher(MatchMode how, std::string_view lower_word, const Regex* pattern)
      : how_(how), word_(lower_word), pattern_(pattern) {}
  /// Collects the different values instead of testing them.
  explicit TextMatcher(std::vector<std::string>& collected)
      : how_(MatchMode::any), collected_(&collected) {}

  /// Tests one value. Returns true when no further values are needed. The text need not outlive the
  /// call.
  bool match(std::string_view text);

  bool seen() const { return seen_; }  // there was a value
  bool held() const { return held_; }  // a value matched

 private:
  bool holds(std::string_view text) const;

  MatchMode how_;
  std::string_view word_;
  const Regex* pattern_ = nullptr;
  std::vector<std::string>* collected_ = nullptr;
  bool seen_ = false, held_ = false;
};

/// What a filter is applied to: a device, a job, an alert.
class FilterSubject {
 public:
  virtual ~FilterSubject() = default;
  /// The value in the unit of the field's kind; NaN when it is unknown or the subject lacks it.
  virtual double number(Field field) const = 0;
  /// Passes every value of a text field to `test`; none when it is unknown or the subject lacks it.
  virtual void texts(Field field, TextMatcher& test) const = 0;
};

/// A syntax error, with its position in the text in bytes. `length` may be 0 at the end.
struct Problem {
  std::size_t at = 0;
  std::size_t length = 0;
  std::string message;  // what was found there and what was expected; one line, printable
  bool operator==(const Problem&) const = default;
};

class Filter {
 public:
  /// Matches everything, as an empty or blank text does.
  Filter() = default;

  /// `of`: the subjects that it will be applied to. A field that none of them has is a problem.
  static std::variant<Filter, Problem> parse(std::string_view text, Subjects of = anything);

  bool matches(const FilterSubject& thing) const;

  bool empty() const { return steps_.empty(); }
  const std::string& text() const { return text_; }
  /// Whether the filter reads this field.
  bool asks(Field field) const;
  /// The words and patterns that text fields are compared with, as written; of a word without a
  /// field, Field::id.
  const std::vector<std::pair<Field, std::string>>& texts() const { return texts_; }

 private:
  friend class Parser;
  enum class Test : std::uint8_t { within, outside, unknown, known, text, no_text, names };
  static constexpr std::uint8_t held = 0xff, failed = 0xfe;  // where the jumps end
  static_assert(comparisons_max < failed);

  struct Step {
    Field field = Field::id;
    Test test = Test::within;
    TextMatcher::MatchMode how = TextMatcher::MatchMode::any;
    std::uint8_t if_true = held, if_false = failed;
    double low = 0, high = 0;  // within, outside
    std::size_t place = 0;     // of words_ or patterns_
  };
  bool holds(const Step& step, const FilterSubject& thing) const;
  bool text_holds(const Step& step, const FilterSubject& thing) const;

  std::string text_;
  std::vector<Step> steps_;
  std::vector<std::string> words_;  // lower case
  std::vector<std::pair<Field, std::string>> texts_;
  std::vector<Regex> patterns_;
};

/// The text and, below it, a line that marks the problem: "temp>hot\n     ^~~". Both printable.
std::string underline_problem(std::string_view text, const Problem& problem);

}  // namespace drover::filter
