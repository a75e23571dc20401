// One device, one decision, lists and the pages above them.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

/// The bars of the device panel.
struct DeviceBar {
  std::string_view label;
  GaugeMetric gauge_metric;
  double warm, hot;
};
constexpr DeviceBar device_bars[] = {{"load", GaugeMetric::utilization, 2, 2},
                                     {"memory", GaugeMetric::memory, 0.90, 0.97},
                                     {"power", GaugeMetric::power, 0.90, 0.99},
                                     {"temp", GaugeMetric::temperature, 0.75, 0.875}};

std::string bar_number(const Model& model, DeviceTable::Row row, GaugeMetric gauge_metric) {
  switch (gauge_metric) {
    case GaugeMetric::utilization:
      return percent_text(model.reading(row, Metric::utilization));
    case GaugeMetric::memory: {
      const double used = model.reading(row, Metric::memory_used);
      const double total = model.reading(row, Metric::memory_total);
      if (std::isnan(used) || std::isnan(total)) return std::string(not_known);
      return fmt::format("{} of {}", bytes_text(used), bytes_text(total));
    }
    case GaugeMetric::power: {
      const double power = model.reading(row, Metric::power);
      const double cap = model.reading(row, Metric::power_cap);
      if (std::isnan(power)) return std::string(not_known);
      return std::isnan(cap) ? fmt::format("{:.0f}W", power)
                             : fmt::format("{:.0f} of {:.0f}W", power, cap);
    }
    case GaugeMetric::temperature:
      return rounded_text(model.reading(row, Metric::temperature), "C");
  }
  return std::string(not_known);
}

void draw_device_counters(const FrameContext& frame, DrawRegion& region, int line,
                          DeviceTable::Row row) {
  const Model& model = frame.model;
  const double joules = model.reading(row, Metric::energy);
  region.field(
      0, line, region.columns(),
      fmt::format(fmt::runtime(region.columns() < 60
                                   ? "tensor {}, mem-bw {}, {}"
                                   : "tensor activity {}, memory bandwidth {}, {} in total"),
                  percent_text(model.reading(row, Metric::tensor_activity)),
                  percent_text(model.reading(row, Metric::memory_activity)),
                  known_text(joules, joules_text)),
      CellStyle::faint);
}

/// Where the device is, and which of its samples were lost; a device without a rack that is alone
/// in its group is nowhere in particular.
std::string place_text(const Model& model, DeviceTable::Row row) {
  const HostRow& host = model.host_of(row);
  std::string place;
  if (!host.reported.registration.rack.empty()) {
    place = fmt::format("rack {}", host.reported.registration.rack);
  }
  const Group* const group = model.group_of(row);
  if (group != nullptr && (group->count > 1 || !group->topology.empty())) {
    add_part(place, ", ", fmt::format("group g{} of {}", group->number, group->count));
    if (!group->topology.empty()) place += fmt::format(" ({})", group->topology);
  }
  if (host.gaps > 0) add_part(place, ", ", fmt::format("sample batches lost: {}", host.gaps));
  return place;
}

void draw_device_facts(const FrameContext& frame, DrawRegion& region, int from,
                       DeviceTable::Row row) {
  const Model& model = frame.model;
  const bool stale = frame.stale(row);
  const std::string throttle = throttle_text(model.reading(row, Metric::throttle));
  const bool throttled = is_throttled(model.reading(row, Metric::throttle));
  const std::string throttled_text = throttled ? fmt::format("throttle: {}", throttle) : throttle;
  const std::string clock = rounded_text(model.reading(row, Metric::clock), " MHz");
  std::string work;  // what others run on a real device is not counted
  if (!model.spec_of(row).real) {
    work = fmt::format(
        fmt::runtime(region.columns() < 40 ? "{} run, {} queue" : "{} running, {} queued"),
        rounded_text(model.reading(row, Metric::running), ""),
        rounded_text(model.reading(row, Metric::queue), ""));
  }
  // The throttle reason is more useful than the clock.
  const int room = region.columns() - static_cast<int>(throttled_text.size()) - 1;
  if (static_cast<int>(work.size() + clock.size()) + 2 <= room) add_part(work, ", ", clock);
  region.field(0, from, room, work, stale ? CellStyle::stale : CellStyle::plain);
  if (throttle != not_known) {
    region.text(room + 1, from, throttled_text,
                throttled && !stale ? CellStyle::hot : CellStyle::faint);
  }
  if (const ConditionRow* condition = frame.model.condition_of(row)) {
    // The condition is more useful than the location.
    region.field(0, from + 1, region.columns(), condition_text(condition->reported),
                 condition->reported.usable ? CellStyle::fault : CellStyle::critical);
    draw_device_counters(frame, region, from + 2, row);
    return;
  }
  const std::string place = place_text(model, row);
  region.field(0, from + 1, region.columns(), place, CellStyle::faint);
  draw_device_counters(frame, region, place.empty() ? from + 1 : from + 2, row);
}

