// The looks that a person can choose between, and how many colours are used of them. What a role
// looks like in each stands in palette.h.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::tui {

enum class Theme : std::uint8_t { dark, light, contrast, deuteranopia, tritanopia };
inline constexpr int theme_count = 5;

struct ThemeFacts {
  Theme theme;
  std::string_view name;
  bool on_white;  // made for a terminal whose own ground is white; else black
  std::string_view help;
};
const ThemeFacts& facts(Theme theme);

const std::vector<std::string>& theme_names();
/// Nothing when no theme is called so.
std::optional<Theme> theme_named(std::string_view name);

/// How many colours are used: as many as the terminal says it has, or a number that a person knows
/// better. Names: "auto", "none", "8", "256".
enum class Colours : std::uint8_t { detect, none, eight, many };

const std::vector<std::string>& colours_names();  // in the order of Colours
std::optional<Colours> colours_named(std::string_view name);

}  // namespace drover::tui
