#include <array>
#include <charconv>
#include <cmath>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "agents/scrape/smi_missing.h"
#include "agents/scrape/smi_output.h"
#include "agents/scrape/texts.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

using Number = std::optional<double> Board::*;
using Count = std::uint16_t Board::*;

/// A column with a number, which counts multiplied by one number and divided by another. Some have
/// another name in other versions.
struct SmiColumn {
  std::string_view name;
  std::variant<Metric, Number, Count> place;
  double times = 1;
  double per = 1;
  std::string_view other_name = {};
};
constexpr std::array smi_columns = {
    SmiColumn{"utilization.gpu", Metric::utilization, 1, 100},
    SmiColumn{"utilization.memory", Metric::memory_activity, 1, 100},
    SmiColumn{"memory.used", Metric::memory_used, smi_mib},
    SmiColumn{"memory.total", Metric::memory_total, smi_mib},
    SmiColumn{"power.draw", Metric::power},
    SmiColumn{"enforced.power.limit", Metric::power_cap},
    SmiColumn{"power.min_limit", &Board::power_cap_min_w},
    SmiColumn{"power.max_limit", &Board::power_cap_max_w},
    SmiColumn{"power.default_limit", &Board::power_cap_default_w},
    SmiColumn{"temperature.gpu", Metric::temperature},
    SmiColumn{"temperature.memory", Metric::memory_temperature},
    SmiColumn{"clocks.current.sm", Metric::clock, 1, 1, "clocks.sm"},
    SmiColumn{"clocks.current.memory", Metric::memory_clock, 1, 1, "clocks.mem"},
    SmiColumn{"clocks.max.sm", &Board::clock_max_mhz},
    SmiColumn{"fan.speed", Metric::fan, 1, 100},
    SmiColumn{"pcie.link.gen.current", Metric::pcie_generation},
    SmiColumn{"pcie.link.width.current", Metric::pcie_lanes},
    SmiColumn{"pcie.link.gen.max", &Board::pcie_generation_max},
    SmiColumn{"pcie.link.width.max", &Board::pcie_lanes_max},
    SmiColumn{"ecc.errors.corrected.volatile.total", Metric::ecc_corrected},
    SmiColumn{"ecc.errors.uncorrected.volatile.total", Metric::ecc_uncorrected},
    SmiColumn{"clocks_throttle_reasons.active", Metric::throttle, 1, 1,
              "clocks_event_reasons.active"},
};
constexpr std::array<std::string_view, 5> text_columns = {"index", "uuid", "name", "driver_version",
                                                          "pci.bus_id"};

/// "memory.used" of "memory.used [MiB]".
std::string smi_column_name(std::string_view head) {
  return std::string(trimmed(head.substr(0, head.find(" ["))));
}

/// Cells are separated by a comma and a blank; those of a name may have a comma without one.
std::vector<std::string> cells_of(std::string_view line) {
  constexpr std::string_view separator = ", ";
  std::vector<std::string> cells;
  for (;;) {
    const std::size_t at = line.find(separator);
    cells.emplace_back(trimmed(line.substr(0, at)));
    if (at == std::string_view::npos) return cells;
    line.remove_prefix(at + separator.size());
  }
}

/// Not negative; bits of throttling are hexadecimal.
std::optional<double> number_in_cell(std::string_view cell) {
  const char* const end = cell.data() + cell.size();
  if (cell.starts_with("0x")) {
    std::uint64_t bits = 0;
    if (std::from_chars(cell.data() + 2, end, bits, 16).ptr != end || cell.size() == 2)
      return std::nullopt;
    return static_cast<double>(bits & 0xFFFFFFFF);
  }
  double number = 0;
  const auto [stop, problem] = std::from_chars(cell.data(), end, number);
  if (problem != std::errc{} || stop != end || !std::isfinite(number) || number < 0)
    return std::nullopt;
  return number;
}

/// A row with the header's names.
class SmiRow {
 public:
  SmiRow(const std::vector<std::string>& names, const std::vector<std::string>& cells)
      : names_(names), cells_(cells) {}

