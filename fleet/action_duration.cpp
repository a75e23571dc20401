#include "fleet/action_duration.h"

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover {
namespace {

bool take_word(std::string_view& text, std::string_view word) {
  if (!text.ends_with(word)) return false;
  const std::string_view before = text.substr(0, text.size() - word.size());
  if (before.empty() || before.back() != ' ') return false;
  text = trimmed(before);
  return true;
}

}  // namespace

Duration ActionDuration::in_fleet_time(double speed) const {
  return fleet ? length : from_seconds(to_seconds(length) * speed);
}

Result<ActionDuration> parse_action_duration(std::string_view text, std::string_view place) {
  std::string_view rest = trimmed(text);
  ActionDuration span;
  span.fleet = take_word(rest, "fleet");
  if (!span.fleet) take_word(rest, "wall");
  DROVER_ASSIGN(span.length, parse_duration(rest, place));
  return span;
}

Fault FaultRequest::in_fleet_time(double speed) const {
  Fault said = fault;
  if (fault.kind == FaultKind::reclaim && !fleet) said.amount *= speed;
  return said;
}

Result<FaultRequest> parse_fault_request(std::string_view text) {
  FaultRequest spoken;
  const bool reclaim = text.starts_with(to_text(FaultKind::reclaim));
  if (reclaim) {
    spoken.fleet = take_word(text, "fleet");
    if (!spoken.fleet) take_word(text, "wall");
  }
  DROVER_ASSIGN(spoken.fault, parse_fault(text));
  return spoken;
}

std::string duration_phrase(Duration fleet_time, double speed) {
  const double seconds = to_seconds(fleet_time);
  if (speed == 1) return duration_text(seconds);
  return fmt::format("{} of fleet time, {} here", duration_text(seconds),
                     duration_text(seconds / speed));
}

}  // namespace drover
