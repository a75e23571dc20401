// The telemetry itself: for each agent the age of its samples, losses, rates and clock offset; and
// the statistics of this dashboard.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int facts_rows = 6;
constexpr int fact_label_columns = 9;  // in the panels above the agents

struct AgentColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
  std::string (*text)(const FrameContext& frame, const HostRow& host);
};

std::string number_text(double number) {
  if (std::isnan(number)) return "N/A";
  return number < 9.95 ? fmt::format("{:.1f}", number) : count_text(std::round(number));
}

template <auto member>
std::string registered(const FrameContext&, const HostRow& host) {
  return host.reported.registration.*member;
}
/// `path`: the member pointers that lead to the number, as in `host.receive_stats.gaps`.
template <auto... path>
std::string count_of(const FrameContext&, const HostRow& host) {
  return count_text(static_cast<double>((host.*....*path)));
}
template <auto rate>
std::string rate_of(const FrameContext&, const HostRow& host) {
  return number_text((host.receive_stats.*rate)());
}
std::string state_column(const FrameContext&, const HostRow& host) {
  return std::string(to_text(host.reported.health));
}
std::string age_column(const FrameContext& frame, const HostRow& host) {
  if (host.last_sample_at == Instant::min()) return "N/A";
  // Whole seconds: fractions would only flicker.
  const double age_s = std::max(0.0, std::floor(frame.s_since(host.last_sample_at)));
  return age_s < 100 ? fmt::format("{:.0f}s", age_s) : duration_text(age_s);
}
std::string clock_column(const FrameContext&, const HostRow& host) {
  const double offset_s = host.receive_stats.offset_s();
  if (std::isnan(offset_s)) return "N/A";
  return fmt::format("{:+.0f}ms", offset_s * 1e3);
}
std::string devices_column(const FrameContext&, const HostRow& host) {
  return fmt::format("{}", host.count);
}
/// The key that authenticated the agent.
std::string key_column(const FrameContext&, const HostRow& host) {
  return host.reported.secured_by.empty() ? "none" : host.reported.secured_by;
}

constexpr std::array<AgentColumn, 14> agent_columns = {{
    {"AGENT", 16, Align::left, 0, registered<&Register::host>},
    {"RACK", 6, Align::left, 9, registered<&Register::rack>},
    {"STATE", 7, Align::left, 1, state_column},
    {"AGE", 5, Align::right, 2, age_column},
    {"ROWS/s", 6, Align::right, 4, rate_of<&ReceiveStats::rows_per_s>},
    {"MSGS/s", 6, Align::right, 6, rate_of<&ReceiveStats::batches_per_s>},
    {"LOST", 6, Align::right, 3, count_of<&HostRow::gaps>},
    {"ROUTER LOSS", 11, Align::right, 8, count_of<&HostRow::reported, &HostChanged::sample_gaps>},
    {"SKIPPED", 7, Align::right, 7, count_of<&HostRow::reported, &HostChanged::samples_thinned>},
    {"UNDECODED", 9, Align::right, 10, count_of<&HostRow::reported, &HostChanged::undecodable>},
    {"CLOCK", 8, Align::right, 5, clock_column},
    {"DEVICES", 7, Align::right, 11, devices_column},
    {"KEY", 10, Align::left, 12, key_column},
    {"SOFTWARE", 14, Align::left, 13, registered<&Register::software>},
}};

struct Sums {
  double rows_per_s = 0, batches_per_s = 0;
  std::uint64_t lost = 0, lost_at_router = 0, skipped = 0;
  double oldest_s = absent;
};

