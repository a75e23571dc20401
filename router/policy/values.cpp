// Ranges, shares and guards.
#include <cmath>
#include <limits>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/policy/read.h"

namespace drover::router {
namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text = trimmed(text.substr(prefix.size()));
  return true;
}

Error wrong(std::string_view text, std::string_view expected) {
  return error("found \"{}\", expected {}", printable(text), expected);
}

constexpr std::string_view range_forms =
    "a range such as \"<=8192\", \">1\", \"100..200\" or a number";

}  // namespace

Result<Range> parse_range(std::string_view text) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::string_view rest = trimmed(text);
  Range range;
  if (const auto dots = rest.find(".."); dots != std::string_view::npos) {
    const auto low = parse_number(trimmed(rest.substr(0, dots)), "");
    const auto high = parse_number(trimmed(rest.substr(dots + 2)), "");
    if (!low || !high) return wrong(text, range_forms);
    if (*low > *high) return wrong(text, "the lower end first");
    return Range{*low, *high};
  }
  const bool at_most = take_prefix(rest, "<=");
  const bool at_least = !at_most && take_prefix(rest, ">=");
  const bool below = !at_most && !at_least && take_prefix(rest, "<");
  const bool above = !at_most && !at_least && !below && take_prefix(rest, ">");
  const auto number = parse_number(rest, "");
  if (!number) return wrong(text, range_forms);
  if (at_most || below) range.high = below ? std::nextafter(*number, -infinity) : *number;
  if (at_least || above) range.low = above ? std::nextafter(*number, infinity) : *number;
  if (!at_most && !at_least && !below && !above) range = Range{*number, *number};
  // An open range includes negative values: priorities may be negative.
  if (at_most || below) range.low = -1e300;
  return range;
}

Result<double> parse_share(std::string_view text) {
  std::string_view rest = trimmed(text);
  const bool percent = !rest.empty() && rest.back() == '%';
  if (percent) rest = trimmed(rest.substr(0, rest.size() - 1));
  const auto number = parse_number(rest, "");
  if (!number || *number < 0) return wrong(text, "a share such as \"10%\" or 0.1");
  return percent ? *number / 100 : *number;
}

Result<double> parse_primary_ratio(std::string_view text) {
  std::string_view rest = trimmed(text);
  const auto refused = [&] { return wrong(text, "a guard such as \"< primary * 1.5\""); };
  if (!take_prefix(rest, "<=") && !take_prefix(rest, "<")) return refused();
  if (!take_prefix(rest, "primary")) return refused();
  if (rest.empty()) return 1.0;
  if (!take_prefix(rest, "*")) return refused();
  const auto factor = parse_number(rest, "");
  if (!factor || *factor <= 0) return refused();
  return *factor;
}

Result<double> parse_extra_share(std::string_view text) {
  std::string_view rest = trimmed(text);
  if (!take_prefix(rest, "<=") && !take_prefix(rest, "<")) {
    return wrong(text, "a guard such as \"<= 40%\"");
  }
  const auto share = parse_share(rest);
  if (!share) return wrong(text, "a guard such as \"<= 40%\"");
  return *share;
}

}  // namespace drover::router
