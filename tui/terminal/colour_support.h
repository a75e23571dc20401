// How many colours a terminal has, and 24-bit colours through an entry that has 256.
//
// ncurses 6.4 knows 24-bit colour only of entries such as xterm-direct, whose colour numbers are
// the colours. Debian has them in a package of their own, no terminal sets TERM to one, and with
// them ncurses cannot use the numbers of 256 colours any more, which take half of the bytes.
// Terminals tell of 24 bits in $COLORTERM instead. So ncurses draws for 256 colours, of which some
// numbers stand for colours of ours (slots), and the sequences of those are replaced in what it
// writes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "tui/canvas/theme.h"

namespace drover::tui {

/// What the terminal database and the environment say.
struct ColourFacts {
  int colours = 0;           // of the entry; below 0: none
  bool sets_colours = true;  // the entry has a sequence for it
  bool direct = false;       // the entry says RGB or Tc: the terminal has 24 bits
  bool told_direct = false;  // the environment says so
};
Colours colours_of(const ColourFacts& facts);

/// Whether $COLORTERM tells of 24 bits. GNU screen, whose session is in $STY, has the variable of
/// the terminal around it and garbles the colours, unless tmux ($TMUX) runs in between.
bool tells_direct_colour(std::string_view colour_term, std::string_view sty, std::string_view tmux);
/// The same of this process's environment.
bool environment_tells_direct_colour();

/// A colour for each number from 0 to 255, 0xRRGGBB; below 0: the number stays.
using ColourSlots = std::array<std::int32_t, 256>;
constexpr ColourSlots no_colour_slots() {
  ColourSlots slots{};
  for (std::int32_t& slot : slots) slot = -1;
  return slots;
}

/// What ncurses has written, with the colours of the slots for their numbers. Both forms of the
/// sequences are known: `38;5;N` and `38:5:N`. REQUIRES that no sequence is cut.
std::string with_direct_colours(std::string_view bytes, const ColourSlots& slots);

}  // namespace drover::tui
