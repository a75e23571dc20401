#include "tui/palette.h"

#include <array>

#include "fleet/result.h"

namespace drover::tui {
namespace {

// The heat scale follows matplotlib's "inferno", whose lightness rises evenly from cold to hot, so
// that it keeps its order for colour-blind eyes and in print; nearest xterm colours.
constexpr std::array<RoleFacts, role_count> table = {{
    {Role::plain, ' ', -1, -1, -1, -1, look_plain, look_plain},
    {Role::faint, 'f', 244, -1, -1, -1, look_plain, look_dim},
    {Role::strong, 'b', -1, -1, -1, -1, look_bold, look_bold},
    {Role::title, 't', 252, 236, 7, 4, look_plain, look_reverse},
    {Role::good, 'g', 78, -1, 2, -1, look_plain, look_plain},
    {Role::warm, 'w', 221, -1, 3, -1, look_plain, look_bold},
    {Role::hot, 'h', 208, -1, 3, -1, look_bold, look_bold},
    {Role::critical, 'c', 203, -1, 1, -1, look_bold, look_bold | look_reverse},
    {Role::selected, 's', 231, 24, 0, 6, look_bold, look_reverse},
    {Role::header, 'H', 110, -1, 6, -1, look_bold, look_bold},
    {Role::accent, 'a', 80, -1, 6, -1, look_plain, look_plain},
    {Role::stale, 'x', 240, -1, 4, -1, look_plain, look_dim},
    {Role::badge, 'B', 80, 236, 7, 4, look_bold, look_bold | look_reverse},
    {Role::alarm, 'A', 255, 124, 7, 1, look_bold, look_bold | look_reverse},
    {Role::fault, 'F', 213, -1, 5, -1, look_bold, look_bold},
    {Role::heat0, '0', 248, 235, 7, 0, look_plain, look_plain},
    {Role::heat1, '1', 255, 53, 7, 4, look_plain, look_plain},
    {Role::heat2, '2', 255, 89, 7, 4, look_plain, look_plain},
    {Role::heat3, '3', 255, 125, 7, 5, look_plain, look_plain},
    {Role::heat4, '4', 16, 166, 7, 5, look_plain, look_plain},
    {Role::heat5, '5', 16, 208, 7, 1, look_plain, look_plain},
    {Role::heat6, '6', 16, 220, 0, 3, look_plain, look_plain},
    {Role::heat7, '7', 16, 229, 0, 7, look_plain, look_plain},
    {Role::fill_good, 'G', 255, 23, 0, 2, look_plain, look_reverse},
    {Role::fill_warm, 'W', 255, 136, 0, 3, look_plain, look_reverse},
    {Role::fill_hot, 'O', 255, 166, 0, 3, look_bold, look_reverse},
    {Role::fill_critical, 'C', 255, 124, 7, 1, look_bold, look_reverse},
    {Role::track, '_', 252, 236, -1, -1, look_plain, look_plain},
}};

}  // namespace

const RoleFacts& facts(Role role) {
  const RoleFacts& row = table[static_cast<std::size_t>(role)];
  DROVER_REQUIRE(row.role == role);
  return row;
}

}  // namespace drover::tui
