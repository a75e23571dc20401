// Intel's boards by files of the drivers i915 and xe: Linux, Documentation/ABI/testing/
// sysfs-driver-intel-i915-hwmon and sysfs-driver-intel-xe-hwmon. The two drivers have clocks and
// reasons to throttle in different places.
#include <unistd.h>

#include <array>
#include <cmath>
#include <utility>

#include "agents/drivers/driver.h"
#include "agents/drivers/drm_card.h"
#include "agents/drivers/drm_processes.h"
#include "agents/drivers/sysfs.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

constexpr std::uint32_t intel_vendor = 0x8086;

// PCI ids from pci.ids (pci-ids.ucw.cz).
constexpr std::array<BoardName, 23> intel_names{{
    {0x0bd5, "Intel Data Center GPU Max 1550"},
    {0x0bd6, "Intel Data Center GPU Max 1550"},
    {0x0bd7, "Intel Data Center GPU Max 1350"},
    {0x0bd8, "Intel Data Center GPU Max 1350"},
    {0x0bd9, "Intel Data Center GPU Max 1100"},
    {0x0bda, "Intel Data Center GPU Max 1100"},
    {0x0bdb, "Intel Data Center GPU Max 1100"},
    {0x5690, "Intel Arc A770M"},
    {0x5691, "Intel Arc A730M"},
    {0x5692, "Intel Arc A550M"},
    {0x5693, "Intel Arc A370M"},
    {0x5694, "Intel Arc A350M"},
    {0x56a0, "Intel Arc A770"},
    {0x56a1, "Intel Arc A750"},
    {0x56a2, "Intel Arc A580"},
    {0x56a5, "Intel Arc A380"},
    {0x56a6, "Intel Arc A310"},
    {0x56b0, "Intel Arc Pro A30M"},
    {0x56b1, "Intel Arc Pro A40/A50"},
    {0x56c0, "Intel Data Center GPU Flex 170"},
    {0x56c1, "Intel Data Center GPU Flex 140"},
    {0xe20b, "Intel Arc B580"},
    {0xe20c, "Intel Arc B570"},
}};

/// Where a driver has the clock of the first engine, and the reasons why it is lowered.
struct ClockPlace {
  const char* driver;
  const char* current;  // MHz; in the card's folder
  const char* most;
  const char* reasons;  // the beginning of the files' names; null: none
};
constexpr std::array<ClockPlace, 3> clock_places{{
    {"xe", "device/tile0/gt0/freq0/act_freq", "device/tile0/gt0/freq0/rp0_freq",
     "device/tile0/gt0/freq0/throttle/reason_"},
    {"i915", "gt/gt0/rps_act_freq_mhz", "gt/gt0/rps_RP0_freq_mhz", "gt/gt0/throttle_reason_"},
    {"i915", "gt_act_freq_mhz", "gt_RP0_freq_mhz", nullptr},  // before Linux 5.18
}};
/// PL4, limits of currents and RATL have no counterpart.
struct ThrottleReason {
  const char* file;
  Throttle bit;
};
constexpr std::array<ThrottleReason, 4> throttle_reasons{{
    {"pl1", throttle_sw_power_cap},
    {"pl2", throttle_sw_power_cap},
    {"thermal", throttle_sw_thermal_slowdown},
    {"prochot", throttle_hw_thermal_slowdown},
}};

constexpr const char* why_no_busy_time =
    "the driver has busy time in perf events, which need CAP_PERFMON and are not read; where "
    "no process is hidden (as root, outside of containers) it is added up over processes";
