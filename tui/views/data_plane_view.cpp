// How the data itself comes: per agent the age of its samples, what was lost, rates and clocks;
// and how this dashboard keeps up.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/canvas/fit_columns.h"
#include "tui/canvas/layout.h"
#include "tui/panels/panels.h"
#include "tui/state/update.h"
#include "tui/views/view_rows.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

constexpr int facts_rows = 6;

struct AgentColumn {
  std::string_view title;
  int width;
  Align align;
  int rank;
  std::string (*text)(const Scene& scene, const HostRow& host);
};

std::string number_text(double number) {
  if (std::isnan(number)) return "N/A";
  return number < 9.95 ? fmt::format("{:.1f}", number) : count_text(std::round(number));
}

std::string name_column(const Scene&, const HostRow& host) { return host.said.hello.host; }
std::string state_column(const Scene&, const HostRow& host) {
  return std::string(to_text(host.said.health));
}
std::string age_column(const Scene& scene, const HostRow& host) {
  if (host.sampled == Instant::min()) return "N/A";
  // Whole seconds: fractions would only flicker.
  const double age_s = std::max(0.0, std::floor(scene.s_since(host.sampled)));
  return age_s < 100 ? fmt::format("{:.0f}s", age_s) : duration_text(age_s);
}
std::string rows_column(const Scene&, const HostRow& host) {
  return number_text(host.traffic.rows_per_s());
}
std::string batches_column(const Scene&, const HostRow& host) {
  return number_text(host.traffic.batches_per_s());
}
std::string gaps_column(const Scene&, const HostRow& host) {
  return count_text(static_cast<double>(host.gaps));
}
std::string router_gaps_column(const Scene&, const HostRow& host) {
  return count_text(static_cast<double>(host.said.sample_gaps));
}
std::string thinned_column(const Scene&, const HostRow& host) {
  return count_text(static_cast<double>(host.said.samples_thinned));
}
std::string broken_column(const Scene&, const HostRow& host) {
  return count_text(static_cast<double>(host.said.undecodable));
}
std::string clock_column(const Scene&, const HostRow& host) {
  const double offset_s = host.traffic.offset_s();
  if (std::isnan(offset_s)) return "N/A";
  return fmt::format("{:+.0f}ms", offset_s * 1e3);
}
std::string devices_column(const Scene&, const HostRow& host) {
  return fmt::format("{}", host.count);
}
std::string software_column(const Scene&, const HostRow& host) { return host.said.hello.software; }
/// By which key the agent has proven who it is.
std::string key_column(const Scene&, const HostRow& host) {
  return host.said.secured_by.empty() ? "none" : host.said.secured_by;
}
std::string rack_column(const Scene&, const HostRow& host) { return host.said.hello.rack; }

constexpr auto left_aligned = Align::left;
constexpr auto right = Align::right;
constexpr std::array<AgentColumn, 14> agent_columns = {{
    {"AGENT", 16, left_aligned, 0, name_column},
    {"RACK", 8, left_aligned, 9, rack_column},
    {"STATE", 8, left_aligned, 1, state_column},
    {"AGE", 6, right, 2, age_column},
    {"ROWS/s", 7, right, 4, rows_column},
    {"MSGS/s", 7, right, 6, batches_column},
    {"LOST", 6, right, 3, gaps_column},
    {"LOST@R", 6, right, 8, router_gaps_column},
    {"THINNED", 7, right, 7, thinned_column},
    {"BAD", 5, right, 10, broken_column},
    {"CLOCK", 8, right, 5, clock_column},
    {"DEVICES", 7, right, 11, devices_column},
    {"KEY", 10, left_aligned, 12, key_column},
    {"SOFTWARE", 14, left_aligned, 13, software_column},
}};

ScrolledRows arrange_hosts(const Arrangement& at, Choices& choices) {
  HostList& list = choices.hosts;
  list.numbers = list_hosts(at.model, choices.narrowing, at.now);
  list.place.settle(index_of_chosen(at.model, list), static_cast<int>(list.numbers.size()),
                    at.body.rows - facts_rows - 1);
  return {};
}

