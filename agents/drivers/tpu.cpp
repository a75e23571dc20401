// Google's TPUs: found by their PCI ids, and read from libtpu's metric service, which exists only
// while a program runs on them.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <set>
#include <utility>

#include "agents/drivers/board_reading.h"
#include "agents/drivers/driver.h"
#include "agents/drivers/process_owners.h"
#include "agents/drivers/processes.h"
#include "agents/drivers/sysfs.h"
#include "agents/drivers/tpu_metrics.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

constexpr const char* google_vendor = "0x1ae0";

struct TpuKind {
  const char* device;     // of its PCI ids
  const char* subsystem;  // of its PCI ids; null: any
  const char* name;
  std::size_t devices_per_chip;  // as libtpu counts devices: a chip's cores
};
// tpu_info/device.py (github.com/AI-Hypercomputer/cloud-accelerator-diagnostics); the same PCI ids
// are in jax/_src/hardware_utils.py.
constexpr std::array<TpuKind, 7> tpu_kinds{{
    {"0x0027", "0x004e", "TPU v2", 2},
    {"0x0027", "0x004f", "TPU v3", 2},
    {"0x005e", nullptr, "TPU v4", 1},
    {"0x0063", nullptr, "TPU v5e", 1},
    {"0x0062", nullptr, "TPU v5p", 1},
    {"0x006f", nullptr, "TPU v6e", 1},
    {"0x0076", nullptr, "TPU v7x", 2},
}};

constexpr double again_after_s = 10;  // when nobody listens, or what listens does not answer

constexpr const char* not_published = "Google does not publish it for a TPU VM";
constexpr std::array<ConstantReason, 25> tpu_reasons{{
    {Metric::tensor_activity,
     "libtpu serves the share of time in which something ran, not how "
     "much of the matrix units it used"},
    {Metric::memory_activity, "libtpu's metric service does not have it"},
    {Metric::power, "Google publishes neither power nor temperature for a TPU VM"},
    {Metric::power_cap, "Google publishes neither power nor power caps for a TPU VM"},
    {Metric::temperature, "Google publishes neither power nor temperature for a TPU VM"},
    {Metric::clock, not_published},
    {Metric::throttle, not_published},
    {Metric::energy, "Google publishes neither power nor energy for a TPU VM"},
    {Metric::queue, "known only of work that Drover places, and none is placed on real devices"},
    {Metric::running, "known only of work that Drover places, and none is placed on real devices"},
    {Metric::memory_temperature, "Google publishes neither power nor temperature for a TPU VM"},
    {Metric::power_violation, not_published},
    {Metric::thermal_violation, not_published},
    {Metric::board_limit_violation, not_published},
    {Metric::memory_clock, not_published},
    {Metric::pcie_sent, "libtpu's metric service does not have it"},
    {Metric::pcie_received, "libtpu's metric service does not have it"},
    {Metric::link_sent, "libtpu's metric service has no rates of the links between chips"},
    {Metric::link_received, "libtpu's metric service has no rates of the links between chips"},
    {Metric::pcie_generation, "a TPU VM does not see the PCIe link of the chip's host"},
    {Metric::pcie_lanes, "a TPU VM does not see the PCIe link of the chip's host"},
    {Metric::ecc_corrected, not_published},
    {Metric::ecc_uncorrected, not_published},
    {Metric::xid, "only NVIDIA's driver reports Xids"},
    {Metric::fan, not_published},
}};

struct TpuChip {
  const TpuKind* kind = nullptr;
  std::string bus;   // PCI address
  std::string node;  // the file that a program opens: "/dev/vfio/0"
};

class TpuDevice : public DriverDevice {
 public:
  TpuDevice(const DriverPlaces& places, std::vector<TpuChip> chips, std::size_t index);
  std::string identity() const override { return chip().bus; }
  BoardReading read(double now_s) override;
  Status set_power_cap(double) override {
    return error(ErrorKind::refused, "Google offers no power caps for TPUs");
  }

 private:
  Result<TpuMetrics> metrics(double now_s);
  /// The place of this chip among those that libtpu reports.
  Result<std::size_t> rank_among(std::size_t reported, const std::set<std::string>& used) const;
  const TpuChip& chip() const { return chips_[index_]; }

  DriverPlaces places_;
  std::vector<TpuChip> chips_;  // of this host
  std::size_t index_;
  std::vector<std::uint16_t> ports_;
  OpenFiles files_;  // of all chips
  ProcessOwners owners_;
  std::optional<Error> failed_;
  double again_at_s_ = 0;
};

std::vector<std::string> nodes_of(const std::vector<TpuChip>& chips) {
  std::vector<std::string> nodes;
  for (const TpuChip& chip : chips) nodes.push_back(chip.node);
  return nodes;
}

TpuDevice::TpuDevice(const DriverPlaces& places, std::vector<TpuChip> chips, std::size_t index)
    : places_(places),
      chips_(std::move(chips)),
      index_(index),
      ports_(tpu_metric_ports(std::getenv("TPU_RUNTIME_METRICS_PORTS"))),
      files_(places.root, nodes_of(chips_)),
      owners_(places.root) {}

Result<TpuMetrics> TpuDevice::metrics(double now_s) {
  if (failed_ && now_s < again_at_s_) return *failed_;
  auto metrics = read_tpu_metrics(places_.tpu_address, ports_);
  failed_.reset();
  if (metrics) return metrics;
  failed_ = metrics.error();
  again_at_s_ = now_s + again_after_s;
  if (failed_->kind == ErrorKind::not_found) {
    failed_->message = "no program uses the chip: libtpu serves metrics only while one runs";
  } else {
    failed_->message = "libtpu's metric service: " + failed_->message;
  }
  return *failed_;
}