constexpr std::size_t parts_columns = 76;  // for the parts of a score on 80 columns

// Columns of the candidates; narrow panels omit the pool.
struct CandidateColumns {
  int pool, score, start, done, energy, cost;
};

CandidateColumns lay_out_candidates(int columns) {
  const int pool = columns >= 76 ? 17 : 0;
  const int score = pool > 0 ? 28 : 17;
  return {pool, score, score + 10, score + 18, score + 26, score + 35};
}

void draw_estimate(DrawRegion& region, int row, const CandidateColumns& at,
                   const Estimate& estimate) {
  const auto time_text = [&](double seconds) {
    return estimate.wait_known ? duration_text(seconds) : std::string(not_known);
  };
  region.field(at.start, row, 7, time_text(estimate.start_s), CellStyle::plain, Align::right);
  region.field(at.done, row, 7, time_text(estimate.finish_s), CellStyle::plain, Align::right);
  region.field(at.energy, row, 8, joules_text(estimate.energy_j), CellStyle::plain, Align::right);
  if (at.cost + 9 > region.columns()) return;
  region.field(at.cost, row, 9, dollars_text(estimate.cost_usd), CellStyle::plain, Align::right);
}

/// The parts whose weighted mean is the score, with enough digits to recompute it.
std::vector<std::string> score_lines(const Candidate& candidate) {
  std::vector<std::string> lines;
  for (const ScorePart& part : candidate.parts) {
    // One digit more than the score.
    const double value = std::round(part.value * 1e4) / 1e4;
    const std::string text = fmt::format("{} {:g} x{:.4g}", part.scorer, value, part.weight);
    if (lines.empty() || lines.back().size() + 2 + text.size() > parts_columns) {
      lines.push_back(text);
    } else {
      lines.back() += "  " + text;
    }
  }
  return lines;
}

int draw_candidates(DrawRegion& region, int row, const Decision& decision) {
  if (decision.top.empty()) return row;
  const CandidateColumns at = lay_out_candidates(region.columns());
  region.text(0, row, "CANDIDATES", CellStyle::faint);
  if (at.pool > 0) region.text(at.pool, row, "POOL", CellStyle::faint);
  region.field(at.score, row, 9, "SCORE", CellStyle::faint, Align::right);
  region.field(at.start, row, 7, "START", CellStyle::faint, Align::right);
  region.field(at.done, row, 7, "DONE", CellStyle::faint, Align::right);
  region.field(at.energy, row, 8, "ENERGY", CellStyle::faint, Align::right);
  if (at.cost + 9 <= region.columns()) {
    region.field(at.cost, row, 9, "COST", CellStyle::faint, Align::right);
  }
  ++row;
  for (std::size_t i = 0; i < decision.top.size(); ++i) {
    const Candidate& candidate = decision.top[i];
    const bool chosen = i == 0 && candidate.target == decision.target;
    region.text(0, row, chosen ? ">" : " ", CellStyle::accent);
    region.field(2, row, 14, candidate.target, chosen ? CellStyle::strong : CellStyle::plain);
    if (at.pool > 0) region.field(at.pool, row, 10, candidate.pool, CellStyle::faint);
    region.gauge(at.score, row, 9, candidate.score, fmt::format("{:.3f}", candidate.score),
                 chosen ? CellStyle::fill_good : CellStyle::track);
    draw_estimate(region, row++, at, candidate.estimate);
    for (const std::string& parts : score_lines(candidate)) {
      region.field(2, row++, region.columns() - 2, parts, CellStyle::faint);
    }
  }
  return row;
}

int draw_rejections(DrawRegion& region, int row, const Decision& decision) {
  if (decision.rejections.empty()) return row;
  region.text(0, row++, "REJECTED", CellStyle::faint);
  for (const Rejection& rejection : decision.rejections) {
    region.field(2, row, 5, fmt::format("{}", rejection.count), CellStyle::plain, Align::right);
    region.field(8, row, 14, rejection.device_class);
    region.field(23, row, 12, rejection.pool, CellStyle::faint);
    region.field(36, row, 15, to_text(rejection.reason), CellStyle::warm);
    region.field(52, row, region.columns() - 52, facts(rejection.reason).meaning, CellStyle::faint);
    ++row;
  }
  return row;
}

