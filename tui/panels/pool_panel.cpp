#include "tui/panels/pool_panel.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

constexpr std::size_t pool_lines_max = 24;  // further pools are counted in the heading
constexpr int words_columns_least = 22;     // after the numbers
constexpr double near_limit = 0.90, at_limit = 0.99;

/// A line of the panel: a pool or the site.
struct Line {
  std::string name;
  const PoolReport* pool = nullptr;  // null: the site
  double power_w = absent, cap_w = 0, reserved_w = 0;
  double spend_usd_per_h = absent;
  std::uint64_t waiting = 0;
  bool cap_known = true;
};

struct PoolColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
};
constexpr std::array<PoolColumn, 6> pool_columns = {{{"POOL", 10, Align::left, 0},
                                                     {"USABLE", 9, Align::right, 1},
                                                     {"POWER", 19, Align::right, 2},
                                                     {"RESERVED", 8, Align::right, 5},
                                                     {"$/HOUR", 7, Align::right, 3},
                                                     {"QUEUED", 6, Align::right, 4}}};

Line line_of(const PoolReport& pool) {
  Line line{pool.name, &pool};
  line.cap_w = pool.power_cap_w;
  line.waiting = pool.queued;
  // A pool without devices has no power or cost.
  if (pool.devices == 0) return line;
  line.power_w = pool.power_w;
  line.reserved_w = pool.power_reserved_w;
  line.spend_usd_per_h = pool.spend_usd_per_h;
  return line;
}

Line site_line(const Model& model, const Summary& sums) {
  Line line{"site"};
  line.power_w = sums.power_w;
  line.cap_known = model.policy().has_value();
  line.cap_w = line.cap_known ? model.policy()->site_power_cap_w : 0;
  line.reserved_w = sums.power_reserved_w;
  line.spend_usd_per_h = sums.spend_usd_per_h;
  line.waiting = sums.queued;
  return line;
}

/// Why devices take no work; a device may be in several of these states.
std::string health_words(const PoolReport& pool) {
  struct State {
    std::uint64_t count;
    std::string_view word;
  };
  std::string words;
  for (const State& state :
       {State{pool.lost, "lost"}, State{pool.ejected, "ejected"}, State{pool.unusable, "unusable"},
        State{pool.suspect, "suspect"}, State{pool.drained, "drained"}}) {
    if (state.count == 0) continue;
    words += fmt::format("{}{} {}", words.empty() ? "" : ", ", state.count, state.word);
  }
  return words;
}

CellStyle health_role(const PoolReport& pool) {
  if (pool.devices == 0 && pool.lost == 0) return CellStyle::faint;
  if (pool.usable == 0) return CellStyle::critical;
  return pool.usable == pool.devices && pool.lost == 0 ? CellStyle::good : CellStyle::warm;
}

void draw_power(DrawRegion& region, int at, int row, int width, const Line& line) {
  if (std::isnan(line.power_w)) {
    region.field(at, row, width, not_known, CellStyle::faint, Align::right);
    return;
  }
  if (line.cap_w <= 0) {
    region.field(at, row, width, watts_text(line.power_w) + (line.cap_known ? ", no cap" : ""),
                 CellStyle::plain, Align::right);
    return;
  }
  const double share = line.power_w / line.cap_w;
  region.gauge(at, row, width, share,
               fmt::format("{} of {}", watts_text(line.power_w), watts_text(line.cap_w)),
               gauge_style(share, near_limit, at_limit));
}

void draw_cell(DrawRegion& region, int at, int row, int width, const PoolColumn& column,
               const Line& line) {
  const auto put = [&](const std::string& text, CellStyle style = CellStyle::plain) {
    region.field(at, row, width, text, text == not_known ? CellStyle::faint : style, column.align);
  };
  if (column.title == "POOL") {
    put(line.name, line.pool == nullptr ? CellStyle::strong : CellStyle::plain);
  } else if (column.title == "USABLE") {
    if (line.pool == nullptr) return;  // a sum would count a device of two pools twice
    const PoolReport& pool = *line.pool;
    put(pool.devices == 0 ? "none" : fmt::format("{} of {}", pool.usable, pool.devices),
        health_role(pool));
  } else if (column.title == "POWER") {
    draw_power(region, at, row, width, line);
  } else if (column.title == "RESERVED") {
    put(line.reserved_w > 0 ? "+" + watts_text(line.reserved_w) : "-", CellStyle::faint);
  } else if (column.title == "$/HOUR") {
    put(known_text(line.spend_usd_per_h, dollars_text));
  } else {
    put(count_text(static_cast<double>(line.waiting)),
        line.waiting > 0 ? CellStyle::warm : CellStyle::faint);
  }
}

