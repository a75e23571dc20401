#include "tui/terminal/colour_support.h"

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

constexpr int colours_of_cube = 256;

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

}  // namespace

Colours colours_of(const ColourFacts& facts) {
  if (facts.colours < 8 || !facts.sets_colours) return Colours::none;
  if (facts.colours > colours_of_cube || facts.direct) return Colours::direct;
  if (facts.colours < 16) return Colours::eight;
  if (facts.colours < colours_of_cube) return Colours::sixteen;
  return facts.told_direct ? Colours::direct : Colours::many;
}

bool tells_direct_colour(std::string_view colour_term, std::string_view sty,
                         std::string_view tmux) {
  const bool told = colour_term == "truecolor" || colour_term == "24bit";
  return told && (sty.empty() || !tmux.empty());
}

bool environment_tells_direct_colour() {
  return tells_direct_colour(variable("COLORTERM"), variable("STY"), variable("TMUX"));
}

std::string with_direct_colours(std::string_view bytes, const ColourSlots& slots) {
  std::string result;
  result.reserve(bytes.size());
  constexpr std::string_view begin = "\x1b[";
  while (!bytes.empty()) {
    const std::size_t start = std::min(bytes.find(begin), bytes.size());
    result += bytes.substr(0, start);
    bytes.remove_prefix(start);
    const std::size_t end = bytes.find_first_not_of("0123456789;:", begin.size());
    if (bytes.empty() || end == std::string_view::npos) break;
    const std::string_view sequence = bytes.substr(0, end + 1);
    bytes.remove_prefix(sequence.size());
    const std::string_view inside = sequence.substr(begin.size(), end - begin.size());
    const bool sets = inside.starts_with("38;5;") || inside.starts_with("48;5;") ||
                      inside.starts_with("38:5:") || inside.starts_with("48:5:");
    int number = 0;
    for (const char digit : sets ? inside.substr(5) : std::string_view()) {
      number = is_digit(digit) && number < colours_of_cube ? 10 * number + (digit - '0')
                                                           : colours_of_cube;
    }
    const std::int32_t colour = sets && sequence.back() == 'm' && number < colours_of_cube
                                    ? slots[static_cast<std::size_t>(number)]
                                    : -1;
    if (colour < 0) {
      result += sequence;
    } else {
      result += fmt::format("\x1b[{};2;{};{};{}m", inside.substr(0, 2), (colour >> 16) & 0xff,
                            (colour >> 8) & 0xff, colour & 0xff);
    }
  }
  result += bytes;
  return result;
}

}  // namespace drover::tui
