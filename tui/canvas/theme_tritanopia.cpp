// Teal against red, which eyes without blue cones can distinguish, and another lightness for each
// step of an alarm. The heat scale is "inferno" as in the dark theme: such eyes see its reds, and
// its lightness rises evenly.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours tritanopia_colours = {{
    {CellStyle::plain, -1, -1, -1, -1, attribute_none},
    {CellStyle::faint, 244, -1, -1, -1, attribute_none},
    {CellStyle::strong, -1, -1, -1, -1, attribute_bold},
    {CellStyle::title, 252, 236, 7, 4, attribute_none},
    {CellStyle::good, 116, -1, 6, -1, attribute_none},
    {CellStyle::warm, 229, -1, 3, -1, attribute_none},
    {CellStyle::hot, 209, -1, 3, -1, attribute_bold},
    {CellStyle::critical, 196, -1, 7, 1, attribute_bold},
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
    {CellStyle::fill_good, 16, 30, 0, 6, attribute_none},
    {CellStyle::fill_warm, 16, 229, 0, 3, attribute_none},
    {CellStyle::fill_hot, 16, 215, 0, 3, attribute_bold},
    {CellStyle::fill_critical, 231, 124, 7, 1, attribute_bold},
    {CellStyle::track, 252, 236, -1, -1, attribute_none},
}};

}  // namespace drover::tui
