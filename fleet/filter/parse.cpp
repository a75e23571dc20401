// Parses a filter's text into steps, by recursive descent:
//
//   either  = both { ("|" | "||" | "or") both }
//   both    = one { ("&" | "&&" | "and") one }
//   one     = ("!" | "not") one | "(" either ")" | FIELD SIGN VALUE | WORD
//
// The steps are in the order of the text. A part that is not complete yet has open jumps: `held`,
// taken when the part holds, and `failed`, taken when it does not. `a & b` connects the open `held`
// jumps of `a` to the first step of `b`, `a | b` connects its `failed` jumps, `!a` swaps the two.
// Jumps still open at the end are the result. Steps jump forward only, so matching terminates.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/filter/filter.h"
#include "fleet/filter/tokenizer.h"

namespace drover::filter {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Samples are sent as scaled integers and sometimes kept as floats: 70.1 must still equal 70.1.
constexpr double tolerance = 1e-6;

struct Interval {
  double low, high;
  bool outside = false;
};

std::optional<Interval> interval_of(ComparisonOperator sign, double value) {
  const double slack = std::fabs(value) * tolerance;
  const double below = value - slack;
  const double above = value + slack;
  switch (sign) {
    case ComparisonOperator::equal:
      return Interval{below, above};
    case ComparisonOperator::unequal:
      return Interval{below, above, true};
    case ComparisonOperator::less:
      return Interval{-infinity, std::nextafter(below, -infinity)};
    case ComparisonOperator::at_most:
      return Interval{-infinity, above};
    case ComparisonOperator::more:
      return Interval{std::nextafter(above, infinity), infinity};
    case ComparisonOperator::at_least:
      return Interval{below, infinity};
    default:
      return std::nullopt;
  }
}

std::string_view subject_text(Subjects of) {
  if (of == devices) return "devices have";
  if (of == jobs) return "jobs have";
  if (of == alerts) return "alerts have";
  return of == pools ? "pools have" : "sites have";
}

std::string lowered(std::string_view text) {
  std::string lowered_text(text);
  std::transform(text.begin(), text.end(), lowered_text.begin(), lower);
  return lowered_text;
}

}  // namespace

class Parser {
 public:
  Parser(std::string_view text, Subjects of) : text_(text), of_(of), words_(text) {}

  std::variant<Filter, Problem> parse() {
    filter_.text_ = text_;
    if (text_.size() > text_bytes_max) {
      return Problem{
          text_bytes_max, text_.size() - text_bytes_max,
          fmt::format("found {} bytes, expected at most {}", text_.size(), text_bytes_max)};
    }
    take();
    if (word_.kind == TokenKind::end) return std::move(filter_);
    if (either() && word_.kind != TokenKind::end) {
      add_unexpected(word_, word_.kind == TokenKind::close
                                ? "& or | or the end, because no parenthesis is open"
                                : "& or | between two comparisons");
    }
    if (problem_) return std::move(*problem_);
    return std::move(filter_);
  }

 private:
  using Step = Filter::Step;
  using Test = Filter::Test;

  void take() { word_ = words_.next(); }

  /// Records the first problem; always returns false.
  bool add_problem(const Token& word, std::string message) {
    if (!problem_) problem_ = Problem{word.at, word.length, std::move(message)};
    return false;
  }

  bool add_unexpected(const Token& word, std::string_view expected) {
    const std::string_view found = text_.substr(word.at, word.length);
    if (word.kind == TokenKind::end) {
      return add_problem(word, fmt::format("found the end, expected {}", expected));
    }
    if (word.kind == TokenKind::unended) {
      return add_problem(word,
                         fmt::format("found {}, expected a quote at its end", excerpt(found)));
    }
    return add_problem(word, fmt::format("found {}, expected {}", excerpt(found), expected));
  }

  std::size_t step_count() const { return filter_.steps_.size(); }

  /// Connects the open jumps `from` of the steps from `first` on to the next step.
  void connect(std::size_t first, std::uint8_t from) {
    const auto next = static_cast<std::uint8_t>(step_count());
    for (std::size_t i = first; i < step_count(); ++i) {
      Step& step = filter_.steps_[i];
      if (step.if_true == from) step.if_true = next;
      if (step.if_false == from) step.if_false = next;
    }
  }

  bool either() {
    const std::size_t first = step_count();
    if (!both()) return false;
    while (word_.kind == TokenKind::either) {
      connect(first, Filter::failed);
      take();
      if (!both()) return false;
    }
    return true;
  }

  bool both() {
    const std::size_t first = step_count();
    if (!one()) return false;
    while (word_.kind == TokenKind::both) {
      connect(first, Filter::held);
      take();
      if (!one()) return false;
    }
    return true;
  }

  bool one() {
    if (word_.kind != TokenKind::negation && word_.kind != TokenKind::open) return comparison();
    if (++depth_ > depth_max) {
      return add_problem(
          word_, fmt::format("found more than {} nested parentheses and negations", depth_max));
    }
    const bool fine = word_.kind == TokenKind::open ? enclosed() : negated();
    --depth_;
    return fine;
  }

  bool enclosed() {
    take();
    if (!either()) return false;
    if (word_.kind != TokenKind::close) return add_unexpected(word_, "& or | or )");
    take();
    return true;
  }

  bool negated() {
    const std::size_t first = step_count();
    take();
    if (!one()) return false;
    const auto swapped = [](std::uint8_t end) {
      if (end == Filter::held) return Filter::failed;
      return end == Filter::failed ? Filter::held : end;
    };
    for (std::size_t i = first; i < step_count(); ++i) {
      Step& step = filter_.steps_[i];
      step.if_true = swapped(step.if_true);
      step.if_false = swapped(step.if_false);
    }
    return true;
  }

