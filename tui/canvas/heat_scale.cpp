#include "tui/canvas/heat_scale.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <span>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

/// A colour at a place of the scale, 0 to 1; between two of them colours are mixed.
struct ScalePoint {
  double at;
  std::uint32_t rgb;
};

// "inferno" of matplotlib (Nathaniel Smith and Stéfan van der Walt, 2015), without its black end,
// which could not be told from a terminal's background.
constexpr ScalePoint inferno[] = {{0, 0x1b0c41},      {1 / 7., 0x4a0c6b}, {2 / 7., 0x781c6d},
                                  {3 / 7., 0xa52c60}, {4 / 7., 0xcf4446}, {5 / 7., 0xed6925},
                                  {6 / 7., 0xfb9b06}, {1, 0xfcffa4}};

// The same without its middle, where neither black nor white text has a contrast of 7:1.
constexpr ScalePoint inferno_apart[] = {{0, 0x1b0c41},   {0.25, 0x57106e}, {0.5, 0x932667},
                                        {0.5, 0xf8850f}, {0.75, 0xfac228}, {1, 0xfcffa4}};

// "YlOrRd" of ColorBrewer 2.0 (Cynthia Brewer).
constexpr ScalePoint yellow_to_red[] = {{0, 0xffffcc},     {0.125, 0xffeda0}, {0.25, 0xfed976},
                                        {0.375, 0xfeb24c}, {0.5, 0xfd8d3c},   {0.625, 0xfc4e2a},
                                        {0.75, 0xe31a1c},  {0.875, 0xbd0026}, {1, 0x800026}};

// "cividis" (Nuñez, Anderton and Renslow, 2018).
constexpr ScalePoint cividis[] = {{0, 0x00204d},      {1 / 9., 0x00336f}, {2 / 9., 0x39486b},
                                  {3 / 9., 0x575c6d}, {4 / 9., 0x707173}, {5 / 9., 0x8a8779},
                                  {6 / 9., 0xa69d75}, {7 / 9., 0xc4b56c}, {8 / 9., 0xe4cf5b},
                                  {1, 0xffea46}};

std::span<const ScalePoint> scale_of(Theme theme) {
  switch (theme) {
    case Theme::light:
      return yellow_to_red;
    case Theme::contrast:
      return inferno_apart;
    case Theme::deuteranopia:
      return cividis;
    default:
      return inferno;
  }
}

int channel(std::uint32_t rgb, int index) {
  return static_cast<int>(rgb >> (16 - 8 * index)) & 0xff;
}

std::uint32_t mixed(std::uint32_t one, std::uint32_t other, double share) {
  std::uint32_t result = 0;
  for (int i = 0; i < 3; ++i) {
    const double value = channel(one, i) + share * (channel(other, i) - channel(one, i));
    result = result << 8 | static_cast<std::uint32_t>(std::lround(value));
  }
  return result;
}

/// WCAG 2.1 relative luminance, of sRGB.
double luminance_of(std::uint32_t rgb) {
  constexpr std::array weights = {0.2126, 0.7152, 0.0722};
  double sum = 0;
  for (int i = 0; i < 3; ++i) {
    const double share = channel(rgb, i) / 255.0;
    const double light = share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    sum += weights[static_cast<std::size_t>(i)] * light;
  }
  return sum;
}

}  // namespace

ShadeColours colours_of_shade(HeatShade shade, Theme theme) {
  DROVER_REQUIRE(shade > 0 && shade <= heat_shade_count);
  const double at = (shade - 1.0) / (heat_shade_count - 1);
  const std::span<const ScalePoint> scale = scale_of(theme);
  const auto after = std::ranges::upper_bound(scale, at, {}, &ScalePoint::at);
  const ScalePoint& to = after == scale.end() ? scale.back() : *after;
  const ScalePoint& from = after == scale.begin() ? scale.front() : *std::prev(after);
  const double share = to.at > from.at ? (at - from.at) / (to.at - from.at) : 0;
  const std::uint32_t background = mixed(from.rgb, to.rgb, share);
  // Black and white text have the same contrast where (l + 0.05)^2 = 0.05 * 1.05.
  constexpr double equal_luminance = 0.179;
  return {background, luminance_of(background) > equal_luminance};
}

}  // namespace drover::tui
