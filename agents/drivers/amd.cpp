// AMD's boards by files of amdgpu: Linux, Documentation/gpu/amdgpu/thermal.rst and
// driver-misc.rst. Watts, degrees and clocks are in hwmon, and what else the firmware reports is in
// gpu_metrics.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "agents/drivers/driver.h"
#include "agents/drivers/drm_card.h"
#include "agents/drivers/drm_processes.h"
#include "agents/drivers/gpu_metrics.h"
#include "agents/drivers/sysfs.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

constexpr std::uint32_t amd_vendor = 0x1002;

// PCI ids of the catalogue's boards, from pci.ids (pci-ids.ucw.cz). That of MI355X was not yet
// there and is from public tables of ROCm kernels that are tuned by board. 0x740c is of both MI250
// and MI250X: there product_name decides.
constexpr std::array<BoardName, 10> amd_names{{
    {0x738c, "AMD Instinct MI100"},
    {0x738e, "AMD Instinct MI100"},
    {0x7408, "AMD Instinct MI250X"},
    {0x740f, "AMD Instinct MI210"},
    {0x74a1, "AMD Instinct MI300X"},
    {0x74a9, "AMD Instinct MI300X"},
    {0x74b5, "AMD Instinct MI300X"},
    {0x74a5, "AMD Instinct MI325X"},
    {0x74b9, "AMD Instinct MI325X"},
    {0x75a3, "AMD Instinct MI355X"},
}};
// Two dies on a board, each a device of its own. Only the first die has power readings, which are
// for both (aldebaran_is_primary in Linux, aldebaran_ppt.c).
constexpr std::array<std::uint32_t, 2> boards_of_two_dies = {0x7408, 0x740c};
// Before revision 1.4 of gpu_metrics only these boards are known to count energy in 2^-16 J
// (smu13_driver_if_aldebaran.h).
constexpr std::array<std::uint32_t, 3> mi200_boards = {0x7408, 0x740c, 0x740f};
constexpr double energy_unit_j = 1.0 / 65536;
constexpr int first_content_with_energy_unit = 4;

constexpr std::array<FileMetric, 4> device_files{{
    {Metric::utilization, "gpu_busy_percent", 0.01},
    {Metric::memory_activity, "mem_busy_percent", 0.01},
    {Metric::memory_used, "mem_info_vram_used", 1},
    {Metric::memory_total, "mem_info_vram_total", 1},
}};
constexpr std::array<FileMetric, 5> sensor_files{{
    {Metric::power, "power1_average", 1e-6},
    {Metric::power, "power1_input", 1e-6},  // newer boards
    {Metric::power_cap, "power1_cap", 1e-6},
    {Metric::clock, "freq1_input", 1e-6},
    {Metric::memory_clock, "freq2_input", 1e-6},
}};
// What a board has once, however many partitions it is in.
constexpr std::array<Metric, 17> metrics_of_whole_board = {
    Metric::power,
    Metric::power_cap,
    Metric::temperature,
    Metric::throttle,
    Metric::energy,
    Metric::memory_temperature,
    Metric::power_violation,
    Metric::thermal_violation,
    Metric::link_sent,
    Metric::link_received,
    Metric::pcie_generation,
    Metric::pcie_lanes,
    Metric::fan,
    Metric::ecc_corrected,
    Metric::ecc_uncorrected,
    Metric::clock,
    Metric::memory_clock,
};
constexpr std::array<ConstantReason, 7> amd_reasons{{
    {Metric::tensor_activity,
     "amdgpu does not publish the activity of the matrix units; profilers such as rocprof measure "
     "it"},
    {Metric::queue, "known only of work that Drover places, and none is placed on real devices"},
    {Metric::running, "known only of work that Drover places, and none is placed on real devices"},
    {Metric::board_limit_violation, "amdgpu has no counter of power brakes"},
    {Metric::pcie_sent, "pcie_bw counts packets, not bytes, and each reading of it takes a second"},
    {Metric::pcie_received,
     "pcie_bw counts packets, not bytes, and each reading of it takes a second"},
    {Metric::xid, "only NVIDIA's driver reports Xids"},
}};

struct AmdCard {
  DrmCard card;
  std::string identity;
  std::string unique_id;
  std::string partition_of;  // the card that has the board's power and heat; empty: this one
  std::uint32_t partition = 0;
};

std::string amd_board_name(const DrmCard& card) {
  const std::string_view known = board_name(amd_names, card.device_number);
  if (!known.empty()) return std::string(known);
  const auto product = read_kernel_file(card.device + "/product_name");
  if (product) {
    if (product->find("MI250X") != std::string::npos) return "AMD Instinct MI250X";
    if (product->find("MI250") != std::string::npos) return "AMD Instinct MI250";
    return printable(*product);
  }
  const auto number = read_kernel_file(card.device + "/product_number");
  return fmt::format(
      "AMD GPU {}",
      number ? printable(*number) : fmt::format("{:04x}:{:04x}", card.vendor, card.device_number));
}

