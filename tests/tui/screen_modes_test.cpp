// The same screens on terminals with many colours, with eight, with none, and without Unicode:
// what the painter writes, and how each role looks there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tui/canvas/palette.h"
#include "tui/terminal/diff_renderer.h"

namespace drover::tui {
namespace {

struct Mode {
  const char* name;
  int colours;
  bool ascii;
};

constexpr char mark = '\x01';

/// Words that can be read back: a mark and `{` with a role's letter, or `<` with a place.
TerminalSequences words_of(const Mode& mode) {
  TerminalSequences words;
  words.clear = "";
  words.colours_rich = mode.colours > 8;
  words.unicode = !mode.ascii;
  words.move = [](int row, int column) { return fmt::format("{}<{},{}>", mark, row, column); };
  for (int i = 0; i < cell_style_count; ++i) {
    words.style[static_cast<std::size_t>(i)] =
        fmt::format("{}{{{}", mark, facts(static_cast<CellStyle>(i)).letter);
  }
  return words;
}

std::string look_in(const Mode& mode, CellStyle shown) {
  const CellStyleColours& style = colours_of(shown, Theme::dark);
  std::string text;
  if (mode.colours > 8)
    text = fmt::format("ink {} ground {}", style.foreground_256, style.background_256);
  if (mode.colours == 8)
    text = fmt::format("ink {} ground {}", style.foreground_8, style.background_8);
  const unsigned attributes = mode.colours > 0 ? style.attributes : facts(shown).mono_attributes;
  if ((attributes & attribute_bold) != 0) text += " bold";
  if ((attributes & attribute_dim) != 0) text += " dim";
  if ((attributes & attribute_reverse) != 0) text += " reverse";
  return text.empty() ? "as it is" : text;
}

/// Two layers, text and letters of roles, of what the painter wrote on an empty screen.
std::string written(const std::string& bytes, Size size) {
  const auto columns = static_cast<std::size_t>(size.columns);
  std::vector<std::vector<std::string>> text(static_cast<std::size_t>(size.rows),
                                             std::vector<std::string>(columns, " "));
  std::vector<std::string> roles(text.size(), std::string(columns, ' '));
  char style = ' ';
  std::size_t row = 0, column = 0;
  for (std::size_t at = 0; at < bytes.size();) {
    if (bytes[at] == mark && bytes[at + 1] == '{') {
      style = bytes[at + 2];
      at += 3;
    } else if (bytes[at] == mark) {
      EXPECT_EQ(std::sscanf(bytes.c_str() + at + 2, "%zu,%zu", &row, &column), 2);
      at = bytes.find('>', at) + 1;
    } else {
      std::size_t end = at + 1;
      while (end < bytes.size() && (static_cast<unsigned char>(bytes[end]) & 0xC0) == 0x80) ++end;
      text.at(row).at(column) = bytes.substr(at, end - at);
      roles.at(row).at(column++) = style;
      at = end;
    }
  }
  std::string layers;
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string line;
    for (const std::string& cell : text[i]) line += cell;
    for (std::string* layer : {&line, &roles[i]}) {
      layer->erase(layer->find_last_not_of(' ') + 1);
      layers += *layer + "\n";
    }
  }
  return layers;
}

struct Looked {
  const char* name;
  const char* view;      // "device": of gpu-a/0
  int scrolled = 0;      // rows
  bool colours = false;  // with colours too
};

TEST(Screen, EveryModeMatchesItsReference) {
  constexpr Size size{80, 24};
  for (const Looked& at : {Looked{"fleet", "fleet", 0, true}, Looked{"device", "device", 0, true},
                           Looked{"device-memory", "device", 26}, Looked{"events", "events"}}) {
    for (const Mode& mode : {Mode{"256", 256, false}, Mode{"8", 8, false}, Mode{"mono", 0, false},
                             Mode{"ascii", 0, true}}) {
      if (mode.colours > 0 && !at.colours) continue;
      SampleFleet fleet;
      const bool device = at.view == std::string_view("device");
      const auto dashboard =
          dashboard_of(fleet, size, device ? "devices" : at.view, mode.ascii, 120);
      const Instant now = SampleFleet::start + std::chrono::seconds(120);
      dashboard->draw(now);
      for (const char* key : {"j", "j", "j", "j", "j", "Enter"}) {
        if (device) dashboard->press(now, {key});
      }
      for (int i = 0; i < at.scrolled; ++i) dashboard->press(now, {"J"});
      const Canvas& canvas = dashboard->draw(now);
      std::string found = written(DiffRenderer(words_of(mode)).paint(canvas), size);
      for (int i = 0; i < cell_style_count; ++i) {
        const auto style = static_cast<CellStyle>(i);
        found += fmt::format("{}: {}\n", facts(style).letter, look_in(mode, style));
      }
      expect_screen(fmt::format("mode-{}-{}", at.name, mode.name), found);
    }
  }
}

}  // namespace
}  // namespace drover::tui
