// The heat map's scale in 24-bit colour: more steps than the eight levels that other terminals get.
#pragma once

#include <cstdint>

#include "tui/canvas/theme.h"

namespace drover::tui {

inline constexpr int heat_level_count = 8;
/// Steps of the scale in 24-bit colour. More would be hardly visible, and each change of a cell's
/// colour costs some 20 bytes of output.
inline constexpr int heat_shade_count = 32;

/// A step of the scale, 1 to heat_shade_count, cold to hot; 0: the middle of the cell's level.
using HeatShade = std::uint8_t;

/// The shade in the middle of a level.
constexpr HeatShade shade_of_level(int level) {
  constexpr int per_level = heat_shade_count / heat_level_count;
  return static_cast<HeatShade>(level * per_level + per_level / 2 + 1);
}

struct ShadeColours {
  std::uint32_t background = 0;  // 0xRRGGBB
  bool black_text = false;       // else white: whichever can be read better
};
/// REQUIRES a shade above 0, and a theme with colours of its own.
ShadeColours colours_of_shade(HeatShade shade, Theme theme);

}  // namespace drover::tui
