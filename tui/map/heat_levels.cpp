#include "tui/map/heat_levels.h"

#include <cmath>

#include "fleet/base/result.h"
#include "tui/canvas/draw_region.h"

namespace drover::tui {

void HeatLevels::begin(const Subject& subject, std::size_t keys) {
  if (subject_ == subject && levels_.size() == keys) return;
  subject_ = subject;
  levels_.assign(keys, -1);
}

int HeatLevels::settle(std::size_t key, double share) {
  DROVER_REQUIRE(key < levels_.size());
  std::int8_t& level = levels_[key];
  if (std::isnan(share)) return level = -1;
  const double place = share * heat_level_count;
  const bool stays =
      level >= 0 && place >= level - level_hysteresis && place < level + 1 + level_hysteresis;
  if (!stays) level = static_cast<std::int8_t>(heat_level(share));
  return level;
}

}  // namespace drover::tui
