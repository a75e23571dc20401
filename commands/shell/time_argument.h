// A time argument: "30s" after the start of a recording or journal, or "2026-11-21T02:38:01Z".
#pragma once

#include <optional>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::commands {

struct TimeArgument {
  Duration after_start{};     // when there is no `at`
  std::optional<Instant> at;  // fleet time
  Instant in(Instant start) const { return at ? *at : saturating_add(start, after_start); }
};

/// `place` names the source of the text ("--at").
Result<TimeArgument> parse_time_argument(std::string_view text, std::string_view place);

}  // namespace drover::commands