constexpr int roomy_table_rows = 22;

/// How many of `room` rows show the page of `page_rows`: one less if it scrolls.
int page_rows_seen(int page_rows, int room) {
  // A single row leaves none for the hint.
  return page_rows <= room || room < 2 ? room : room - 1;
}

}  // namespace

void draw_fact(DrawRegion& region, int column, int row, int label_columns, std::string_view label,
               std::string_view value, CellStyle style) {
  region.field(column, row, label_columns - 1, label, CellStyle::faint);
  region.field(column + label_columns, row, region.columns() - column - label_columns, value,
               value == "-" || value == not_known ? CellStyle::faint : style);
}

void draw_device(const FrameContext& frame, DrawRegion region, DeviceTable::Row row,
                 std::string_view title) {
  const DeviceTable& devices = frame.model.devices();
  const bool stale = frame.stale(row);
  const Instant arrived = devices.arrived(row);
  std::string note = frame.model.spec_of(row).kind();
  if (stale) {
    const std::string age =
        arrived == Instant::min() ? "no sample" : duration_text(frame.s_since(arrived)) + " old";
    const Health health = frame.model.host_of(row).reported.health;
    note = is_gone(health) ? fmt::format("host {}, {}", to_text(health), age) : age;
  }
  region.heading(0, fmt::format("{} {}", title, to_text(frame.model.id_of(row))), note);
  const bool wide = region.columns() >= 60;
  const int bar = wide ? 30 : region.columns() - 8;
  const int history =
      wide ? std::min(region.columns() - 8 - bar - 2, sparkline_values_max(frame)) : 0;
  int line = 1;
  for (const DeviceBar& shown : device_bars) {
    // Stale values have a number but no bar.
    const double share = stale ? absent : devices.share(row, shown.gauge_metric);
    const CellStyle fill = gauge_style(share, shown.warm, shown.hot);
    region.text(0, line, shown.label, CellStyle::faint);
    region.gauge(8, line, bar, share, bar_number(frame.model, row, shown.gauge_metric), fill);
    if (history > 0) {
      region.sparkline(region.columns() - history, line, history,
                       sparkline_values(frame, row, shown.gauge_metric, history),
                       stale ? CellStyle::stale : CellStyle::accent);
    }
    ++line;
  }
  draw_device_facts(frame, region, line, row);
}

std::string decision_title(const Decision& decision) {
  const std::string job = decision.job.empty() ? "replica" : to_short_text(decision.job);
  return fmt::format("Decision {} on {} {}", decision.number, job, decision.model);
}

int decision_rows(const Decision& decision) {
  int rows = decision.fallback_reason ? 2 : 1;
  if (!decision.top.empty()) ++rows;
  for (const Candidate& candidate : decision.top) {
    rows += 1 + static_cast<int>(score_lines(candidate).size());
  }
  if (!decision.rejections.empty()) rows += 1 + static_cast<int>(decision.rejections.size());
  return rows;
}

int draw_decision(DrawRegion& region, int row, const Decision& decision) {
  const std::string went = decision.target.empty()
                               ? std::string("not placed")
                               : fmt::format("{} in {}", decision.target, decision.pool);
  region.field(0, row++, region.columns(),
               fmt::format("{}: {} (attempt {}, rule {}, {} considered, fleet version {})",
                           to_text(decision.action), went, decision.attempt,
                           decision.rule.empty() ? "-" : decision.rule, decision.considered,
                           decision.fleet_version),
               CellStyle::strong);
  if (decision.fallback_reason) {
    const ReasonFacts& reason = facts(*decision.fallback_reason);
    const bool same_pool = decision.pool == decision.preferred_pool;
    std::string text = fmt::format("{} {}: {}, {}", same_pool ? "stayed in" : "not",
                                   decision.preferred_pool, reason.name, reason.meaning);
    if (decision.action == Action::queue) {
      text = fmt::format("{}: {} The job waits.", reason.name, reason.meaning);
    } else if (decision.fallback_step > 0) {
      text += fmt::format(" (fallback {})", decision.fallback_step);
    }
    if (!decision.change.empty()) text += fmt::format(" [{}]", decision.change);
    region.field(0, row++, region.columns(), text, CellStyle::warm);
  }
  row = draw_candidates(region, row, decision);
  return draw_rejections(region, row, decision);
}

