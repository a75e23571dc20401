// Teal against red, which eyes without blue cones tell apart, and each step of an alarm of another
// lightness. The heat scale is "inferno" as in the dark theme: its reds are seen by such eyes, and
// its lightness rises evenly.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours tritanopia_colours = {{
    {Role::plain, -1, -1, -1, -1, look_plain},        {Role::faint, 244, -1, -1, -1, look_plain},
    {Role::strong, -1, -1, -1, -1, look_bold},        {Role::title, 252, 236, 7, 4, look_plain},
    {Role::good, 116, -1, 6, -1, look_plain},         {Role::warm, 229, -1, 3, -1, look_plain},
    {Role::hot, 209, -1, 3, -1, look_bold},           {Role::critical, 196, -1, 7, 1, look_bold},
    {Role::selected, 231, 24, 0, 6, look_bold},       {Role::header, 110, -1, 6, -1, look_bold},
    {Role::accent, 80, -1, 6, -1, look_plain},        {Role::stale, 243, -1, 4, -1, look_plain},
    {Role::badge, 80, 236, 7, 4, look_bold},          {Role::alarm, 255, 124, 7, 1, look_bold},
    {Role::fault, 213, -1, 5, -1, look_bold},         {Role::heat0, 248, 235, 7, 0, look_plain},
    {Role::heat1, 255, 53, 7, 4, look_plain},         {Role::heat2, 255, 89, 7, 4, look_plain},
    {Role::heat3, 255, 125, 7, 5, look_plain},        {Role::heat4, 16, 166, 7, 5, look_plain},
    {Role::heat5, 16, 208, 7, 1, look_plain},         {Role::heat6, 16, 220, 0, 3, look_plain},
    {Role::heat7, 16, 229, 0, 7, look_plain},         {Role::fill_good, 16, 30, 0, 6, look_plain},
    {Role::fill_warm, 16, 229, 0, 3, look_plain},     {Role::fill_hot, 16, 215, 0, 3, look_bold},
    {Role::fill_critical, 231, 124, 7, 1, look_bold}, {Role::track, 252, 236, -1, -1, look_plain},
}};

}  // namespace drover::tui
