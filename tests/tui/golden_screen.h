// Golden screens: reviewed text files in screens/.
#pragma once

#include <string>

#include "tui/canvas/canvas.h"

namespace drover::tui {

/// Compares `found` with screens/NAME.txt; with DROVER_REWRITE=1, writes that file instead.
void expect_screen(const std::string& name, const std::string& found);

/// The text of a canvas, with a line of style letters, one per cell, below each row that has
/// styles.
std::string styled_text(const Canvas& canvas);

/// Every row of a frame is as wide as the screen: wide characters count two, nothing runs over.
void expect_whole_rows(const Canvas& canvas);

/// The first line that has the word; empty where none has.
std::string line_with(const std::string& text, const std::string& word);
/// The role of the cell at which `part` begins in the first row that has it and the word.
CellStyle role_at(const Canvas& canvas, const std::string& word, const std::string& part);

}  // namespace drover::tui