int count_hosts(const Choices& choices) { return static_cast<int>(choices.hosts.numbers.size()); }
int selected_host(const Model& model, const Choices& choices) {
  return index_of_chosen(model, choices.hosts);
}
void select_host(const Model& model, Choices& choices, int index, int) {
  const HostRow& host = model.hosts()[choices.hosts.numbers[static_cast<std::size_t>(index)]];
  choices.hosts.chosen = host.said.hello.host;
  choices.hosts.place.row = -1;
  if (host.count > 0) choices.device = model.id_of(host.first);
}
std::string text_of_host(const Model& model, const Choices& choices, int index) {
  const Hello& hello =
      model.hosts()[choices.hosts.numbers[static_cast<std::size_t>(index)]].said.hello;
  return fmt::format("{} {} {}", hello.host, hello.rack, hello.software);
}
ListPlace* place_of_hosts(Choices& choices) { return &choices.hosts.place; }
void open_host(const Model&, Choices& choices) {
  if (choices.hosts.chosen) show_view(choices, View::devices);
}
bool let_host_go(Choices& choices) {
  const bool was = choices.hosts.chosen.has_value();
  choices.hosts.chosen.reset();
  return was;
}

struct Sums {
  double rows_per_s = 0, batches_per_s = 0;
  std::uint64_t lost = 0, lost_at_router = 0, thinned = 0, broken = 0;
  double oldest_s = absent;
};

Sums sums_of(const Scene& scene) {
  Sums sums;
  for (const std::uint32_t number : scene.choices.hosts.numbers) {
    const HostRow& host = scene.model.hosts()[number];
    const double rows = host.traffic.rows_per_s();
    if (!std::isnan(rows)) sums.rows_per_s += rows;
    const double batches = host.traffic.batches_per_s();
    if (!std::isnan(batches)) sums.batches_per_s += batches;
    sums.lost += host.gaps;
    sums.lost_at_router += host.said.sample_gaps;
    sums.thinned += host.said.samples_thinned;
    sums.broken += host.said.undecodable;
    if (is_gone(host.said.health) || host.sampled == Instant::min()) continue;
    const double age_s = scene.s_since(host.sampled);
    if (!(sums.oldest_s >= age_s)) sums.oldest_s = age_s;
  }
  return sums;
}

std::string loss_text(std::uint64_t count) { return count_text(static_cast<double>(count)); }

void draw_stream(const Scene& scene, Pen pen, const Totals& totals) {
  const Sums sums = sums_of(scene);
  pen.heading(
      0, "Agents",
      fmt::format("{} ok, {} suspect, {} lost{}", totals.hosts_ok, totals.hosts_suspect,
                  totals.hosts_lost,
                  totals.hosts_left > 0 ? fmt::format(", {} left", totals.hosts_left) : ""));
  const auto fact = [&](int row, std::string_view label, const std::string& text,
                        Role role = Role::plain) { draw_fact(pen, 0, row, 9, label, text, role); };
  fact(1, "samples",
       fmt::format("{} rows/s in {} messages/s", number_text(sums.rows_per_s),
                   number_text(sums.batches_per_s)));
  fact(2, "oldest",
       std::isnan(sums.oldest_s)
           ? "N/A"
           : fmt::format("{} ago, of hosts that live", duration_text(sums.oldest_s)));
  fact(3, "lost",
       fmt::format("{} batches on the way here, {} to the router", loss_text(sums.lost),
                   loss_text(sums.lost_at_router)),
       sums.lost + sums.lost_at_router > 0 ? Role::warm : Role::plain);
  fact(4, "thinned",
       fmt::format("{} batches by agents, to keep the rate limit", loss_text(sums.thinned)));
}

