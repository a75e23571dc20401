// Every theme can be read, computed from its tables: contrast after WCAG 2.1, lightness after CIE
// L*a*b*, and what colour-blind eyes see after Machado, Oliveira and Fernandes, "A Physiologically-
// based Model for Simulation of Color Vision Deficiency", IEEE TVCG 15(6), 2009 (their matrices of
// severity 1.0, which are for linear light).
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "tui/canvas/palette.h"

namespace drover::tui {
namespace {

using Light = std::array<double, 3>;  // linear red, green, blue, 0..1
using Matrix = std::array<Light, 3>;

constexpr Matrix normal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix deuteranope = {{{0.367322, 0.860646, -0.227968},
                                 {0.280085, 0.672501, 0.047413},
                                 {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix tritanope = {{{1.255528, -0.076749, -0.178779},
                               {-0.078411, 0.930809, 0.147602},
                               {0.004733, 0.691367, 0.303900}}};

/// sRGB to linear light (IEC 61966-2-1).
double linear(int byte) {
  const double share = byte / 255.0;
  return share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
}

/// xterm's cube and greys; the first sixteen are each terminal's own affair.
Light light_256(int colour) {
  EXPECT_GE(colour, 16);
  EXPECT_LE(colour, 255);
  if (colour >= 232) {
    const double grey = linear(8 + 10 * (colour - 232));
    return {grey, grey, grey};
  }
  constexpr std::array levels = {0, 95, 135, 175, 215, 255};
  const auto level = [&](int digit) { return linear(levels[static_cast<std::size_t>(digit)]); };
  const int cube = colour - 16;
  return {level(cube / 36), level(cube / 6 % 6), level(cube % 6)};
}

/// xterm's defaults for the first eight.
Light light_8(int colour) {
  if (colour == 4) return {0, 0, linear(238)};
  if (colour == 7) return {linear(229), linear(229), linear(229)};
  const double on = linear(205);
  return {(colour & 1) != 0 ? on : 0, (colour & 2) != 0 ? on : 0, (colour & 4) != 0 ? on : 0};
}

/// WCAG 2.1 relative luminance.
double luminance(const Light& light) {
  return 0.2126 * light[0] + 0.7152 * light[1] + 0.0722 * light[2];
}

double contrast(const Light& one, const Light& other) {
  const double a = luminance(one), b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

Light seen_by(const Matrix& eye, const Light& light) {
  Light seen{};
  for (std::size_t i = 0; i < 3; ++i) {
    for (std::size_t j = 0; j < 3; ++j) seen[i] += eye[i][j] * light[j];
    seen[i] = std::clamp(seen[i], 0.0, 1.0);
  }
  return seen;
}

struct Lab {
  double lightness, a, b;
};

/// CIE 1976, white point D65.
Lab lab(const Light& light) {
  const auto f = [](double t) {
    return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116;
  };
  const double x = f((0.4124 * light[0] + 0.3576 * light[1] + 0.1805 * light[2]) / 0.95047);
  const double y = f(luminance(light));
  const double z = f((0.0193 * light[0] + 0.1192 * light[1] + 0.9505 * light[2]) / 1.08883);
  return {116 * y - 16, 500 * (x - y), 200 * (y - z)};
}

double difference(const Lab& one, const Lab& other) {
  return std::hypot(one.lightness - other.lightness, one.a - other.a, one.b - other.b);
}

std::vector<Theme> all_themes() {
  std::vector<Theme> themes;
  for (int i = 0; i < theme_count; ++i) themes.push_back(static_cast<Theme>(i));
  return themes;
}

/// Those whose colours are known: the theme `terminal` has those of each user.
std::vector<Theme> own_themes() {
  std::vector<Theme> themes = all_themes();
  std::erase(themes, Theme::terminal);
  return themes;
}

std::vector<CellStyle> all_roles() {
  std::vector<CellStyle> roles;
  for (int i = 0; i < cell_style_count; ++i) roles.push_back(static_cast<CellStyle>(i));
  return roles;
}

/// Whether a theme is for terminals with a white background; the others are for black ones.
bool is_light(Theme theme) { return theme == Theme::light; }

std::string name_of(Theme theme, CellStyle style) {
  return std::string(facts(theme).name) + " '" + facts(style).letter + "'";
}

/// Foreground and background as the eye gets them; the terminal's own are black and white, or its
/// light grey.
struct Pair {
  Light foreground, background;
};

Pair pair_256(CellStyle style, Theme theme) {
  const CellStyleColours& row = colours_of(style, theme);
  const bool white = is_light(theme);
  return {row.foreground_256 >= 0 ? light_256(row.foreground_256) : light_8(white ? 0 : 7),
          row.background_256 >= 0 ? light_256(row.background_256) : light_256(white ? 231 : 16)};
}

Pair pair_8(CellStyle style, Theme theme) {
  const CellStyleColours& row = colours_of(style, theme);
  const bool white = is_light(theme);
  Pair pair{light_8(row.foreground_8 >= 0 ? row.foreground_8
                    : white               ? 0
                                          : 7),
            row.background_8 >= 0 ? light_8(row.background_8) : light_256(white ? 231 : 16)};
  if ((row.attributes & attribute_reverse) != 0) std::swap(pair.foreground, pair.background);
  return pair;
}

bool is_quiet(CellStyle style) { return style == CellStyle::faint || style == CellStyle::stale; }

TEST(Theme, IsFoundByItsName) {
  for (const Theme theme : all_themes()) {
    EXPECT_EQ(theme_named(facts(theme).name), theme);
    EXPECT_EQ(theme_names()[static_cast<std::size_t>(theme)], facts(theme).name);
  }
  EXPECT_EQ(theme_named("drak"), std::nullopt);
  EXPECT_EQ(colours_named("256"), Colours::many);
  EXPECT_EQ(colours_named("16"), Colours::sixteen);
  EXPECT_EQ(colours_named("truecolor"), Colours::direct);
  EXPECT_EQ(colours_named("12"), std::nullopt);
}

// WCAG 2.1: 4.5 is what text needs (1.4.3), 7 what it needs for weak eyes (1.4.6), 3 what signs
// need (1.4.11): quiet text stands back on purpose.
TEST(Theme, EveryTextCanBeRead) {
  for (const Theme theme : own_themes()) {
    const bool high = theme == Theme::contrast;
    for (const CellStyle style : all_roles()) {
      const Pair pair = pair_256(style, theme);
      EXPECT_GE(contrast(pair.foreground, pair.background), high              ? 7
                                                            : is_quiet(style) ? 3
                                                                              : 4.5)
          << name_of(theme, style);
    }
  }
}

// The first eight colours are set by people, so that no more than a plain mistake can be found; 2
// lets xterm's dark blue on black pass for what is quiet.
TEST(Theme, EveryTextCanBeReadInEightColours) {
  for (const Theme theme : all_themes()) {
    for (const CellStyle style : all_roles()) {
      const Pair pair = pair_8(style, theme);
      EXPECT_GE(contrast(pair.foreground, pair.background), is_quiet(style) ? 2 : 3)
          << name_of(theme, style);
    }
  }
}

/// xterm's defaults for the bright eight.
Light light_16(int colour) {
  if (colour < 8) return light_8(colour);
  if (colour == 8) return {linear(127), linear(127), linear(127)};
  if (colour == 12) return {linear(92), linear(92), 1};
  const auto on = [&](int bit) { return (colour & bit) != 0 ? 1.0 : 0.0; };
  return {on(1), on(2), on(4)};
}

TEST(Theme, EveryTextCanBeReadInSixteenColours) {
  for (const Theme theme : own_themes()) {
    for (const CellStyle style : all_roles()) {
      const CellPaint paint = paint_of(style, 0, theme, Colours::sixteen);
      const int white = is_light(theme) ? 0 : 7, black = is_light(theme) ? 15 : 0;
      const Light text = light_16(paint.foreground >= 0 ? paint.foreground : white);
      const Light ground = light_16(paint.background >= 0 ? paint.background : black);
      EXPECT_GE(contrast(text, ground), 3) << name_of(theme, style);
    }
  }
}

// What people chose for these colours is not known, but they read it on their own background. The
// bright eight are greys in some palettes, and black and white on the background may be invisible.
TEST(Theme, TheTerminalsOwnColoursAreUsedAsTheirNamesAllow) {
  for (const Colours colours : {Colours::eight, Colours::sixteen, Colours::many, Colours::direct}) {
    for (const CellStyle style : all_roles()) {
      const CellPaint paint = paint_of(style, 0, Theme::terminal, colours);
      const std::string name = name_of(Theme::terminal, style);
      EXPECT_LT(std::max(paint.foreground, paint.background), 8) << name;
      EXPECT_EQ(paint, paint_of(style, 0, Theme::terminal, Colours::eight)) << name;
      if (paint.background < 0) {
        EXPECT_TRUE(paint.foreground != 0 && paint.foreground != 7) << name;
      } else {
        EXPECT_GE(contrast(light_8(paint.foreground), light_8(paint.background)), 3) << name;
      }
    }
    EXPECT_FALSE(is_rich(Theme::terminal, colours)) << "cells have characters";
  }
}

Light light_24(int colour) {
  EXPECT_GE(colour, direct_colour);
  return {linear((colour >> 16) & 0xff), linear((colour >> 8) & 0xff), linear(colour & 0xff)};
}

TEST(Theme, TheSmoothHeatScaleIsOrderedByLightnessAndItsTextCanBeRead) {
  constexpr double step_min = 1;  // of 100
  for (const Theme theme : own_themes()) {
    double before = is_light(theme) ? 101 : -1;
    for (int shade = 1; shade <= heat_shade_count; ++shade) {
      const CellPaint paint =
          paint_of(CellStyle::heat0, static_cast<HeatShade>(shade), theme, Colours::direct);
      const Light ground = light_24(paint.background);
      EXPECT_GE(contrast(light_256(paint.foreground), ground), theme == Theme::contrast ? 7 : 4.5)
          << facts(theme).name << " " << shade;
      const double lightness = lab(ground).lightness;
      EXPECT_GE(is_light(theme) ? before - lightness : lightness - before, step_min)
          << facts(theme).name << " " << shade;
      before = lightness;
    }
  }
}

TEST(Theme, InDirectColourEverythingButTheHeatScaleIsAsWith256) {
  for (const Theme theme : own_themes()) {
    for (const CellStyle style : all_roles()) {
      const CellPaint direct = paint_of(style, 0, theme, Colours::direct);
      const bool heat = style >= CellStyle::heat0 && style <= CellStyle::heat7;
      if (heat) {
        EXPECT_GE(direct.background, direct_colour) << name_of(theme, style);
      } else {
        EXPECT_EQ(direct, paint_of(style, 0, theme, Colours::many)) << name_of(theme, style);
      }
    }
  }
}

// Ascending on black backgrounds and descending on white ones, so that a cold cell is near the
// background.
TEST(Theme, TheHeatScaleIsOrderedByLightness) {
  constexpr double step_min = 5;  // of 100
  for (const Theme theme : own_themes()) {
    for (int level = 1; level < 8; ++level) {
      const auto style = [](int at) {
        return static_cast<CellStyle>(static_cast<int>(CellStyle::heat0) + at);
      };
      const double before = lab(pair_256(style(level - 1), theme).background).lightness;
      const double after = lab(pair_256(style(level), theme).background).lightness;
      EXPECT_GE(is_light(theme) ? before - after : after - before, step_min)
          << name_of(theme, style(level));
    }
  }
}

struct Eye {
  Theme theme;
  const char* name;
  const Matrix* matrix;
};
const std::vector<Eye> eyes = {{Theme::deuteranopia, "deuteranope", &deuteranope},
                               {Theme::deuteranopia, "normal", &normal},
                               {Theme::tritanopia, "tritanope", &tritanope},
                               {Theme::tritanopia, "normal", &normal}};

// A difference of about 2.3 is just noticeable side by side; cells and words stand apart, and are
// small.
TEST(Theme, ColourBlindUsersCanDistinguishAlarmsByHueAndByLightness) {
  constexpr double difference_min = 35;
  constexpr double lightness_min = 8;
  const std::vector<std::vector<CellStyle>> families = {
      {CellStyle::good, CellStyle::warm, CellStyle::hot, CellStyle::critical},
      {CellStyle::fill_good, CellStyle::fill_warm, CellStyle::fill_hot, CellStyle::fill_critical}};
  for (const Eye& eye : eyes) {
    for (const std::vector<CellStyle>& family : families) {
      for (std::size_t i = 0; i < family.size(); ++i) {
        for (std::size_t j = i + 1; j < family.size(); ++j) {
          const auto seen = [&](CellStyle style) {
            const Pair pair = pair_256(style, eye.theme);
            return lab(seen_by(*eye.matrix,
                               style < CellStyle::fill_good ? pair.foreground : pair.background));
          };
          const Lab one = seen(family[i]), other = seen(family[j]);
          EXPECT_GE(difference(one, other), difference_min)
              << eye.name << ": " << name_of(eye.theme, family[i]) << " and "
              << facts(family[j]).letter;
          EXPECT_GE(std::abs(one.lightness - other.lightness), lightness_min)
              << eye.name << ": " << name_of(eye.theme, family[i]) << " and "
              << facts(family[j]).letter;
        }
      }
    }
  }
}

TEST(Theme, ColourBlindUsersCanDistinguishNeighboursOnTheHeatScale) {
  constexpr double difference_min = 10;
  for (const Eye& eye : eyes) {
    for (int level = 1; level < 8; ++level) {
      const auto seen = [&](int at) {
        const auto style = static_cast<CellStyle>(static_cast<int>(CellStyle::heat0) + at);
        return lab(seen_by(*eye.matrix, pair_256(style, eye.theme).background));
      };
      EXPECT_GE(difference(seen(level - 1), seen(level)), difference_min)
          << eye.name << ": " << facts(eye.theme).name << " " << level;
    }
  }
}

}  // namespace
}  // namespace drover::tui
