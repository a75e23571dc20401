// Screens that a person has reviewed: text files beside this one.
#pragma once

#include <string>

#include "tui/canvas/canvas.h"

namespace drover::tui {

/// Holds `found` against screens/NAME.txt; with DROVER_REWRITE=1 writes that file instead.
void expect_screen(const std::string& name, const std::string& found);

/// Every row of a frame is as wide as the screen: wide characters count two, nothing runs over.
void expect_whole_rows(const Canvas& canvas);

/// The first line that has the word; empty where none has.
std::string line_with(const std::string& text, const std::string& word);
/// The role of the cell at which `part` begins in the first row that has it and the word.
Role role_at(const Canvas& canvas, const std::string& word, const std::string& part);

}  // namespace drover::tui
