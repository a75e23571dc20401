// What a real device's board says: its facts, and the details of its figures.
#include "tui/panels/board_panels.h"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/xid.h"
#include "tui/panels/device_panels.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

/// A real device, for its facts.
struct RealDevice {
  const Model& model;
  DeviceTable::Row row;
  const Board* board;  // null until it has described itself
  double now(Metric metric) const { return model.reading(row, metric); }
};

std::string text_of(const RealDevice& device, std::string Board::*member) {
  if (device.board == nullptr || (device.board->*member).empty()) return std::string(not_known);
  return printable(device.board->*member);
}

std::string name_text(const RealDevice& device) {
  const std::string told = text_of(device, &Board::name);
  const SpecRow& spec = device.model.spec_of(device.row);
  // Where nobody says a name, the spec has its id in the place of one.
  const bool named = !spec.name.empty() && spec.name != spec.id;
  return told == not_known && named ? printable(spec.name) : told;
}
std::string uuid_text(const RealDevice& device) { return text_of(device, &Board::uuid); }
std::string bus_text(const RealDevice& device) { return text_of(device, &Board::bus); }
std::string driver_text(const RealDevice& device) { return text_of(device, &Board::driver); }
std::string read_by_text(const RealDevice& device) { return text_of(device, &Board::read_by); }

/// "l4: 24.0G, 300 GB/s, 121 TFLOP/s bf16, $0.80".
std::string catalogue_text(const RealDevice& device) {
  const SpecRow& spec = device.model.spec_of(device.row);
  if (!spec.listed) return std::string(not_known);
  const SpecFacts facts(spec.text);
  constexpr int memory = 0, bandwidth = 1, peak = 2, price = 8;
  std::string text = spec.id;
  for (const int limit : {memory, bandwidth, peak, price}) {
    add_part(text, limit == memory ? ": " : ", ", limit_text(limit, facts, absent));
  }
  return text;
}

/// "gen 4 x16"; empty if neither is known.
std::string link_text(double generation, double lanes) {
  std::string text;
  if (generation > 0) text = fmt::format("gen {:.0f}", generation);
  if (lanes > 0) add_part(text, " ", fmt::format("x{:.0f}", lanes));
  return text;
}

std::string pcie_link_text(const RealDevice& device) {
  std::string text = link_text(device.now(Metric::pcie_generation), device.now(Metric::pcie_lanes));
  if (text.empty()) text = not_known;
  if (device.board == nullptr) return text;
  const std::string best =
      link_text(device.board->pcie_generation_max, device.board->pcie_lanes_max);
  return best.empty() ? text : text + ", best " + best;
}

/// "300W of 100-350W, usual 350W".
std::string power_cap_text(const RealDevice& device) {
  std::string text = known_text(device.now(Metric::power_cap), watts_text);
  if (device.board == nullptr) return text;
  const auto least = device.board->power_cap_min_w, most = device.board->power_cap_max_w;
  if (least && most) text += fmt::format(" of {:.0f}-{}", *least, watts_text(*most));
  if (!least && most) text += ", at most " + watts_text(*most);
  const auto usual = device.board->power_cap_default_w;
  return usual ? fmt::format("{}, usual {}", text, watts_text(*usual)) : text;
}

std::string ecc_text(const RealDevice& device) {
  const double lost = device.now(Metric::ecc_uncorrected), held = device.now(Metric::ecc_corrected);
  if (std::isnan(lost) && std::isnan(held)) return std::string(not_known);
  return fmt::format("{} uncorrected, {} corrected", known_text(lost, count_text),
                     known_text(held, count_text));
}

std::string xid_of(const RealDevice& device) {
  const double last = device.now(Metric::xid);
  if (last == 0) return "none";
  return last > 0 && last < 4e9 ? xid_text(static_cast<std::uint32_t>(last))
                                : std::string(not_known);
}

std::string memory_clock_text(const RealDevice& device) {
  return rounded_text(device.now(Metric::memory_clock), " MHz");
}
std::string fan_text(const RealDevice& device) { return percent_text(device.now(Metric::fan)); }
std::string core_text(const RealDevice& device) {
  return percent_text(device.now(Metric::busiest_cpu_core));
}

template <Metric sent, Metric received>
std::string rates_text(const RealDevice& device) {
  const double out = device.now(sent), in = device.now(received);
  if (std::isnan(out) && std::isnan(in)) return std::string(not_known);
  return fmt::format("{}/s out, {}/s in", known_text(out, bytes_text), known_text(in, bytes_text));
}

