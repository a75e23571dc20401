// Where everything lies on the page of the device view, which scrolls below its head, and the place
// of the figure that is open.
#pragma once

#include <vector>

#include "tui/canvas/chart.h"
#include "tui/device/device_memory.h"
#include "tui/device/figure_panel.h"
#include "tui/state/scene.h"
#include "tui/tables/device_facts.h"
#include "tui/tables/news.h"

namespace drover::tui {

/// What of the model stands on the page, as long as its lists may be.
struct PageLists {
  std::vector<const ReplicaRow*> replicas;
  std::vector<const JobRow*> jobs;
  std::vector<Mention> mentions;
  std::vector<News> news;
  MemoryUse memory;
};

/// From the page's corner.
struct DevicePage {
  std::vector<Rect> charts;
  Rect strip, limits, memory, replicas, jobs, decisions, news;
  int rows = 0;

  /// What a click selects and the selection marks: the heading of a chart, the cell of a limit.
  Rect figure(int index) const;
};

struct DeviceLayout {
  int head_rows = 2;
  int page_rows_seen = 0;
  PageLists lists;
  DevicePage page;
  std::vector<FigureLine> panel;  // of the figure that is open
  int panel_rows = 0;             // with its heading; 0: none is open
};

/// `facts`: of the device's spec; only an open figure needs them.
DeviceLayout lay_out_device(const Model& model, const Choices& choices, DeviceTable::Row row,
                            const SpecFacts& facts, Size area);

/// What all charts of the page show, so that one moment stands below another.
TimeWindow page_window(const Scene& scene, int columns);

}  // namespace drover::tui
