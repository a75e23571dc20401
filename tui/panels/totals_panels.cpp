// The sums at the top of the fleet view: devices, jobs, requests.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/fleet_panels.h"
#include "tui/panels/panels.h"

namespace drover::tui {

void draw_totals(DrawRegion region, const Totals& totals) {
  region.heading(0, "Fleet");
  std::string hosts = fmt::format("{} ok", totals.hosts_ok);
  if (totals.hosts_suspect > 0) hosts += fmt::format(", {} suspect", totals.hosts_suspect);
  if (totals.hosts_lost > 0) hosts += fmt::format(", {} lost", totals.hosts_lost);
  if (totals.hosts_left > 0) hosts += fmt::format(", {} left", totals.hosts_left);
  const CellStyle hosts_role = totals.hosts_lost > 0      ? CellStyle::critical
                               : totals.hosts_suspect > 0 ? CellStyle::warm
                                                          : CellStyle::plain;
  draw_fact(region, 0, 1, 8, "hosts", hosts, hosts_role);
  std::string devices = fmt::format("{} of {} busy", totals.busy, totals.devices);
  // A part that does not fit completely is omitted.
  const auto add = [&](std::uint32_t count, std::string_view word) {
    const std::string part = fmt::format(", {} {}", count, word);
    if (count > 0 && static_cast<int>(devices.size() + part.size()) <= region.columns() - 8) {
      devices += part;
    }
  };
  add(totals.lost, "lost");
  add(totals.stale, "stale");
  add(totals.throttled, "throttled");
  draw_fact(region, 0, 2, 8, "devices", devices);
  const auto bar = [&](int row, std::string_view label, double share, const std::string& number,
                       CellStyle fill) {
    region.text(0, row, label, CellStyle::faint);
    region.gauge(8, row, region.columns() - 8, share, number, fill);
  };
  bar(3, "load", totals.utilization, percent_text(totals.utilization), CellStyle::fill_good);
  const double power = totals.power_limit_w > 0 ? totals.power_w / totals.power_limit_w : absent;
  bar(4, "power", power,
      !std::isnan(totals.power_w)
          ? fmt::format("{} of {}", watts_text(totals.power_w), watts_text(totals.power_limit_w))
          : std::string(not_known),
      gauge_style(power, 0.90, 0.99));
  const double memory =
      totals.memory_total_bytes > 0 ? totals.memory_bytes / totals.memory_total_bytes : absent;
  bar(5, "memory", memory,
      totals.memory_total_bytes > 0 ? fmt::format("{} of {}", bytes_text(totals.memory_bytes),
                                                  bytes_text(totals.memory_total_bytes))
                                    : std::string(not_known),
      gauge_style(memory, 0.90, 0.97));
}

void draw_job_counts(const FrameContext& frame, DrawRegion region) {
  region.heading(0, frame.with_whole_fleet_note("Jobs"));
  const auto& summary = frame.model.summary();
  const auto fact = [&](int row, std::string_view label, std::uint64_t count, CellStyle style) {
    region.text(0, row, label, CellStyle::faint);
    const std::string text =
        summary ? count_text(static_cast<double>(count)) : std::string(not_known);
    region.field(10, row, std::min(7, region.columns() - 10), text,
                 summary ? style : CellStyle::faint, Align::right);
  };
  const Summary sums = summary.value_or(Summary{});
  fact(1, "queued", sums.queued, sums.queued > 0 ? CellStyle::warm : CellStyle::plain);
  fact(2, "running", sums.running, CellStyle::accent);
  fact(3, "finished", sums.finished, CellStyle::good);
  fact(4, "failed", sums.failed, sums.failed > 0 ? CellStyle::critical : CellStyle::plain);
  std::uint64_t fallbacks = 0;
  for (const auto& [reason, count] : sums.fallbacks) fallbacks += count;
  // Cancelled jobs take precedence, so that the counts by state are complete.
  int below = 5;
  if (sums.cancelled > 0) fact(below++, "cancelled", sums.cancelled, CellStyle::plain);
  if (below < region.rows()) {
    fact(below, "fallback", fallbacks, fallbacks > 0 ? CellStyle::warm : CellStyle::plain);
  }
  // Wide panels have room for the history of these numbers.
  const int room = region.columns() - 19;
  if (room < 6) return;
  std::vector<double> queued, running, finished;
  for (const TrendPoint& point : frame.model.trend()) {
    queued.push_back(point.queued);
    running.push_back(point.running);
    finished.push_back(point.finished_per_s);
  }
  const auto curve = [&](int row, std::vector<double> values, CellStyle style) {
    double most = 1;
    for (const double value : values) {
      if (value > most) most = value;
    }
    // Some headroom, so that a constant number is a line and does not fill the height.
    for (double& value : values) value /= 1.6 * most;
    region.sparkline(19, row, room, values, style);
  };
  curve(1, std::move(queued), CellStyle::warm);
  curve(2, std::move(running), CellStyle::accent);
  curve(3, std::move(finished), CellStyle::good);
}

void draw_service(const FrameContext& frame, DrawRegion region, const Totals& totals) {
  const auto& summary = frame.model.summary();
  const bool wide = region.columns() >= 36;
  region.heading(0, frame.with_whole_fleet_note("Requests"),
                 wide ? "p50    p90    p99" : "p50    p99");
  const auto latencies = [&](int row, std::string_view label, const Percentiles& shares) {
    region.text(0, row, label, CellStyle::faint);
    const bool known = summary && shares.count > 0;
    const auto put = [&](int place, double value) {
      region.field(region.columns() - 6 - 7 * place, row, 6,
                   known ? duration_text(value) : std::string(not_known),
                   known ? CellStyle::plain : CellStyle::faint, Align::right);
    };
    put(0, shares.p99);
    if (wide) put(1, shares.p90);
    put(wide ? 2 : 1, shares.p50);
  };
  const Summary sums = summary.value_or(Summary{});
  latencies(1, "latency", sums.latency_s);
  latencies(2, "1st token", sums.first_token_s);
  const auto fact = [&](int row, std::string_view label, const std::string& value) {
    region.text(0, row, label, CellStyle::faint);
    region.field(8, row, region.columns() - 8, summary ? value : std::string(not_known),
                 summary ? CellStyle::plain : CellStyle::faint, Align::right);
  };
  fact(3, "tokens",
       fmt::format(fmt::runtime(wide ? "{} in, {} out" : "{} > {}"),
                   count_text(static_cast<double>(sums.input_tokens)),
                   count_text(static_cast<double>(sums.output_tokens))));
  fact(4, "energy",
       sums.fleet_energy_j > 0
           ? fmt::format("{}, {} jobs", joules_text(sums.fleet_energy_j),
                         percent_text(sums.charged.energy_j / sums.fleet_energy_j))
           : std::string(not_known));
  std::string cost = dollars_text(sums.fleet_cost_usd);
  // The panel covers the whole fleet, also while a filter is active.
  const bool filtered = frame.ui.fleet_filter.active();
  const Totals whole = filtered ? totals_of(frame.model, frame.now, {}) : totals;
  if (whole.usd_per_h > 0) {
    cost +=
        fmt::format(", {}{}/h", whole.price_known ? "" : "over ", dollars_text(whole.usd_per_h));
  }
  fact(5, "cost", cost);
}

}  // namespace drover::tui
