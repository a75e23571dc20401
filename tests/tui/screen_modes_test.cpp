// The same screens on terminals with many colours, with eight, with none, and without Unicode:
// what is shown there, and how each role looks there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tests/tui/terminal/small_terminal.h"
#include "tui/canvas/palette.h"

namespace drover::tui {
namespace {

struct Mode {
  const char* name;
  Colours colours;
  bool ascii;
  Theme theme = Theme::dark;
};

std::string look_in(const Mode& mode, CellStyle style) {
  const SmallTerminal::Style look = style_on_terminal({" ", style}, mode.theme, mode.colours);
  std::string text;
  if (mode.colours != Colours::none) {
    text = fmt::format("ink {} ground {}", look.foreground, look.background);
  }
  if (look.bold) text += " bold";
  if (look.dim) text += " dim";
  if (look.reverse) text += " reverse";
  return text.empty() ? "as it is" : text;
}

/// Two layers: the text that a terminal shows of a canvas, and the letters of its roles.
std::string shown(const Canvas& canvas, const Mode& mode) {
  const auto screen = CursesScreen::open(
      "xterm-256color", {.theme = mode.theme, .colours = mode.colours, .unicode = !mode.ascii});
  SmallTerminal terminal(canvas.size());
  terminal.receive((*screen)->paint(canvas));
  expect_shown(terminal, canvas, mode.theme, mode.colours);
  std::string layers;
  for (int row = 0; row < canvas.size().rows; ++row) {
    std::string text, roles;
    for (int column = 0; column < canvas.size().columns; ++column) {
      text += terminal.at(column, row).text;
      roles += facts(canvas.at(column, row).style).letter;
    }
    for (std::string* layer : {&text, &roles}) {
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
    for (const Mode& mode :
         {Mode{"truecolor", Colours::direct, false}, Mode{"256", Colours::many, false},
          Mode{"16", Colours::sixteen, false}, Mode{"8", Colours::eight, false},
          Mode{"terminal", Colours::direct, false, Theme::terminal},
          Mode{"mono", Colours::none, false}, Mode{"ascii", Colours::none, true}}) {
      if (mode.colours != Colours::none && !at.colours) continue;
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
      std::string found = shown(canvas, mode);
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
