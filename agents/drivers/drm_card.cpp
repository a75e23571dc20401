#include "agents/drivers/drm_card.h"

#include <algorithm>
#include <cerrno>
#include <charconv>

#include "agents/drivers/sysfs.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

constexpr std::size_t cards_max = 256;

/// "0x1002"
std::uint32_t hexadecimal(const std::string& path) {
  std::uint32_t number = 0;
  if (const auto text = read_kernel_file(path); text && text->starts_with("0x"))
    std::from_chars(text->data() + 2, text->data() + text->size(), number, 16);
  return number;
}

DrmCard card_at(const std::string& root, const std::string& name) {
  DrmCard card;
  card.name = name;
  card.folder = root + "/sys/class/drm/" + name;
  card.device = card.folder + "/device";
  card.vendor = hexadecimal(card.device + "/vendor");
  card.device_number = hexadecimal(card.device + "/device");
  if (const auto about = read_kernel_file(card.device + "/uevent")) {
    card.driver = value_of_key(*about, "DRIVER");
    card.bus = value_of_key(*about, "PCI_SLOT_NAME");
    if (card.bus.empty()) card.platform = value_of_key(*about, "MODALIAS");
  }
  card.hwmon = card.device + "/hwmon";
  if (const auto names = folder_names(card.hwmon, "hwmon"); !names.empty())
    card.hwmon += "/" + names.front();
  for (const char* kind : {"card", "renderD"}) {
    for (const std::string& node : folder_names(card.device + "/drm", kind))
      card.nodes.push_back("/dev/dri/" + node);
  }
  return card;
}

}  // namespace

std::vector<DrmCard> drm_cards(const std::string& root) {
  std::vector<DrmCard> cards;
  for (const std::string& name : folder_names(root + "/sys/class/drm", "card")) {
    const bool is_card = name.size() > 4 && std::all_of(name.begin() + 4, name.end(), is_digit);
    if (is_card && cards.size() < cards_max) cards.push_back(card_at(root, name));
  }
  return cards;
}

Sensors labelled_sensors(const std::string& hwmon, std::string_view kind) {
  Sensors sensors;
  for (int number = 1; number <= 32; ++number) {
    const std::string sensor = fmt::format("{}{}", kind, number);
    if (is_absent(fmt::format("{}/{}_input", hwmon, sensor))) continue;
    const auto label = read_kernel_file(fmt::format("{}/{}_label", hwmon, sensor));
    sensors.emplace(label ? *label : sensor, sensor);
  }
  return sensors;
}

void put_files(BoardReading& reading, const std::string& folder, std::span<const FileMetric> rows) {
  for (const FileMetric& row : rows) {
    put(reading, row.metric, read_kernel_number(fmt::format("{}/{}", folder, row.file), row.scale));
  }
}

void put_temperature(BoardReading& reading, Metric metric, const std::string& hwmon,
                     const std::string& sensor) {
  if (sensor.empty()) {
    put(reading, metric, error("the driver has no such sensor for this board"));
  } else {
    put(reading, metric, read_kernel_number(fmt::format("{}/{}_input", hwmon, sensor), 1e-3));
  }
}

void put_fan(BoardReading& reading, const std::string& hwmon) {
  const auto speed = read_kernel_number(hwmon + "/fan1_input");
  const auto most = read_kernel_number(hwmon + "/fan1_max");
  if (speed && most && *most > 0) {
    put(reading, Metric::fan, *speed / *most);
  } else if (!speed) {
    put(reading, Metric::fan, error("the driver reports no fan: the board may have none"));
  } else {
    put(reading, Metric::fan, read_kernel_number(hwmon + "/pwm1", 1.0 / 255));
  }
}

void put_pcie_link(BoardReading& reading, const std::string& device) {
  const auto generation = [&device](const char* file) -> Result<double> {
    DROVER_ASSIGN(const std::string text, read_kernel_file(fmt::format("{}/{}", device, file)));
    double speed = 0;
    std::from_chars(text.data(), text.data() + text.size(), speed);
    const std::uint16_t found = pcie_generation(speed);
    if (found == 0) return error("the PCIe link has no known speed: {}", excerpt(text));
    return static_cast<double>(found);
  };
  put(reading, Metric::pcie_generation, generation("current_link_speed"));
  put(reading, Metric::pcie_lanes, read_kernel_number(device + "/current_link_width"));
  if (const auto most = generation("max_link_speed"))
    reading.board.pcie_generation_max = static_cast<std::uint16_t>(*most);
  const auto lanes = read_kernel_number(device + "/max_link_width");
  if (lanes && *lanes > 0 && *lanes <= 64)
    reading.board.pcie_lanes_max = static_cast<std::uint16_t>(*lanes);
}

std::string driver_text(const std::string& root, const std::string& driver) {
  const auto version = read_kernel_file(root + "/sys/module/" + driver + "/version");
  if (version) return driver + " " + *version;
  const auto kernel = read_kernel_file(root + "/proc/sys/kernel/osrelease");
  return kernel ? driver + ", Linux " + *kernel : driver;
}

std::string_view board_name(std::span<const BoardName> names, std::uint32_t device_number) {
  const BoardName* found = find_by(names, &BoardName::device_number, device_number);
  return found == nullptr ? std::string_view() : found->name;
}

Status write_power_cap(const std::string& path, double watts, const std::string& least_path,
                       const std::string& most_path) {
  const auto most_w = read_kernel_number(most_path, 1e-6);
  if (!most_w || *most_w <= 0) {
    return error(ErrorKind::refused, "the driver does not report its power cap range");
  }
  const auto least = read_kernel_number(least_path, 1e-6);
  const double least_w = least ? *least : 0;
  if (!(watts > 0) || watts < least_w || watts > *most_w) {
    return error("{} W: the driver accepts power caps from {} W to {} W", watts, least_w, *most_w);
  }
  Status written = write_kernel_file(path, fmt::format("{:.0f}", watts * 1e6));
  if (!written && written.error().kind == ErrorKind::not_found)
    return error(ErrorKind::refused, "{}", written.error().message);
  return written;
}

}  // namespace drover::agents
