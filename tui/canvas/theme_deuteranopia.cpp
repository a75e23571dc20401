// Blue against yellow and orange, which eyes without green cones can distinguish, and another
// lightness for each step of an alarm. The heat scale is "cividis" (Nuñez, Anderton and Renslow,
// PLoS ONE 13(7): e0199239, 2018), made for such eyes, in the nearest xterm colours.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours deuteranopia_colours = {{
    {CellStyle::plain, -1, -1, -1, -1, attribute_none},
    {CellStyle::faint, 244, -1, -1, -1, attribute_none},
    {CellStyle::strong, -1, -1, -1, -1, attribute_bold},
    {CellStyle::title, 252, 236, 7, 4, attribute_none},
    {CellStyle::good, 32, -1, 6, -1, attribute_none},
    {CellStyle::warm, 229, -1, 3, -1, attribute_none},
    {CellStyle::hot, 214, -1, 3, -1, attribute_bold},
    {CellStyle::critical, 205, -1, 7, 1, attribute_bold},
    {CellStyle::selected, 231, 24, 0, 6, attribute_bold},
    {CellStyle::header, 110, -1, 6, -1, attribute_bold},
    {CellStyle::accent, 80, -1, 6, -1, attribute_none},
    {CellStyle::stale, 243, -1, 4, -1, attribute_none},
    {CellStyle::badge, 80, 236, 7, 4, attribute_bold},
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
    {CellStyle::track, 252, 236, -1, -1, attribute_none},
}};

}  // namespace drover::tui
