// For a white or light background. The heat scale is "YlOrRd" of ColorBrewer 2.0 (Cynthia Brewer,
// colorbrewer2.org) in the nearest xterm colours: cold cells are near the background, hot ones
// dark. Of 8 colours, yellow, green and cyan are not readable on white, so they are backgrounds
// here.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours light_colours = {{
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

}  // namespace drover::tui
