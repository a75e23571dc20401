// Facts that the catalogue does not have are from NVIDIA's public documents: compute capabilities
// (CUDA C++ Programming Guide), generations and speeds of NVLink (NVLink page, nvml.h).
#include "agents/fake_nvml/records.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

#include <fmt/format.h>

#include "devices/catalogue/spec.h"
#include "fleet/base/fnv1a.h"
#include "fleet/sample/sample.h"

namespace drover::fake_nvml {

namespace {

using agents::PublishedDevice;
using devices::DeviceSpec;

struct Generation {
  std::string_view name;
  std::uint32_t architecture;  // nvmlDeviceArchitecture_t
  std::uint32_t compute_major, compute_minor;
  std::uint32_t nvlink_version;  // nvmlNvlinkVersion_t
  double nvlink_gb_s;            // of one link, one direction
};
constexpr Generation generations[] = {
    {"kepler", 2, 3, 7, 0, 0},  {"pascal", 4, 6, 0, 1, 20},      {"volta", 5, 7, 0, 2, 25},
    {"turing", 6, 7, 5, 2, 25}, {"ampere", 7, 8, 0, 5, 25},      {"ada", 8, 8, 9, 0, 0},
    {"hopper", 9, 9, 0, 6, 25}, {"blackwell", 10, 10, 0, 7, 50},
};
constexpr Generation unknown_generation{"", 0xffffffffU, 0, 0, 0, 0};

const Generation& generation_of(const DeviceSpec& spec) {
  const auto found =
      std::find_if(std::begin(generations), std::end(generations),
                   [&](const Generation& one) { return one.name == spec.generation; });
  return found == std::end(generations) ? unknown_generation : *found;
}

/// Devices of other chips than the largest one of their generation.
struct ComputeCapability {
  std::string_view device;  // its id in the catalogue
  std::uint32_t major, minor;
};
constexpr ComputeCapability smaller_chips[] = {
    {"gtx-1080-ti", 6, 1}, {"a2", 8, 6},
    {"a10", 8, 6},         {"a40", 8, 6},
    {"rtx-3070", 8, 6},    {"rtx-3080", 8, 6},
    {"rtx-3090", 8, 6},    {"rtx-a4000", 8, 6},
    {"rtx-a5000", 8, 6},   {"rtx-a6000", 8, 6},
    {"b300-sxm", 10, 3},   {"gb300", 10, 3},
    {"rtx-5090", 12, 0},   {"rtx-pro-6000", 12, 0},
};

struct Brand {
  std::string_view in_name;
  std::uint32_t number;  // nvmlBrandType_t
};
constexpr std::uint32_t nvidia_brand = 14;
constexpr Brand brands[] = {{"GeForce RTX", 15}, {"GeForce", 5}, {"TITAN RTX", 16}, {"TITAN", 6},
                            {"Quadro RTX", 12},  {"Tesla", 2},   {"NVIDIA RTX", 13}};

void set_compute_capability(NvmlDevice& device, const DeviceSpec& spec) {
  const Generation& generation = generation_of(spec);
  device.compute_major = generation.compute_major;
  device.compute_minor = generation.compute_minor;
  for (const ComputeCapability& chip : smaller_chips) {
    if (spec.id != chip.device) continue;
    device.compute_major = chip.major;
    device.compute_minor = chip.minor;
  }
}

template <std::size_t size>
void set_text(std::array<char, size>& field, std::string_view text) {
  std::memcpy(field.data(), text.data(), std::min(text.size(), size - 1));
}

/// 128 bits that follow from the host's name and the device's index.
void set_identity(NvmlDevice& device, const std::string& host, std::size_t index) {
  const std::uint64_t high = fnv1a(fmt::format("{}/{}", host, index));
  const std::uint64_t low = fnv1a(fmt::format("{:x}", high));
  set_text(device.uuid,
           fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32U,
                       high >> 16U & 0xffffU, high & 0xffffU, low >> 48U, low & 0xffffffffffffU));
  set_text(device.serial, fmt::format("{:013}", low % 10'000'000'000'000U));
}

void set_links(NvmlDevice& device, const DeviceSpec& spec) {
  device.pcie_generation = spec.links.pcie_generation;
  device.pcie_lanes = spec.links.pcie_generation == 0 ? 0 : spec.links.pcie_lanes;
  const Generation& generation = generation_of(spec);
  if (generation.nvlink_gb_s == 0 || spec.links.domain < 2) return;
  const double one_way_gb_s = spec.links.one_way() / 1e9;
  const double links = one_way_gb_s / generation.nvlink_gb_s;
  // The bridges of Ampere's workstation boards have four links of 14 GB/s.
  device.nvlinks = links == std::floor(links) ? static_cast<std::uint32_t>(links) : 4;
  device.nvlink_version = generation.nvlink_version;
  device.nvlink_mb_s = static_cast<std::uint32_t>(one_way_gb_s * 1000 / device.nvlinks);
}

void set_limits(NvmlDevice& device, const DeviceSpec& spec) {
  if (spec.takes_power_cap()) {
    device.power_limit_min_mw = static_cast<std::uint32_t>(spec.power.cap_min_w * 1000);
    device.power_limit_max_mw = static_cast<std::uint32_t>(spec.power.tdp_w * 1000);
  }
  const auto limit = [](double celsius) {
    const bool known = celsius > 0 && celsius < devices::memory_limit_unknown_c;
    return known ? static_cast<std::int32_t>(std::lround(celsius)) : not_known;
  };
  device.shutdown_c = limit(spec.thermal.shutdown_c);
  device.slowdown_c = limit(spec.thermal.slowdown_c);
  device.memory_max_c = limit(spec.thermal.memory_max_c);
  device.gpu_max_c = limit(spec.thermal.max_c);
  device.clock_nominal_mhz = static_cast<std::uint32_t>(std::lround(spec.clock.nominal_mhz));
  device.clock_max_mhz = std::max(device.clock_nominal_mhz,
                                  static_cast<std::uint32_t>(std::lround(spec.clock.boost_mhz)));
}

NvmlDevice fixed_facts(const DeviceSpec& spec, const std::string& host, std::size_t index) {
  NvmlDevice device;
  set_text(device.name, spec.name);
  set_identity(device, host, index);
  device.architecture = generation_of(spec).architecture;
  set_compute_capability(device, spec);
  const auto brand = std::find_if(std::begin(brands), std::end(brands), [&](const Brand& one) {
    return spec.name.find(one.in_name) != std::string::npos;
  });
  device.brand = brand == std::end(brands) ? nvidia_brand : brand->number;
  device.has_ecc = spec.name.find("GeForce") == std::string::npos &&
                   spec.name.find("TITAN") == std::string::npos;
  device.multiprocessors = spec.matrix.units;
  set_links(device, spec);
  set_limits(device, spec);
  return device;
}

/// The value in steps of 1/scale; 0 if it is absent or negative.
template <typename Number = std::uint32_t>
Number counted(double value, double scale = 1) {
  return value > 0 ? static_cast<Number>(std::llround(value * scale)) : Number{0};
}

std::int32_t degrees(double celsius) {
  return std::isnan(celsius) ? not_known : static_cast<std::int32_t>(std::lround(celsius));
}

void set_readings(NvmlDevice& device, const Sample& sample) {
  device.memory_total = counted<std::uint64_t>(sample[Metric::memory_total]);
  device.memory_used = counted<std::uint64_t>(sample[Metric::memory_used]);
  device.utilization = counted(sample[Metric::utilization], 1e4);
  device.tensor_activity = counted(sample[Metric::tensor_activity], 1e4);
  device.memory_activity = counted(sample[Metric::memory_activity], 1e4);
  device.power_mw = counted(sample[Metric::power], 1e3);
  device.power_limit_mw = counted(sample[Metric::power_cap], 1e3);
  device.temperature_c = degrees(sample[Metric::temperature]);
  device.memory_temperature_c = degrees(sample[Metric::memory_temperature]);
  device.clock_mhz = counted(sample[Metric::clock]);
  device.energy_mj = counted<std::uint64_t>(sample[Metric::energy], 1e3);
  device.clock_event_reasons = counted(sample[Metric::throttle]);
  device.power_violation_ns = counted<std::uint64_t>(sample[Metric::power_violation], 1e9);
  device.thermal_violation_ns = counted<std::uint64_t>(sample[Metric::thermal_violation], 1e9);
  device.board_limit_violation_ns =
      counted<std::uint64_t>(sample[Metric::board_limit_violation], 1e9);
}

/// Replicas have even process ids, training gangs odd ones. A gang or replica on several devices is
/// one process.
void set_process(NvmlDevice& device, const agents::DeviceWork& work) {
  const auto number = static_cast<std::uint32_t>(work.number % (1U << 24U));
  device.process.pid = pid_base + 2 + 2 * number + (work.training ? 1 : 0);
  set_text(device.process.name,
           fmt::format("{} {}", work.training ? "train" : "serve", work.model));
}

bool shown(const DeviceSpec& spec) {
  return spec.vendor == "nvidia" && spec.device_class == DeviceClass::gpu;
}

}  // namespace

