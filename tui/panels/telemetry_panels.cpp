#include "tui/panels/telemetry_panels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/chart.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

constexpr int fact_label_columns = 9;
constexpr int range_label_columns = 14;
constexpr double no_end = std::numeric_limits<double>::infinity();

/// The values below `end` and not below the end of the range before.
struct ValueRange {
  std::string_view label;
  double end;
  CellStyle fill;
};

constexpr std::array<ValueRange, distribution_rows - 2> age_ranges_s = {
    {{"under 2 s", 2, CellStyle::fill_good},
     {"2 to 5 s", 5, CellStyle::fill_good},
     {"5 to 15 s", 15, CellStyle::fill_warm},
     {"15 s to 1 min", 60, CellStyle::fill_hot},
     {"over 1 min", no_end, CellStyle::fill_critical}}};

// Samples wait up to a quarter of a second for others, and then travel.
constexpr std::array<ValueRange, distribution_rows - 2> offset_ranges_s = {
    {{"ahead > 1 s", -1, CellStyle::fill_critical},
     {"ahead > 0.1 s", -0.1, CellStyle::fill_warm},
     {"up to 0.5 s", 0.5, CellStyle::fill_good},
     {"late > 0.5 s", 1.5, CellStyle::fill_warm},
     {"late > 1.5 s", no_end, CellStyle::fill_critical}}};

/// A line per range; the last line counts the hosts without a value.
template <typename ValueOf>
void draw_distribution(DrawRegion& region, std::span<const ValueRange> ranges, HostNumbers hosts,
                       const ValueOf& value_of) {
  std::vector<std::size_t> counts(ranges.size() + 1);
  for (const std::uint32_t number : hosts) {
    const double value = value_of(number);
    const auto range =
        std::isnan(value)
            ? ranges.end()
            : std::ranges::find_if(ranges, [&](const ValueRange& it) { return value < it.end; });
    ++counts[static_cast<std::size_t>(range - ranges.begin())];
  }
  const auto draw = [&](int row, std::string_view label, std::size_t count, CellStyle fill) {
    const double all = static_cast<double>(std::max<std::size_t>(1, hosts.size()));
    region.field(0, row, range_label_columns, label, CellStyle::faint);
    region.gauge(range_label_columns + 1, row, region.columns() - range_label_columns - 1,
                 static_cast<double>(count) / all, count_text(static_cast<double>(count)), fill);
  };
  int row = 1;
  for (std::size_t i = 0; i < ranges.size(); ++i, ++row)
    draw(row, ranges[i].label, counts[i], ranges[i].fill);
  draw(row, "unknown", counts.back(), CellStyle::track);
}

struct Sums {
  double rows_per_s = 0, batches_per_s = 0;
  std::uint64_t lost = 0, lost_at_router = 0, skipped = 0;
  double oldest_s = absent;
};

Sums sums_of(const FrameContext& frame, std::span<const std::uint32_t> hosts) {
  Sums sums;
  for (const std::uint32_t number : hosts) {
    const HostRow& host = frame.model.hosts()[number];
    const double rows = host.receive_stats.rows_per_s();
    if (!std::isnan(rows)) sums.rows_per_s += rows;
    const double batches = host.receive_stats.batches_per_s();
    if (!std::isnan(batches)) sums.batches_per_s += batches;
    sums.lost += host.gaps;
    sums.lost_at_router += host.reported.sample_gaps;
    sums.skipped += host.reported.samples_thinned;
    if (is_gone(host.reported.health) || host.last_sample_at == Instant::min()) continue;
    const double age_s = frame.s_since(host.last_sample_at);
    if (!(sums.oldest_s >= age_s)) sums.oldest_s = age_s;
  }
  return sums;
}

/// The first text that fits, else the last one: a part of a number would be another number.
std::string first_that_fits(const DrawRegion& region, std::initializer_list<std::string> texts) {
  for (const std::string& text : texts) {
    if (columns_of(text) <= region.columns() - fact_label_columns) return text;
  }
  return std::data(texts)[texts.size() - 1];
}

/// One curve with its newest and its greatest value in the heading.
void draw_rate(const FrameContext& frame, DrawRegion region, std::string_view title,
               double TrendPoint::*rate, CellStyle style) {
  std::vector<double> shares;
  double most = 0;
  for (const TrendPoint& point : frame.model.trend()) {
    shares.push_back(point.*rate);
    if (shares.back() > most) most = shares.back();
  }
  const double newest = shares.empty() ? absent : shares.back();
  // Some headroom, so that a constant rate is a line and does not fill the height.
  for (double& share : shares) share = most > 0 ? share / (1.25 * most) : share;
  region.heading(0, frame.with_whole_fleet_note(std::string(title)),
                 fmt::format("{}, max {}", rate_number_text(newest), rate_number_text(most)));
  region.curve({0, 1, region.columns(), region.rows() - 1}, shares, style);
}

}  // namespace

std::string rate_number_text(double number) {
  if (std::isnan(number)) return "N/A";
  return number < 9.95 ? fmt::format("{:.1f}", number) : count_text(std::round(number));
}

