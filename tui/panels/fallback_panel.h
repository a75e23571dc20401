// What jobs cost more, or less, than they would have in the pool that they wanted, by the reason
// for which they fell back.
#pragma once

#include <vector>

#include "tui/state/scene.h"

namespace drover::tui {

struct FallbackLine {
  Reason reason;
  std::uint64_t jobs = 0;
  const FallbackSum* sum = nullptr;  // null: told by no router of this age

  /// False where the wanted pool could not have taken the jobs at all: to that the router adds
  /// nothing.
  bool compared() const;
};
/// By the number of jobs. They point into `sums`.
std::vector<FallbackLine> fallback_lines(const Summary& sums);

inline constexpr int fallback_panel_columns = 54;
/// Heading, titles, and a line per reason; or one that says that there was none.
int fallback_panel_rows(const Model& model);
void draw_fallbacks(const Scene& scene, Pen pen);

}  // namespace drover::tui
