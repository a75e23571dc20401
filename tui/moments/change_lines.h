// The changes between two moments as sections of lines, for the screen, the clipboard and files.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/draw_region.h"
#include "tui/moments/moment_changes.h"

namespace drover::tui {

struct ChangeColumn {
  std::string_view title;  // empty: the column has none
  int width = 0;           // of the last column: at least
  Align align = Align::left;
};

/// A cell for each column of its section; the last one may be longer than its column.
struct ChangeLine {
  std::vector<std::string> cells;
  CellStyle style = CellStyle::plain;  // of the second cell, which says what has changed
};

struct ChangeSection {
  std::string title, note;
  std::vector<ChangeColumn> columns;
  std::vector<ChangeLine> lines;  // none: nothing of this has changed

  /// With its heading, its titles and at least one line.
  int rows() const;
  bool has_titles() const;
};

/// "from 02:38:01 to 02:38:41, 40s", and whether the mark is the later moment.
std::string changes_title(const MomentChanges& changes);

/// `devices_most`: lines of each metric.
std::vector<ChangeSection> sections_of(const MomentChanges& changes, std::size_t devices_most);

/// "Jobs: failed +3 memory 3": a text for each line of the sections.
std::vector<std::string> texts_of(const std::vector<ChangeSection>& sections);

/// "gpu-a/0-3,7 gpu-b/1": devices in the order of their hosts and indexes.
std::string devices_text(const std::vector<DeviceId>& devices);

}  // namespace drover::tui