  bool comparison() {
    if (word_.kind != TokenKind::word && word_.kind != TokenKind::quoted) {
      return add_unexpected(word_, "a field, such as temp, or a name");
    }
    if (step_count() == comparisons_max) {
      return add_problem(word_, fmt::format("found more than {} comparisons", comparisons_max));
    }
    const Token left = word_;
    take();
    if (word_.kind != TokenKind::comparison) return search_names(left);
    if (left.kind == TokenKind::quoted) return add_unexpected(left, "a field without quotes");
    const std::optional<Field> field = find_field(left.text);
    if (!field) return unknown_field(left);
    if ((facts(*field).of & of_) == 0) return foreign_field(left, facts(*field));
    const Token sign = word_;
    const Token value = words_.next_value();
    const bool fine = compare(facts(*field), sign, value);
    if (fine) take();
    return fine;
  }

  bool unknown_field(const Token& left) {
    return add_problem(left, fmt::format("unknown field {}{}", excerpt(left.text),
                                         suggestion(left.text, field_names(of_))));
  }

  bool foreign_field(const Token& left, const FieldFacts& field) {
    return add_problem(left, fmt::format("{} no {}; expected one of {}", subject_text(of_),
                                         field.name, joined(field_names(of_), ", ")));
  }

  bool search_names(const Token& left) {
    Step step;
    step.test = Test::names;
    step.how = TextMatcher::MatchMode::contains;
    filter_.texts_.emplace_back(Field::id, left.text);
    return add_word(step, left.text);
  }

  bool compare(const FieldFacts& field, const Token& sign, const Token& value) {
    if (value.kind != TokenKind::word && value.kind != TokenKind::quoted) {
      return add_unexpected(value, fmt::format("a value of {} after {}", field.name, sign.text));
    }
    const bool is_equality =
        sign.sign == ComparisonOperator::equal || sign.sign == ComparisonOperator::unequal;
    if (is_equality && value.kind == TokenKind::word && equal_ignoring_case(value.text, "none")) {
      Step step;
      step.field = field.field;
      step.test = sign.sign == ComparisonOperator::equal ? Test::unknown : Test::known;
      return add(step);
    }
    return field.kind == ValueKind::text ? compare_text(field, sign, value)
                                         : compare_number(field, sign, value);
  }

  bool compare_text(const FieldFacts& field, const Token& sign, const Token& value) {
    Step step;
    step.field = field.field;
    const bool negative =
        sign.sign == ComparisonOperator::unequal || sign.sign == ComparisonOperator::no_search;
    step.test = negative ? Test::no_text : Test::text;
    filter_.texts_.emplace_back(field.field, value.text);
    if (sign.sign == ComparisonOperator::equal || sign.sign == ComparisonOperator::unequal) {
      step.how = TextMatcher::MatchMode::equal;
      return add_word(step, value.text);
    }
    if (sign.sign != ComparisonOperator::search && sign.sign != ComparisonOperator::no_search) {
      return add_unexpected(sign, fmt::format("== != ~ or !~, because {} is text", field.name));
    }
    Regex pattern(value.text);
    if (!pattern.problem().empty()) return bad_pattern(value, pattern);
    step.how = TextMatcher::MatchMode::pattern;
    step.place = filter_.patterns_.size();
    filter_.patterns_.push_back(std::move(pattern));
    return add(step);
  }

  bool compare_number(const FieldFacts& field, const Token& sign, const Token& value) {
    if (sign.sign == ComparisonOperator::search || sign.sign == ComparisonOperator::no_search) {
      return add_unexpected(sign, fmt::format("== != < <= > or >=, because {} is {}", field.name,
                                              meaning(field.kind)));
    }
    const Result<double> number = parse_value(value.text, field);
    if (!number) return add_problem(value, number.error().message);
    const std::optional<Interval> interval = interval_of(sign.sign, *number);
    if (!interval) return add_unexpected(sign, "== != < <= > or >=, with a number or none");
    Step step;
    step.field = field.field;
    step.test = interval->outside ? Test::outside : Test::within;
    step.low = interval->low;
    step.high = interval->high;
    return add(step);
  }

  /// Reports an invalid pattern, at its invalid part if that is known.
  bool bad_pattern(const Token& value, const Regex& pattern) {
    const std::string& part = pattern.problem_part();
    const std::size_t found =
        part.empty() ? std::string_view::npos : text_.substr(value.at, value.length).find(part);
    Token invalid_part = value;
    if (found != std::string_view::npos) {
      invalid_part.at += found;
      invalid_part.length = part.size();
    }
    return add_problem(invalid_part,
                       fmt::format("found {}, expected a regular expression: {}",
                                   excerpt(value.text), excerpt(pattern.problem(), 120)));
  }

  bool add_word(Step step, std::string_view text) {
    step.place = filter_.words_.size();
    filter_.words_.push_back(lowered(text));
    return add(step);
  }

  bool add(const Step& step) {
    filter_.steps_.push_back(step);
    return true;
  }

  std::string_view text_;
  Subjects of_;
  Tokenizer words_;
  Token word_;
  std::size_t depth_ = 0;
  Filter filter_;
  std::optional<Problem> problem_;
};

std::variant<Filter, Problem> Filter::parse(std::string_view text, Subjects of) {
  return Parser(text, of).parse();
}

}  // namespace drover::filter