/// The largest of lines such as "1: 2100Mhz *".
std::optional<double> highest_clock(const DrmCard& card) {
  const auto levels = read_kernel_file(card.device + "/pp_dpm_sclk");
  if (!levels) return std::nullopt;
  double most = 0;
  for (const std::string& line : split(*levels, '\n')) {
    const std::size_t colon = std::min(line.find(": "), line.size());
    double clock = 0;
    std::from_chars(line.data() + std::min(colon + 2, line.size()), line.data() + line.size(),
                    clock);
    most = std::max(most, clock);
  }
  return most > 0 ? std::optional(most) : std::nullopt;
}

std::optional<double> optional_number(const std::string& path, double scale) {
  const auto number = read_kernel_number(path, scale);
  return number ? std::optional(*number) : std::nullopt;
}

class AmdDevice : public DriverDevice {
 public:
  AmdDevice(const std::string& root, AmdCard found);
  std::string identity() const override { return found_.identity; }
  BoardReading read(double now_s) override;
  Status set_power_cap(double watts) override;

 private:
  void put_whole_board(BoardReading& reading, double now_s);
  void put_table(BoardReading& reading, double now_s);
  void put_throttle(BoardReading& reading, const GpuMetrics& table, double now_s);
  void put_errors(BoardReading& reading) const;

  AmdCard found_;
  const DrmCard& card_ = found_.card;
  BoardReading about_;  // what does not change
  std::string temperature_sensor_;
  std::string memory_sensor_;
  DrmProcesses processes_;
  CounterRate link_sent_;
  CounterRate link_received_;
  std::optional<ThrottleTicks> ticks_before_;
  double ticks_before_s_ = 0;
  double power_violation_s_ = 0;  // since the first reading
  double thermal_violation_s_ = 0;
};

AmdDevice::AmdDevice(const std::string& root, AmdCard found)
    : found_(std::move(found)), processes_(root, card_.nodes, card_.bus) {
  about_.identity = found_.identity;
  about_.vendor = "amd";
  Board& board = about_.board;
  board.name = amd_board_name(card_);
  board.uuid = found_.unique_id;
  board.bus = card_.bus;
  board.driver = driver_text(root, "amdgpu");
  board.read_by = "amdgpu";
  board.clock_max_mhz = highest_clock(card_);
  const Sensors sensors = labelled_sensors(card_.hwmon, "temp");
  for (const char* label : {"edge", "junction"}) {  // newer boards have no "edge"
    const std::string* sensor = find_in(sensors, label);
    if (sensor != nullptr && temperature_sensor_.empty()) temperature_sensor_ = *sensor;
  }
  if (const std::string* sensor = find_in(sensors, "mem")) memory_sensor_ = *sensor;
  if (!found_.partition_of.empty()) return;
  const std::string cap = card_.hwmon + "/power1_cap";
  board.power_cap_min_w = optional_number(cap + "_min", 1e-6);
  board.power_cap_max_w = optional_number(cap + "_max", 1e-6);
  board.power_cap_default_w = optional_number(cap + "_default", 1e-6);
  board.slowdown_c = optional_number(card_.hwmon + "/" + temperature_sensor_ + "_crit", 1e-3);
}

/// Of the second die, older drivers say 0 W, and newer ones that it is not supported.
void leave_to_first_die(BoardReading& reading) {
  for (const Metric metric : {Metric::power, Metric::power_cap, Metric::energy}) {
    if (reading.values[metric] > 0) continue;
    reading.values[metric] = absent;
    std::erase_if(reading.board.missing, [metric](const MissingMetric& each) {
      return each.metric == static_cast<std::uint8_t>(metric);
    });
    put(reading, metric, error("the first die of this board has it for both dies"));
  }
}

