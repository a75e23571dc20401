// All text has a contrast of at least 7:1 (WCAG 2.1, success criterion 1.4.6). The heat scale is
// "inferno" as in the dark theme, without its middle, where neither black nor white text has that
// contrast.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours contrast_colours = {{
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

}  // namespace drover::tui