constexpr std::array<ConstantReason, 15> intel_reasons{{
    {Metric::tensor_activity, "the driver does not publish the activity of the matrix engines"},
    {Metric::memory_activity, "the driver does not publish it; Level Zero's sysman has it"},
    {Metric::queue, "known only of work that Drover places, and none is placed on real devices"},
    {Metric::running, "known only of work that Drover places, and none is placed on real devices"},
    {Metric::power_violation, "the driver says whether it throttles, not for how long"},
    {Metric::thermal_violation, "the driver says whether it throttles, not for how long"},
    {Metric::board_limit_violation, "the driver has no counter of power brakes"},
    {Metric::memory_clock, "the driver does not publish it"},
    {Metric::pcie_sent, "the driver does not count bytes on PCIe"},
    {Metric::pcie_received, "the driver does not count bytes on PCIe"},
    {Metric::link_sent, "the driver does not count bytes on Xe Link"},
    {Metric::link_received, "the driver does not count bytes on Xe Link"},
    {Metric::ecc_corrected, "i915 and xe publish no error counts in files"},
    {Metric::ecc_uncorrected, "i915 and xe publish no error counts in files"},
    {Metric::xid, "only NVIDIA's driver reports Xids"},
}};

class IntelDevice : public DriverDevice {
 public:
  IntelDevice(const std::string& root, DrmCard card);
  std::string identity() const override { return card_.bus; }
  BoardReading read(double now_s) override;
  Status set_power_cap(double watts) override;

 private:
  void put_power(BoardReading& reading, double now_s);
  void put_clock(BoardReading& reading) const;
  void put_memory_total(BoardReading& reading) const;
  void put_use(BoardReading& reading, double now_s);
  std::string file(const char* name) const { return card_.folder + "/" + name; }

  DrmCard card_;
  BoardReading about_;  // what does not change
  const ClockPlace* clocks_ = nullptr;
  std::string energy_sensor_;
  std::string temperature_sensor_;
  std::string memory_sensor_;
  DrmProcesses processes_;
  CounterRate power_;
};

/// The sensor with the first of these labels.
std::string first_of(const Sensors& sensors, std::initializer_list<const char*> labels) {
  for (const char* label : labels) {
    if (const std::string* sensor = find_in(sensors, label)) return *sensor;
  }
  return {};
}

IntelDevice::IntelDevice(const std::string& root, DrmCard card)
    : card_(std::move(card)), processes_(root, card_.nodes, card_.bus) {
  about_.identity = card_.bus;
  about_.vendor = "intel";
  Board& board = about_.board;
  const std::string_view name = board_name(intel_names, card_.device_number);
  board.name = name.empty()
                   ? fmt::format("Intel GPU {:04x}:{:04x}", card_.vendor, card_.device_number)
                   : std::string(name);
  board.bus = card_.bus;
  board.driver = driver_text(root, card_.driver);
  board.read_by = card_.driver;
  for (const ClockPlace& place : clock_places) {
    if (clocks_ == nullptr && !is_absent(file(place.current))) clocks_ = &place;
  }
  if (clocks_ != nullptr) {
    if (const auto most = read_kernel_number(file(clocks_->most))) board.clock_max_mhz = *most;
  }
  if (const auto most = read_kernel_number(card_.hwmon + "/power1_rated_max", 1e-6))
    board.power_cap_max_w = board.power_cap_default_w = *most;
  // xe: the whole card, else the chip. i915 has one sensor without a label.
  energy_sensor_ = first_of(labelled_sensors(card_.hwmon, "energy"), {"card", "energy1", "pkg"});
  const Sensors temperatures = labelled_sensors(card_.hwmon, "temp");
  temperature_sensor_ = first_of(temperatures, {"pkg", "temp1"});
  memory_sensor_ = first_of(temperatures, {"vram"});
}

void IntelDevice::put_power(BoardReading& reading, double now_s) {
  if (energy_sensor_.empty()) {
    const auto why = error("the driver has no energy counter for this board");
    put(reading, Metric::energy, why);
    put(reading, Metric::power, why);
  } else {
    const auto joules =
        read_kernel_number(fmt::format("{}/{}_input", card_.hwmon, energy_sensor_), 1e-6);
    put(reading, Metric::energy, joules);
    put(reading, Metric::power, joules ? power_.update(*joules, now_s) : joules);
  }
  const auto cap = read_kernel_number(card_.hwmon + "/power1_max", 1e-6);
  put(reading, Metric::power_cap, cap && *cap == 0 ? error("the power cap is switched off") : cap);
}

