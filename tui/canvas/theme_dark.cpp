// The heat scale follows matplotlib's "inferno" (Nathaniel Smith and Stéfan van der Walt, 2015),
// whose lightness rises evenly from cold to hot, so that it keeps its order for colour-blind eyes
// and in print; nearest xterm colours.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours dark_colours = {{
    {Role::plain, -1, -1, -1, -1, look_plain},        {Role::faint, 244, -1, -1, -1, look_plain},
    {Role::strong, -1, -1, -1, -1, look_bold},        {Role::title, 252, 236, 7, 4, look_plain},
    {Role::good, 78, -1, 2, -1, look_plain},          {Role::warm, 221, -1, 3, -1, look_plain},
    {Role::hot, 208, -1, 3, -1, look_bold},           {Role::critical, 203, -1, 1, -1, look_bold},
    {Role::selected, 231, 24, 0, 6, look_bold},       {Role::header, 110, -1, 6, -1, look_bold},
    {Role::accent, 80, -1, 6, -1, look_plain},        {Role::stale, 243, -1, 4, -1, look_plain},
    {Role::badge, 80, 236, 7, 4, look_bold},          {Role::alarm, 255, 124, 7, 1, look_bold},
    {Role::fault, 213, -1, 5, -1, look_bold},         {Role::heat0, 248, 235, 7, 0, look_plain},
    {Role::heat1, 255, 53, 7, 4, look_plain},         {Role::heat2, 255, 89, 7, 4, look_plain},
    {Role::heat3, 255, 125, 7, 5, look_plain},        {Role::heat4, 16, 166, 7, 5, look_plain},
    {Role::heat5, 16, 208, 7, 1, look_plain},         {Role::heat6, 16, 220, 0, 3, look_plain},
    {Role::heat7, 16, 229, 0, 7, look_plain},         {Role::fill_good, 255, 23, 0, 2, look_plain},
    {Role::fill_warm, 16, 136, 0, 3, look_plain},     {Role::fill_hot, 16, 166, 0, 3, look_bold},
    {Role::fill_critical, 255, 124, 7, 1, look_bold}, {Role::track, 252, 236, -1, -1, look_plain},
}};

}  // namespace drover::tui
