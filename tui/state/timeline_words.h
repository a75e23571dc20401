// The time cursor in words: times that people type, and the line that says what is shown.
#pragma once

#include <string>
#include <string_view>

#include "fleet/base/result.h"
#include "fleet/base/time.h"
#include "tui/history/timeline.h"
#include "tui/state/scene.h"

namespace drover::tui {

/// The moments that can be shown, both ends included.
struct Covered {
  Instant first{}, last{};
};

/// "12:03:07" UTC, of the day on which it lies nearest to `shown`; "2026-11-21T12:03:07Z"; from
/// `shown` on: "-30s", "+5m"; or from the first moment on, as `--at` has it: "90s", "5m".
Result<Instant> parse_moment(std::string_view text, Instant shown, const Covered& covered);

/// What it reads, for people.
inline constexpr std::string_view moment_words =
    "12:03:07, -30s, 5m from the start, 2026-11-21T12:03:07Z";

/// "00:42", "1:02:03".
std::string span_text(Duration span);

/// "10:49:03 to 11:17:20", "10:49:03 to the end".
std::string gap_text(const Gap& gap);

/// What the banner says when what is shown is not now; else the cursor's note, mostly empty.
std::string cursor_banner(const Scene& scene);

}  // namespace drover::tui
