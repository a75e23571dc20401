// The panels of the device view, besides its charts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/draw_region.h"
#include "tui/model/metric_formulas.h"
#include "tui/model/model.h"
#include "tui/panels/detail_lines.h"
#include "tui/state/frame_context.h"
#include "tui/tables/device_diagnosis.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {

/// What the device is, and its state. `slow`: the most likely cause of slow work; null: none.
/// `scroll`: a note at the right of the heading.
void draw_device_head(const FrameContext& frame, DrawRegion& region, DeviceTable::Row row,
                      const LikelyCause* slow, std::string_view scroll);
void draw_replicas_on(const Model& from, DrawRegion region,
                      const std::vector<const ReplicaRow*>& replicas);
void draw_device_decisions(DrawRegion region, const std::vector<DeviceDecision>& device_decisions);

// The use of its memory: weights, the KV cache by tenant, a training job, and the rest.

/// Tenants of a replica with a line of their own, largest first; the others share one line.
inline constexpr std::size_t tenant_lines_max = 5;

struct MemoryOwner {
  enum class Kind : std::uint8_t { weights, tenant, cache_free, training, other };
  Kind kind = Kind::other;
  std::string name;  // "chat: 7 requests"
  double bytes = 0;
};

struct MemoryUse {
  std::vector<MemoryOwner> owners;  // in the order of the screen
  double used = absent;             // as the driver reports
  double total = absent;
};

/// The memory of the device's replicas and jobs as agents report it; what the driver counts beyond
/// that is `other`.
MemoryUse memory_use_of(const Model& model, DeviceTable::Row row);

/// Heading, bar, and a line for each owner.
int memory_rows(const MemoryUse& use);
void draw_memory(DrawRegion region, const MemoryUse& use);

// Its limits, from its spec, and the formulas of its metrics (device_formulas.cpp).

/// "80.0G", "~220W", "N/A". `limit` counts from 0. `cap_w`: the current power cap, NaN if unknown.
std::string limit_text(int limit, const SpecFacts& facts, double cap_w);

/// Rows of the panel at this width, with the heading.
int limits_rows(int columns);
/// The rectangle of a limit, relative to the panel's corner.
Rect limit_place(int limit, int columns);
void draw_limits(DrawRegion region, const SpecFacts& facts, double cap_w);

/// The open details of a metric: its meaning, formula, constants with sources, and the error of
/// such values against published measurements. Wrapped to `columns`.
std::vector<DetailLine> formula_lines(const MetricFormula& figure, const SpecFacts& facts,
                                      int columns);

/// Draws a heading, and the lines from `top` on.
void draw_formula_panel(DrawRegion region, std::string_view title,
                        const std::vector<DetailLine>& lines, int top);

}  // namespace drover::tui
