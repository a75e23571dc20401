// What the help page says about one view: its purpose, its keys by what they are for, its signs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/canvas.h"
#include "tui/state/view_id.h"

namespace drover::tui {

/// A line of the help page. With the style header, `key` is a heading.
struct HelpLine {
  std::string key, text;
  CellStyle style = CellStyle::plain;
};

/// A sign or colour as it looks on the screen, and what it means.
struct LegendSign {
  std::string_view sign, meaning;
  CellStyle style = CellStyle::plain;
  ViewSet views = in_every_view;
};

struct ViewHelp {
  std::string_view purpose;
  std::vector<std::vector<HelpLine>> groups;  // each with its heading first
  std::vector<LegendSign> legend;
};

}  // namespace drover::tui
