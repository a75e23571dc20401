#include "tui/canvas/theme.h"

#include <algorithm>
#include <array>

#include "fleet/base/result.h"

namespace drover::tui {
namespace {

constexpr std::array<ThemeFacts, theme_count> themes = {{
    {Theme::dark, "dark", false, "for terminals with a dark ground"},
    {Theme::light, "light", true, "for terminals with a white or light ground"},
    {Theme::contrast, "contrast", false, "every text at 7:1 or more, on a black ground"},
    {Theme::deuteranopia, "deuteranopia", false, "for eyes that confuse red and green; dark"},
    {Theme::tritanopia, "tritanopia", false, "for eyes that confuse blue and green; dark"},
}};

/// The place of a name; nothing when it is not there.
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
