// The layout of the device view's page, which scrolls below its head, and of the open formula.
#pragma once

#include <string>
#include <vector>

#include "tui/canvas/chart.h"
#include "tui/canvas/draw_region.h"
#include "tui/device/device_memory.h"
#include "tui/model/metric_formulas.h"
#include "tui/state/frame_context.h"
#include "tui/tables/device_queries.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {

/// The open details of a metric: its meaning, formula, constants with sources, and the error of
/// such values against published measurements.
struct FormulaLine {
  std::string text;
  CellStyle style = CellStyle::plain;
};

/// Wrapped to `columns`.
std::vector<FormulaLine> formula_lines(const MetricFormula& figure, const SpecFacts& facts,
                                       int columns);

/// Draws a heading with the value, and the lines from `top` on.
void draw_formula_panel(DrawRegion region, const MetricFormula& figure, std::string_view value,
                        const std::vector<FormulaLine>& lines, int top);

/// The lists of the page, from the model.
struct PageLists {
  std::vector<const ReplicaRow*> replicas;
  std::vector<const JobRow*> jobs;
  std::vector<DeviceDecision> device_decisions;
  std::vector<LogEntry> events;
  MemoryUse memory;
};

/// Rectangles relative to the page's corner.
struct DevicePage {
  std::vector<Rect> charts;
  Rect strip, limits, memory, replicas, jobs, decisions, events;
  int rows = 0;

  /// The clickable and highlighted area of a metric: a chart's heading or a limit's cell.
  Rect figure(int index) const;
};

struct DeviceLayout {
  int head_rows = 2;
  int page_rows_seen = 0;
  PageLists lists;
  DevicePage page;
  std::vector<FormulaLine> panel;  // the open formula
  int panel_rows = 0;              // with its heading; 0: no formula is open
};

/// `facts`: of the device's spec, needed only for an open formula.
DeviceLayout lay_out_device(const Model& model, const FormulaSelection& figure,
                            DeviceTable::Row row, const SpecFacts& facts, Size area);

/// The time span of all charts of the page, which are aligned.
TimeWindow page_window(const FrameContext& frame, int columns);

}  // namespace drover::tui
