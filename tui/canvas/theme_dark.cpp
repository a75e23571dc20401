// The heat scale is matplotlib's "inferno" (Nathaniel Smith and Stéfan van der Walt, 2015) in the
// nearest xterm colours. Its lightness rises evenly from cold to hot, so its order is visible to
// colour-blind users and in print.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours dark_colours = {{
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

}  // namespace drover::tui
