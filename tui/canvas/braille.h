// Characters of eight dots, two columns of four: the finest drawing that text has.
#pragma once

#include <string>

namespace drover::tui {

inline constexpr int dots_per_cell = 4;  // one above the other

/// The character with these dots, by the bits of Unicode's block U+2800.
inline std::string braille(unsigned dots) {
  const unsigned code = 0x2800 + dots;
  return {static_cast<char>(0xE0 | (code >> 12)), static_cast<char>(0x80 | ((code >> 6) & 0x3F)),
          static_cast<char>(0x80 | (code & 0x3F))};
}

}  // namespace drover::tui
