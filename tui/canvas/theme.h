// The colour themes, and the number of colours to use. palette.h has the look of each cell style.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::tui {

enum class Theme : std::uint8_t { dark, light, contrast, deuteranopia, tritanopia, terminal };
inline constexpr int theme_count = 6;

struct ThemeFacts {
  Theme theme;
  std::string_view name;
  std::string_view help;
};
const ThemeFacts& facts(Theme theme);

const std::vector<std::string>& theme_names();
/// Nothing if no theme has that name.
std::optional<Theme> theme_named(std::string_view name);

/// The number of colours to use: detected from the terminal, or set by the user. Names: "auto",
/// "none", "8", "16", "256", "truecolor" (24 bits).
enum class Colours : std::uint8_t { detect, none, eight, sixteen, many, direct };

const std::vector<std::string>& colours_names();  // in the order of Colours
std::optional<Colours> colours_named(std::string_view name);

}  // namespace drover::tui
