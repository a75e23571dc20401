// From a filter's text to its steps, by descent over
//
//   either  = both { ("|" | "||" | "or") both }
//   both    = one { ("&" | "&&" | "and") one }
//   one     = ("!" | "not") one | "(" either ")" | FIELD SIGN VALUE | WORD
//
// The steps stand in the order of the text. Those of a part still under way have their ends open:
// `held` and `failed`, which say where to go when the part holds and when it does not. `a & b`
// sends the ends of `a` that hold to the first step of `b`, `a | b` those that fail, `!a` swaps the
// two; ends that stay open to the last are the answer. So steps jump forward only, and judging
// ends.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/filter/filter.h"
#include "fleet/filter/filter_values.h"
#include "fleet/filter/filter_words.h"

namespace drover::filter {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Samples travel as scaled integers and some places keep floats: 70.1 must equal 70.1 there too.
constexpr double tolerance = 1e-6;

struct Interval {
  double low, high;
  bool outside = false;
};

std::optional<Interval> interval_of(Sign sign, double value) {
  const double slack = std::fabs(value) * tolerance;
  const double below = value - slack;
  const double above = value + slack;
  switch (sign) {
    case Sign::equal:
      return Interval{below, above};
    case Sign::unequal:
      return Interval{below, above, true};
    case Sign::less:
      return Interval{-infinity, std::nextafter(below, -infinity)};
    case Sign::at_most:
      return Interval{-infinity, above};
    case Sign::more:
      return Interval{std::nextafter(above, infinity), infinity};
    case Sign::at_least:
      return Interval{below, infinity};
    default:
      return std::nullopt;
  }
}

std::string_view subject_text(Subjects of) {
  if (of == devices) return "devices have";
  if (of == jobs) return "jobs have";
  return "alerts have";
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
    if (word_.kind == WordKind::end) return std::move(filter_);
    if (either() && word_.kind != WordKind::end) {
      refuse(word_, word_.kind == WordKind::close ? "& or | or the end, for no parenthesis is open"
                                                  : "& or | between two comparisons");
    }
    if (problem_) return std::move(*problem_);
    return std::move(filter_);
  }

 private:
  using Step = Filter::Step;
  using Test = Filter::Test;

  void take() { word_ = words_.next(); }

  /// The first problem stands; always answers false.
  bool blame(const Word& word, std::string message) {
    if (!problem_) problem_ = Problem{word.at, word.length, std::move(message)};
    return false;
  }

  bool refuse(const Word& word, std::string_view expected) {
    const std::string_view found = text_.substr(word.at, word.length);
    if (word.kind == WordKind::end) {
      return blame(word, fmt::format("found the end, expected {}", expected));
    }
    if (word.kind == WordKind::unended) {
      return blame(word, fmt::format("found {}, expected a quote at its end", excerpt(found)));
    }
    return blame(word, fmt::format("found {}, expected {}", excerpt(found), expected));
  }

  std::size_t here() const { return filter_.steps_.size(); }

  /// The open ends of the steps from `first` on that say `from` go to the next step.
  void lead_on(std::size_t first, std::uint8_t from) {
    const auto next = static_cast<std::uint8_t>(here());
    for (std::size_t i = first; i < here(); ++i) {
      Step& step = filter_.steps_[i];
      if (step.if_true == from) step.if_true = next;
      if (step.if_false == from) step.if_false = next;
    }
  }

  bool either() {
    const std::size_t first = here();
    if (!both()) return false;
    while (word_.kind == WordKind::either) {
      lead_on(first, Filter::failed);
      take();
      if (!both()) return false;
    }
    return true;
  }

  bool both() {
    const std::size_t first = here();
    if (!one()) return false;
    while (word_.kind == WordKind::both) {
      lead_on(first, Filter::held);
      take();
      if (!one()) return false;
    }
    return true;
  }

  bool one() {
    if (word_.kind != WordKind::negation && word_.kind != WordKind::open) return comparison();
    if (++depth_ > depth_max) {
      return blame(word_, fmt::format("found more than {} parentheses and negations in each other",
                                      depth_max));
    }
    const bool fine = word_.kind == WordKind::open ? enclosed() : negated();
    --depth_;
    return fine;
  }

  bool enclosed() {
    take();
    if (!either()) return false;
    if (word_.kind != WordKind::close) return refuse(word_, "& or | or )");
    take();
    return true;
  }

  bool negated() {
    const std::size_t first = here();
    take();
    if (!one()) return false;
    const auto swapped = [](std::uint8_t end) {
      if (end == Filter::held) return Filter::failed;
      return end == Filter::failed ? Filter::held : end;
    };
    for (std::size_t i = first; i < here(); ++i) {
      Step& step = filter_.steps_[i];
      step.if_true = swapped(step.if_true);
      step.if_false = swapped(step.if_false);
    }
    return true;
  }

