// A moment of a recording as people name it: "30s" after its start, or "2026-11-21T02:38:01Z".
#pragma once

#include <optional>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::commands {

struct GivenTime {
  Duration after_start{};     // when there is no `at`
  std::optional<Instant> at;  // fleet time
  Instant in(Instant start) const { return at ? *at : saturating_add(start, after_start); }
};

/// `place` names where the text stood ("--at").
Result<GivenTime> parse_given_time(std::string_view text, std::string_view place);

}  // namespace drover::commands
