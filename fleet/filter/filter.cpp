#include "fleet/filter/filter.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/filter/tokenizer.h"

namespace drover::filter {

bool TextMatcher::match(std::string_view text) {
  seen_ = true;
  if (collected_ != nullptr) {
    if (std::string value(text); !contains(*collected_, value)) {
      collected_->push_back(std::move(value));
    }
    return false;
  }
  held_ = held_ || holds(text);
  return held_;
}

bool TextMatcher::holds(std::string_view text) const {
  switch (how_) {
    case MatchMode::any:
      return true;
    case MatchMode::equal:
      return equal_ignoring_case(text, word_);
    case MatchMode::contains:
      return contains_ignoring_case(text, word_);
    case MatchMode::pattern:
      return pattern_->is_in(text);
  }
  return false;
}

bool Filter::text_holds(const Step& step, const FilterSubject& thing) const {
  const bool by_pattern = step.how == TextMatcher::MatchMode::pattern;
  const bool by_word =
      step.how == TextMatcher::MatchMode::equal || step.how == TextMatcher::MatchMode::contains;
  TextMatcher test(step.how, by_word ? std::string_view(words_[step.place]) : std::string_view(),
                   by_pattern ? &patterns_[step.place] : nullptr);
  if (step.test == Test::names) {
    for (const FieldFacts& field : fields()) {
      if (field.is_name) thing.texts(field.field, test);
      if (test.held()) return true;
    }
    return false;
  }
  thing.texts(step.field, test);
  return step.test == Test::text ? test.held() : test.seen() && !test.held();
}

bool Filter::holds(const Step& step, const FilterSubject& thing) const {
  switch (step.test) {
    case Test::within: {
      const double value = thing.number(step.field);
      return value >= step.low && value <= step.high;
    }
    case Test::outside: {
      const double value = thing.number(step.field);
      return value < step.low || value > step.high;
    }
    case Test::unknown:
    case Test::known: {
      if (facts(step.field).kind != ValueKind::text) {
        return std::isnan(thing.number(step.field)) == (step.test == Test::unknown);
      }
      TextMatcher test(TextMatcher::MatchMode::any, {}, nullptr);
      thing.texts(step.field, test);
      return test.seen() == (step.test == Test::known);
    }
    case Test::text:
    case Test::no_text:
    case Test::names:
      return text_holds(step, thing);
  }
  return false;
}

bool Filter::matches(const FilterSubject& thing) const {
  if (steps_.empty()) return true;
  std::uint8_t at = 0;
  while (at < failed) at = holds(steps_[at], thing) ? steps_[at].if_true : steps_[at].if_false;
  return at == held;
}

bool Filter::asks(Field field) const {
  return std::any_of(steps_.begin(), steps_.end(), [&](const Step& step) {
    return step.test == Test::names ? facts(field).is_name : step.field == field;
  });
}

std::string underline_problem(std::string_view text, const Problem& problem) {
  text = text.substr(0, text_bytes_max + 1);
  const std::size_t at = std::min(problem.at, text.size());
  const std::string_view before = text.substr(0, at);
  const std::string_view blamed = text.substr(at, problem.length);
  // The width as shown: a tab or an invalid character takes more columns than it has bytes.
  const std::size_t columns = column_width(printable(blamed));
  return printable(text) + "\n" + std::string(column_width(printable(before)), ' ') + "^" +
         std::string(columns > 1 ? columns - 1 : 0, '~');
}

}  // namespace drover::filter