CompactLine compact_device(const FrameContext& frame, DeviceTable::Row row, int item) {
  const Model& model = frame.model;
  const DeviceMarker sign = device_marker(frame.model, frame.now, row);
  return {fmt::format("{}{} {} {} {}", sign.text, to_text(model.id_of(row)),
                      percent_text(model.reading(row, Metric::utilization)),
                      rounded_text(model.reading(row, Metric::temperature), "C"),
                      rounded_text(model.reading(row, Metric::power), "W")),
          frame.stale(row) ? CellStyle::stale : sign.style, item};
}

std::string scroll_note(int rows, int visible, int top) {
  if (rows <= visible) return {};
  const int below = std::max(0, rows - visible - top);
  return below > 0 ? fmt::format("J K scroll, {} more below", below) : "J K scroll, end";
}

DrawRegion draw_details_heading(DrawRegion& region, std::string_view title, std::string_view note,
                                int rows, int top) {
  const int visible = region.rows() - 1;
  const std::string scroll = scroll_note(rows, visible, top);
  region.heading(0, title, scroll.empty() ? note : scroll);
  return region.part({0, 1, region.columns(), visible});
}

std::string span_and_scroll_note(const ChartSpan& span, const std::string& scroll) {
  return fmt::format("{}{}{}", span_note(span), scroll.empty() ? "" : ", ", scroll);
}

void draw_items(const FrameContext& frame, DrawRegion& region, int first, const ListViewport& place,
                std::size_t count, int selected,
                const std::function<bool(int row, std::size_t item)>& draw) {
  for (int row = first; row < region.rows(); ++row) {
    const int item = place.top + row - first;
    if (item >= static_cast<int>(count)) break;
    if (!draw(row, static_cast<std::size_t>(item))) continue;
    frame.click_targets.add(region.row_area(row), ClickTarget::Kind::item, item);
    if (item == selected) region.tint(row, CellStyle::selected);
  }
}

bool draw_cut_heading(DrawRegion& region, int row, int first, std::size_t lines_below) {
  if (row == first || row + 1 < region.rows() || lines_below == 0) return false;
  region.field(0, row, region.columns(), counted(lines_below, "more line") + " below",
               CellStyle::faint, Align::right);
  return true;
}

TableLayout lay_out_table(const Rect& area, int page_rows, int first_rows, int top_max,
                          int details_rows) {
  const bool open = details_rows > 0;
  // On low screens open details leave the page little room.
  const int most = !open ? top_max : area.rows < roomy_table_rows ? 2 : area.rows / 3;
  const int top = std::min(open && page_rows > most ? first_rows : page_rows, most);
  const std::vector<Rect> parts = cut_rows(
      area,
      {{top, top, 0}, {3, 1'000, 1}, {std::min(details_rows, area.rows / 2), details_rows, 0}});
  return {parts[0], parts[1], parts[2]};
}

ScrolledRows scrolled_rows(const TableLayout& layout, int page_rows, int details_rows) {
  if (layout.details.rows > 0) return {details_rows, layout.details.rows};
  return {page_rows, page_rows_seen(page_rows, layout.top.rows)};
}

void draw_header_page(const FrameContext& frame, DrawRegion region, const TableLayout& layout,
                      int page_rows, const std::function<void(const DrawRegion&)>& draw) {
  region = region.on(layout.top);
  if (region.rows() <= 0 || page_rows <= 0) return;
  Canvas canvas({region.columns(), page_rows});
  draw(DrawRegion(canvas, {0, 0, region.columns(), page_rows}, region.ascii()));
  const bool scrolls = layout.details.rows == 0;
  const int top = scrolls ? frame.ui.details_top : 0;
  const int seen = page_rows_seen(page_rows, region.rows());
  region.paste(canvas, top, 0);
  if (seen == region.rows() || !scrolls) return;
  const int below = std::max(0, page_rows - seen - top);
  region.on(region.row_area(seen)).blank();
  region.field(0, seen, region.columns(),
               below > 0 ? fmt::format("{} more below: J K scroll", below) : "end: J K scroll",
               CellStyle::faint, Align::right);
}

std::vector<std::string> wrapped(std::string_view text, int width) {
  std::vector<std::string> lines;
  for (const std::string& word : split(text, ' ')) {
    if (!lines.empty() && static_cast<int>(lines.back().size() + 1 + word.size()) <= width) {
      lines.back() += ' ' + word;
    } else {
      lines.push_back(word);
    }
  }
  return lines;
}

}  // namespace drover::tui
