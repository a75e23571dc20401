#include "tui/canvas/palette.h"

#include <fmt/format.h>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

constexpr std::array<RoleFacts, role_count> table = {{
    {Role::plain, ' ', look_plain},
    {Role::faint, 'f', look_dim},
    {Role::strong, 'b', look_bold},
    {Role::title, 't', look_reverse},
    {Role::good, 'g', look_plain},
    {Role::warm, 'w', look_bold},
    {Role::hot, 'h', look_bold},
    {Role::critical, 'c', look_bold | look_reverse},
    {Role::selected, 's', look_reverse},
    {Role::header, 'H', look_bold},
    {Role::accent, 'a', look_plain},
    {Role::stale, 'x', look_dim},
    {Role::badge, 'B', look_bold | look_reverse},
    {Role::alarm, 'A', look_bold | look_reverse},
    {Role::fault, 'F', look_bold},
    {Role::heat0, '0', look_plain},
    {Role::heat1, '1', look_plain},
    {Role::heat2, '2', look_plain},
    {Role::heat3, '3', look_plain},
    {Role::heat4, '4', look_plain},
    {Role::heat5, '5', look_plain},
    {Role::heat6, '6', look_plain},
    {Role::heat7, '7', look_plain},
    {Role::fill_good, 'G', look_reverse},
    {Role::fill_warm, 'W', look_reverse},
    {Role::fill_hot, 'O', look_reverse},
    {Role::fill_critical, 'C', look_reverse},
    {Role::track, '_', look_plain},
}};

// In the order of Theme.
constexpr std::array<const ThemeColours*, theme_count> colours_by_theme = {
    &dark_colours, &light_colours, &contrast_colours, &deuteranopia_colours, &tritanopia_colours};

}  // namespace

const RoleFacts& facts(Role role) {
  const RoleFacts& row = table[static_cast<std::size_t>(role)];
  DROVER_REQUIRE(row.role == role);
  return row;
}

const RoleColours& colours_of(Role role, Theme theme) {
  const ThemeColours& colours = *colours_by_theme[static_cast<std::size_t>(theme)];
  const RoleColours& row = colours[static_cast<std::size_t>(role)];
  DROVER_REQUIRE(row.role == role);
  return row;
}

std::string ansi_of(Role role, Theme theme, Colours colours) {
  DROVER_REQUIRE(colours != Colours::detect);
  const RoleColours& row = colours_of(role, theme);
  const unsigned look = colours == Colours::none ? facts(role).look_mono : row.look;
  std::string codes = "0";
  if (look & look_bold) codes += ";1";
  if (look & look_dim) codes += ";2";
  if (look & look_reverse) codes += ";7";
  if (colours == Colours::many) {
    if (row.ink_256 >= 0) codes += fmt::format(";38;5;{}", row.ink_256);
    if (row.ground_256 >= 0) codes += fmt::format(";48;5;{}", row.ground_256);
  } else if (colours == Colours::eight) {
    if (row.ink_8 >= 0) codes += fmt::format(";{}", 30 + row.ink_8);
    if (row.ground_8 >= 0) codes += fmt::format(";{}", 40 + row.ground_8);
  }
  return fmt::format("\x1b[{}m", codes);
}

}  // namespace drover::tui
