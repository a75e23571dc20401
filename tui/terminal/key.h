// A key press, mouse event or paste as one value.
#pragma once

#include <string>

namespace drover::tui {

/// A key: "q", "Tab", "Shift-Tab", "Enter", "Esc", "Up", "PgDn", "Ctrl-L". Or a mouse event and its
/// cell: "Click", "DoubleClick", "MiddleClick", "RightClick", "Drag", "WheelUp", "WheelDown",
/// "WheelLeft", "WheelRight"; with a modifier "Ctrl-Click". Or "Paste" with its text, which is not
/// interpreted as keys and may contain any bytes.
struct Key {
  std::string name;
  int column = -1, row = -1;  // of the mouse, from 0; may be outside the screen after a resize
  std::string text{};         // of a paste
  bool operator==(const Key&) const = default;
};

}  // namespace drover::tui