void draw_own(const Scene& scene, Pen pen) {
  const bool live = scene.cursor.live();
  pen.heading(0, "This dashboard", scene.options.connected_to);
  const auto fact = [&](int row, std::string_view label, const std::string& text,
                        Role role = Role::plain) { draw_fact(pen, 0, row, 9, label, text, role); };
  const ShellFacts& shell = scene.shell;
  fact(1, "frames",
       std::isnan(shell.draw_s)
           ? "N/A"
           : fmt::format("{} each, {} drawn, {} skipped", duration_text(shell.draw_s),
                         count_text(static_cast<double>(shell.drawn)),
                         count_text(static_cast<double>(shell.skipped))));
  fact(2, "terminal",
       std::isnan(shell.bytes_per_s)
           ? "N/A"
           : fmt::format("{}/s{}", bytes_text(shell.bytes_per_s),
                         shell.backlog_s > 0
                             ? fmt::format(", behind by {}", duration_text(shell.backlog_s))
                             : ""));
  const std::uint64_t lost = scene.feed.gaps() + scene.feed.undecodable();
  fact(3, "stream",
       live ? fmt::format("{} messages lost, {} broken, protocol {}", scene.feed.gaps(),
                          scene.feed.undecodable(), protocol_version)
            : "N/A: not live",
       live && lost > 0 ? Role::warm : Role::plain);
  const Instant first = scene.cursor.timeline().first();
  fact(4, "memory",
       fmt::format("{} back; devices {}",
                   duration_text(to_seconds(scene.cursor.latest(scene.live_now) - first)),
                   live ? covers_text(scene.history.covers()) : "as recorded"));
}

void draw_agents(const Scene& scene, Pen pen) {
  const HostList& list = scene.choices.hosts;
  const std::vector<int> shown = fit_columns<AgentColumn>(agent_columns, pen.columns() - 1);
  pen.on(pen.row_area(0)).blank(Role::title);
  const auto each = [&](auto&& draw) {
    int at = 1;
    for (const int number : shown) {
      const AgentColumn& column = agent_columns[static_cast<std::size_t>(number)];
      draw(at, column);
      at += column.width + 1;
    }
  };
  each([&](int at, const AgentColumn& column) {
    pen.field(at, 0, column.width, column.title, Role::title, column.align);
  });
  const int selected = index_of_chosen(scene.model, list);
  for (int line = 1; line < pen.rows(); ++line) {
    const int item = list.place.top + line - 1;
    if (item >= static_cast<int>(list.numbers.size())) break;
    const HostRow& host = scene.model.hosts()[list.numbers[static_cast<std::size_t>(item)]];
    const bool lost = host.said.health == Health::lost;
    const bool stale = host.count > 0 && scene.stale(host);
    const Role role = lost ? Role::critical : stale ? Role::stale : Role::plain;
    each([&](int at, const AgentColumn& column) {
      const std::string text = column.text(scene, host);
      pen.field(at, line, column.width, text, text == "N/A" ? Role::faint : role, column.align);
    });
    scene.hits.add(pen.row_area(line), Hit::Kind::item, item);
    if (item == selected) pen.tint(line, Role::selected);
  }
  if (list.numbers.empty())
    pen.text(1, 1, scene.nothing_text("agent", "no agents yet"), Role::faint);
}

void draw_data_plane(const Scene& scene, const Pen& pen) {
  const std::array<Wish, 2> rows = {Wish{facts_rows - 1, facts_rows - 1, 0}, Wish{3, 1'000, 1}};
  const std::vector<Rect> parts = cut_rows(pen.area(), rows, 1);
  const std::array<Wish, 2> halves = {Wish{34, 400, 1}, Wish{34, 400, 1}};
  const std::vector<Rect> top = cut_columns(parts[0], halves, 2);
  if (top[0].columns > 0)
    draw_stream(scene, pen.on(top[0]), totals_of(scene.model, scene.now, scene.rows_shown()));
  if (top[1].columns > 0) draw_own(scene, pen.on(top[1]));
  draw_agents(scene, pen.on(parts[1]));
}

}  // namespace

const ViewRow& data_plane_row() {
  static constexpr ViewRow row = {.name = "data-plane",
                                  .arrange = arrange_hosts,
                                  .draw = draw_data_plane,
                                  .count = count_hosts,
                                  .selected = selected_host,
                                  .select = select_host,
                                  .place = place_of_hosts,
                                  .text = text_of_host,
                                  .open = open_host,
                                  .back = let_host_go};
  return row;
}

}  // namespace drover::tui