void IntelDevice::put_clock(BoardReading& reading) const {
  if (clocks_ == nullptr) {
    const auto why = error("the driver has no file of clocks for this board");
    put(reading, Metric::clock, why);
    put(reading, Metric::throttle, why);
    return;
  }
  put(reading, Metric::clock, read_kernel_number(file(clocks_->current)));
  if (clocks_->reasons == nullptr) {
    put(reading, Metric::throttle, error("this version of the driver does not say"));
    return;
  }
  std::uint32_t bits = 0;
  for (const ThrottleReason& each : throttle_reasons) {
    const auto in_force =
        read_kernel_number(fmt::format("{}/{}{}", card_.folder, clocks_->reasons, each.file));
    if (!in_force) {
      put(reading, Metric::throttle, in_force);
      return;
    }
    if (*in_force != 0) bits |= each.bit;
  }
  put(reading, Metric::throttle, static_cast<double>(bits));
}

void IntelDevice::put_memory_total(BoardReading& reading) const {
  double bytes = 0;
  for (const std::string& tile : folder_names(card_.device, "tile")) {  // xe
    if (const auto size =
            read_kernel_number(fmt::format("{}/{}/physical_vram_size_bytes", card_.device, tile)))
      bytes += *size;
  }
  // Intel's own i915 for servers; the one of Linux does not say.
  if (const auto size = read_kernel_number(file("lmem_total_bytes"))) bytes += *size;
  put(reading, Metric::memory_total,
      bytes > 0 ? Result<double>(bytes)
                : error("the driver has no file with the size of the memory: it may be a part of "
                        "main memory"));
}

void IntelDevice::put_use(BoardReading& reading, double now_s) {
  DrmUse use = processes_.read(now_s);
  set_processes(reading.board, std::move(use.processes), use.complete);
  if (!use.complete) {
    put(reading, Metric::utilization, error("{}", why_no_busy_time));
    put(reading, Metric::memory_used,
        error(
            "added up over processes, and some are hidden: root, outside of containers, sees all"));
    return;
  }
  put(reading, Metric::utilization,
      use.busy ? Result<double>(*use.busy) : error("busy time of processes needs two readings"));
  put(reading, Metric::memory_used,
      use.memory_bytes ? Result<double>(*use.memory_bytes)
                       : error("the driver does not say how much memory processes have"));
}

BoardReading IntelDevice::read(double now_s) {
  BoardReading reading = about_;
  if (!read_kernel_file(card_.device + "/uevent")) {
    reading.lost = fmt::format("{} is no longer there", card_.name);
    return reading;
  }
  put_power(reading, now_s);
  put_clock(reading);
  put_memory_total(reading);
  put_temperature(reading, Metric::temperature, card_.hwmon, temperature_sensor_);
  put_temperature(reading, Metric::memory_temperature, card_.hwmon, memory_sensor_);
  put_fan(reading, card_.hwmon);
  put_pcie_link(reading, card_.device);
  put_use(reading, now_s);
  finish(reading, intel_reasons);
  return reading;
}

Status IntelDevice::set_power_cap(double watts) {
  return write_power_cap(card_.hwmon + "/power1_max", watts, card_.hwmon + "/power1_min",
                         card_.hwmon + "/power1_rated_max");
}

}  // namespace

FoundDevices find_intel_devices(const DriverPlaces& places) {
  FoundDevices found;
  found.driver = "i915 and xe";
  for (DrmCard& card : drm_cards(places.root)) {
    if (card.vendor != intel_vendor) continue;
    if (card.driver != "i915" && card.driver != "xe") {
      found.notes.push_back(
          fmt::format("{}: the driver is {}; i915 and xe are read", card.name, card.driver));
      continue;
    }
    if (found.devices.empty()) found.driver = driver_text(places.root, card.driver);
    found.devices.push_back(std::make_unique<IntelDevice>(places.root, std::move(card)));
  }
  if (found.devices.empty()) {
    if (found.notes.empty()) found.notes.push_back("no Intel card in /sys/class/drm");
  } else {
    found.notes.push_back(
        "Intel: utilization and used memory are added up over the processes on the card");
    if (geteuid() != 0) found.notes.push_back(hidden_processes_note);
  }
  return found;
}

}  // namespace drover::agents
