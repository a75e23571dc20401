// What a person does with keyboard and mouse, as one value.
#pragma once

#include <string>

namespace drover::tui {

/// A key as a person thinks of it: "q", "Tab", "Shift-Tab", "Enter", "Esc", "Up", "PgDn", "Ctrl-L".
/// Or what was done with the mouse, and in which cell: "Click", "DoubleClick", "MiddleClick",
/// "RightClick", "Drag", "WheelUp", "WheelDown", "WheelLeft", "WheelRight"; with a modifier
/// "Ctrl-Click". Or "Paste", of a text as it came: it is no keys, and may hold anything.
struct Key {
  std::string name;
  int column = -1, row = -1;  // of the mouse, from 0; it may be older than a resize
  std::string text{};         // of a paste
  bool operator==(const Key&) const = default;
};

}  // namespace drover::tui
