#include "tui/canvas/theme.h"

#include <algorithm>
#include <array>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

constexpr std::array<ThemeFacts, theme_count> themes = {{
    {Theme::dark, "dark", "for terminals with a dark background"},
    {Theme::light, "light", "for terminals with a white or light background"},
    {Theme::contrast, "contrast", "all text at 7:1 contrast or more, on black"},
    {Theme::deuteranopia, "deuteranopia", "for eyes that confuse red and green; dark"},
    {Theme::tritanopia, "tritanopia", "for eyes that confuse blue and green; dark"},
}};

/// The enumerator with this name, if any.
template <typename Enum>
std::optional<Enum> named(const std::vector<std::string>& names, std::string_view name) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enum>(found - names.begin());
}

}  // namespace

const ThemeFacts& facts(Theme theme) {
  const ThemeFacts& row = themes[static_cast<std::size_t>(theme)];
  DROVER_REQUIRE(row.theme == theme);
  return row;
}

const std::vector<std::string>& theme_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list;
    for (const ThemeFacts& theme : themes) list.emplace_back(theme.name);
    return list;
  }();
  return names;
}

std::optional<Theme> theme_named(std::string_view name) {
  return named<Theme>(theme_names(), name);
}

const std::vector<std::string>& colours_names() {
  static const std::vector<std::string> names = {"auto", "none", "8", "256"};
  return names;
}

std::optional<Colours> colours_named(std::string_view name) {
  return named<Colours>(colours_names(), name);
}

}  // namespace drover::tui
