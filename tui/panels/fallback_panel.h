// The cost difference of jobs that fell back, compared with their preferred pool, by reason.
#pragma once

#include <vector>

#include "tui/state/frame_context.h"

namespace drover::tui {

struct FallbackLine {
  Reason reason;
  std::uint64_t jobs = 0;
  const FallbackCost* sum = nullptr;  // null: this version of the router does not report it
  /// False if the preferred pool could not have run the jobs at all; the router sums up no costs
  /// for these.
  bool compared() const;
};
/// Ordered by the number of jobs. The lines point into `sums`.
std::vector<FallbackLine> fallback_lines(const Summary& sums);

inline constexpr int fallback_panel_columns = 54;
/// Heading, column titles, and a line per reason, or a line that says that there was no fallback.
int fallback_panel_rows(const Model& model);
void draw_fallbacks(const FrameContext& frame, DrawRegion region);

}  // namespace drover::tui
