// The layout of the device view: a head, a page that scrolls below it, and an open figure. A real
// device has facts of its board, processes and partitions where an emulated one has limits, memory
// by owner, replicas, jobs and decisions.
#pragma once

#include <vector>

#include "tui/panels/board_panels.h"
#include "tui/panels/device_charts.h"
#include "tui/panels/device_panels.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {

/// The lists of the page, from the model.
struct PageLists {
  bool real = false;
  const Board* board = nullptr;  // of a real device; null until it has described itself
  std::vector<LikelyCause> causes;
  std::vector<DetailLine> cause_lines;
  std::vector<LogEntry> events;
  // Of an emulated device:
  std::vector<const ReplicaRow*> replicas;
  std::vector<const JobRow*> jobs;
  std::vector<DeviceDecision> device_decisions;
  MemoryUse memory;
};

/// Rectangles relative to the page's corner.
struct DevicePage {
  std::vector<Rect> charts;
  Rect strip, causes, events;
  Rect facts;  // of the board of a real device, else its limits
  Rect memory, replicas, jobs, decisions;
  Rect processes, partitions;
  int rows = 0;
  bool real = false;

  /// Figures are charts, strip and facts, numbered as metric_formulas().
  int figures() const { return real ? board_figure_count : metric_formula_count; }
  /// The clickable and highlighted area of a figure: a chart's heading or a fact's cell.
  Rect figure(int index) const;
};

struct DeviceLayout {
  int head_rows = 2;
  int page_rows_seen = 0;
  PageLists lists;
  DevicePage page;
  std::vector<DetailLine> panel;  // the open figure
  int panel_rows = 0;             // with its heading; 0: no figure is open
};

int chart_columns(int columns);

/// `panel`: the lines of the open figure; none: no figure is open.
DeviceLayout lay_out_device(const Model& model, Instant now, DeviceTable::Row row, Size area,
                            std::vector<DetailLine> panel);

}  // namespace drover::tui
