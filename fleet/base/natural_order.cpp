#include "fleet/base/natural_order.h"

#include <algorithm>
#include <compare>

#include "fleet/base/text.h"

namespace drover {
namespace {

/// Takes the run of digits, or of other characters, at the beginning.
std::string_view take_run(std::string_view& text) {
  const bool digits = is_digit(text.front());
  const auto end =
      std::find_if(text.begin(), text.end(), [&](char c) { return is_digit(c) != digits; });
  const std::string_view run = text.substr(0, static_cast<std::size_t>(end - text.begin()));
  text.remove_prefix(run.size());
  return run;
}

std::string_view without_zeros(std::string_view digits) {
  return digits.substr(std::min(digits.find_first_not_of('0'), digits.size()));
}

std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
  const std::string_view left = without_zeros(a);
  const std::string_view right = without_zeros(b);
  if (left.size() != right.size()) return left.size() <=> right.size();
  return left <=> right;
}

}  // namespace

bool natural_less(std::string_view a, std::string_view b) {
  std::string_view left = a;
  std::string_view right = b;
  while (!left.empty() && !right.empty()) {
    const std::string_view one = take_run(left);
    const std::string_view other = take_run(right);
    const bool numbers = is_digit(one.front()) && is_digit(other.front());
    const auto order = numbers ? compare_numbers(one, other) : one <=> other;
    if (order != 0) return order < 0;
  }
  if (left.empty() != right.empty()) return left.empty();
  // Equal except for leading zeros of numbers.
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

}  // namespace drover