Result<std::size_t> TpuDevice::rank_among(std::size_t reported,
                                          const std::set<std::string>& used) const {
  if (reported == chips_.size()) return index_;
  if (reported == 0) return error("libtpu does not serve it");
  if (reported == used.size()) {  // programs use some of the chips, and libtpu reports those
    if (used.count(chip().node) == 0) return error("no program uses the chip");
    std::size_t rank = 0;
    for (std::size_t other = 0; other < index_; ++other) rank += used.count(chips_[other].node);
    return rank;
  }
  return error("libtpu reports {} of this host's {}, but not which", counted(reported, "chip"),
               counted(chips_.size(), "chip"));
}

/// The sum of `each` values at the place `rank` of the list.
Result<double> joined_value(const std::vector<TpuValue>& values, std::size_t each,
                            const Result<std::size_t>& rank) {
  if (!rank) return rank.error();
  double sum = 0;
  for (std::size_t core = 0; core < each; ++core) sum += values[*rank * each + core].value;
  return sum;
}

BoardReading TpuDevice::read(double now_s) {
  BoardReading reading;
  reading.identity = chip().bus;
  reading.device_class = DeviceClass::tpu;
  reading.vendor = "google";
  reading.board.name = chip().kind->name;
  reading.board.bus = chip().bus;
  reading.board.driver = "libtpu";
  reading.board.read_by = "libtpu";
  if (!read_kernel_file(places_.root + "/sys/bus/pci/devices/" + chip().bus + "/vendor")) {
    reading.lost = chip().bus + " is no longer on the PCI bus";
    return reading;
  }
  std::set<std::string> used;
  std::set<std::uint64_t> pids;
  std::vector<DeviceProcess> processes;
  for (const OpenFile& file : files_.find(now_s)) {
    used.insert(file.target);
    if (file.target != chip().node || !pids.insert(file.pid).second) continue;
    DeviceProcess process;
    process.pid = file.pid;
    processes.push_back(std::move(process));
  }
  owners_.describe(processes);
  set_processes(reading.board, std::move(processes), !files_.some_hidden());
  const auto metrics = this->metrics(now_s);
  const auto put_chip = [&](Metric metric, std::vector<TpuValue> TpuMetrics::*list,
                            std::size_t per_chip, double scale) {
    if (!metrics) return put(reading, metric, metrics.error());
    const std::vector<TpuValue>& values = (*metrics).*list;
    const auto value = joined_value(values, per_chip, rank_among(values.size() / per_chip, used));
    put(reading, metric, value ? Result<double>(*value * scale) : value);
  };
  // Duty is of chips; memory is of what libtpu calls devices.
  const std::size_t devices = chip().kind->devices_per_chip;
  put_chip(Metric::utilization, &TpuMetrics::duty_percent, 1, 0.01);
  put_chip(Metric::memory_used, &TpuMetrics::memory_used_bytes, devices, 1);
  put_chip(Metric::memory_total, &TpuMetrics::memory_total_bytes, devices, 1);
  finish(reading, tpu_reasons);
  return reading;
}

/// /dev/vfio/GROUP of newer kinds, /dev/accelN of older ones.
std::string node_of(const std::string& root, const std::string& bus, std::size_t index) {
  const std::string group = link_target(root + "/sys/bus/pci/devices/" + bus + "/iommu_group");
  const std::string vfio = "/dev/vfio/" + group.substr(group.rfind('/') + 1);
  if (!group.empty() && access((root + vfio).c_str(), F_OK) == 0) return vfio;
  const auto numbered = folder_names(root + "/sys/bus/pci/devices/" + bus + "/accel", "accel");
  return "/dev/" + (numbered.empty() ? fmt::format("accel{}", index) : numbered.front());
}

std::vector<TpuChip> tpu_chips(const std::string& root) {
  std::vector<TpuChip> chips;
  for (const std::string& bus : folder_names(root + "/sys/bus/pci/devices")) {
    const std::string folder = fmt::format("{}/sys/bus/pci/devices/{}", root, bus);
    const auto vendor = read_kernel_file(folder + "/vendor");
    const auto device = read_kernel_file(folder + "/device");
    if (!vendor || *vendor != google_vendor || !device) continue;
    const auto subsystem = read_kernel_file(folder + "/subsystem_device");
    for (const TpuKind& kind : tpu_kinds) {
      if (*device != kind.device) continue;
      if (kind.subsystem != nullptr && (!subsystem || *subsystem != kind.subsystem)) continue;
      chips.push_back({&kind, bus, node_of(root, bus, chips.size())});
    }
  }
  return chips;
}

}  // namespace

FoundDevices find_tpu_devices(const DriverPlaces& places) {
  FoundDevices found;
  found.driver = "libtpu";
  const std::vector<TpuChip> chips = tpu_chips(places.root);
  for (std::size_t index = 0; index < chips.size(); ++index)
    found.devices.push_back(std::make_unique<TpuDevice>(places, chips, index));
  if (chips.empty()) found.notes.push_back("no TPU on the PCI bus");
  if (!chips.empty() && geteuid() != 0) found.notes.push_back(hidden_processes_note);
  return found;
}

}  // namespace drover::agents
