// Text of the playback cursor: parsing of typed times, and the banner that says what is shown.
#pragma once

#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "tui/history/timeline.h"
#include "tui/state/frame_context.h"

namespace drover::tui {

/// The moments that can be shown, both ends included.
struct TimeRange {
  Instant first{}, last{};
};

/// Parses "12:03:07" (UTC, on the day on which it is nearest to `shown`), "2026-11-21T12:03:07Z",
/// a time relative to `shown` ("-30s", "+5m"), or one relative to the first moment, as `--at` takes
/// it ("90s", "5m").
Result<Instant> parse_moment(std::string_view text, Instant shown, const TimeRange& covered);

/// The formats of parse_moment, for messages.
inline constexpr std::string_view accepted_time_formats =
    "12:03:07, -30s, 5m from the start, 2026-11-21T12:03:07Z";

/// "10:49:03 to 11:17:20", "10:49:03 to the end".
std::string gap_text(const Gap& gap);

/// The banner text while the shown moment is not now; else the cursor's note, usually empty.
std::string cursor_banner(const FrameContext& frame);

}  // namespace drover::tui
