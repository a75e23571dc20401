#include "tui/panels/map_parts.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::tui {
namespace {

struct SignMeaning {
  unsigned bit;
  std::string_view sign, meaning;
  CellStyle style;
};
constexpr std::array<SignMeaning, 7> sign_meanings = {
    {{sign_lost, "x", "lost", CellStyle::critical},
     {sign_unusable, "!", "not usable", CellStyle::critical},
     {sign_fault, "*", "fault injected", CellStyle::fault},
     {sign_drained, "d", "drained", CellStyle::warm},
     {sign_cut, "99", "or more", CellStyle::faint},
     {sign_no_data, "-", "no data", CellStyle::stale},
     {sign_assumed, "~", "limit assumed", CellStyle::faint}}};

constexpr int title_margin = 4;  // part of the heading's line after the title

int scale_columns(const MapMetricFacts& metric) {
  return heat_level_count + static_cast<int>(metric.cold.size() + metric.hot.size()) + 3;
}

int meanings_columns(unsigned signs) {
  int columns = 0;
  for (const SignMeaning& sign : sign_meanings) {
    if ((signs & sign.bit) == 0) continue;
    columns += static_cast<int>(sign.sign.size() + sign.meaning.size()) + 3;
  }
  return columns;
}

std::string_view curve_word(MapMetric metric) {
  return curve_metric(metric) == GaugeMetric::utilization ? "load" : facts(metric).name;
}

/// "12 of 36 devices per pool by memory".
std::string subject_text(const FrameContext& frame, const HeatMap& map, MapMetric metric) {
  std::string text = "Devices";
  if (frame.ui.fleet_filter.active()) {
    text = fmt::format("{} of {}", map.order.rows.size(),
                       counted(frame.model.devices().rows(), "device"));
  }
  if (map.order.grouping != Grouping::host) {
    text += fmt::format(" per {}", to_text(map.order.grouping));
  }
  return text + fmt::format(" by {}", facts(metric).name);
}

/// "340 hosts above, 736 below", if the map scrolls.
std::string scroll_text(const HeatMap& map, const SeenRows& seen) {
  if (map.rows <= seen.count) return {};
  const auto all = static_cast<std::uint32_t>(map.order.groups.size());
  const std::uint32_t above = all - groups_from(map, seen.top);
  const std::uint32_t below = groups_from(map, seen.top + seen.count);
  const std::string_view thing = to_text(map.order.grouping);
  if (above == 0) return fmt::format("{} below", counted(below, thing));
  if (below == 0) return fmt::format("{} above", counted(above, thing));
  return fmt::format("{} above, {} below", counted(above, thing), below);
}

/// What a cell is that several devices share.
std::string sharing_text(const HeatMap& map) {
  const bool whole =
      std::all_of(map.order.groups.begin(), map.order.groups.end(),
                  [&](const HeatGroup& group) { return group.count <= map.per_cell; });
  return whole ? fmt::format("a cell per {}: its hottest device", to_text(map.order.grouping))
               : fmt::format("1 cell = up to {} devices, the hottest shown", map.per_cell);
}

/// What a cell and a row are, in parentheses, from the longest text to the shortest.
std::vector<std::string> notes_of(const HeatMap& map, MapMetric metric, double curve_s,
                                  const SeenRows& seen) {
  const std::string scroll = scroll_text(map, seen);
  std::string sharing, brief, rows, curve;
  if (map.per_cell > 1) {
    sharing = sharing_text(map);
    brief = fmt::format("the hottest of {}", map.per_cell);
  }
  if (map.packed && !map.labels.empty()) {
    rows = fmt::format("rows begin with the named {}", to_text(map.order.grouping));
  }
  if (map.cell.lines == 3)
    curve = fmt::format("curve: {} of {}", curve_word(metric), duration_text(curve_s));
  std::vector<std::string> notes;
  for (const auto& parts : {std::vector{scroll, sharing, rows, curve}, std::vector{scroll, sharing},
                            std::vector{scroll, brief}, std::vector{scroll}}) {
    std::string note;
    for (const std::string& part : parts) {
      if (!part.empty()) add_part(note, "; ", part);
    }
    notes.push_back(note.empty() ? note : fmt::format(" ({})", note));
  }
  return notes;
}

int draw_legend(DrawRegion& region, int column, unsigned signs) {
  for (const SignMeaning& sign : sign_meanings) {
    if ((signs & sign.bit) == 0) continue;
    column = region.text(column, 0, fmt::format("  {}", sign.sign), sign.style);
    column = region.text(column, 0, fmt::format(" {}", sign.meaning), CellStyle::faint);
  }
  return column;
}

/// Without the labels of its ends if there is no room for them.
void draw_scale(DrawRegion& region, int column, const MapMetricFacts& metric, bool labels) {
  column =
      region.text(column, 0, labels ? fmt::format(" {} ", metric.cold) : " ", CellStyle::faint);
  for (int level = 0; level < heat_level_count; ++level) {
    column = region.text(column, 0, " ", heat_level_style(level));
  }
  if (labels) region.text(column, 0, fmt::format(" {}", metric.hot), CellStyle::faint);
}

}  // namespace

void draw_map_heading(const FrameContext& frame, DrawRegion region, const HeatMap& map,
                      MapMetric metric, unsigned signs, const SeenRows& seen) {
  const std::string subject = subject_text(frame, map, metric);
  const int seconds = std::min(content_columns(map.cell), sparkline_values_max(frame));
  const std::vector<std::string> notes = notes_of(map, metric, seconds * frame.options.speed, seen);
  int scale = scale_columns(facts(metric));
  const auto fits = [&](std::string_view note, unsigned shown) {
    return static_cast<int>(subject.size() + note.size()) + title_margin + scale +
               meanings_columns(shown) <=
           region.columns();
  };
  // A short note is worth more than the meaning of the rarest signs and the scale, and these more
  // than a long note.
  const std::string& brief = notes[2];
  for (auto rarest = sign_meanings.rbegin(); rarest != sign_meanings.rend(); ++rarest) {
    if (!fits(brief, signs)) signs &= ~rarest->bit;
  }
  const bool labels = fits(brief, signs);
  if (!labels) scale = heat_level_count + 1;
  const bool scaled = fits(brief, signs);
  if (!scaled) scale = 0;
  const auto first = std::find_if(notes.begin(), notes.end(),
                                  [&](const std::string& note) { return fits(note, signs); });
  const std::string note = first == notes.end() ? std::string() : *first;
  region.heading(0, subject + note);
  if (!scaled) return;
  const int column = region.columns() - scale - meanings_columns(signs);
  draw_scale(region, column, facts(metric), labels);
  draw_legend(region, column + scale, signs);
}

}  // namespace drover::tui