void AmdDevice::put_throttle(BoardReading& reading, const GpuMetrics& table, double now_s) {
  if (table.throttle_status) {
    put(reading, Metric::throttle, static_cast<double>(throttle_of_status(*table.throttle_status)));
  }
  const auto before = std::exchange(ticks_before_, table.throttle_ticks);
  const double elapsed_s = now_s - std::exchange(ticks_before_s_, now_s);
  if (table.throttle_ticks && before) {
    const ThrottleTicks& now = *table.throttle_ticks;
    // Differences of unsigned numbers are right also where a counter has wrapped around. What has
    // been in force for longer than all of the time was reset.
    const std::uint32_t ticks = now.ticks - before->ticks;
    const auto share = [ticks](std::uint32_t in_force) {
      return ticks == 0 || in_force > ticks ? 0.0 : double(in_force) / ticks;
    };
    const double by_power = share(now.power - before->power);
    const double by_chip =
        std::max(share(now.chip - before->chip), share(now.memory - before->memory));
    const double by_others =
        std::max(share(now.external - before->external), share(now.regulator - before->regulator));
    power_violation_s_ += by_power * elapsed_s;
    thermal_violation_s_ += std::max(by_chip, by_others) * elapsed_s;
    std::uint32_t bits = 0;
    if (by_power > 0) bits |= throttle_sw_power_cap;
    if (by_chip > 0) bits |= throttle_sw_thermal_slowdown;
    if (by_others > 0) bits |= throttle_hw_thermal_slowdown;
    put(reading, Metric::throttle, static_cast<double>(bits));
  }
  if (table.throttle_ticks) {
    put(reading, Metric::power_violation, power_violation_s_);
    put(reading, Metric::thermal_violation, thermal_violation_s_);
  }
  const auto why = error("gpu_metrics of revision 1.{} does not say", table.content_revision);
  put(reading, Metric::throttle,
      table.throttle_ticks ? error("the reasons to throttle need two readings") : why);
  put(reading, Metric::power_violation, why);
  put(reading, Metric::thermal_violation, why);
}

void AmdDevice::put_table(BoardReading& reading, double now_s) {
  const auto parsed = [this]() -> Result<GpuMetrics> {
    DROVER_ASSIGN(const std::string bytes,
                  read_kernel_bytes(card_.device + "/gpu_metrics", gpu_metrics_bytes_max));
    return parse_gpu_metrics(bytes);
  }();
  if (!parsed) {
    for (const Metric metric : {Metric::temperature, Metric::memory_temperature, Metric::throttle,
                                Metric::energy, Metric::power_violation, Metric::thermal_violation,
                                Metric::link_sent, Metric::link_received}) {
      put(reading, metric, parsed.error());
    }
    return;
  }
  const GpuMetrics& table = *parsed;
  const auto why = error("gpu_metrics of revision 1.{} does not say", table.content_revision);
  const auto put_value = [&](Metric metric, std::optional<double> value) {
    put(reading, metric, value ? Result<double>(*value) : Result<double>(why));
  };
  if (temperature_sensor_.empty()) put_value(Metric::temperature, table.temperature_c);
  if (memory_sensor_.empty()) put_value(Metric::memory_temperature, table.memory_temperature_c);
  const bool counts_joules = table.content_revision >= first_content_with_energy_unit ||
                             contains(mi200_boards, card_.device_number);
  if (table.energy && counts_joules) {
    put(reading, Metric::energy, static_cast<double>(*table.energy) * energy_unit_j);
  }
  put(reading, Metric::energy,
      error("the unit of gpu_metrics' energy counter is not published for this board"));
  put_throttle(reading, table, now_s);
  // The board's own switch hides the slot from the files of the link.
  if (table.pcie_lanes && *table.pcie_lanes > 0) {
    put(reading, Metric::pcie_lanes, *table.pcie_lanes);
    const std::uint16_t generation = pcie_generation(table.pcie_gt_s.value_or(0));
    if (generation > 0) put(reading, Metric::pcie_generation, double(generation));
  }
  put(reading, Metric::link_sent,
      table.link_written_bytes ? link_sent_.update(*table.link_written_bytes, now_s) : why);
  put(reading, Metric::link_received,
      table.link_read_bytes ? link_received_.update(*table.link_read_bytes, now_s) : why);
}

/// "ue: 0", "ce: 12": uncorrectable and correctable errors of the memory.
void AmdDevice::put_errors(BoardReading& reading) const {
  auto counts = read_kernel_file(card_.device + "/ras/umc_err_count");
  if (!counts) counts = read_kernel_file(card_.device + "/ras/aca_umc");  // newer drivers
  const auto count = [&counts](std::string_view key) -> Result<double> {
    if (!counts) return error("the driver does not report memory errors for this board");
    const std::string_view value = value_of_key(*counts, key, ':');
    std::uint64_t number = 0;
    if (std::from_chars(value.data(), value.data() + value.size(), number).ec != std::errc())
      return error("umc_err_count has no line \"{}: NUMBER\"", key);
    return static_cast<double>(number);
  };
  put(reading, Metric::ecc_corrected, count("ce"));
  put(reading, Metric::ecc_uncorrected, count("ue"));
}

