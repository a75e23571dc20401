// What is loaded, how the fleet moved, and what was decided last.
#include "tui/panels/fleet_panels.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"
#include "tui/state/timeline_words.h"
#include "tui/tables/device_facts.h"

namespace drover::tui {
namespace {

/// One line per set of pools, model and precision. `all` counts those of lost hosts too, the rest
/// does not: what a lost host has loaded serves nobody.
struct LoadedModel {
  int all = 0, ready = 0;
  std::uint64_t queued = 0, running = 0;
  double cache_used = 0, cache = 0;
};

using LoadedModels = std::map<std::tuple<std::string, std::string_view, Precision>, LoadedModel>;

/// "5 loaded, 1 coming, 2 lost": with their hosts
std::string count_replicas(const Scene& scene) {
  int loaded = 0, coming = 0, lost = 0;
  for (const auto& [id, row] : scene.model.replicas()) {
    const Replica& replica = row.said.replica;
    if (!scene.choices.narrowing.shows(scene.model, replica)) continue;
    ++(is_gone(scene.model, replica)         ? lost
       : replica.state < ReplicaState::ready ? coming
                                             : loaded);
  }
  std::string text = fmt::format("{} loaded", loaded);
  if (coming > 0) text += fmt::format(", {} coming", coming);
  if (lost > 0) text += fmt::format(", {} lost", lost);
  return text;
}

LoadedModels loaded_models(const Scene& scene) {
  LoadedModels lines;
  for (const auto& [id, row] : scene.model.replicas()) {
    const Replica& replica = row.said.replica;
    if (!scene.choices.narrowing.shows(scene.model, replica)) continue;
    LoadedModel& line =
        lines[{pools_text(scene.model, row.said), replica.model, replica.precision}];
    ++line.all;
    if (is_gone(scene.model, replica)) continue;
    if (replica.state == ReplicaState::ready) ++line.ready;
    line.queued += replica.queued;
    line.running += replica.running;
    line.cache_used += static_cast<double>(replica.kv_used_tokens);
    line.cache += static_cast<double>(replica.kv_capacity_tokens);
  }
  return lines;
}

std::string model_text(std::string_view model, Precision precision) {
  return fmt::format("{} {}", model, to_text(precision));
}

struct ReplicaColumns {
  int number, cache;  // widths
  int pool, model;
  int ready, run, queue, used;  // places
};

/// The names take what they need, while the numbers leave it.
ReplicaColumns lay_out_replicas(int columns, const LoadedModels& lines) {
  ReplicaColumns at{};
  const bool wide = columns >= 56;
  at.number = wide ? 6 : 4;
  at.cache = wide ? 8 : 5;
  int pool = 4, model = 8;
  for (const auto& [key, line] : lines) {
    pool = std::max(pool, static_cast<int>(std::get<0>(key).size()));
    model =
        std::max(model, static_cast<int>(model_text(std::get<1>(key), std::get<2>(key)).size()));
  }
  const int room = std::max(12, columns - 5 - 2 * at.number - at.cache - 5);
  at.pool = std::min(pool, std::max(4, room - model));
  at.pool = std::min(at.pool, wide ? 20 : room / 2);
  at.model = std::min(model, room - at.pool);
  // What is left lies between the names and the numbers.
  at.ready = std::max(at.pool + at.model + 2, columns - 5 - 2 * (at.number + 1) - at.cache - 1);
  at.run = at.ready + 6;
  at.queue = at.run + at.number + 1;
  at.used = at.queue + at.number + 1;
  return at;
}

}  // namespace

void draw_replicas(const Scene& scene, Pen pen) {
  const LoadedModels lines = loaded_models(scene);
  pen.heading(0, "Replicas", count_replicas(scene));
  const ReplicaColumns at = lay_out_replicas(pen.columns(), lines);
  const auto header = [&](int column, int width, std::string_view text, Align align) {
    pen.field(column, 1, width, text, Role::faint, align);
  };
  header(0, at.pool, "POOL", Align::left);
  header(at.pool + 1, at.model, "MODEL", Align::left);
  header(at.ready, 5, "READY", Align::right);
  header(at.run, at.number, "RUN", Align::right);
  header(at.queue, at.number, "QUE", Align::right);
  header(at.used, at.cache, "KV", Align::right);
  int row = 2;
  for (const auto& [key, line] : lines) {
    if (row >= pen.rows()) break;
    const auto& [pool_name, model_name, precision] = key;
    pen.field(0, row, at.pool, pool_name.empty() ? "-" : pool_name);
    pen.field(at.pool + 1, row, at.model, fmt::format("{} {}", model_name, to_text(precision)));
    pen.field(at.ready, row, 5, fmt::format("{}/{}", line.ready, line.all),
              line.ready == line.all ? Role::good : Role::warm, Align::right);
    pen.field(at.run, row, at.number, fmt::format("{}", line.running), Role::plain, Align::right);
    pen.field(at.queue, row, at.number, fmt::format("{}", line.queued),
              line.queued > 0 ? Role::warm : Role::plain, Align::right);
    const double used = line.cache > 0 ? line.cache_used / line.cache : absent;
    pen.gauge(at.used, row, at.cache, used, percent_text(used), fill_role(used, 0.85, 0.97));
    ++row;
  }
  if (lines.empty()) pen.text(0, 2, "nothing is loaded", Role::faint);
}

void draw_curves(const Scene& scene, Pen pen, const Totals& shown) {
  // No filter narrows curves, and their numbers are of what they show.
  const bool narrowed = scene.choices.narrowing.active();
  const Totals totals = narrowed ? totals_of(scene.model, scene.now) : shown;
  // The numbers are those of this moment, as in the panels above; the last point may be a second
  // old.
  struct Curve {
    std::string_view title;
    double TrendPoint::*shown;
    std::string now;
    Role role;
  };
  const auto& summary = scene.model.summary();
  const Curve curves[] = {
      {"Load", &TrendPoint::utilization, percent_text(totals.utilization), Role::good},
      {"Power", &TrendPoint::power, known_text(totals.power_w, watts_text), Role::hot},
      {"Queued", &TrendPoint::queued,
       summary ? count_text(static_cast<double>(summary->queued)) : std::string(not_known),
       Role::accent}};
  const std::array<Wish, 3> wishes = {Wish{3, 60, 1}, Wish{3, 60, 1}, Wish{3, 60, 1}};
  // The lowest row tells the time.
  const bool with_axis = pen.rows() >= 10;
  Rect area = pen.area();
  if (with_axis) {
    --area.rows;
    // A column is a wall second; what is told is fleet time, as everywhere.
    const auto ago = [&](int columns) {
      const double span_s = columns * scene.options.speed;
      return span_s < 1'000 ? fmt::format("-{:.0f}s", span_s)
                            : "-" + span_text(from_seconds(span_s));
    };
    pen.text(0, area.rows, ago(pen.columns()), Role::faint);
    if (pen.columns() >= 40) {
      pen.field(pen.columns() / 2 - 5, area.rows, 10, ago(pen.columns() / 2), Role::faint,
                Align::left);
    }
    pen.field(pen.columns() - 3, area.rows, 3, "now", Role::faint);
  }
  const std::vector<Rect> rects = cut_rows(area, wishes);
  for (std::size_t i = 0; i < std::size(curves); ++i) {
    if (rects[i].rows == 0) continue;
    Pen part = pen.on(rects[i]);
    std::vector<double> shares;
    double most = 1;
    for (const TrendPoint& point : scene.model.trend()) {
      shares.push_back(point.*curves[i].shown);
      if (shares.back() > most) most = shares.back();
    }
    const bool is_count = i == 2;
    for (double& share : shares) share /= is_count ? 1.25 * most : 1.0;
    std::string note = curves[i].now;
    if (is_count && most > 1) note += fmt::format(", top {}", count_text(most));
    part.heading(0, scene.unnarrowed(std::string(curves[i].title)), note);
    part.curve({0, 1, part.columns(), part.rows() - 1}, shares, curves[i].role);
  }
}

void draw_latest_decisions(const Scene& scene, Pen pen) {
  const auto& decisions = scene.model.decisions();
  const Narrowing& narrowing = scene.choices.narrowing;
  const int model = std::clamp(pen.columns() / 4, 10, 24);
  const int target = std::clamp(pen.columns() / 5, 8, 20);
  int row = 1;
  for (auto decision = decisions.rbegin(); decision != decisions.rend() && row < pen.rows();
       ++decision) {
    if (!narrowing.shows(scene.model, *decision)) continue;
    pen.text(0, row, to_clock_text(decision->at), Role::faint);
    pen.field(9, row, model, decision->model);
    const bool bad = decision->action == Action::reject;
    const bool fell = decision->fallback_reason.has_value();
    const Role role = bad ? Role::critical : fell ? Role::warm : Role::good;
    pen.text(10 + model, row, pen.ascii() ? "->" : "─▶", role);
    const std::string where = decision->target.empty() ? "nowhere" : decision->target;
    pen.field(13 + model, row, target, where, bad ? role : Role::plain);
    std::string why(decision->action == Action::assign ? "" : to_text(decision->action));
    std::string wanted;
    if (fell) {
      if (!why.empty()) why += ", ";
      if (decision->wanted_pool != decision->pool) {
        wanted = fmt::format("not {}: ", decision->wanted_pool);
      }
      why += to_text(*decision->fallback_reason);
    }
    const int at = 14 + model + target;
    // The reason whole says more than both cut.
    if (at + static_cast<int>(wanted.size() + why.size()) <= pen.columns()) {
      why.insert(0, wanted);
    }
    pen.field(at, row, pen.columns() - at, why.empty() ? "as wanted" : why,
              why.empty() ? Role::faint : role);
    ++row;
  }
  pen.heading(0, "Decisions", row > 1 ? "newest first" : "");
  if (row == 1)
    pen.text(0, 1, narrowing.active() ? "none that the filter leaves" : "none yet", Role::faint);
}

}  // namespace drover::tui