  /// Empty: there is none.
  std::string_view cell(std::string_view name) const {
    for (std::size_t place = 0; place < names_.size(); ++place) {
      if (names_[place] == name) return cells_[place];
    }
    return {};
  }
  /// A text that is not "[N/A]" or the like.
  std::string_view text(std::string_view name) const {
    const std::string_view found = cell(name);
    return found.starts_with('[') || found == "N/A" ? std::string_view() : found;
  }
  /// Why the whole device does not answer.
  std::string lost() const {
    for (const std::string& each : cells_) {
      if (each.find("GPU is lost") != std::string::npos ||
          each.find("GPU requires reset") != std::string::npos)
        return as_label(std::string_view(each).substr(each.starts_with('[') ? 1 : 0,
                                                      each.size() - (each.ends_with(']') ? 2 : 0)));
    }
    return {};
  }

 private:
  const std::vector<std::string>& names_;
  const std::vector<std::string>& cells_;
};

void put_number(const SmiColumn& column, double number, BoardReading& reading) {
  number = number * column.times / column.per;
  if (const auto* metric = std::get_if<Metric>(&column.place)) {
    reading.values[*metric] = number;
  } else if (const auto* fact = std::get_if<Number>(&column.place)) {
    reading.board.** fact = number;
  } else if (number <= UINT16_MAX) {
    reading.board.*std::get<Count>(column.place) = static_cast<std::uint16_t>(number);
  }
}

BoardReading reading_of(const SmiRow& row) {
  BoardReading reading;
  reading.vendor = "nvidia";
  const auto index = as_number(row.text("index"));
  if (index && *index <= UINT16_MAX) reading.index = static_cast<std::uint16_t>(*index);
  reading.board.name = as_label(row.text("name"));
  reading.board.uuid = as_label(row.text("uuid"));
  reading.board.bus = as_pci_address(row.text("pci.bus_id"));
  reading.board.read_by = "nvidia-smi";
  const std::string driver = as_label(row.text("driver_version"));
  if (!driver.empty()) reading.board.driver = "NVIDIA " + driver;
  reading.identity = identity_of(reading);
  reading.lost = row.lost();
  if (!reading.lost.empty()) return reading;
  for (const SmiColumn& column : smi_columns) {
    std::string_view cell = row.cell(column.name);
    if (cell.empty() && !column.other_name.empty()) cell = row.cell(column.other_name);
    if (const auto number = number_in_cell(cell)) {
      put_number(column, *number, reading);
    } else if (const auto* metric = std::get_if<Metric>(&column.place)) {
      const std::string why = cell.empty()
                                  ? fmt::format("this version of nvidia-smi has no {}", column.name)
                                  : fmt::format("nvidia-smi reports {}", as_label(cell));
      reading.board.missing.push_back({static_cast<std::uint8_t>(*metric), why});
    }
  }
  fill_missing(reading);
  return reading;
}

}  // namespace

std::string nvidia_smi_query() {
  std::string query = joined(text_columns, ",");
  for (const SmiColumn& column : smi_columns) add_part(query, ",", column.name);
  return query;
}

Result<HostReading> read_nvidia_smi(std::string_view output) {
  HostReading host;
  std::vector<std::string> names;
  std::string other;
  for (const std::string& line : split(output, '\n')) {
    if (trimmed(line).empty()) continue;
    const std::vector<std::string> cells = cells_of(line);
    if (names.empty() && cells.size() > 1 && cells.front() == text_columns.front()) {
      for (const std::string& head : cells) names.push_back(smi_column_name(head));
    } else if (!names.empty() && cells.size() == names.size() &&
               host.boards.size() < smi_boards_max) {
      host.boards.push_back(reading_of(SmiRow(names, cells)));
    } else if (other.empty()) {
      other = as_label(line);
    }
  }
  if (!host.boards.empty()) return host;
  if (other.empty()) return error(ErrorKind::not_found, "nvidia-smi lists no GPU");
  return error(ErrorKind::refused, "nvidia-smi: {}", other);
}

}  // namespace drover::agents
