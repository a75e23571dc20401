#include "tui/canvas/palette.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include <fmt/format.h>

#include "fleet/base/enum_tables.h"
#include "fleet/base/result.h"

namespace drover::tui {
namespace {

constexpr std::array<CellStyleInfo, cell_style_count> cell_style_table = {{
    {CellStyle::plain, ' ', attribute_none},
    {CellStyle::faint, 'f', attribute_dim},
    {CellStyle::strong, 'b', attribute_bold},
    {CellStyle::title, 't', attribute_reverse},
    {CellStyle::good, 'g', attribute_none},
    {CellStyle::warm, 'w', attribute_bold},
    {CellStyle::hot, 'h', attribute_bold},
    {CellStyle::critical, 'c', attribute_bold | attribute_reverse},
    {CellStyle::selected, 's', attribute_reverse},
    {CellStyle::header, 'H', attribute_bold},
    {CellStyle::accent, 'a', attribute_none},
    {CellStyle::stale, 'x', attribute_dim},
    {CellStyle::badge, 'B', attribute_bold | attribute_reverse},
    {CellStyle::alarm, 'A', attribute_bold | attribute_reverse},
    {CellStyle::fault, 'F', attribute_bold},
    {CellStyle::heat0, '0', attribute_none},
    {CellStyle::heat1, '1', attribute_none},
    {CellStyle::heat2, '2', attribute_none},
    {CellStyle::heat3, '3', attribute_none},
    {CellStyle::heat4, '4', attribute_none},
    {CellStyle::heat5, '5', attribute_none},
    {CellStyle::heat6, '6', attribute_none},
    {CellStyle::heat7, '7', attribute_none},
    {CellStyle::fill_good, 'G', attribute_reverse},
    {CellStyle::fill_warm, 'W', attribute_reverse},
    {CellStyle::fill_hot, 'O', attribute_reverse},
    {CellStyle::fill_critical, 'C', attribute_reverse},
    {CellStyle::track, '_', attribute_none},
}};
static_assert(is_in_order(cell_style_table, &CellStyleInfo::style));

using ThemeColours = std::array<CellStyleColours, cell_style_count>;

// The heat scale is matplotlib's "inferno" (Nathaniel Smith and Stéfan van der Walt, 2015) in the
// nearest xterm colours. Its lightness rises evenly from cold to hot, so its order is visible to
// colour-blind users and in print.
constexpr ThemeColours dark_colours = {{
    {CellStyle::plain, -1, -1, -1, -1, attribute_none},
    {CellStyle::faint, 244, -1, -1, -1, attribute_none},
    {CellStyle::strong, -1, -1, -1, -1, attribute_bold},
    {CellStyle::title, 252, 236, 7, 4, attribute_none},
    {CellStyle::good, 78, -1, 2, -1, attribute_none},
    {CellStyle::warm, 221, -1, 3, -1, attribute_none},
    {CellStyle::hot, 208, -1, 3, -1, attribute_bold},
    {CellStyle::critical, 203, -1, 1, -1, attribute_bold},
    {CellStyle::selected, 231, 24, 0, 6, attribute_bold},
    {CellStyle::header, 110, -1, 6, -1, attribute_bold},
    {CellStyle::accent, 80, -1, 6, -1, attribute_none},
    {CellStyle::stale, 243, -1, 4, -1, attribute_none},
    {CellStyle::badge, 80, 236, 7, 4, attribute_bold},
    {CellStyle::alarm, 255, 124, 7, 1, attribute_bold},
    {CellStyle::fault, 213, -1, 5, -1, attribute_bold},
    {CellStyle::heat0, 248, 235, 7, 0, attribute_none},
    {CellStyle::heat1, 255, 53, 7, 4, attribute_none},
    {CellStyle::heat2, 255, 89, 7, 4, attribute_none},
    {CellStyle::heat3, 255, 125, 7, 5, attribute_none},
    {CellStyle::heat4, 16, 166, 7, 5, attribute_none},
    {CellStyle::heat5, 16, 208, 7, 1, attribute_none},
    {CellStyle::heat6, 16, 220, 0, 3, attribute_none},
    {CellStyle::heat7, 16, 229, 0, 7, attribute_none},
    {CellStyle::fill_good, 255, 23, 0, 2, attribute_none},
    {CellStyle::fill_warm, 16, 136, 0, 3, attribute_none},
    {CellStyle::fill_hot, 16, 166, 0, 3, attribute_bold},
    {CellStyle::fill_critical, 255, 124, 7, 1, attribute_bold},
    {CellStyle::track, 252, 236, -1, -1, attribute_none},
}};

// For a white or light background. The heat scale is "YlOrRd" of ColorBrewer 2.0 (Cynthia Brewer,
// colorbrewer2.org) in the nearest xterm colours: cold cells are near the background, hot ones
// dark. Of 8 colours, yellow, green and cyan are not readable on white, so they are backgrounds
// here.
constexpr ThemeColours light_colours = {{
    {CellStyle::plain, -1, -1, -1, -1, attribute_none},
    {CellStyle::faint, 242, -1, -1, -1, attribute_none},
    {CellStyle::strong, -1, -1, -1, -1, attribute_bold},
    {CellStyle::title, 235, 252, 0, 7, attribute_none},
    {CellStyle::good, 22, -1, 4, -1, attribute_none},
    {CellStyle::warm, 94, -1, 0, 3, attribute_none},
    {CellStyle::hot, 130, -1, 5, -1, attribute_bold},
    {CellStyle::critical, 160, -1, 1, -1, attribute_bold},
    {CellStyle::selected, 231, 25, 7, 4, attribute_bold},
    {CellStyle::header, 25, -1, 4, -1, attribute_bold},
    {CellStyle::accent, 24, -1, 4, -1, attribute_none},
    {CellStyle::stale, 245, -1, -1, -1, attribute_none},
    {CellStyle::badge, 24, 252, 4, 7, attribute_bold},
    {CellStyle::alarm, 231, 160, 7, 1, attribute_bold},
    {CellStyle::fault, 127, -1, 5, -1, attribute_bold},
    {CellStyle::heat0, 16, 229, 0, 7, attribute_none},
    {CellStyle::heat1, 16, 222, 0, 7, attribute_none},
    {CellStyle::heat2, 16, 215, 0, 6, attribute_none},
    {CellStyle::heat3, 16, 208, 0, 6, attribute_none},
    {CellStyle::heat4, 16, 202, 0, 3, attribute_none},
    {CellStyle::heat5, 231, 160, 0, 3, attribute_none},
    {CellStyle::heat6, 231, 124, 7, 1, attribute_none},
    {CellStyle::heat7, 231, 88, 7, 1, attribute_none},
    {CellStyle::fill_good, 16, 115, 0, 2, attribute_none},
    {CellStyle::fill_warm, 16, 221, 0, 3, attribute_none},
    {CellStyle::fill_hot, 16, 208, 0, 3, attribute_bold},
    {CellStyle::fill_critical, 231, 160, 7, 1, attribute_bold},
    {CellStyle::track, 238, 254, -1, -1, attribute_none},
}};

// All text has a contrast of at least 7:1 (WCAG 2.1, success criterion 1.4.6). The heat scale is
// "inferno" as in the dark theme, without its middle, where neither black nor white text has that
// contrast.
constexpr ThemeColours contrast_colours = {{
    {CellStyle::plain, 231, -1, 7, -1, attribute_none},
    {CellStyle::faint, 252, -1, 7, -1, attribute_none},
    {CellStyle::strong, 231, -1, 7, -1, attribute_bold},
    {CellStyle::title, 16, 231, 0, 7, attribute_none},
    {CellStyle::good, 83, -1, 2, -1, attribute_bold},
    {CellStyle::warm, 226, -1, 3, -1, attribute_bold},
    {CellStyle::hot, 214, -1, 3, -1, attribute_bold},
    {CellStyle::critical, 210, -1, 7, 1, attribute_bold},
    {CellStyle::selected, 16, 226, 0, 3, attribute_bold},
    {CellStyle::header, 123, -1, 6, -1, attribute_bold},
    {CellStyle::accent, 51, -1, 6, -1, attribute_bold},
    {CellStyle::stale, 248, -1, 7, -1, attribute_none},
    {CellStyle::badge, 16, 51, 0, 6, attribute_bold},
    {CellStyle::alarm, 231, 88, 7, 1, attribute_bold},
    {CellStyle::fault, 219, -1, 5, -1, attribute_bold},
    {CellStyle::heat0, 231, 235, 7, 0, attribute_none},
    {CellStyle::heat1, 231, 53, 7, 4, attribute_none},
    {CellStyle::heat2, 231, 89, 7, 4, attribute_none},
    {CellStyle::heat3, 231, 125, 7, 4, attribute_none},
    {CellStyle::heat4, 16, 208, 0, 3, attribute_none},
    {CellStyle::heat5, 16, 214, 0, 3, attribute_none},
    {CellStyle::heat6, 16, 220, 0, 3, attribute_none},
    {CellStyle::heat7, 16, 230, 0, 7, attribute_none},
    {CellStyle::fill_good, 231, 22, 0, 2, attribute_bold},
    {CellStyle::fill_warm, 16, 220, 0, 3, attribute_bold},
    {CellStyle::fill_hot, 16, 208, 0, 3, attribute_bold},
    {CellStyle::fill_critical, 231, 88, 7, 1, attribute_bold},
    {CellStyle::track, 231, 237, -1, -1, attribute_none},
}};

/// The dark theme with other colours for some styles.
constexpr ThemeColours dark_except(std::initializer_list<CellStyleColours> rows) {
  ThemeColours colours = dark_colours;
  for (const CellStyleColours& row : rows) colours[static_cast<std::size_t>(row.style)] = row;
  return colours;
}

// Blue against yellow and orange, which eyes without green cones can distinguish, and another
// lightness for each step of an alarm. The heat scale is "cividis" (Nuñez, Anderton and Renslow,
// PLoS ONE 13(7): e0199239, 2018), made for such eyes, in the nearest xterm colours.
constexpr ThemeColours deuteranopia_colours = dark_except({
    {CellStyle::good, 32, -1, 6, -1, attribute_none},
    {CellStyle::warm, 229, -1, 3, -1, attribute_none},
    {CellStyle::hot, 214, -1, 3, -1, attribute_bold},
    {CellStyle::critical, 205, -1, 7, 1, attribute_bold},
    {CellStyle::alarm, 231, 125, 7, 1, attribute_bold},
    {CellStyle::fault, 219, -1, 5, -1, attribute_bold},
    {CellStyle::heat0, 255, 17, 7, 0, attribute_none},
    {CellStyle::heat1, 255, 19, 7, 4, attribute_none},
    {CellStyle::heat2, 255, 24, 7, 4, attribute_none},
    {CellStyle::heat3, 255, 242, 7, 5, attribute_none},
    {CellStyle::heat4, 16, 102, 7, 5, attribute_none},
    {CellStyle::heat5, 16, 144, 7, 1, attribute_none},
    {CellStyle::heat6, 16, 185, 0, 3, attribute_none},
    {CellStyle::heat7, 16, 227, 0, 7, attribute_none},
    {CellStyle::fill_good, 16, 32, 0, 6, attribute_none},
    {CellStyle::fill_warm, 16, 226, 0, 3, attribute_none},
    {CellStyle::fill_hot, 16, 215, 0, 3, attribute_bold},
    {CellStyle::fill_critical, 231, 125, 7, 1, attribute_bold},
});

// Teal against red, which eyes without blue cones can distinguish, and another lightness for each
// step of an alarm. The heat scale is "inferno" as in the dark theme: such eyes see its reds, and
// its lightness rises evenly.
constexpr ThemeColours tritanopia_colours = dark_except({
    {CellStyle::good, 116, -1, 6, -1, attribute_none},
    {CellStyle::warm, 229, -1, 3, -1, attribute_none},
    {CellStyle::hot, 209, -1, 3, -1, attribute_bold},
    {CellStyle::critical, 196, -1, 7, 1, attribute_bold},
    {CellStyle::fill_good, 16, 30, 0, 6, attribute_none},
    {CellStyle::fill_warm, 16, 229, 0, 3, attribute_none},
    {CellStyle::fill_hot, 16, 215, 0, 3, attribute_bold},
    {CellStyle::fill_critical, 231, 124, 7, 1, attribute_bold},
});

// Terminals let their users choose these colours, so that nothing is known of them but their names:
// no scale is ordered by lightness, and the bright eight are not used, which some palettes
// (Solarized) fill with greys. Text on the terminal's own background has one of the colours that
// palettes make readable there. Heat cells have characters, as with 8 colours.
constexpr ThemeColours terminal_colours = {{
    {CellStyle::plain, -1, -1, -1, -1, attribute_none},
    {CellStyle::faint, -1, -1, -1, -1, attribute_dim},
    {CellStyle::strong, -1, -1, -1, -1, attribute_bold},
    {CellStyle::title, -1, -1, -1, -1, attribute_reverse},
    {CellStyle::good, 2, -1, 2, -1, attribute_none},
    {CellStyle::warm, 3, -1, 3, -1, attribute_none},
    {CellStyle::hot, 3, -1, 3, -1, attribute_bold},
    {CellStyle::critical, 1, -1, 1, -1, attribute_bold},
    {CellStyle::selected, 0, 6, 0, 6, attribute_bold},
    {CellStyle::header, 6, -1, 6, -1, attribute_bold},
    {CellStyle::accent, 6, -1, 6, -1, attribute_none},
    {CellStyle::stale, -1, -1, -1, -1, attribute_dim},
    {CellStyle::badge, 7, 4, 7, 4, attribute_bold},
    {CellStyle::alarm, 7, 1, 7, 1, attribute_bold},
    {CellStyle::fault, 5, -1, 5, -1, attribute_bold},
    {CellStyle::heat0, -1, -1, -1, -1, attribute_none},
    {CellStyle::heat1, 7, 4, 7, 4, attribute_none},
    {CellStyle::heat2, 7, 4, 7, 4, attribute_none},
    {CellStyle::heat3, 7, 5, 7, 5, attribute_none},
    {CellStyle::heat4, 7, 5, 7, 5, attribute_none},
    {CellStyle::heat5, 0, 3, 0, 3, attribute_none},
    {CellStyle::heat6, 0, 3, 0, 3, attribute_none},
    {CellStyle::heat7, 7, 1, 7, 1, attribute_none},
    {CellStyle::fill_good, 0, 2, 0, 2, attribute_none},
    {CellStyle::fill_warm, 0, 3, 0, 3, attribute_none},
    {CellStyle::fill_hot, 0, 3, 0, 3, attribute_bold},
    {CellStyle::fill_critical, 7, 1, 7, 1, attribute_bold},
    {CellStyle::track, -1, -1, -1, -1, attribute_none},
}};

constexpr bool has_styles_in_order(const ThemeColours& colours) {
  return is_in_order(colours, &CellStyleColours::style);
}
static_assert(has_styles_in_order(dark_colours) && has_styles_in_order(light_colours) &&
              has_styles_in_order(contrast_colours) && has_styles_in_order(deuteranopia_colours) &&
              has_styles_in_order(tritanopia_colours) && has_styles_in_order(terminal_colours));

// In the order of Theme.
constexpr std::array<const ThemeColours*, theme_count> colours_by_theme = {
    &dark_colours,         &light_colours,      &contrast_colours,
    &deuteranopia_colours, &tritanopia_colours, &terminal_colours};

// Numbers of xterm's colours.
constexpr int black = 16, white = 231, bright = 8;

bool is_heat(CellStyle style) { return style >= CellStyle::heat0 && style <= CellStyle::heat7; }

/// The number of a text colour of 16. On the terminal's own background, a bright colour can be read
/// better if that is dark.
int text_of_sixteen(const CellStyleColours& row, Theme theme) {
  const bool coloured = row.foreground_8 > 0 && row.foreground_8 < 7;
  const bool dark = theme != Theme::light && theme != Theme::terminal;
  return coloured && dark && row.background_8 < 0 ? row.foreground_8 + bright : row.foreground_8;
}

std::string colour_codes(int colour, int plain) {
  if (colour < 0) return {};
  if (colour >= direct_colour) {
    return fmt::format(";{};2;{};{};{}", plain + 8, (colour >> 16) & 0xff, (colour >> 8) & 0xff,
                       colour & 0xff);
  }
  if (colour >= 16) return fmt::format(";{};5;{}", plain + 8, colour);
  constexpr int bright_codes = 60;  // 90 to 97 and 100 to 107, after aixterm
  return fmt::format(";{}",
                     colour < bright ? plain + colour : plain + bright_codes + colour - bright);
}

}  // namespace

const CellStyleInfo& facts(CellStyle style) { return row_at(cell_style_table, style); }

const CellStyleColours& colours_of(CellStyle style, Theme theme) {
  const ThemeColours& colours = *row_at(colours_by_theme, theme);
  return row_at(colours, style);
}

Colours colours_used(Theme theme, Colours colours) {
  DROVER_REQUIRE(colours != Colours::detect);
  return theme == Theme::terminal ? std::min(colours, Colours::sixteen) : colours;
}

bool is_rich(Theme theme, Colours colours) { return colours_used(theme, colours) >= Colours::many; }

CellPaint paint_of(CellStyle style, HeatShade shade, Theme theme, Colours colours) {
  const CellStyleColours& row = colours_of(style, theme);
  switch (colours_used(theme, colours)) {
    case Colours::direct:
      if (is_heat(style)) {
        const int level = static_cast<int>(style) - static_cast<int>(CellStyle::heat0);
        const auto [rgb, black_text] =
            colours_of_shade(shade > 0 ? shade : shade_of_level(level), theme);
        return {black_text ? black : white, direct_colour + static_cast<int>(rgb), row.attributes};
      }
      [[fallthrough]];
    case Colours::many:
      return {row.foreground_256, row.background_256, row.attributes};
    case Colours::sixteen:
      return {text_of_sixteen(row, theme), row.background_8, row.attributes};
    case Colours::eight:
      return {row.foreground_8, row.background_8, row.attributes};
    default:
      return {-1, -1, facts(style).mono_attributes};
  }
}

std::string ansi_of(const CellPaint& paint) {
  std::string codes = "0";
  if (paint.attributes & attribute_bold) codes += ";1";
  if (paint.attributes & attribute_dim) codes += ";2";
  if (paint.attributes & attribute_reverse) codes += ";7";
  constexpr int text = 30, ground = 40;
  return fmt::format("\x1b[{}{}{}m", codes, colour_codes(paint.foreground, text),
                     colour_codes(paint.background, ground));
}

}  // namespace drover::tui