void AmdDevice::put_whole_board(BoardReading& reading, double now_s) {
  put_files(reading, card_.hwmon, sensor_files);
  put_temperature(reading, Metric::temperature, card_.hwmon, temperature_sensor_);
  put_temperature(reading, Metric::memory_temperature, card_.hwmon, memory_sensor_);
  put_fan(reading, card_.hwmon);
  put_pcie_link(reading, card_.device);
  put_errors(reading);
  put_table(reading, now_s);
  if (contains(boards_of_two_dies, card_.device_number)) leave_to_first_die(reading);
}

BoardReading AmdDevice::read(double now_s) {
  BoardReading reading = about_;
  if (!read_kernel_file(card_.device + "/uevent")) {
    reading.lost = fmt::format("{} is no longer there", card_.name);
    return reading;
  }
  if (!found_.partition_of.empty()) {
    const auto why = error("{} is a partition: {} has this for the whole board", card_.name,
                           found_.partition_of);
    for (const Metric metric : metrics_of_whole_board) put(reading, metric, why);
  }
  put_files(reading, card_.device, device_files);
  if (found_.partition_of.empty()) put_whole_board(reading, now_s);
  DrmUse use = processes_.read(now_s);
  set_processes(reading.board, std::move(use.processes), use.complete);
  finish(reading, amd_reasons);
  return reading;
}

Status AmdDevice::set_power_cap(double watts) {
  if (!found_.partition_of.empty()) {
    return error(ErrorKind::refused, "{} is a partition: {} has the power cap of the whole board",
                 card_.name, found_.partition_of);
  }
  const std::string cap = card_.hwmon + "/power1_cap";
  return write_power_cap(cap, watts, cap + "_min", cap + "_max");
}

/// The PCI address of the board that a partition is of: a partition is no PCI device, but ROCm's
/// list of devices has an address for it.
std::string bus_of_partition(const std::string& root, const DrmCard& card) {
  constexpr std::string_view render_node = "/dev/dri/renderD";
  const std::string nodes = root + "/sys/class/kfd/kfd/topology/nodes/";
  for (const std::string& node : folder_names(nodes)) {
    const auto properties = read_kernel_file(nodes + node + "/properties");
    if (!properties) continue;
    const auto number = [&properties](std::string_view key) {
      const std::string_view text = value_of_key(*properties, key, ' ');
      std::uint32_t value = 0;
      std::from_chars(text.data(), text.data() + text.size(), value);
      return value;
    };
    const std::string minor(value_of_key(*properties, "drm_render_minor", ' '));
    if (minor.empty() || !contains(card.nodes, std::string(render_node) + minor)) continue;
    const std::uint32_t location = number("location_id");  // its function is the partition
    return fmt::format("{:04x}:{:02x}:{:02x}.0", number("domain"), location >> 8 & 0xff,
                       location >> 3 & 0x1f);
  }
  return {};
}

/// Boards, and partitions after the board that they are of.
std::vector<AmdCard> amd_cards(const std::string& root, std::vector<std::string>& notes) {
  std::vector<AmdCard> cards;
  for (DrmCard& card : drm_cards(root)) {
    const bool is_partition = card.platform.find("amdgpu_xcp") != std::string::npos;
    if (card.vendor != amd_vendor && !is_partition) continue;
    if (!is_partition && card.driver != "amdgpu") {
      notes.push_back(fmt::format("{}: the driver is {}; amdgpu is read", card.name, card.driver));
      continue;
    }
    if (is_partition) card.bus = bus_of_partition(root, card);
    AmdCard found;
    for (AmdCard& other : cards) {
      if (other.card.bus != card.bus || !other.partition_of.empty()) continue;
      found.partition_of = other.card.name;
      found.identity = fmt::format("{}/partition {}", other.identity, ++other.partition);
    }
    if (is_partition && found.partition_of.empty()) {
      found.partition_of = "another card";
      found.identity = card.name;
    }
    if (const auto id = read_kernel_file(card.device + "/unique_id"))
      found.unique_id = excerpt(*id);
    const bool is_unique =
        !found.unique_id.empty() && find_by(cards, &AmdCard::unique_id, found.unique_id) == nullptr;
    if (found.identity.empty()) found.identity = is_unique ? found.unique_id : card.bus;
    found.card = std::move(card);
    cards.push_back(std::move(found));
  }
  return cards;
}

}  // namespace

FoundDevices find_amd_devices(const DriverPlaces& places) {
  FoundDevices found;
  found.driver = "amdgpu";
  for (AmdCard& card : amd_cards(places.root, found.notes))
    found.devices.push_back(std::make_unique<AmdDevice>(places.root, std::move(card)));
  if (found.devices.empty()) {
    if (found.notes.empty()) found.notes.push_back("no AMD card in /sys/class/drm");
    return found;
  }
  found.driver = driver_text(places.root, "amdgpu");
  if (geteuid() != 0) found.notes.push_back(hidden_processes_note);
  return found;
}

}  // namespace drover::agents
