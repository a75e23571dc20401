// Blue against yellow and orange, which eyes without green cones tell apart, and each step of an
// alarm of another lightness. The heat scale follows "cividis" (Nuñez, Anderton and Renslow,
// PLoS ONE 13(7): e0199239, 2018), made for such eyes; nearest xterm colours.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours deuteranopia_colours = {{
    {Role::plain, -1, -1, -1, -1, look_plain},        {Role::faint, 244, -1, -1, -1, look_plain},
    {Role::strong, -1, -1, -1, -1, look_bold},        {Role::title, 252, 236, 7, 4, look_plain},
    {Role::good, 32, -1, 6, -1, look_plain},          {Role::warm, 229, -1, 3, -1, look_plain},
    {Role::hot, 214, -1, 3, -1, look_bold},           {Role::critical, 205, -1, 7, 1, look_bold},
    {Role::selected, 231, 24, 0, 6, look_bold},       {Role::header, 110, -1, 6, -1, look_bold},
    {Role::accent, 80, -1, 6, -1, look_plain},        {Role::stale, 243, -1, 4, -1, look_plain},
    {Role::badge, 80, 236, 7, 4, look_bold},          {Role::alarm, 231, 125, 7, 1, look_bold},
    {Role::fault, 219, -1, 5, -1, look_bold},         {Role::heat0, 255, 17, 7, 0, look_plain},
    {Role::heat1, 255, 19, 7, 4, look_plain},         {Role::heat2, 255, 24, 7, 4, look_plain},
    {Role::heat3, 255, 242, 7, 5, look_plain},        {Role::heat4, 16, 102, 7, 5, look_plain},
    {Role::heat5, 16, 144, 7, 1, look_plain},         {Role::heat6, 16, 185, 0, 3, look_plain},
    {Role::heat7, 16, 227, 0, 7, look_plain},         {Role::fill_good, 16, 32, 0, 6, look_plain},
    {Role::fill_warm, 16, 226, 0, 3, look_plain},     {Role::fill_hot, 16, 215, 0, 3, look_bold},
    {Role::fill_critical, 231, 125, 7, 1, look_bold}, {Role::track, 252, 236, -1, -1, look_plain},
}};

}  // namespace drover::tui
