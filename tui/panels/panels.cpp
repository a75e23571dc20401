// Panels that more than one view shows: one device, one decision, the events.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/news_panels.h"
#include "tui/panels/panels.h"
#include "tui/state/history_shares.h"
#include "tui/tables/columns.h"
#include "tui/tables/device_facts.h"

namespace drover::tui {
namespace {

std::string number_text(double value, std::string_view unit) {
  return std::isnan(value) ? std::string(not_known) : fmt::format("{:.0f}{}", value, unit);
}

/// Bars of the device panel: label, share, number, and the columns for the history behind.
struct DeviceBar {
  std::string_view label;
  Shade shade;
  double warm, hot;
};
constexpr DeviceBar device_bars[] = {{"load", Shade::utilization, 2, 2},
                                     {"memory", Shade::memory, 0.90, 0.97},
                                     {"power", Shade::power, 0.90, 0.99},
                                     {"heat", Shade::temperature, 0.75, 0.875}};

std::string bar_number(const Model& model, DeviceTable::Row row, Shade shade) {
  switch (shade) {
    case Shade::utilization:
      return percent_text(model.reading(row, Metric::utilization));
    case Shade::memory: {
      const double used = model.reading(row, Metric::memory_used);
      const double total = model.reading(row, Metric::memory_total);
      if (std::isnan(used) || std::isnan(total)) return std::string(not_known);
      return fmt::format("{} of {}", bytes_text(used), bytes_text(total));
    }
    case Shade::power: {
      const double power = model.reading(row, Metric::power);
      const double cap = model.reading(row, Metric::power_cap);
      if (std::isnan(power)) return std::string(not_known);
      return std::isnan(cap) ? fmt::format("{:.0f}W", power)
                             : fmt::format("{:.0f} of {:.0f}W", power, cap);
    }
    case Shade::temperature:
      return number_text(model.reading(row, Metric::temperature), "C");
  }
  return std::string(not_known);
}

void draw_device_counters(const Scene& scene, Pen& pen, int line, DeviceTable::Row row) {
  const Model& model = scene.model;
  const double joules = model.reading(row, Metric::energy);
  pen.field(0, line, pen.columns(),
            fmt::format(fmt::runtime(pen.columns() < 60
                                         ? "matrix {}, mem-bw {}, {}"
                                         : "matrix units {}, memory bandwidth {}, {} so far"),
                        percent_text(model.reading(row, Metric::matrix_activity)),
                        percent_text(model.reading(row, Metric::memory_activity)),
                        known_text(joules, joules_text)),
            Role::faint);
}

void draw_device_facts(const Scene& scene, Pen& pen, int from, DeviceTable::Row row) {
  const Model& model = scene.model;
  const HostRow& host = scene.model.host_of(row);
  const bool stale = scene.stale(row);
  const std::string throttle = throttle_text(model.reading(row, Metric::throttle));
  const bool slowed = is_slowed(model.reading(row, Metric::throttle));
  const std::string slowed_text = slowed ? fmt::format("slowed by {}", throttle) : throttle;
  const std::string clock = number_text(model.reading(row, Metric::clock), " MHz");
  std::string work =
      fmt::format(fmt::runtime(pen.columns() < 40 ? "{} run, {} queue" : "{} running, {} queued"),
                  number_text(model.reading(row, Metric::running), ""),
                  number_text(model.reading(row, Metric::queue), ""));
  // What holds the clock down says more than the clock.
  const int room = pen.columns() - static_cast<int>(slowed_text.size()) - 1;
  if (static_cast<int>(work.size() + clock.size()) + 2 <= room) work += ", " + clock;
  pen.field(0, from, room, work, stale ? Role::stale : Role::plain);
  if (throttle != not_known) {
    pen.text(room + 1, from, slowed_text, slowed && !stale ? Role::hot : Role::faint);
  }
  if (const ConditionRow* condition = scene.model.condition_of(row)) {
    // What is wrong with it says more than where it stands.
    pen.field(0, from + 1, pen.columns(), condition_text(condition->said),
              condition->said.usable ? Role::fault : Role::critical);
    draw_device_counters(scene, pen, from + 2, row);
    return;
  }
  std::string place =
      fmt::format("rack {}", host.said.hello.rack.empty() ? "-" : host.said.hello.rack);
  for (const Group& group : host.said.hello.groups) {
    if (group.number != scene.model.devices().group(row)) continue;
    place += fmt::format(", group g{} of {}", group.number, group.count);
    if (!group.topology.empty()) place += fmt::format(" ({})", group.topology);
  }
  if (host.gaps > 0) place += fmt::format(", sample batches lost: {}", host.gaps);
  pen.field(0, from + 1, pen.columns(), place, Role::faint);
  draw_device_counters(scene, pen, from + 2, row);
}

constexpr std::size_t parts_columns = 76;  // for the parts of a score: what 80 columns leave

// Columns of the candidates; narrow panels do without the pool.
struct CandidateColumns {
  int pool, score, start, done, energy, cost;
};

CandidateColumns lay_out_candidates(int columns) {
  const int pool = columns >= 76 ? 17 : 0;
  const int score = pool > 0 ? 28 : 17;
  return {pool, score, score + 10, score + 18, score + 26, score + 35};
}

void draw_estimate(Pen& pen, int row, const CandidateColumns& at, const Estimate& estimate) {
  const auto time_text = [&](double seconds) {
    return estimate.wait_known ? duration_text(seconds) : std::string(not_known);
  };
  pen.field(at.start, row, 7, time_text(estimate.start_s), Role::plain, Align::right);
  pen.field(at.done, row, 7, time_text(estimate.finish_s), Role::plain, Align::right);
  pen.field(at.energy, row, 8, joules_text(estimate.energy_j), Role::plain, Align::right);
  if (at.cost + 9 > pen.columns()) return;
  pen.field(at.cost, row, 9, dollars_text(estimate.cost_usd), Role::plain, Align::right);
}

/// The parts whose weighted mean is the score, with as many digits as it takes to work it out.
std::vector<std::string> score_lines(const Candidate& candidate) {
  std::vector<std::string> lines;
  for (const ScorePart& part : candidate.parts) {
    // One digit more than the score has.
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

int draw_candidates(Pen& pen, int row, const Decision& decision) {
  if (decision.top.empty()) return row;
  const CandidateColumns at = lay_out_candidates(pen.columns());
  pen.text(0, row, "CANDIDATES", Role::faint);
  if (at.pool > 0) pen.text(at.pool, row, "POOL", Role::faint);
  pen.field(at.score, row, 9, "SCORE", Role::faint, Align::right);
  pen.field(at.start, row, 7, "START", Role::faint, Align::right);
  pen.field(at.done, row, 7, "DONE", Role::faint, Align::right);
  pen.field(at.energy, row, 8, "ENERGY", Role::faint, Align::right);
  if (at.cost + 9 <= pen.columns()) {
    pen.field(at.cost, row, 9, "COST", Role::faint, Align::right);
  }
  ++row;
  for (std::size_t i = 0; i < decision.top.size(); ++i) {
    const Candidate& candidate = decision.top[i];
    const bool chosen = i == 0 && candidate.target == decision.target;
    pen.text(0, row, chosen ? ">" : " ", Role::accent);
    pen.field(2, row, 14, candidate.target, chosen ? Role::strong : Role::plain);
    if (at.pool > 0) pen.field(at.pool, row, 10, candidate.pool, Role::faint);
    pen.gauge(at.score, row, 9, candidate.score, fmt::format("{:.3f}", candidate.score),
              chosen ? Role::fill_good : Role::track);
    draw_estimate(pen, row++, at, candidate.estimate);
    for (const std::string& parts : score_lines(candidate)) {
      pen.field(2, row++, pen.columns() - 2, parts, Role::faint);
    }
  }
  return row;
}

int draw_rejections(Pen& pen, int row, const Decision& decision) {
  if (decision.rejections.empty()) return row;
  pen.text(0, row++, "REJECTED", Role::faint);
  for (const Rejection& rejection : decision.rejections) {
    pen.field(2, row, 5, fmt::format("{}", rejection.count), Role::plain, Align::right);
    pen.field(8, row, 14, rejection.device_class);
    pen.field(23, row, 12, rejection.pool, Role::faint);
    pen.field(36, row, 15, to_text(rejection.reason), Role::warm);
    pen.field(52, row, pen.columns() - 52, facts(rejection.reason).meaning, Role::faint);
    ++row;
  }
  return row;
}

}  // namespace

void draw_fact(Pen& pen, int column, int row, int label_columns, std::string_view label,
               std::string_view value, Role role) {
  pen.field(column, row, label_columns - 1, label, Role::faint);
  pen.field(column + label_columns, row, pen.columns() - column - label_columns, value,
            value == "-" || value == not_known ? Role::faint : role);
}

void draw_device(const Scene& scene, Pen pen, DeviceTable::Row row, std::string_view title) {
  const DeviceTable& devices = scene.model.devices();
  const bool stale = scene.stale(row);
  const Instant arrived = devices.arrived(row);
  std::string note = scene.model.spec_of(row).id;
  if (stale) {
    const std::string age =
        arrived == Instant::min() ? "no sample" : duration_text(scene.s_since(arrived)) + " old";
    const Health health = scene.model.host_of(row).said.health;
    note = is_gone(health) ? fmt::format("host {}, {}", to_text(health), age) : age;
  }
  pen.heading(0, fmt::format("{} {}", title, to_text(scene.model.id_of(row))), note);
  const bool wide = pen.columns() >= 60;
  const int bar = wide ? 30 : pen.columns() - 8;
  const int history = wide ? std::min(pen.columns() - 8 - bar - 2, shares_most(scene)) : 0;
  int line = 1;
  for (const DeviceBar& shown : device_bars) {
    // Old values keep their number and lose their bar.
    const double share = stale ? absent : devices.share(row, shown.shade);
    const Role fill = fill_role(share, shown.warm, shown.hot);
    pen.text(0, line, shown.label, Role::faint);
    pen.gauge(8, line, bar, share, bar_number(scene.model, row, shown.shade), fill);
    if (history > 0) {
      pen.sparkline(pen.columns() - history, line, history,
                    recent_shares(scene, row, shown.shade, history),
                    stale ? Role::stale : Role::accent);
    }
    ++line;
  }
  draw_device_facts(scene, pen, line, row);
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

int draw_decision(Pen& pen, int row, const Decision& decision) {
  const std::string went = decision.target.empty()
                               ? std::string("nowhere")
                               : fmt::format("{} in {}", decision.target, decision.pool);
  pen.field(0, row++, pen.columns(),
            fmt::format("{}: {} (attempt {}, rule {}, {} considered, roster {})",
                        to_text(decision.action), went, decision.attempt,
                        decision.rule.empty() ? "-" : decision.rule, decision.considered,
                        decision.roster_version),
            Role::strong);
  if (decision.fallback_reason) {
    const ReasonFacts& reason = facts(*decision.fallback_reason);
    std::string text =
        fmt::format("not {}: {}, {}", decision.wanted_pool, reason.name, reason.meaning);
    if (decision.fallback_step > 0) text += fmt::format(" (fallback {})", decision.fallback_step);
    if (!decision.change.empty()) text += fmt::format(" [{}]", decision.change);
    pen.field(0, row++, pen.columns(), text, Role::warm);
  }
  row = draw_candidates(pen, row, decision);
  return draw_rejections(pen, row, decision);
}

std::string scroll_note(int rows, int visible, int top) {
  if (rows <= visible) return {};
  const int below = std::max(0, rows - visible - top);
  return below > 0 ? fmt::format("J K scroll, {} more below", below) : "J K scroll, end";
}

void draw_events(const Scene& scene, Pen pen) {
  const Narrowing& narrowing = scene.choices.narrowing;
  const auto rows = static_cast<std::size_t>(std::max(0, pen.rows() - 1));
  std::vector<News> news = latest_news(scene.model, narrowing.active() ? news_most : rows);
  std::erase_if(news, [&](const News& item) { return !narrowing.shows(scene.model, item); });
  news.resize(std::min(news.size(), rows));
  pen.heading(0, "Events", news.empty() ? "" : "newest first");
  draw_news(pen, 1, news);
  if (news.empty()) pen.text(0, 1, scene.nothing_text("event", "nothing yet"), Role::faint);
}

}  // namespace drover::tui
