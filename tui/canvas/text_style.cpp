#include "tui/canvas/text_style.h"

#include <vector>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::tui {
namespace {

constexpr std::string_view default_foreground = "39", default_background = "49";

struct Parameter {
  int number = 0;
  std::string text;
};

/// The parameters of "\x1b[1m\x1b[38;5;244m"; none if the text has anything else.
std::optional<std::vector<Parameter>> parameters_of(std::string_view text) {
  std::vector<Parameter> all;
  while (!text.empty()) {
    const std::size_t end = text.find('m');
    if (!text.starts_with("\x1b[") || end == std::string_view::npos) return {};
    for (const std::string& one : split(text.substr(2, end - 2), ';')) {
      const auto number = parse_integer(one.empty() ? "0" : one, "");
      if (!number || *number < 0 || *number > 255) return {};
      all.push_back({static_cast<int>(*number), std::to_string(*number)});
    }
    text.remove_prefix(end + 1);
  }
  return all;
}

void add_parameter(std::string& text, std::string_view parameter) {
  if (parameter.empty()) return;
  if (!text.empty()) text += ';';
  text += parameter;
}

/// The parameters of a colour of 256 or of 24 bits that begins at `all[at]`; empty if it is none.
std::string long_colour(const std::vector<Parameter>& all, std::size_t at) {
  if (at + 1 >= all.size()) return {};
  const std::size_t length = all[at + 1].number == 5 ? 3 : all[at + 1].number == 2 ? 5 : 0;
  if (length == 0 || at + length > all.size()) return {};
  std::string text;
  for (std::size_t i = at; i < at + length; ++i) add_parameter(text, all[i].text);
  return text;
}

bool between(int number, int low, int high) { return number >= low && number <= high; }

bool is_colour(int number, int first) {
  return between(number, first, first + 7) || number == first + 9 ||
         between(number, first + 60, first + 67);
}

}  // namespace

bool TextStyle::same_blank(const TextStyle& other) const {
  const auto reversed = [](const TextStyle& style) {
    return style.attributes.find('7') != std::string::npos;
  };
  // A reversed blank shows the foreground, which bold and dim change on many terminals.
  return *this == other || (!reversed(*this) && !reversed(other) && background == other.background);
}

std::optional<TextStyle> parse_style(std::string_view text) {
  const auto all = parameters_of(text);
  if (!all || all->empty() || all->front().number != 0) return {};
  TextStyle style;
  for (std::size_t i = 1; i < all->size(); ++i) {
    const auto& [number, word] = (*all)[i];
    if (number == 1 || number == 2 || number == 7) {
      add_parameter(style.attributes, word);
    } else if (is_colour(number, 30)) {
      style.foreground = word;
    } else if (is_colour(number, 40)) {
      style.background = word;
    } else if (number == 38 || number == 48) {
      std::string colour = long_colour(*all, i);
      if (colour.empty()) return {};
      i += (*all)[i + 1].number == 5 ? 2 : 4;
      (number == 38 ? style.foreground : style.background) = std::move(colour);
    } else {
      return {};
    }
  }
  return style;
}

std::string style_transition(const TextStyle& from, const TextStyle& to) {
  if (from == to) return {};
  std::string afresh;  // after a reset
  add_parameter(afresh, to.attributes);
  if (to.foreground != default_foreground) add_parameter(afresh, to.foreground);
  if (to.background != default_background) add_parameter(afresh, to.background);
  if (!afresh.empty()) afresh = "0;" + afresh;
  std::string change;
  // Only a reset removes an attribute: not all terminals support the codes that remove a single
  // one.
  const bool adds = to.attributes.starts_with(from.attributes);
  if (adds) {
    std::string_view more = std::string_view(to.attributes).substr(from.attributes.size());
    if (more.starts_with(';')) more.remove_prefix(1);
    add_parameter(change, more);
    if (to.foreground != from.foreground) add_parameter(change, to.foreground);
    if (to.background != from.background) add_parameter(change, to.background);
  }
  return "\x1b[" + (adds && change.size() < afresh.size() ? change : afresh) + "m";
}

}  // namespace drover::tui