void draw_stream(const FrameContext& frame, DrawRegion region, std::span<const std::uint32_t> hosts,
                 const Totals& totals) {
  const Sums sums = sums_of(frame, hosts);
  region.heading(
      0, "Hosts",
      fmt::format("{} ok, {} suspect, {} lost{}", totals.hosts_ok, totals.hosts_suspect,
                  totals.hosts_lost,
                  totals.hosts_left > 0 ? fmt::format(", {} left", totals.hosts_left) : ""));
  draw_fact(region, 0, 1, fact_label_columns, "samples",
            fmt::format("{} rows/s in {} messages/s", rate_number_text(sums.rows_per_s),
                        rate_number_text(sums.batches_per_s)));
  draw_fact(region, 0, 2, fact_label_columns, "oldest",
            std::isnan(sums.oldest_s)
                ? "N/A"
                : fmt::format("{} ago, except lost hosts", duration_text(sums.oldest_s)));
  draw_fact(region, 0, 3, fact_label_columns, "lost",
            fmt::format("{} batches here, {} at router", count_text(static_cast<double>(sums.lost)),
                        count_text(static_cast<double>(sums.lost_at_router))),
            sums.lost + sums.lost_at_router > 0 ? CellStyle::warm : CellStyle::plain);
  draw_fact(
      region, 0, 4, fact_label_columns, "skipped",
      fmt::format("{} batches over the rate limit", count_text(static_cast<double>(sums.skipped))));
}

void draw_own(const FrameContext& frame, DrawRegion region) {
  const bool live = frame.cursor.live();
  region.heading(0, "This dashboard", frame.options.connected_to);
  const ShellStats& shell = frame.shell;
  draw_fact(region, 0, 1, fact_label_columns, "frames",
            std::isnan(shell.draw_s)
                ? "N/A"
                : fmt::format("{} each, {} drawn, {} skipped", duration_text(shell.draw_s),
                              count_text(static_cast<double>(shell.drawn)),
                              count_text(static_cast<double>(shell.skipped))));
  draw_fact(region, 0, 2, fact_label_columns, "terminal",
            std::isnan(shell.bytes_per_s)
                ? "N/A"
                : fmt::format("{}/s{}", bytes_text(shell.bytes_per_s),
                              shell.backlog_s > 0
                                  ? fmt::format(", behind by {}", duration_text(shell.backlog_s))
                                  : ""));
  const std::uint64_t gaps = frame.subscriber.gaps();
  const std::uint64_t undecodable = frame.subscriber.undecodable();
  draw_fact(
      region, 0, 3, fact_label_columns, "stream",
      live ? first_that_fits(region, {fmt::format("{} messages lost, {} undecodable, protocol {}",
                                                  gaps, undecodable, protocol_version),
                                      fmt::format("{} lost, {} undecodable", gaps, undecodable)})
           : "N/A: not live",
      live && gaps + undecodable > 0 ? CellStyle::warm : CellStyle::plain);
  const Instant first = frame.cursor.timeline().first();
  const std::string all =
      "last " + duration_text(to_seconds(frame.cursor.latest(frame.live_now) - first));
  draw_fact(region, 0, 4, fact_label_columns, "memory",
            first_that_fits(region, {fmt::format("{}; devices {}", all,
                                                 live ? retention_text(frame.history.retention())
                                                      : "as recorded"),
                                     all}));
}

void draw_sample_ages(const FrameContext& frame, DrawRegion region, HostNumbers hosts) {
  region.heading(0, "Age of newest sample", "hosts");
  draw_distribution(region, age_ranges_s, hosts, [&](std::uint32_t number) {
    const HostRow& host = frame.model.hosts()[number];
    return host.last_sample_at == Instant::min() ? absent : frame.s_since(host.last_sample_at);
  });
}

void draw_clock_offsets(const FrameContext& frame, DrawRegion region, HostNumbers hosts) {
  region.heading(0, "Clock offset and delay", "hosts");
  draw_distribution(region, offset_ranges_s, hosts, [&](std::uint32_t number) {
    return frame.model.hosts()[number].receive_stats.offset_s();
  });
}

void draw_sample_rates(const FrameContext& frame, DrawRegion region) {
  Rect area = region.area();
  --area.rows;
  const std::vector<Rect> parts = cut_rows(area, {{3, 20, 1}, {3, 20, 1}});
  if (parts[0].rows > 0)
    draw_rate(frame, region.on(parts[0]), "Samples per second", &TrendPoint::samples_per_s,
              CellStyle::good);
  if (parts[1].rows > 0)
    draw_rate(frame, region.on(parts[1]), "Messages per second", &TrendPoint::messages_per_s,
              CellStyle::accent);
  const int below = parts[0].rows + parts[1].rows;
  // A column is one wall second.
  draw_time_axis(region, 0, below, region.columns(),
                 {frame.now, from_seconds(frame.options.speed) / 2}, TimeLabels::ago);
}

}  // namespace drover::tui
