// Any bytes as a filter, with the cursor anywhere: no crash, problems inside the text, completions
// that begin before the cursor. tests/fuzz/CMakeLists.txt makes a fuzzer of it; tests/fleet runs
// the corpus as a regression test.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <variant>

#include "fleet/base/result.h"
#include "fleet/base/text.h"
#include "fleet/filter/complete.h"
#include "fleet/filter/filter.h"

namespace {

using namespace drover::filter;

/// Shows the fuzzer's own bytes as every text.
class Echo : public FilterSubject {
 public:
  explicit Echo(std::string_view text) : text_(text) {}
  double number(Field field) const override { return static_cast<double>(field) - 3; }
  void texts(Field field, TextMatcher& test) const override {
    if (field == Field::tenant) return;
    test.match(text_);
    test.match("");
  }

 private:
  std::string_view text_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto parsed = Filter::parse(text);
  if (const auto* filter = std::get_if<Filter>(&parsed)) {
    const Echo thing(text);
    static_cast<void>(filter->matches(thing));
    // Whatever holds for a thing does not hold for it when negated.
    const auto negated = Filter::parse("!(" + std::string(text) + ")");
    const auto* other = std::get_if<Filter>(&negated);
    DROVER_REQUIRE(other == nullptr || other->matches(thing) != filter->matches(thing));
  } else {
    const auto& problem = std::get<Problem>(parsed);
    DROVER_REQUIRE(problem.at <= size && problem.length <= size - problem.at);
    DROVER_REQUIRE(drover::printable(problem.message) == problem.message);
    static_cast<void>(underline_problem(text, problem));
  }
  const std::size_t cursor = size == 0 ? 0 : data[size - 1];
  const auto known = [&](Field) { return std::vector<std::string>{std::string(text), "a b"}; };
  DROVER_REQUIRE(complete(text, cursor, known).at <= std::min(cursor, size));
  return 0;
}
