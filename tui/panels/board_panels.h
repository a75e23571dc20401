// What the device view shows of a real device: what its board says, its processes, its partitions;
// and of every device: why it may be slow, and why a value is not known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/draw_region.h"
#include "tui/model/metric_formulas.h"
#include "tui/model/model.h"
#include "tui/panels/detail_lines.h"
#include "tui/tables/device_diagnosis.h"

namespace drover::tui {

/// Causes with their signals, wrapped to `columns`.
std::vector<DetailLine> cause_lines(const std::vector<LikelyCause>& causes, int columns);
/// Whether one of them is more than a note.
bool is_fault(const std::vector<LikelyCause>& causes);
void draw_causes(DrawRegion region, const std::vector<DetailLine>& lines, bool fault);

// The figures of a real device: charts and strip as of metric_formulas(), then the facts of its
// board in the place of limits. `fact` counts from 0.

inline constexpr int board_fact_count = 16;
inline constexpr int board_figure_count = first_limit + board_fact_count;

std::string_view board_figure_name(int figure);
/// "GPU-c2f76b33-..", "gen 3 x8, best gen 4 x16", "N/A".
std::string board_fact_text(const Model& model, DeviceTable::Row row, int fact);
/// Rows of the panel at this width, with the heading.
int board_fact_rows(int columns);
/// The rectangle of a fact, relative to the panel's corner.
Rect board_fact_place(int fact, int columns);
void draw_board_facts(DrawRegion region, const Model& model, DeviceTable::Row row);

/// The open details of a figure of a real device: what it is, how it is read, and why it is not
/// known.
std::vector<DetailLine> board_figure_lines(const Model& model, DeviceTable::Row row, int figure,
                                           int columns);
/// Why values of an emulated device's figure are not known; none if they are.
std::vector<DetailLine> missing_lines(const Model& model, DeviceTable::Row row, int figure,
                                      int columns);

/// Rows with the heading. `board`: null until the device has described itself.
int process_rows(const Board* board);
void draw_processes(DrawRegion region, const Board* board);

/// 0 if it has none.
int partition_rows(const Board* board);
void draw_partitions(DrawRegion region, const Board* board);

}  // namespace drover::tui
