#include "tui/terminal/clipboard.h"

#include <cstdint>

namespace drover::tui {
namespace {

// RFC 4648.
constexpr std::string_view digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view three = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < three.size() ? static_cast<unsigned char>(three[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= three.size() ? digits[bits >> (18 - 6 * i) & 63U] : '=';
    }
  }
  return text;
}

}  // namespace

std::string clipboard_sequence(std::string_view text) {
  return "\x1b]52;c;" + base64(text) + "\x07";
}

}  // namespace drover::tui