std::string slowdown_text(const RealDevice& device) {
  const double celsius = device.model.spec_of(device.row).slowdown_c;
  return celsius > 0 ? fmt::format("{:.0f}C", celsius) : std::string(not_known);
}

std::string clock_max_text(const RealDevice& device) {
  const double listed = device.model.spec_of(device.row).clock_max_mhz;
  if (device.board != nullptr && device.board->clock_max_mhz) {
    return fmt::format("{:.0f} MHz", *device.board->clock_max_mhz);
  }
  return listed > 0 ? fmt::format("{:.0f} MHz", listed) : std::string(not_known);
}

constexpr int no_metric = -1;
constexpr int metric_number(Metric metric) { return static_cast<int>(metric); }

struct BoardFigure {
  std::string_view name;
  std::string_view description;
  std::array<int, 2> metrics = {no_metric, no_metric};
  std::string (*text)(const RealDevice&) = nullptr;  // null: charts and strip
  bool wide = false;                                 // has a row of its own
};

/// Charts and strip in the order of metric_formulas(), then the facts.
constexpr std::array<BoardFigure, board_figure_count> board_figures = {{
    {"utilization",
     "The share of time in which any work ran on it, however little of the device it used.",
     {metric_number(Metric::utilization), no_metric}},
    {"memory used",
     "Memory that is in use or reserved by the driver, of all that the device has.",
     {metric_number(Metric::memory_used), metric_number(Metric::memory_total)}},
    {"power",
     "Power of the whole board; the line: its power cap.",
     {metric_number(Metric::power), no_metric}},
    {"temperature",
     "Temperature of the chip; the line: of the memory.",
     {metric_number(Metric::temperature), metric_number(Metric::memory_temperature)}},
    {"PCIe",
     "Bytes a second between host and device: sent by the device; the line: received by it.",
     {metric_number(Metric::pcie_sent), metric_number(Metric::pcie_received)}},
    {"clock", "Clock of the cores.", {metric_number(Metric::clock), no_metric}},
    {"tensor activity",
     "The share of time in which its matrix units worked.",
     {metric_number(Metric::tensor_activity), no_metric}},
    {"memory bandwidth",
     "The share of time in which data moved to or from its memory.",
     {metric_number(Metric::memory_activity), no_metric}},
    {"energy",
     "Joules since its driver was loaded; the chart: joules per second, that is watts.",
     {metric_number(Metric::energy), no_metric}},
    {"throttle reasons",
     "Why its driver says that the clock is reduced.",
     {metric_number(Metric::throttle), no_metric}},
    {"name", "The name that its driver or page gives it.", {no_metric, no_metric}, name_text, true},
    {"UUID", "The maker's identity of the board.", {no_metric, no_metric}, uuid_text, true},
    {"read by", "How Drover reads it.", {no_metric, no_metric}, read_by_text, true},
    {"catalogue",
     "Its entry in Drover's catalogue: memory, memory bandwidth, peak rate and price an hour. What "
     "its driver or page says stands in their place.",
     {no_metric, no_metric},
     catalogue_text,
     true},
    {"last Xid",
     "NVIDIA's code of its last error since the driver was loaded.",
     {metric_number(Metric::xid), no_metric},
     xid_of,
     true},
    {"ECC errors",
     "Errors of its memory since the driver was loaded. ECC corrects errors of one bit.",
     {metric_number(Metric::ecc_uncorrected), metric_number(Metric::ecc_corrected)},
     ecc_text,
     true},
    {"power cap",
     "The cap now, the range that its driver accepts, and the cap that it has by default.",
     {metric_number(Metric::power_cap), no_metric},
     power_cap_text,
     true},
    {"PCIe link",
     "Generation and lanes now, and the best that board and slot allow. The link of an idle device "
     "may use a lower generation.",
     {metric_number(Metric::pcie_generation), metric_number(Metric::pcie_lanes)},
     pcie_link_text,
     true},
    {"NVLink",
     "Bytes a second to and from other devices over their own links: NVLink, Infinity Fabric.",
     {metric_number(Metric::link_sent), metric_number(Metric::link_received)},
     rates_text<Metric::link_sent, Metric::link_received>,
     true},
    {"PCI", "Its address on the PCI bus.", {no_metric, no_metric}, bus_text},
    {"driver", "Its driver, and the version of the driver.", {no_metric, no_metric}, driver_text},
    {"mem clock",
     "Clock of its memory.",
     {metric_number(Metric::memory_clock), no_metric},
     memory_clock_text},
    {"clock max", "The greatest clock of its cores.", {no_metric, no_metric}, clock_max_text},
    {"throttles", "The temperature at which it throttles.", {no_metric, no_metric}, slowdown_text},
    {"fan",
     "Speed of its fan, as a share of full speed.",
     {metric_number(Metric::fan), no_metric},
     fan_text},
    {"CPU core",
     "The share of time in which the busiest core of its host worked.",
     {metric_number(Metric::busiest_cpu_core), no_metric},
     core_text},
}};

