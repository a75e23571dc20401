#include "tui/canvas/palette.h"

#include <array>

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

}  // namespace

const CellStyleInfo& facts(CellStyle style) { return row_at(cell_style_table, style); }

std::string ansi_of(CellStyle style, Theme theme, Colours colours) {
  DROVER_REQUIRE(colours != Colours::detect);
  const CellStyleColours& row = colours_of(style, theme);
  const unsigned attributes =
      colours == Colours::none ? facts(style).mono_attributes : row.attributes;
  std::string codes = "0";
  if (attributes & attribute_bold) codes += ";1";
  if (attributes & attribute_dim) codes += ";2";
  if (attributes & attribute_reverse) codes += ";7";
  if (colours == Colours::many) {
    if (row.foreground_256 >= 0) codes += fmt::format(";38;5;{}", row.foreground_256);
    if (row.background_256 >= 0) codes += fmt::format(";48;5;{}", row.background_256);
  } else if (colours == Colours::eight) {
    if (row.foreground_8 >= 0) codes += fmt::format(";{}", 30 + row.foreground_8);
    if (row.background_8 >= 0) codes += fmt::format(";{}", 40 + row.background_8);
  }
  return fmt::format("\x1b[{}m", codes);
}

}  // namespace drover::tui
