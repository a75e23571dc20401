// The level of the heat scale that each cell shows, and how it holds still.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "fleet/base/result.h"
#include "tui/canvas/draw_region.h"

namespace drover::tui {

/// A cell changes its level when its value is outside the level by this share of a level's width.
inline constexpr double level_hysteresis = 0.25;

/// The level of the heat scale that each cell of the map shows. A value that fluctuates around the
/// threshold between two levels keeps its level, which saves repaints on a slow link.
class HeatLevels {
 public:
  /// What the cells show. When it changes, previous levels are dropped.
  struct Subject {
    std::uint64_t structure = 0;  // of the model
    int metric = 0;
    int grouping = 0;
    std::uint32_t per_cell = 0;
    bool operator==(const Subject&) const = default;
  };
  void begin(const Subject& subject, std::size_t keys) {
    if (subject_ == subject && levels_.size() == keys) return;
    subject_ = subject;
    levels_.assign(keys, -1);
    shades_.assign(keys, 0);
  }
  /// Drops previous levels.
  void forget() { levels_.clear(); }
  /// The level of a share of the scale, 0 to heat_level_count - 1; -1 for NaN. Repeating the same
  /// share never changes it. REQUIRES key < keys.
  int settle(std::size_t key, double share) {
    DROVER_REQUIRE(key < levels_.size());
    std::int8_t& level = levels_[key];
    if (std::isnan(share)) return level = -1;
    const double place = share * heat_level_count;
    const bool stays =
        level >= 0 && place >= level - level_hysteresis && place < level + 1 + level_hysteresis;
    if (!stays) level = static_cast<std::int8_t>(heat_level(share));
    return level;
  }
  /// The same for the shades of 24-bit colour: 1 to heat_shade_count; 0 for NaN. A shade holds as
  /// long as a level does, so that smooth colours cause no more repaints than it takes.
  HeatShade settle_shade(std::size_t key, double share) {
    DROVER_REQUIRE(key < shades_.size());
    HeatShade& shade = shades_[key];
    if (std::isnan(share)) return shade = 0;
    constexpr double margin = level_hysteresis * heat_shade_count / heat_level_count;
    const double place = share * heat_shade_count;
    const bool stays = shade > 0 && place >= shade - 1 - margin && place < shade + margin;
    if (!stays) shade = heat_shade(share);
    return shade;
  }

 private:
  Subject subject_;
  std::vector<std::int8_t> levels_;  // by key; -1: none
  std::vector<HeatShade> shades_;    // by key; 0: none
};

}  // namespace drover::tui
