// Every text at 7:1 against its ground or more (WCAG 2.1, success criterion 1.4.6). The heat scale
// is "inferno" as in the dark theme, without its middle, where neither black nor white ink would
// reach that.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours contrast_colours = {{
    {Role::plain, 231, -1, 7, -1, look_plain},       {Role::faint, 252, -1, 7, -1, look_plain},
    {Role::strong, 231, -1, 7, -1, look_bold},       {Role::title, 16, 231, 0, 7, look_plain},
    {Role::good, 83, -1, 2, -1, look_bold},          {Role::warm, 226, -1, 3, -1, look_bold},
    {Role::hot, 214, -1, 3, -1, look_bold},          {Role::critical, 210, -1, 7, 1, look_bold},
    {Role::selected, 16, 226, 0, 3, look_bold},      {Role::header, 123, -1, 6, -1, look_bold},
    {Role::accent, 51, -1, 6, -1, look_bold},        {Role::stale, 248, -1, 7, -1, look_plain},
    {Role::badge, 16, 51, 0, 6, look_bold},          {Role::alarm, 231, 88, 7, 1, look_bold},
    {Role::fault, 219, -1, 5, -1, look_bold},        {Role::heat0, 231, 235, 7, 0, look_plain},
    {Role::heat1, 231, 53, 7, 4, look_plain},        {Role::heat2, 231, 89, 7, 4, look_plain},
    {Role::heat3, 231, 125, 7, 4, look_plain},       {Role::heat4, 16, 208, 0, 3, look_plain},
    {Role::heat5, 16, 214, 0, 3, look_plain},        {Role::heat6, 16, 220, 0, 3, look_plain},
    {Role::heat7, 16, 230, 0, 7, look_plain},        {Role::fill_good, 231, 22, 0, 2, look_bold},
    {Role::fill_warm, 16, 220, 0, 3, look_bold},     {Role::fill_hot, 16, 208, 0, 3, look_bold},
    {Role::fill_critical, 231, 88, 7, 1, look_bold}, {Role::track, 231, 237, -1, -1, look_plain},
}};

}  // namespace drover::tui