void draw_words(DrawRegion& region, int at, int row, const Line& line, double budget_usd_per_h) {
  const int width = region.columns() - at;
  if (line.pool != nullptr) {
    region.field(at, row, width, health_words(*line.pool), health_role(*line.pool));
    return;
  }
  if (budget_usd_per_h <= 0) {
    region.field(at, row, width, "no budget", CellStyle::faint);
    return;
  }
  if (std::isnan(line.spend_usd_per_h)) {
    region.field(at, row, width, not_known, CellStyle::faint);
    return;
  }
  const double share = line.spend_usd_per_h / budget_usd_per_h;
  region.field(at, row, width,
               fmt::format("{} of {} budget", percent_text(share), dollars_text(budget_usd_per_h)),
               threshold_style(share, near_limit, 1));
}

/// A pool without devices and waiting jobs has no line.
bool is_empty(const PoolReport& pool) {
  return pool.devices == 0 && pool.lost == 0 && pool.queued == 0;
}

/// The pools with a line, and the numbers of the others.
struct ShownPools {
  std::vector<const PoolReport*> lines;
  std::size_t left_out = 0, empty = 0;
};

ShownPools shown_pools(const Summary& sums) {
  ShownPools shown;
  for (const PoolReport& pool : sums.pools) {
    if (is_empty(pool)) {
      ++shown.empty;
    } else if (shown.lines.size() < pool_lines_max) {
      shown.lines.push_back(&pool);
    } else {
      ++shown.left_out;
    }
  }
  return shown;
}

}  // namespace

int pool_panel_rows(const Model& model) {
  if (!model.summary()) return 2;
  return 3 + static_cast<int>(shown_pools(*model.summary()).lines.size());
}

void draw_pools(const FrameContext& frame, DrawRegion region) {
  if (!frame.model.summary()) {
    region.heading(0, "Pools");
    region.text(0, 1, "not reported by the router yet", CellStyle::faint);
    return;
  }
  const Summary& sums = *frame.model.summary();
  const ShownPools shown = shown_pools(sums);
  std::string note;
  if (shown.left_out > 0) note = fmt::format("{} more not shown", shown.left_out);
  if (shown.empty > 0) {
    note += fmt::format("{}{} without devices", note.empty() ? "" : ", ", shown.empty);
  }
  region.heading(0, fmt::format("Pools {}", sums.pools.size()), frame.with_whole_fleet_note(note));
  const std::vector<int> columns =
      fit_columns<PoolColumn>(pool_columns, region.columns() - words_columns_least);
  const auto each_column = [&](auto&& draw) {
    int at = 0;
    for (const int number : columns) {
      const PoolColumn& column = pool_columns[static_cast<std::size_t>(number)];
      // Wide screens have room for longer names.
      const int width = column.width + (column.title == "POOL" && region.columns() >= 100 ? 6 : 0);
      draw(at, width, column);
      at += width + 1;
    }
    return at;
  };
  each_column([&](int at, int width, const PoolColumn& column) {
    region.field(at, 1, width, column.title, CellStyle::faint, column.align);
  });
  for (std::size_t i = 0; i <= shown.lines.size(); ++i) {
    const int row = static_cast<int>(i) + 2;
    Line line = i < shown.lines.size() ? line_of(*shown.lines[i]) : site_line(frame.model, sums);
    if (frame.model.is_silent(frame.now)) line.power_w = line.spend_usd_per_h = absent;
    const int words = each_column([&](int at, int width, const PoolColumn& column) {
      draw_cell(region, at, row, width, column, line);
    });
    draw_words(region, words + 1, row, line, sums.budget_usd_per_h);
  }
}

}  // namespace drover::tui
