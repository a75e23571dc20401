// The panels of the fleet view, each on its own rectangle.
#include <algorithm>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

/// One line per set of pools, model and precision. Only `all` counts replicas of lost hosts.
struct LoadedModel {
  int all = 0, ready = 0;
  int paused = 0;     // loaded, but serving nobody for a while
  std::string pause;  // why: "compiling"; "paused" if not all for one reason
  std::uint64_t queued = 0, running = 0;
  double cache_used = 0, cache = 0;
};

using LoadedModels = std::map<std::tuple<std::string, std::string_view, Precision>, LoadedModel>;

/// "5 loaded, 1 loading, 2 lost": lost with their hosts.
std::string count_replicas(const FrameContext& frame) {
  int loaded = 0, loading = 0, lost = 0;
  for (const auto& [id, row] : frame.model.replicas()) {
    const Replica& replica = row.reported.replica;
    if (!frame.ui.fleet_filter.shows(frame.model, replica)) continue;
    ++(is_gone(frame.model, replica)         ? lost
       : replica.state < ReplicaState::ready ? loading
                                             : loaded);
  }
  std::string text = fmt::format("{} loaded", loaded);
  if (loading > 0) text += fmt::format(", {} loading", loading);
  if (lost > 0) text += fmt::format(", {} lost", lost);
  return text;
}

LoadedModels loaded_models(const FrameContext& frame) {
  LoadedModels lines;
  for (const auto& [id, row] : frame.model.replicas()) {
    const Replica& replica = row.reported.replica;
    if (!frame.ui.fleet_filter.shows(frame.model, replica)) continue;
    LoadedModel& line =
        lines[{pools_text(frame.model, row.reported), replica.model, replica.precision}];
    ++line.all;
    if (is_gone(frame.model, replica)) continue;
    const Pause pause = pause_of_requests(replica);
    if (replica.state == ReplicaState::ready && pause != Pause::none) {
      const std::string_view word = to_text(pause);
      line.pause = line.paused++ == 0 || line.pause == word ? word : "paused";
    } else if (replica.state == ReplicaState::ready) {
      ++line.ready;
    }
    line.queued += replica.queued;
    line.running += replica.running;
    line.cache_used += static_cast<double>(replica.kv_used_tokens);
    line.cache += static_cast<double>(replica.kv_capacity_tokens);
  }
  return lines;
}

/// "llama-3.1-70b int8"; "llama-3.1-70b int8, 1 compiling" while one does.
std::string model_text(std::string_view model, Precision precision, const LoadedModel& line) {
  const std::string name = fmt::format("{} {}", model, to_text(precision));
  return line.paused == 0 ? name : fmt::format("{}, {} {}", name, line.paused, line.pause);
}

struct ReplicaColumns {
  int running, queued, cache;  // widths
  int pool, model;
  int ready, run, queue, used;  // positions
};

/// The names get the width that they need, as far as the numbers leave it.
ReplicaColumns lay_out_replicas(int columns, const LoadedModels& lines) {
  ReplicaColumns at{};
  const bool wide = columns >= 56;
  at.running = wide ? 6 : 4;
  at.queued = wide ? 6 : 5;
  at.cache = wide ? 8 : 5;
  int pool = 4, model = 8;
  for (const auto& [key, line] : lines) {
    pool = std::max(pool, static_cast<int>(std::get<0>(key).size()));
    model = std::max(model,
                     static_cast<int>(model_text(std::get<1>(key), std::get<2>(key), line).size()));
  }
  const int room = std::max(12, columns - 5 - at.running - at.queued - at.cache - 5);
  at.pool = std::min(pool, std::max(4, room - model));
  at.pool = std::min(at.pool, wide ? 20 : room / 2);
  at.model = std::min(model, room - at.pool);
  // The remaining width is between the names and the numbers.
  at.ready = std::max(at.pool + at.model + 2, columns - 5 - at.running - at.queued - at.cache - 3);
  at.run = at.ready + 6;
  at.queue = at.run + at.running + 1;
  at.used = at.queue + at.queued + 1;
  return at;
}

}  // namespace

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
  region.heading(0, frame.with_whole_fleet_note("Jobs"), frame.counted_since());
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
  const std::string_view shares_note = wide ? "p50    p90    p99" : "p50    p99";
  std::string title = frame.with_whole_fleet_note("Requests");
  const std::string since = " " + frame.counted_since();
  if (columns_of(title + since) + columns_of(shares_note) + 4 <= region.columns()) title += since;
  region.heading(0, title, shares_note);
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
       fmt::format("{} in, {} out", count_text(static_cast<double>(sums.input_tokens)),
                   count_text(static_cast<double>(sums.output_tokens))));
  fact(4, "energy",
       sums.fleet_energy_j > 0
           ? fmt::format("{}, {} jobs", joules_text(sums.fleet_energy_j),
                         percent_text(sums.charged.energy_j / sums.fleet_energy_j))
           : std::string(not_known));
  const std::string cost = dollars_text(sums.fleet_cost_usd);
  // The panel covers the whole fleet, also while a filter is active.
  const bool filtered = frame.ui.fleet_filter.active();
  const Totals whole = filtered ? totals_of(frame.model, frame.now, {}) : totals;
  const std::string rate =
      fmt::format(", {}{}/h", whole.price_known ? "" : "over ", dollars_text(whole.usd_per_h));
  // Without room for both, the rate is left out: a part of it would be another number.
  const bool fits = columns_of(cost + rate) <= region.columns() - 8;
  fact(5, "cost", whole.usd_per_h > 0 && fits ? cost + rate : cost);
}

