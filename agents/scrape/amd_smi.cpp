#include <array>
#include <charconv>
#include <cmath>
#include <initializer_list>
#include <optional>
#include <span>

#include "agents/scrape/smi_missing.h"
#include "agents/scrape/smi_output.h"
#include "agents/scrape/texts.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/text/json.h"

namespace drover::agents {
namespace {

/// Where a number stands, which counts multiplied by one number and divided by another. Releases
/// differ in their names: the first that has a number counts.
struct SmiPlace {
  Metric metric;
  std::string_view group, name;
  double times = 1;
  double per = 1;
};
constexpr std::array smi_places = {
    SmiPlace{Metric::utilization, "usage", "gfx_activity", 1, 100},
    SmiPlace{Metric::memory_activity, "usage", "umc_activity", 1, 100},
    SmiPlace{Metric::memory_used, "mem_usage", "used_vram", smi_mib},
    SmiPlace{Metric::memory_total, "mem_usage", "total_vram", smi_mib},
    SmiPlace{Metric::power, "power", "socket_power"},
    SmiPlace{Metric::power, "power", "current_socket_power"},
    SmiPlace{Metric::power, "power", "average_socket_power"},
    SmiPlace{Metric::temperature, "temperature", "edge"},
    SmiPlace{Metric::temperature, "temperature", "hotspot"},
    SmiPlace{Metric::memory_temperature, "temperature", "mem"},
    SmiPlace{Metric::energy, "energy", "total_energy_consumption"},
    SmiPlace{Metric::ecc_corrected, "ecc", "total_correctable_count"},
    SmiPlace{Metric::ecc_uncorrected, "ecc", "total_uncorrectable_count"},
    SmiPlace{Metric::fan, "fan", "usage", 1, 100},
    SmiPlace{Metric::pcie_lanes, "pcie", "width"},
    SmiPlace{Metric::pcie_lanes, "pcie", "current_lanes"},
};

/// 72, "72", {"value": 72, "unit": "%"}; not "N/A".
std::optional<double> number_in_json(const Json& value) {
  const Json& found = value.is_object() ? value["value"] : value;
  double number = found.number();
  if (found.is_text()) {
    const std::string& text = found.text();
    const char* const end = text.data() + text.size();
    const auto [stop, problem] = std::from_chars(text.data(), end, number);
    if (text.empty() || problem != std::errc{} || stop != end) return std::nullopt;
  } else if (!found.is_number()) {
    return std::nullopt;
  }
  if (!std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

std::optional<double> first_number(const Json& group, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (const auto number = number_in_json(group[name])) return number;
  }
  return std::nullopt;
}

std::string text_in(const Json& value) {
  return value.text() == "N/A" ? std::string() : as_label(value.text());
}

/// Of the speed of one lane, in GT/s; 0: not known.
std::uint16_t pcie_generation_of(const Json& speed) {
  const double found = number_in_json(speed).value_or(0);
  return pcie_generation(speed["unit"].text() == "MT/s" ? found * 1e-3 : found);
}

/// There is one clock for each compute die, "gfx_0" to "gfx_7": the fastest counts.
void put_clock(const Json& clocks, std::string_view begins, Metric metric, BoardReading& reading) {
  for (const std::string& name : clocks.keys()) {
    if (!name.starts_with(begins)) continue;
    const auto mhz = first_number(clocks[name], {"clk", "cur_clk"});
    if (mhz) reading.values[metric] = std::fmax(reading.values[metric], *mhz);
    const auto most = number_in_json(clocks[name]["max_clk"]);
    if (most && metric == Metric::clock) reading.board.clock_max_mhz = *most;
  }
}

void put_metrics(const Json& gpu, BoardReading& reading) {
  for (const SmiPlace& place : smi_places) {
    const auto number = number_in_json(gpu[place.group][place.name]);
    if (number && std::isnan(reading.values[place.metric]))
      reading.values[place.metric] = *number * place.times / place.per;
  }
  put_clock(gpu["clock"], "gfx", Metric::clock, reading);
  put_clock(gpu["clock"], "mem", Metric::memory_clock, reading);
  for (const char* name : {"speed", "current_speed"}) {
    const std::uint16_t generation = pcie_generation_of(gpu["pcie"][name]);
    if (generation > 0) reading.values[Metric::pcie_generation] = generation;
  }
}

void put_statics(const Json& gpu, BoardReading& reading) {
  Board& board = reading.board;
  board.name = text_in(gpu["asic"]["market_name"]);
  board.uuid = text_in(gpu["uuid"]);
  board.bus = as_pci_address(text_in(gpu["bus"]["bdf"]));
  const Json& driver = gpu["driver"];
  const std::string version = text_in(driver[driver.has("version") ? "version" : "driver_version"]);
  if (!version.empty()) board.driver = "amdgpu " + version;
  const Json& limit = gpu["limit"].has("ppt0") ? gpu["limit"]["ppt0"] : gpu["limit"];
  board.power_cap_min_w = first_number(limit, {"min_power_limit", "min_power"});
  board.power_cap_max_w = first_number(limit, {"max_power_limit", "max_power"});
  const auto cap = first_number(limit, {"socket_power_limit", "socket_power", "power_cap"});
  if (cap) reading.values[Metric::power_cap] = *cap;
  board.pcie_generation_max = pcie_generation_of(gpu["bus"]["max_pcie_speed"]);
  const double lanes = number_in_json(gpu["bus"]["max_pcie_width"]).value_or(0);
  if (lanes <= UINT16_MAX) board.pcie_lanes_max = static_cast<std::uint16_t>(lanes);
  const auto memory = number_in_json(gpu["vram"]["size"]);
  if (memory) reading.values[Metric::memory_total] = *memory * smi_mib;
}

/// The list of GPUs after what the program may have said before it. ROCm 7 has it in an object.
Result<Json> gpus_in(std::string_view output) {
  std::string said;
  std::size_t at = 0;
  while (at < output.size() && output[at] != '[' && output[at] != '{') {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    if (said.empty()) said = as_label(output.substr(at, end - at));
    at = end + 1;
  }
  if (at >= output.size()) {
    return said.empty() ? error(ErrorKind::refused, "amd-smi printed nothing")
                        : error(ErrorKind::refused, "amd-smi: {}", said);
  }
  auto parsed = Json::parse(output.substr(at));
  if (!parsed) return error("amd-smi printed invalid JSON: {}", parsed.error().message);
  Json list = parsed->is_object() ? (*parsed)["gpu_data"] : *parsed;
  if (!list.is_array()) return error("amd-smi printed JSON without a list of GPUs");
  return list;
}

const Json& gpu_numbered(const Json& list, const Json& number) {
  static const Json none;
  for (std::size_t place = 0; place < list.size(); ++place) {
    if (list[place]["gpu"] == number) return list[place];
  }
  return none;
}

}  // namespace

Result<HostReading> read_amd_smi(std::string_view statics, std::string_view metrics) {
  DROVER_ASSIGN(const Json list, gpus_in(metrics));
  const auto known = gpus_in(statics);
  HostReading host;
  for (std::size_t place = 0; place < std::min(list.size(), smi_boards_max); ++place) {
    const Json& number = list[place]["gpu"];
    BoardReading reading;
    reading.vendor = "amd";
    reading.board.read_by = "amd-smi";
    if (const auto index = number.natural(); index && *index <= UINT16_MAX)
      reading.index = static_cast<std::uint16_t>(*index);
    if (known) put_statics(gpu_numbered(*known, number), reading);
    put_metrics(list[place], reading);
    reading.identity = identity_of(reading);
    fill_missing(reading);
    host.boards.push_back(std::move(reading));
  }
  if (host.boards.empty()) return error(ErrorKind::not_found, "amd-smi lists no GPU");
  return host;
}

}  // namespace drover::agents
