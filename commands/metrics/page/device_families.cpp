#include "commands/metrics/page/device_families.h"

#include <array>
#include <utility>

#include <fmt/format.h>

#include "commands/metrics/page/family_text.h"
#include "fleet/base/enum_tables.h"
#include "fleet/base/fnv1a.h"
#include "fleet/text/toml.h"

namespace drover::commands {

namespace {

constexpr double bytes_per_mib = 1024.0 * 1024.0;

template <Metric metric, int factor = 1>
double reading(const Sample& sample) {
  return sample[metric] * factor;
}
template <Metric metric>
double mib(const Sample& sample) {
  return sample[metric] / bytes_per_mib;
}
double free_mib(const Sample& sample) {
  return (sample[Metric::memory_total] - sample[Metric::memory_used]) / bytes_per_mib;
}
template <Metric metric>
double nanoseconds(const Sample& sample) {
  return sample[metric] * 1e9;
}

constexpr DeviceColumn dcgm(std::string_view name, FamilyType type, std::string_view unit,
                            std::uint8_t decimals, double (*value)(const Sample&),
                            std::string_view help) {
  return {{{name, type, unit, "GPU", help}, decimals}, value};
}
constexpr DeviceColumn gke(std::string_view name, std::string_view unit, std::uint8_t decimals,
                           double (*value)(const Sample&), std::string_view help,
                           FamilyType type = gauge) {
  return {{{name, type, unit, "TPU", help}, decimals}, value};
}

constexpr DeviceColumn gpus[] = {
    dcgm("DCGM_FI_DEV_SM_CLOCK", gauge, "MHz", 0, reading<Metric::clock>,
         "SM clock frequency (in MHz)."),
    dcgm("DCGM_FI_DEV_MEM_CLOCK", gauge, "MHz", 0, reading<Metric::memory_clock>,
         "Memory clock frequency (in MHz)."),
    dcgm("DCGM_FI_DEV_MEMORY_TEMP", gauge, "C", 1, reading<Metric::memory_temperature>,
         "Memory temperature (in C)."),
    dcgm("DCGM_FI_DEV_GPU_TEMP", gauge, "C", 1, reading<Metric::temperature>,
         "GPU temperature (in C)."),
    dcgm("DCGM_FI_DEV_POWER_USAGE", gauge, "W", 3, reading<Metric::power>, "Power draw (in W)."),
    dcgm("DCGM_FI_DEV_ENFORCED_POWER_LIMIT", gauge, "W", 3, reading<Metric::power_cap>,
         "Power limit that the driver enforces (in W)."),
    dcgm("DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", untyped, "mJ", 0, reading<Metric::energy, 1000>,
         "Total energy consumption since boot (in mJ)."),
    dcgm("DCGM_FI_DEV_GPU_UTIL", gauge, "%", 2, reading<Metric::utilization, 100>,
         "GPU utilization (in %)."),
    dcgm("DCGM_FI_DEV_MEM_COPY_UTIL", gauge, "%", 2, reading<Metric::memory_activity, 100>,
         "Memory utilization (in %)."),
    dcgm("DCGM_FI_DEV_FB_USED", gauge, "MiB", 0, mib<Metric::memory_used>,
         "Framebuffer memory used (in MiB)."),
    dcgm("DCGM_FI_DEV_FB_FREE", gauge, "MiB", 0, free_mib, "Framebuffer memory free (in MiB)."),
    dcgm("DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", gauge, "bits", 0, reading<Metric::throttle>,
         "Reasons for a reduced clock (bits of NVML)."),
    dcgm("DCGM_FI_DEV_POWER_VIOLATION", untyped, "ns", 0, nanoseconds<Metric::power_violation>,
         "Throttling duration due to power constraints (in ns)."),
    dcgm("DCGM_FI_DEV_THERMAL_VIOLATION", untyped, "ns", 0, nanoseconds<Metric::thermal_violation>,
         "Throttling duration due to thermal constraints (in ns)."),
    dcgm("DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", untyped, "ns", 0,
         nanoseconds<Metric::board_limit_violation>,
         "Throttling duration due to board limit constraints (in ns)."),
    dcgm("DCGM_FI_DEV_XID_ERRORS", gauge, "code", 0, reading<Metric::xid>,
         "Value of the last XID error encountered."),
    dcgm("DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", untyped, "", 0, reading<Metric::ecc_corrected>,
         "Total number of single-bit volatile ECC errors."),
    dcgm("DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", untyped, "", 0, reading<Metric::ecc_uncorrected>,
         "Total number of double-bit volatile ECC errors."),
    dcgm("DCGM_FI_DEV_PCIE_LINK_GEN", gauge, "", 0, reading<Metric::pcie_generation>,
         "PCIe current link generation."),
    dcgm("DCGM_FI_DEV_PCIE_LINK_WIDTH", gauge, "lanes", 0, reading<Metric::pcie_lanes>,
         "PCIe current link width."),
    dcgm("DCGM_FI_DEV_FAN_SPEED", gauge, "%", 2, reading<Metric::fan, 100>, "Fan speed (in %)."),
    dcgm("DCGM_FI_PROF_GR_ENGINE_ACTIVE", gauge, "ratio", 4, reading<Metric::utilization>,
         "Ratio of time the graphics engine is active."),
    dcgm("DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", gauge, "ratio", 4, reading<Metric::tensor_activity>,
         "Ratio of cycles the tensor (HMMA) pipe is active."),
    dcgm("DCGM_FI_PROF_DRAM_ACTIVE", gauge, "ratio", 4, reading<Metric::memory_activity>,
         "Ratio of cycles the device memory interface is active sending or receiving data."),
    dcgm("DCGM_FI_PROF_PCIE_TX_BYTES", gauge, "B/s", 0, reading<Metric::pcie_sent>,
         "The rate of data transmitted over the PCIe bus (in bytes per second)."),
    dcgm("DCGM_FI_PROF_PCIE_RX_BYTES", gauge, "B/s", 0, reading<Metric::pcie_received>,
         "The rate of data received over the PCIe bus (in bytes per second)."),
    dcgm("DCGM_FI_PROF_NVLINK_TX_BYTES", gauge, "B/s", 0, reading<Metric::link_sent>,
         "The rate of data transmitted over NVLink (in bytes per second)."),
    dcgm("DCGM_FI_PROF_NVLINK_RX_BYTES", gauge, "B/s", 0, reading<Metric::link_received>,
         "The rate of data received over NVLink (in bytes per second)."),
};

constexpr DeviceColumn tpus[] = {
    gke("duty_cycle", "%", 2, reading<Metric::utilization, 100>,
        "Percent of time in which the accelerator was processing."),
    gke("tensorcore_utilization", "%", 2, reading<Metric::tensor_activity, 100>,
        "Percent of the TensorCore that is used."),
    gke("memory_bandwidth_utilization", "%", 2, reading<Metric::memory_activity, 100>,
        "Percent of the memory bandwidth that is used."),
    gke("memory_used", "bytes", 0, reading<Metric::memory_used>,
        "Accelerator memory used (in bytes)."),
    gke("memory_total", "bytes", 0, reading<Metric::memory_total>,
        "Total accelerator memory (in bytes).", untyped),
    gke("drover_tpu_power_watts", "W", 3, reading<Metric::power>,
        "Power of an emulated TPU; makers do not report it."),
    gke("drover_tpu_power_cap_watts", "W", 3, reading<Metric::power_cap>,
        "Power cap of an emulated TPU."),
    gke("drover_tpu_temperature_celsius", "C", 1, reading<Metric::temperature>,
        "Temperature of an emulated TPU; makers do not report it."),
    gke("drover_tpu_clock_megahertz", "MHz", 0, reading<Metric::clock>,
        "Clock of an emulated TPU."),
    gke("drover_tpu_energy_joules_total", "J", 3, reading<Metric::energy>,
        "Energy of an emulated TPU since its agent started.", counter),
};

constexpr DeviceColumn devices[] = {
    {{{"drover_device_queued", gauge, "", "device", "Requests that wait on the device."}, 0},
     reading<Metric::queue>},
    {{{"drover_device_running", gauge, "", "device",
       "Requests or training jobs that run on the device."},
      0},
     reading<Metric::running>},
};

constexpr SeriesColumn infos[] = {{{"drover_device_info", gauge, "", "info",
                                    "Always 1; the labels say what the device is and where."},
                                   0}};

constexpr SeriesColumn hosts[] = {
    {{"drover_host_up", gauge, "", "host",
      "1 while the host answers, 0 once it is silent or lost; none once it has left."},
     0},
    {{"drover_host_sample_age_seconds", gauge, "s", "host", "Age of the host's last samples."}, 1},
    {{"drover_host_sample_gaps_total", counter, "", "host",
      "Batches of samples that are missing according to their numbers."},
     0},
    {{"drover_host_samples_thinned_total", counter, "", "host",
      "Batches that the agent did not send, to keep the rate limit."},
     0},
    {{"drover_host_undecodable_total", counter, "", "host",
      "Messages that the host's agents dropped because they did not decode."},
     0},
};

struct TpuModel {
  std::string_view spec;
  std::string_view gke;
};
/// What GKE calls them.
constexpr TpuModel tpu_models[] = {{"tpu-v4", "tpu-v4-podslice"},
                                   {"tpu-v5e", "tpu-v5-lite-podslice"},
                                   {"tpu-v5p", "tpu-v5p-slice"},
                                   {"tpu-v6e", "tpu-v6e-slice"},
                                   {"tpu-v7", "tpu7x"}};

std::string_view gke_model(std::string_view spec) {
  for (const TpuModel& model : tpu_models) {
    if (model.spec == spec) return model.gke;
  }
  return spec;
}

std::string id_of(const LabelledDevice& device) {
  return to_text(DeviceId{device.host.host, device.index});
}
std::string_view emulated(const LabelledDevice& device) {
  return device.board == nullptr ? "true" : "";
}
std::string_view name_of(const LabelledDevice& device) {
  return device.board == nullptr || device.board->name.empty() ? std::string_view(device.spec.name)
                                                               : device.board->name;
}

/// As dcgm-exporter writes it: eight digits of the domain, upper case. Emulated boards are on buses
/// of their own.
std::string bus_of(const LabelledDevice& device) {
  if (device.board == nullptr)
    return fmt::format("{:08X}:{:02X}:00.0", device.index >> 8, device.index & 0xff);
  std::string bus = device.board->bus;
  for (char& letter : bus) {
    if (letter >= 'a' && letter <= 'f') letter = static_cast<char>(letter - 'a' + 'A');
  }
  return bus.size() == 12 ? "0000" + bus : bus;  // "0000:3B:00.0"
}

}  // namespace

std::span<const DeviceColumn> gpu_columns() { return gpus; }
std::span<const DeviceColumn> tpu_columns() { return tpus; }
std::span<const DeviceColumn> device_columns() { return devices; }
std::span<const SeriesColumn> info_columns() { return infos; }
std::span<const SeriesColumn> host_columns() { return hosts; }

SpecLabels spec_labels(const SpecText& spec) {
  SpecLabels labels{spec.id, spec.id, {}, false};
  auto root = toml_file::Table::parse(spec.text, "spec");
  if (!root) return labels;
  if (root->holds_text("name")) labels.name = root->text("name");
  if (root->holds_text("vendor")) labels.vendor = root->text("vendor");
  labels.tpu = root->holds_text("class") && root->text("class") == "tpu";
  labels.real = root->has("real") && root->boolean("real");
  return labels;
}

std::string uuid_of(const LabelledDevice& device) {
  if (device.board != nullptr) return device.board->uuid;
  const std::string id = id_of(device);
  const std::uint64_t high = fnv1a("drover device " + id), low = fnv1a(id + " of drover");
  return fmt::format("GPU-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", high >> 32, (high >> 16) & 0xffff,
                     high & 0xffff, low >> 48, low & 0xffff'ffff'ffff);
}

std::string gpu_labels(const LabelledDevice& device, const GpuLabelNames& names) {
  const std::string index = std::to_string(device.index);
  const std::string node = (device.spec.vendor == "nvidia" ? "nvidia" : "card") + index;
  return labels_text({{"gpu", index},
                      {"UUID", uuid_of(device)},
                      {"pci_bus_id", bus_of(device)},
                      {"device", node},
                      {names.model, name_of(device)},
                      {names.hostname, device.host.host},
                      {"drover_id", id_of(device)},
                      {"emulated", emulated(device)}});
}

std::string tpu_labels(const LabelledDevice& device) {
  return labels_text({{"make", "cloud-tpu"},
                      {"model", gke_model(device.spec.id)},
                      {"accelerator_id", fmt::format("{}-{}", device.host.host, device.index)},
                      {"tpu_topology", device.group.topology},
                      {"drover_id", id_of(device)},
                      {"emulated", emulated(device)}});
}

std::string device_labels(const LabelledDevice& device) {
  return labels_text({{"drover_id", id_of(device)}, {"host", device.host.host}});
}

std::string info_labels(const LabelledDevice& device) {
  return labels_text({{"drover_id", id_of(device)},
                      {"host", device.host.host},
                      {"rack", device.host.rack},
                      {"site", device.host.site},
                      {"pools", device.pools},
                      {"class", device.spec.tpu ? "tpu" : "gpu"},
                      {"spec", device.spec.id},
                      {"name", name_of(device)},
                      {"UUID", device.spec.tpu ? std::string() : uuid_of(device)},
                      {"driver", device.board == nullptr ? std::string() : device.board->driver},
                      {"emulated", device.board == nullptr ? "true" : "false"}});
}

}  // namespace drover::commands
