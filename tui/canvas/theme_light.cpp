// For a white or light ground. The heat scale follows "YlOrRd" of ColorBrewer 2.0 (Cynthia Brewer,
// colorbrewer2.org): cold cells come near the ground, and the hotter the darker; nearest xterm
// colours. Of 8 colours yellow, green and cyan cannot be read on white, so they are grounds here.
#include "tui/canvas/palette.h"

namespace drover::tui {

const ThemeColours light_colours = {{
    {Role::plain, -1, -1, -1, -1, look_plain},        {Role::faint, 242, -1, -1, -1, look_plain},
    {Role::strong, -1, -1, -1, -1, look_bold},        {Role::title, 235, 252, 0, 7, look_plain},
    {Role::good, 22, -1, 4, -1, look_plain},          {Role::warm, 94, -1, 0, 3, look_plain},
    {Role::hot, 130, -1, 5, -1, look_bold},           {Role::critical, 160, -1, 1, -1, look_bold},
    {Role::selected, 231, 25, 7, 4, look_bold},       {Role::header, 25, -1, 4, -1, look_bold},
    {Role::accent, 24, -1, 4, -1, look_plain},        {Role::stale, 245, -1, -1, -1, look_plain},
    {Role::badge, 24, 252, 4, 7, look_bold},          {Role::alarm, 231, 160, 7, 1, look_bold},
    {Role::fault, 127, -1, 5, -1, look_bold},         {Role::heat0, 16, 229, 0, 7, look_plain},
    {Role::heat1, 16, 222, 0, 7, look_plain},         {Role::heat2, 16, 215, 0, 6, look_plain},
    {Role::heat3, 16, 208, 0, 6, look_plain},         {Role::heat4, 16, 202, 0, 3, look_plain},
    {Role::heat5, 231, 160, 0, 3, look_plain},        {Role::heat6, 231, 124, 7, 1, look_plain},
    {Role::heat7, 231, 88, 7, 1, look_plain},         {Role::fill_good, 16, 115, 0, 2, look_plain},
    {Role::fill_warm, 16, 221, 0, 3, look_plain},     {Role::fill_hot, 16, 208, 0, 3, look_bold},
    {Role::fill_critical, 231, 160, 7, 1, look_bold}, {Role::track, 238, 254, -1, -1, look_plain},
}};

}  // namespace drover::tui
