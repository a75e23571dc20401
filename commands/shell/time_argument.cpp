#include "commands/shell/time_argument.h"

#include "fleet/base/text.h"
#include "fleet/base/timestamp.h"
#include "fleet/base/units.h"

namespace drover::commands {

Result<TimeArgument> parse_time_argument(std::string_view text, std::string_view place) {
  if (const auto at = parse_timestamp(text)) return TimeArgument{{}, *at};
  if (const auto after = parse_duration(text, place)) return TimeArgument{*after, {}};
  return error(
      "{}: found \"{}\", expected a time from the start (30s, 5m) or in UTC "
      "(2026-11-21T02:38:01Z)",
      place, excerpt(text));
}

}  // namespace drover::commands
