#include "tui/canvas/theme.h"

#include <algorithm>
#include <array>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"

namespace drover::tui {
namespace {

constexpr std::array<ThemeFacts, theme_count> themes = {{
    {Theme::dark, "dark", "for terminals with a dark background"},
    {Theme::light, "light", "for terminals with a white or light background"},
    {Theme::contrast, "contrast", "all text at 7:1 contrast or more, on black"},
    {Theme::deuteranopia, "deuteranopia", "for eyes that confuse red and green; dark"},
    {Theme::tritanopia, "tritanopia", "for eyes that confuse blue and green; dark"},
    {Theme::terminal, "terminal", "only the terminal's own 16 colours, on its own background"},
}};
static_assert(is_in_order(themes, &ThemeFacts::theme));

constexpr std::array<std::string_view, 6> colours_texts = {"auto", "none", "8",
                                                           "16",   "256",  "truecolor"};

}  // namespace

const ThemeFacts& facts(Theme theme) { return row_at(themes, theme); }

const std::vector<std::string>& theme_names() {
  static const std::vector<std::string> names = names_of(themes, &ThemeFacts::name);
  return names;
}

std::optional<Theme> theme_named(std::string_view name) {
  const auto found = std::ranges::find(themes, name, &ThemeFacts::name);
  return found == themes.end() ? std::nullopt : std::optional(found->theme);
}

const std::vector<std::string>& colours_names() {
  static const std::vector<std::string> names(colours_texts.begin(), colours_texts.end());
  return names;
}

std::optional<Colours> colours_named(std::string_view name) {
  return enumerator_named<Colours>(colours_texts, name);
}

}  // namespace drover::tui