void draw_replicas(const FrameContext& frame, DrawRegion region) {
  const LoadedModels lines = loaded_models(frame);
  region.heading(0, "Replicas", count_replicas(frame));
  const ReplicaColumns at = lay_out_replicas(region.columns(), lines);
  const auto header = [&](int column, int width, std::string_view text, Align align) {
    region.field(column, 1, width, text, CellStyle::faint, align);
  };
  header(0, at.pool, "POOL", Align::left);
  header(at.pool + 1, at.model, "MODEL", Align::left);
  header(at.ready, 5, "READY", Align::right);
  header(at.run, at.running, "RUN", Align::right);
  header(at.queue, at.queued, "QUEUE", Align::right);
  header(at.used, at.cache, "KV", Align::right);
  int row = 2;
  for (const auto& [key, line] : lines) {
    if (row >= region.rows()) break;
    const auto& [pool_name, model_name, precision] = key;
    region.field(0, row, at.pool, pool_name.empty() ? "-" : pool_name);
    region.field(at.pool + 1, row, at.model, model_text(model_name, precision, line),
                 line.paused > 0 ? CellStyle::warm : CellStyle::plain);
    region.field(at.ready, row, 5, fmt::format("{}/{}", line.ready, line.all),
                 line.ready == line.all ? CellStyle::good : CellStyle::warm, Align::right);
    region.field(at.run, row, at.running, fmt::format("{}", line.running), CellStyle::plain,
                 Align::right);
    region.field(at.queue, row, at.queued, fmt::format("{}", line.queued),
                 line.queued > 0 ? CellStyle::warm : CellStyle::plain, Align::right);
    const double used = line.cache > 0 ? line.cache_used / line.cache : absent;
    region.gauge(at.used, row, at.cache, used, percent_text(used), gauge_style(used, 0.85, 0.97));
    ++row;
  }
  if (lines.empty()) region.text(0, 2, "no replicas", CellStyle::faint);
}

namespace {

/// Why a decision was made, in at most `columns`: the complete reason is more useful than the
/// reason and the preferred pool, both cut.
std::string decision_reason_text(const Decision& decision, int columns) {
  std::string why(decision.action == Action::assign ? "" : to_text(decision.action));
  if (!decision.fallback_reason) {
    constexpr std::string_view preferred = "preferred pool";
    if (!why.empty()) return why;
    return std::string(preferred.substr(
        0, std::ssize(preferred) <= columns ? std::string::npos : preferred.find(' ')));
  }
  if (!why.empty()) why += ", ";
  why += to_text(*decision.fallback_reason);
  const std::string wanted =
      stayed(decision) ? "stayed: " : fmt::format("not {}: ", decision.preferred_pool);
  if (decision.preferred_pool == decision.pool && !stayed(decision)) return why;
  return static_cast<int>(wanted.size() + why.size()) <= columns ? wanted + why : why;
}

void draw_decision_line(const Model& model, DrawRegion& region, int row, const DecisionLine& line,
                        const Decision& decision) {
  const int name = std::clamp(region.columns() / 4, 10, 24);
  const int place = std::clamp(region.columns() / 5, 8, 20);
  const bool bad = decision.action == Action::reject;
  const bool fell = decision.fallback_reason && !stayed(decision);
  const CellStyle style = bad ? CellStyle::critical : fell ? CellStyle::warm : CellStyle::good;
  region.text(0, row, to_clock_text(decision.at), CellStyle::faint);
  region.field(9, row, name, decision.model);
  region.text(10 + name, row, region.ascii() ? "->" : "─▶", style);
  const std::string target = target_of(model, line);
  region.field(13 + name, row, place, target.empty() ? "not placed" : target,
               bad ? style : CellStyle::plain);
  const std::string times = times_text(line);
  const int at = 14 + name + place;
  const int width = region.columns() - at - (times.empty() ? 0 : columns_of(times) + 1);
  const bool plain = !fell && decision.action == Action::assign;
  region.field(at, row, width, decision_reason_text(decision, width),
               plain ? CellStyle::faint : style);
  region.text(at + width + 1, row, times, CellStyle::strong);
}

}  // namespace

void draw_latest_decisions(const FrameContext& frame, DrawRegion region) {
  const std::vector<DecisionLine> lines = group_decisions(
      frame.model, list_decisions(frame.model, frame.ui.fleet_filter),
      from_seconds(frame.options.speed), {}, static_cast<std::size_t>(std::max(0, region.rows())));
  int row = 1;
  for (const DecisionLine& line : lines) {
    if (row >= region.rows()) break;
    const Decision* const decision = decision_of(frame.model, line.number);
    if (decision != nullptr) draw_decision_line(frame.model, region, row++, line, *decision);
  }
  region.heading(0, "Decisions", lines.empty() ? "" : "newest first");
  if (lines.empty())
    region.text(0, 1, frame.nothing_text("decision", "no decision yet"), CellStyle::faint);
}

}  // namespace drover::tui