Sums sums_of(const FrameContext& frame, const HostList& list) {
  Sums sums;
  for (const std::uint32_t number : list.numbers) {
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

void draw_stream(const FrameContext& frame, DrawRegion region, const HostList& list,
                 const Totals& totals) {
  const Sums sums = sums_of(frame, list);
  region.heading(
      0, "Agents",
      fmt::format("{} ok, {} suspect, {} lost{}", totals.hosts_ok, totals.hosts_suspect,
                  totals.hosts_lost,
                  totals.hosts_left > 0 ? fmt::format(", {} left", totals.hosts_left) : ""));
  draw_fact(region, 0, 1, fact_label_columns, "samples",
            fmt::format("{} rows/s in {} messages/s", number_text(sums.rows_per_s),
                        number_text(sums.batches_per_s)));
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
  const std::uint64_t lost = frame.subscriber.gaps() + frame.subscriber.undecodable();
  draw_fact(
      region, 0, 3, fact_label_columns, "stream",
      live ? fmt::format("{} messages lost, {} undecodable, protocol {}", frame.subscriber.gaps(),
                         frame.subscriber.undecodable(), protocol_version)
           : "N/A: not live",
      live && lost > 0 ? CellStyle::warm : CellStyle::plain);
  const Instant first = frame.cursor.timeline().first();
  draw_fact(region, 0, 4, fact_label_columns, "memory",
            fmt::format("last {}; devices {}",
                        duration_text(to_seconds(frame.cursor.latest(frame.live_now) - first)),
                        live ? retention_text(frame.history.retention()) : "as recorded"));
}

class DataPlaneView : public View {
 public:
  explicit DataPlaneView(UiState& ui) : View(ui, &ui.hosts.place), list_(ui.hosts) {}

  void forget_layout() override { list_.numbers.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    const std::vector<Rect> parts =
        cut_rows(region.area(), {{facts_rows - 1, facts_rows - 1, 0}, {3, 1'000, 1}}, 1);
    const std::vector<Rect> top = cut_columns(parts[0], {{34, 400, 1}, {34, 400, 1}}, 2);
    if (top[0].columns > 0) {
      draw_stream(frame, region.on(top[0]), list_,
                  totals_of(frame.model, frame.now, frame.rows_shown()));
    }
    if (top[1].columns > 0) draw_own(frame, region.on(top[1]));
    draw_agents(frame, region.on(parts[1]));
  }

  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override {
    const auto text = [&](std::uint32_t number, int item) -> CompactLine {
      const HostRow& host = frame.model.hosts()[number];
      const bool has_sample = host.last_sample_at != Instant::min();
      return {fmt::format(
                  "{} {} {}", host.reported.registration.host, to_text(host.reported.health),
                  has_sample
                      ? duration_text(std::max(0.0, std::floor(frame.s_since(host.last_sample_at))))
                      : "N/A"),
              host.reported.health == Health::ok     ? CellStyle::plain
              : host.reported.health == Health::left ? CellStyle::stale
                                                     : CellStyle::critical,
              item};
    };
    return list_lines(list_.numbers, list_.place, selected(frame.model), lines_max, text);
  }

  ScrolledRows lay_out(const LayoutInput& at) override {
    list_.numbers = list_hosts(at.model, ui_.fleet_filter, at.now);
    list_.place.scroll_to(selected(at.model), items(), at.body.rows - facts_rows - 1);
    return {};
  }

  std::optional<int> count() const override { return static_cast<int>(list_.numbers.size()); }
  int selected(const Model& model) const override {
    return index_where(list_.numbers, [&](std::uint32_t number) {
      return number < model.hosts().size() &&
             model.hosts()[number].reported.registration.host == list_.chosen;
    });
  }

  void select(const Model& model, int index, int) override {
    const HostRow& host = model.hosts()[list_.numbers[static_cast<std::size_t>(index)]];
    list_.chosen = host.reported.registration.host;
    list_.place.row = -1;
    if (host.count > 0) ui_.device = model.id_of(host.first);
  }

  std::string search_text(const Model& model, int index) const override {
    const Register& registration =
        model.hosts()[list_.numbers[static_cast<std::size_t>(index)]].reported.registration;
    return fmt::format("{} {} {}", registration.host, registration.rack, registration.software);
  }

  std::optional<ViewId> open_selected(const KeyContext&) override {
    return list_.chosen ? std::optional(ViewId::devices) : std::nullopt;
  }

  bool back() override { return std::exchange(list_.chosen, std::nullopt).has_value(); }

 private:
  void draw_agents(const FrameContext& frame, DrawRegion region) const {
    const auto columns = fit_columns<AgentColumn>(agent_columns, 1, region.columns() - 1);
    region.on(region.row_area(0)).blank(CellStyle::title);
    draw_column_titles(region, 0, columns, CellStyle::title);
    const auto draw = [&](int row, std::size_t item) {
      const HostRow& host = frame.model.hosts()[list_.numbers[item]];
      const bool lost = host.reported.health == Health::lost;
      const bool stale = host.count > 0 && frame.stale(host);
      const CellStyle style = lost    ? CellStyle::critical
                              : stale ? CellStyle::stale
                                      : CellStyle::plain;
      for (const auto& [column, at, width] : columns) {
        const std::string text = column->text(frame, host);
        region.field(at, row, width, text, text == "N/A" ? CellStyle::faint : style, column->align);
      }
      return true;
    };
    draw_items(frame, region, 1, list_.place, list_.numbers.size(), selected(frame.model), draw);
    if (list_.numbers.empty())
      region.text(1, 1, frame.nothing_text("agent", "no agents yet"), CellStyle::faint);
  }

  HostList& list_;
};

}  // namespace

std::unique_ptr<View> make_data_plane_view(UiState& ui) {
  return std::make_unique<DataPlaneView>(ui);
}

}  // namespace drover::tui
