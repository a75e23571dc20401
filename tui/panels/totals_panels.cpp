// The sums on top of the fleet view: devices, jobs, service.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/fleet_panels.h"
#include "tui/panels/panels.h"

namespace drover::tui {

void draw_totals(const Scene&, Pen pen, const Totals& totals) {
  pen.heading(0, "Fleet");
  std::string hosts = fmt::format("{} ok", totals.hosts_ok);
  if (totals.hosts_suspect > 0) hosts += fmt::format(", {} suspect", totals.hosts_suspect);
  if (totals.hosts_lost > 0) hosts += fmt::format(", {} lost", totals.hosts_lost);
  if (totals.hosts_left > 0) hosts += fmt::format(", {} left", totals.hosts_left);
  const Role hosts_role = totals.hosts_lost > 0      ? Role::critical
                          : totals.hosts_suspect > 0 ? Role::warm
                                                     : Role::plain;
  draw_fact(pen, 0, 1, 8, "hosts", hosts, hosts_role);
  std::string devices = fmt::format("{} of {} busy", totals.busy, totals.devices);
  // What does not fit whole is left out: half a word misleads.
  const auto add = [&](std::uint32_t count, std::string_view word) {
    const std::string part = fmt::format(", {} {}", count, word);
    if (count > 0 && static_cast<int>(devices.size() + part.size()) <= pen.columns() - 8) {
      devices += part;
    }
  };
  add(totals.lost, "lost");
  add(totals.stale, "stale");
  add(totals.throttled, "slowed");
  draw_fact(pen, 0, 2, 8, "devices", devices);
  const auto bar = [&](int row, std::string_view label, double share, const std::string& number,
                       Role fill) {
    pen.text(0, row, label, Role::faint);
    pen.gauge(8, row, pen.columns() - 8, share, number, fill);
  };
  bar(3, "load", totals.utilization, percent_text(totals.utilization), Role::fill_good);
  const double power = totals.power_limit_w > 0 ? totals.power_w / totals.power_limit_w : absent;
  bar(4, "power", power,
      !std::isnan(totals.power_w)
          ? fmt::format("{} of {}", watts_text(totals.power_w), watts_text(totals.power_limit_w))
          : std::string(not_known),
      fill_role(power, 0.90, 0.99));
  const double memory =
      totals.memory_total_bytes > 0 ? totals.memory_bytes / totals.memory_total_bytes : absent;
  bar(5, "memory", memory,
      totals.memory_total_bytes > 0 ? fmt::format("{} of {}", bytes_text(totals.memory_bytes),
                                                  bytes_text(totals.memory_total_bytes))
                                    : std::string(not_known),
      fill_role(memory, 0.90, 0.97));
}

void draw_job_counts(const Scene& scene, Pen pen) {
  pen.heading(0, scene.unnarrowed("Jobs"));
  const auto& summary = scene.model.summary();
  const auto fact = [&](int row, std::string_view label, std::uint64_t count, Role role) {
    pen.text(0, row, label, Role::faint);
    const std::string text =
        summary ? count_text(static_cast<double>(count)) : std::string(not_known);
    pen.field(10, row, std::min(7, pen.columns() - 10), text, summary ? role : Role::faint,
              Align::right);
  };
  const Summary sums = summary.value_or(Summary{});
  fact(1, "queued", sums.queued, sums.queued > 0 ? Role::warm : Role::plain);
  fact(2, "running", sums.running, Role::accent);
  fact(3, "finished", sums.finished, Role::good);
  fact(4, "failed", sums.failed, sums.failed > 0 ? Role::critical : Role::plain);
  std::uint64_t fallbacks = 0;
  for (const auto& [reason, count] : sums.fallbacks) fallbacks += count;
  // All jobs have an end or none: what was cancelled goes before how others came to their places.
  int below = 5;
  if (sums.cancelled > 0) fact(below++, "cancelled", sums.cancelled, Role::plain);
  if (below < pen.rows()) {
    fact(below, "fallback", fallbacks, fallbacks > 0 ? Role::warm : Role::plain);
  }
  // Wide panels have room for how these numbers moved.
  const int room = pen.columns() - 19;
  if (room < 6) return;
  std::vector<double> queued, running, finished;
  for (const TrendPoint& point : scene.model.trend()) {
    queued.push_back(point.queued);
    running.push_back(point.running);
    finished.push_back(point.finished_per_s);
  }
  const auto curve = [&](int row, std::vector<double> values, Role role) {
    double most = 1;
    for (const double value : values) {
      if (value > most) most = value;
    }
    // Some air above, so that a steady number is a line and not a wall.
    for (double& value : values) value /= 1.6 * most;
    pen.sparkline(19, row, room, values, role);
  };
  curve(1, std::move(queued), Role::warm);
  curve(2, std::move(running), Role::accent);
  curve(3, std::move(finished), Role::good);
}

void draw_service(const Scene& scene, Pen pen, const Totals& totals) {
  const auto& summary = scene.model.summary();
  const bool wide = pen.columns() >= 36;
  pen.heading(0, scene.unnarrowed("Service"), wide ? "p50    p90    p99" : "p50    p99");
  const auto latencies = [&](int row, std::string_view label, const Percentiles& shares) {
    pen.text(0, row, label, Role::faint);
    const bool known = summary && shares.count > 0;
    const auto put = [&](int place, double value) {
      pen.field(pen.columns() - 6 - 7 * place, row, 6,
                known ? duration_text(value) : std::string(not_known),
                known ? Role::plain : Role::faint, Align::right);
    };
    put(0, shares.p99);
    if (wide) put(1, shares.p90);
    put(wide ? 2 : 1, shares.p50);
  };
  const Summary sums = summary.value_or(Summary{});
  latencies(1, "latency", sums.latency_s);
  latencies(2, "1st token", sums.first_token_s);
  const auto fact = [&](int row, std::string_view label, const std::string& value) {
    pen.text(0, row, label, Role::faint);
    pen.field(8, row, pen.columns() - 8, summary ? value : std::string(not_known),
              summary ? Role::plain : Role::faint, Align::right);
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
  // The panel is of the whole fleet, whatever the filter leaves.
  const bool narrowed = scene.choices.narrowing.active();
  const Totals whole = narrowed ? totals_of(scene.model, scene.now, {}) : totals;
  if (whole.usd_per_h > 0) {
    cost +=
        fmt::format(", {}{}/h", whole.price_known ? "" : "over ", dollars_text(whole.usd_per_h));
  }
  fact(5, "cost", cost);
}

}  // namespace drover::tui