std::size_t device_count(const agents::AgentSettings& settings,
                         const devices::Catalogue& catalogue) {
  std::size_t count = 0;
  for (const agents::GroupRequest& group : settings.groups) {
    const auto entry = catalogue.device(group.device);
    if (entry.ok() && shown((*entry)->spec)) count += group.count;
  }
  return std::min(count, devices_max);
}

Records records(const std::string& host, const agents::Agent& agent, Instant now) {
  Records records;
  const agents::ErrorLog& log = agent.errors();
  std::vector<std::uint32_t> shown_as;  // of each device of the host: its index here, or none
  const std::vector<PublishedDevice> published = agent.published(now);
  for (std::size_t index = 0; index < published.size(); ++index) {
    const PublishedDevice& one = published[index];
    const bool counts = shown(*one.spec) && records.devices.size() < devices_max;
    shown_as.push_back(counts ? static_cast<std::uint32_t>(records.devices.size()) : UINT32_MAX);
    if (!counts) continue;
    NvmlDevice device = fixed_facts(*one.spec, host, index);
    device.lost = one.off_bus ? 1 : 0;
    set_readings(device, one.sample);
    if (one.work) set_process(device, *one.work);
    device.ecc_corrected = log.ecc[index].corrected;
    device.ecc_uncorrected = log.ecc[index].uncorrected;
    records.devices.push_back(device);
  }
  // An error of a device that is not shown keeps its number, so that numbers stay in order.
  records.errors_total = log.total;
  std::uint64_t number = log.total - log.newest.size();
  for (const agents::DeviceError& error : log.newest) {
    records.errors[number++ % errors_kept] = {shown_as[error.device], error.xid};
  }
  return records;
}

}  // namespace drover::fake_nvml
