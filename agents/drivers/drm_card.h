// Graphics cards of any vendor, as the kernel lists them in /sys/class/drm.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "agents/drivers/board_reading.h"

namespace drover::agents {

struct DrmCard {
  std::string name;                 // "card0"
  std::string folder;               // "/sys/class/drm/card0"
  std::string device;               // the folder of its device: "/sys/class/drm/card0/device"
  std::string hwmon;                // the folder of its sensors: ".../device/hwmon/hwmon3"
  std::string driver;               // "amdgpu"
  std::string bus;                  // PCI address: "0000:31:00.0"; empty: it is no PCI device
  std::string platform;             // of what is no PCI device: "platform:amdgpu_xcp"
  std::uint32_t vendor = 0;         // of its PCI ids
  std::uint32_t device_number = 0;  // of its PCI ids
  std::vector<std::string> nodes;   // "/dev/dri/renderD128"
};

/// All of them, in the order of their numbers. Outputs of cards, such as card0-DP-1, are left out.
std::vector<DrmCard> drm_cards(const std::string& root);

/// Sensors of a kind by their labels: {"edge", "temp1"}. One without a label has its own name.
using Sensors = std::map<std::string, std::string, std::less<>>;
Sensors labelled_sensors(const std::string& hwmon, std::string_view kind);

struct FileMetric {
  Metric metric;
  const char* file;
  double scale;
};
/// Puts a value for each row. `folder` ends without a slash.
void put_files(BoardReading& reading, const std::string& folder, std::span<const FileMetric> rows);

/// Puts the sensor's value, in C; without the sensor, a reason.
void put_temperature(BoardReading& reading, Metric metric, const std::string& hwmon,
                     const std::string& sensor);

/// Puts the share of its full speed at which the first fan turns.
void put_fan(BoardReading& reading, const std::string& hwmon);

/// Puts generation and lanes, and the most that board and slot together are capable of.
void put_pcie_link(BoardReading& reading, const std::string& device);

/// "amdgpu, Linux 6.8.0-45-generic"
std::string driver_text(const std::string& root, const std::string& driver);

struct BoardName {
  std::uint32_t device_number;
  const char* name;
};
/// The name of this PCI id; empty: it is not in the table.
std::string_view board_name(std::span<const BoardName> names, std::uint32_t device_number);

/// Writes a power cap to a file in uW, within the limits that two others have now; without the file
/// at `least_path` down to 0. The error says what is accepted.
Status write_power_cap(const std::string& path, double watts, const std::string& least_path,
                       const std::string& most_path);

}  // namespace drover::agents
