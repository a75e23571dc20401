// The telemetry itself: for each host the age of its samples, losses, rates and clock offset; their
// distributions; and the statistics of this dashboard.
#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"
#include "tui/panels/telemetry_panels.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

struct HostColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
  std::string (*text)(const FrameContext& frame, const HostRow& host);
};

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
  return rate_number_text((host.receive_stats.*rate)());
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

constexpr std::array<HostColumn, 14> host_columns = {{
    {"HOST", 16, Align::left, 0, registered<&Register::host>},
    {"RACK", 6, Align::left, 9, registered<&Register::rack>},
    {"STATE", 7, Align::left, 1, state_column},
    {"AGE", 5, Align::right, 2, age_column},
    {"ROWS/s", 6, Align::right, 4, rate_of<&ReceiveStats::rows_per_s>},
    {"MESSAGES/s", 10, Align::right, 6, rate_of<&ReceiveStats::batches_per_s>},
    {"LOST HERE", 9, Align::right, 3, count_of<&HostRow::gaps>},
    {"ROUTER LOSS", 11, Align::right, 8, count_of<&HostRow::reported, &HostChanged::sample_gaps>},
    {"SKIPPED", 7, Align::right, 7, count_of<&HostRow::reported, &HostChanged::samples_thinned>},
    {"UNDECODED", 9, Align::right, 10, count_of<&HostRow::reported, &HostChanged::undecodable>},
    {"CLOCK", 8, Align::right, 5, clock_column},
    {"DEVICES", 7, Align::right, 11, devices_column},
    {"KEY", 10, Align::left, 12, key_column},
    {"SOFTWARE", 14, Align::left, 13, registered<&Register::software>},
}};

constexpr int telemetry_gap = 2;
constexpr int host_table_columns = 141;    // that shows all columns
constexpr int panels_beside_columns = 50;  // at least
constexpr int hosts_least = 12;  // rows of the table above panels, if there are more hosts

/// The parts of the view. The last three may be empty.
struct TelemetryLayout {
  Rect stream, own, hosts, ages, offsets, rates;
};

/// Wide screens have the panels beside the table of `hosts` hosts, others below it in the rows that
/// it leaves.
TelemetryLayout lay_out_telemetry(const Rect& area, int hosts) {
  TelemetryLayout at;
  const std::vector<Rect> parts =
      cut_rows(area, {{telemetry_facts_rows, telemetry_facts_rows, 0}, {3, 1'000, 1}}, 1);
  const std::vector<Rect> top = cut_columns(parts[0], {{34, 400, 1}, {34, 400, 1}}, telemetry_gap);
  at.stream = top[0];
  at.own = top[1];
  at.hosts = parts[1];
  const int beside = area.columns - host_table_columns - telemetry_gap;
  const int rows = at.hosts.rows;
  if (beside >= panels_beside_columns) {
    at.hosts.columns = host_table_columns;
    const Rect right = {at.hosts.column + host_table_columns + telemetry_gap, at.hosts.row, beside,
                        rows};
    const std::vector<Rect> panels = cut_rows(right,
                                              {{distribution_rows, distribution_rows, 0},
                                               {distribution_rows, distribution_rows, 0},
                                               {8, 24, 1}},
                                              1);
    at.ages = panels[0];
    at.offsets = panels[1];
    at.rates = panels[2];
    return at;
  }
  // Many hosts leave the panels the least that they need, if the table then still has enough.
  const int enough = rows - distribution_rows - 1;
  const int table = enough >= hosts_least ? std::min(1 + hosts, enough) : 1 + hosts;
  const int below = std::min(rows - table - 1, 2 * distribution_rows);
  if (below < distribution_rows) return at;
  at.hosts.rows -= below + 1;
  const Rect bottom = {at.hosts.column, at.hosts.row + at.hosts.rows + 1, area.columns, below};
  const std::vector<Rect> panels =
      cut_columns(bottom, {{36, 60, 1}, {36, 60, 1}, {36, 100, 2}}, telemetry_gap);
  at.ages = panels[0];
  at.offsets = panels[1];
  at.rates = panels[2];
  return at;
}

class TelemetryView : public View {
 public:
  explicit TelemetryView(UiState& ui) : View(ui, &ui.hosts.place), list_(ui.hosts) {}

  void forget_layout() override { list_.numbers.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override {
    const TelemetryLayout at = lay_out_telemetry(region.area(), items());
    if (at.stream.columns > 0) {
      draw_stream(frame, region.on(at.stream), list_.numbers,
                  totals_of(frame.model, frame.now, frame.rows_shown()));
    }
    if (at.own.columns > 0) draw_own(frame, region.on(at.own));
    draw_hosts(frame, region.on(at.hosts));
    if (at.ages.rows > 0) draw_sample_ages(frame, region.on(at.ages), list_.numbers);
    if (at.offsets.rows > 0) draw_clock_offsets(frame, region.on(at.offsets), list_.numbers);
    if (at.rates.rows > 0) draw_sample_rates(frame, region.on(at.rates));
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
    list_.place.scroll_to(selected(at.model), items(),
                          lay_out_telemetry(at.body, items()).hosts.rows - 1);
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
    if (!list_.chosen) return std::nullopt;
    narrow(ui_, "host", *list_.chosen);
    return ViewId::devices;
  }

  bool back() override { return std::exchange(list_.chosen, std::nullopt).has_value(); }

 private:
  void draw_hosts(const FrameContext& frame, DrawRegion region) const {
    const auto columns = fit_columns<HostColumn>(host_columns, 1, region.columns() - 1);
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
      region.text(1, 1, frame.nothing_text("host", "no hosts yet"), CellStyle::faint);
  }

  HostList& list_;
};

}  // namespace

std::unique_ptr<View> make_telemetry_view(UiState& ui) {
  return std::make_unique<TelemetryView>(ui);
}

}  // namespace drover::tui