  bool comparison() {
    if (word_.kind != WordKind::word && word_.kind != WordKind::quoted) {
      return refuse(word_, "a field, such as temp, or a name");
    }
    if (here() == comparisons_max) {
      return blame(word_, fmt::format("found more than {} comparisons", comparisons_max));
    }
    const Word left = word_;
    take();
    if (word_.kind != WordKind::comparison) return search_names(left);
    if (left.kind == WordKind::quoted) return refuse(left, "a field, which stands without quotes");
    const std::optional<Field> field = find_field(left.text);
    if (!field) return unknown_field(left);
    if ((facts(*field).of & of_) == 0) return foreign_field(left, facts(*field));
    const Word sign = word_;
    const Word value = words_.next_value();
    const bool fine = compare(facts(*field), sign, value);
    if (fine) take();
    return fine;
  }

  bool unknown_field(const Word& left) {
    return blame(left, fmt::format("unknown field {}{}", excerpt(left.text),
                                   suggestion(left.text, field_names(of_))));
  }

  bool foreign_field(const Word& left, const FieldFacts& field) {
    return blame(left, fmt::format("{} no {}; expected one of {}", subject_text(of_), field.name,
                                   fmt::join(field_names(of_), ", ")));
  }

  bool search_names(const Word& left) {
    Step step;
    step.test = Test::names;
    step.how = TextTest::How::contains;
    return add_word(step, left.text);
  }

  bool compare(const FieldFacts& field, const Word& sign, const Word& value) {
    if (value.kind != WordKind::word && value.kind != WordKind::quoted) {
      return refuse(value, fmt::format("a value of {} behind {}", field.name, sign.text));
    }
    const bool is_equality = sign.sign == Sign::equal || sign.sign == Sign::unequal;
    if (is_equality && value.kind == WordKind::word && same_letters(value.text, "none")) {
      Step step;
      step.field = field.field;
      step.test = sign.sign == Sign::equal ? Test::unknown : Test::known;
      return add(step);
    }
    return field.kind == Kind::text ? compare_text(field, sign, value)
                                    : compare_number(field, sign, value);
  }

  bool compare_text(const FieldFacts& field, const Word& sign, const Word& value) {
    Step step;
    step.field = field.field;
    const bool negative = sign.sign == Sign::unequal || sign.sign == Sign::no_search;
    step.test = negative ? Test::no_text : Test::text;
    if (sign.sign == Sign::equal || sign.sign == Sign::unequal) {
      step.how = TextTest::How::equal;
      return add_word(step, value.text);
    }
    if (sign.sign != Sign::search && sign.sign != Sign::no_search) {
      return refuse(sign, fmt::format("== != ~ or !~, for {} is text", field.name));
    }
    Regex pattern(value.text);
    if (!pattern.problem().empty()) return bad_pattern(value, pattern);
    step.how = TextTest::How::pattern;
    step.place = filter_.patterns_.size();
    filter_.patterns_.push_back(std::move(pattern));
    return add(step);
  }

  bool compare_number(const FieldFacts& field, const Word& sign, const Word& value) {
    if (sign.sign == Sign::search || sign.sign == Sign::no_search) {
      return refuse(
          sign, fmt::format("== != < <= > or >=, for {} is {}", field.name, meaning(field.kind)));
    }
    const Result<double> number = parse_value(value.text, field);
    if (!number) return blame(value, number.error().message);
    const std::optional<Interval> interval = interval_of(sign.sign, *number);
    if (!interval) return refuse(sign, "== != < <= > or >=, with a number or none");
    Step step;
    step.field = field.field;
    step.test = interval->outside ? Test::outside : Test::within;
    step.low = interval->low;
    step.high = interval->high;
    return add(step);
  }

  /// The expression's own place in the text where the pattern says which part is to blame.
  bool bad_pattern(const Word& value, const Regex& pattern) {
    const std::string& part = pattern.problem_part();
    const std::size_t found =
        part.empty() ? std::string_view::npos : text_.substr(value.at, value.length).find(part);
    Word blamed = value;
    if (found != std::string_view::npos) {
      blamed.at += found;
      blamed.length = part.size();
    }
    return blame(blamed, fmt::format("found {}, expected a regular expression: {}",
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
  Words words_;
  Word word_;
  std::size_t depth_ = 0;
  Filter filter_;
  std::optional<Problem> problem_;
};

std::variant<Filter, Problem> Filter::parse(std::string_view text, Subjects of) {
  return Parser(text, of).parse();
}

}  // namespace drover::filter