const BoardFigure& figure_of_fact(int fact) {
  return board_figures.at(first_limit + static_cast<std::size_t>(fact));
}

constexpr int board_label_columns = 11;
constexpr int board_cell_columns = 29;  // the longest label and value, and a gap

int facts_abreast(int columns) { return std::clamp(columns / board_cell_columns, 1, 4); }

RealDevice device_at(const Model& model, DeviceTable::Row row) {
  return {model, row, model.board_of(row)};
}

/// The metrics of a figure. An emulated device has other limits, and requests instead of PCIe.
std::vector<Metric> metrics_of(bool real, int figure) {
  constexpr int work_chart = 4;
  if (!real && figure == work_chart) return {Metric::running, Metric::queue};
  if (!real && figure >= first_limit) return {};
  std::vector<Metric> metrics;
  for (const int metric : board_figures.at(static_cast<std::size_t>(figure)).metrics) {
    if (metric != no_metric) metrics.push_back(static_cast<Metric>(metric));
  }
  return metrics;
}

void add_missing(DetailLines& lines, const Model& model, DeviceTable::Row row, int figure) {
  std::string_view label = "N/A";
  for (const Metric metric : metrics_of(model.spec_of(row).real, figure)) {
    if (!std::isnan(model.reading(row, metric))) continue;
    std::string name(facts(metric).name);
    std::ranges::replace(name, '_', ' ');
    lines.add(label, fmt::format("{}: {}", name, why_missing(model, row, metric)), CellStyle::warm);
    label = {};
  }
}

}  // namespace

std::string_view board_figure_name(int figure) {
  return board_figures.at(static_cast<std::size_t>(figure)).name;
}

std::string board_fact_text(const Model& model, DeviceTable::Row row, int fact) {
  return figure_of_fact(fact).text(device_at(model, row));
}

Rect board_fact_place(int fact, int columns) {
  int wide = 0;
  while (wide < board_fact_count && figure_of_fact(wide).wide) ++wide;
  if (fact < wide) return {0, 1 + fact, columns, 1};
  const int abreast = facts_abreast(columns);
  const int width = columns / abreast, place = fact - wide;
  return {place % abreast * width, 1 + wide + place / abreast, width - (abreast > 1 ? 1 : 0), 1};
}

int board_fact_rows(int columns) { return board_fact_place(board_fact_count - 1, columns).row + 1; }

void draw_board_facts(DrawRegion region, const Model& model, DeviceTable::Row row) {
  region.heading(0, "Board", "Enter on a value explains it");
  for (int fact = 0; fact < board_fact_count; ++fact) {
    const Rect place = board_fact_place(fact, region.columns());
    region.field(place.column, place.row, board_label_columns - 1, figure_of_fact(fact).name,
                 CellStyle::faint);
    const std::string text = board_fact_text(model, row, fact);
    region.field(place.column + board_label_columns, place.row, place.columns - board_label_columns,
                 text, text == not_known ? CellStyle::faint : CellStyle::plain);
  }
}

std::vector<DetailLine> board_figure_lines(const Model& model, DeviceTable::Row row, int figure,
                                           int columns) {
  const RealDevice device = device_at(model, row);
  const BoardFigure& shown = board_figures.at(static_cast<std::size_t>(figure));
  DetailLines lines(columns);
  lines.add("", shown.description);
  const std::string value = shown.text == nullptr ? "" : shown.text(device);
  if (!value.empty() && value != not_known) lines.add("value", value);
  add_missing(lines, model, row, figure);
  const std::string source = read_by_text(device);
  if (value == not_known && shown.metrics.front() == no_metric) {
    lines.add(
        "N/A",
        device.board == nullptr ? "the device has not described itself yet"
        : shown.text == catalogue_text
            ? "no device of the catalogue has this name"
            : fmt::format("{} does not report it", source == not_known ? "its driver" : source),
        CellStyle::warm);
  }
  if (source != not_known) lines.add("read by", source);
  return lines.take();
}

std::vector<DetailLine> missing_lines(const Model& model, DeviceTable::Row row, int figure,
                                      int columns) {
  DetailLines lines(columns);
  add_missing(lines, model, row, figure);
  return lines.take();
}

}  // namespace drover::tui
