#include "agents/scrape/known_series.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "fleet/base/enum_tables.h"
#include "fleet/base/text.h"

namespace drover::agents {
namespace {

constexpr double mib = 1 << 20;
constexpr auto dcgm = Exporter::dcgm;
constexpr auto gke = Exporter::gke;
constexpr auto all_smi = Exporter::all_smi;
constexpr auto amd = Exporter::amd;
constexpr auto nvidia_smi = Exporter::nvidia_smi;
constexpr auto no_zero = Zero::means_absent;
constexpr auto largest = Several::largest;
constexpr OnlyWith system_clock{"clock_type", {"system", "GPU_CLOCK_TYPE_SYSTEM"}};
constexpr OnlyWith memory_clock{"clock_type", {"memory", "GPU_CLOCK_TYPE_MEMORY"}};
constexpr OnlyWith of_device{"scope", {"gpu"}};  // others: cpu, chassis

// Sources: NVIDIA/dcgm-exporter (etc/*.csv) and DCGM's dcgm_fields.h with the names of DCGM 4.6;
// GKE's TPU device plugin; lablup/all-smi (src/api/metrics); ROCm/device-metrics-exporter
// (docs/configuration/metricslist.md; its MB are MiB); utkuozdemir/nvidia_gpu_exporter
// (docs/METRICS.md). Names in lower case that begin with dcgm_ are those of dcgm-exporter 1.
constexpr KnownSeries series_table[] = {
    {"DCGM_FI_DEV_GPU_UTIL", dcgm, Metric::utilization, 1, 100},
    {"DCGM_FI_DEV_GPU_UTIL_RATIO", dcgm, Metric::utilization, 1, 100},  // the same field: percent
    {"dcgm_gpu_utilization", dcgm, Metric::utilization, 1, 100},
    {"DCGM_FI_PROF_GR_ENGINE_ACTIVE", dcgm, Metric::utilization},
    {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", dcgm, Metric::tensor_activity},
    {"DCGM_FI_PROF_DRAM_ACTIVE", dcgm, Metric::memory_activity},
    {"DCGM_FI_DEV_MEM_COPY_UTIL", dcgm, Metric::memory_activity, 1, 100},
    {"dcgm_mem_copy_utilization", dcgm, Metric::memory_activity, 1, 100},
    {"DCGM_FI_DEV_FB_USED", dcgm, Metric::memory_used, mib},
    {"dcgm_fb_used", dcgm, Metric::memory_used, mib},
    {"DCGM_FI_DEV_FB_TOTAL", dcgm, Metric::memory_total, mib, 1, no_zero},
    {"DCGM_FI_DEV_FB_FREE", dcgm, Fact::memory_free, mib},
    {"dcgm_fb_free", dcgm, Fact::memory_free, mib},
    {"DCGM_FI_DEV_FB_RESERVED", dcgm, Fact::memory_reserved, mib},
    {"DCGM_FI_DEV_POWER_USAGE", dcgm, Metric::power},
    {"DCGM_FI_DEV_BOARD_POWER_WATTS", dcgm, Metric::power},
    {"dcgm_power_usage", dcgm, Metric::power},
    {"DCGM_FI_DEV_POWER_USAGE_INSTANT", dcgm, Metric::power},
    {"DCGM_FI_DEV_BOARD_POWER_RAW_WATTS", dcgm, Metric::power},
    {"DCGM_FI_DEV_ENFORCED_POWER_LIMIT", dcgm, Metric::power_cap, 1, 1, no_zero},
    {"DCGM_FI_DEV_BOARD_POWER_LIMIT_ENFORCED_WATTS", dcgm, Metric::power_cap, 1, 1, no_zero},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT", dcgm, Metric::power_cap, 1, 1, no_zero},
    {"DCGM_FI_DEV_BOARD_POWER_LIMIT_REQUESTED_WATTS", dcgm, Metric::power_cap, 1, 1, no_zero},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT_MIN", dcgm, Fact::power_cap_min, 1, 1, no_zero},
    {"DCGM_FI_DEV_BOARD_POWER_LIMIT_MIN_WATTS", dcgm, Fact::power_cap_min, 1, 1, no_zero},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT_MAX", dcgm, Fact::power_cap_max, 1, 1, no_zero},
    {"DCGM_FI_DEV_BOARD_POWER_LIMIT_MAX_WATTS", dcgm, Fact::power_cap_max, 1, 1, no_zero},
    {"DCGM_FI_DEV_POWER_MGMT_LIMIT_DEF", dcgm, Fact::power_cap_default, 1, 1, no_zero},
    {"DCGM_FI_DEV_BOARD_POWER_LIMIT_DEFAULT_WATTS", dcgm, Fact::power_cap_default, 1, 1, no_zero},
    {"DCGM_FI_DEV_GPU_TEMP", dcgm, Metric::temperature, 1, 1, no_zero},
    {"DCGM_FI_DEV_GPU_TEMP_CELSIUS", dcgm, Metric::temperature, 1, 1, no_zero},
    {"dcgm_gpu_temp", dcgm, Metric::temperature, 1, 1, no_zero},
    // DCGM says 0 where the board has no such sensor.
    {"DCGM_FI_DEV_MEMORY_TEMP", dcgm, Metric::memory_temperature, 1, 1, no_zero},
    {"DCGM_FI_DEV_MEMORY_TEMP_CELSIUS", dcgm, Metric::memory_temperature, 1, 1, no_zero},
    {"dcgm_memory_temp", dcgm, Metric::memory_temperature, 1, 1, no_zero},
    {"DCGM_FI_DEV_SLOWDOWN_TEMP", dcgm, Fact::slowdown, 1, 1, no_zero},
    {"DCGM_FI_DEV_GPU_TEMP_SLOWDOWN_CELSIUS", dcgm, Fact::slowdown, 1, 1, no_zero},
    {"DCGM_FI_DEV_SM_CLOCK", dcgm, Metric::clock},
    {"dcgm_sm_clock", dcgm, Metric::clock},
    {"DCGM_FI_DEV_MEM_CLOCK", dcgm, Metric::memory_clock},
    {"dcgm_memory_clock", dcgm, Metric::memory_clock},
    {"DCGM_FI_DEV_MAX_SM_CLOCK", dcgm, Fact::clock_max, 1, 1, no_zero},
    {"DCGM_FI_DEV_CLOCKS_EVENT_REASONS", dcgm, Metric::throttle},
    {"DCGM_FI_DEV_CLOCK_THROTTLE_REASONS", dcgm, Metric::throttle},
    {"DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION", dcgm, Metric::energy, 1, 1e3},
    {"dcgm_total_energy_consumption", dcgm, Metric::energy, 1, 1e3},
    {"DCGM_FI_DEV_POWER_VIOLATION", dcgm, Metric::power_violation, 1, 1e9},
    {"DCGM_FI_DEV_THERMAL_VIOLATION", dcgm, Metric::thermal_violation, 1, 1e9},
    {"DCGM_FI_DEV_BOARD_LIMIT_VIOLATION", dcgm, Metric::board_limit_violation, 1, 1e9},
    {"DCGM_FI_DEV_XID_ERRORS", dcgm, Metric::xid},
    {"DCGM_FI_DEV_XID_ERROR", dcgm, Metric::xid},
    {"dcgm_xid_errors", dcgm, Metric::xid},
    {"DCGM_FI_DEV_ECC_SBE_VOL_TOTAL", dcgm, Metric::ecc_corrected},
    {"DCGM_FI_DEV_ECC_DBE_VOL_TOTAL", dcgm, Metric::ecc_uncorrected},
    {"DCGM_FI_PROF_PCIE_TX_BYTES", dcgm, Metric::pcie_sent},
    {"DCGM_FI_PROF_PCIE_RX_BYTES", dcgm, Metric::pcie_received},
    {"DCGM_FI_DEV_PCIE_TX_THROUGHPUT", dcgm, Metric::pcie_sent, 1e3},
    {"DCGM_FI_DEV_PCIE_RX_THROUGHPUT", dcgm, Metric::pcie_received, 1e3},
    {"dcgm_pcie_tx_throughput", dcgm, Metric::pcie_sent, 1e3},
    {"dcgm_pcie_rx_throughput", dcgm, Metric::pcie_received, 1e3},
    {"DCGM_FI_PROF_NVLINK_TX_BYTES", dcgm, Metric::link_sent},
    {"DCGM_FI_PROF_NVLINK_RX_BYTES", dcgm, Metric::link_received},
    {"DCGM_FI_DEV_PCIE_LINK_GEN", dcgm, Metric::pcie_generation, 1, 1, no_zero},
    {"DCGM_FI_DEV_PCIE_LINK_WIDTH", dcgm, Metric::pcie_lanes, 1, 1, no_zero},
    {"DCGM_FI_DEV_PCIE_MAX_LINK_GEN", dcgm, Fact::pcie_generation_max},
    {"DCGM_FI_DEV_PCIE_MAX_LINK_WIDTH", dcgm, Fact::pcie_lanes_max},
    {"DCGM_FI_DEV_FAN_SPEED", dcgm, Metric::fan, 1, 100},
    {"DCGM_FI_DEV_ENC_UTIL", dcgm, Fact::identity},
    {"DCGM_FI_DEV_DEC_UTIL", dcgm, Fact::identity},
    {"DCGM_FI_DEV_VGPU_LICENSE_STATUS", dcgm, Fact::identity},
    // A counter of both directions together; no rate follows from one page.
    {"DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL", dcgm, Fact::identity},
    {"DCGM_FI_DEV_NVLINK_THROUGHPUT_TOTAL", dcgm, Fact::identity},

    // Those of a container are of the whole chip.
    {"duty_cycle_node", gke, Metric::utilization, 1, 100},
    {"duty_cycle", gke, Metric::utilization, 1, 100},
    {"tensorcore_utilization_node", gke, Metric::tensor_activity, 1, 100},
    {"tensorcore_utilization", gke, Metric::tensor_activity, 1, 100},
    {"memory_bandwidth_utilization_node", gke, Metric::memory_activity, 1, 100},
    {"memory_bandwidth_utilization", gke, Metric::memory_activity, 1, 100},
    {"memory_used_node", gke, Metric::memory_used},
    {"memory_used", gke, Metric::memory_used},
    {"memory_total_node", gke, Metric::memory_total, 1, 1, no_zero},
    {"memory_total", gke, Metric::memory_total, 1, 1, no_zero},

    // 0 of all-smi's temperature, power and frequency: it has no source for them.
    {"all_smi_gpu_utilization", all_smi, Metric::utilization, 1, 100},
    {"all_smi_tpu_utilization_percent", all_smi, Metric::utilization, 1, 100},
    {"all_smi_gpu_memory_bandwidth_utilization", all_smi, Metric::memory_activity},
    {"all_smi_gpu_memory_used_bytes", all_smi, Metric::memory_used},
    {"all_smi_tpu_memory_used_bytes", all_smi, Metric::memory_used},
    {"all_smi_gpu_memory_total_bytes", all_smi, Metric::memory_total, 1, 1, no_zero},
    {"all_smi_tpu_memory_total_bytes", all_smi, Metric::memory_total, 1, 1, no_zero},
    {"all_smi_gpu_temperature_celsius", all_smi, Metric::temperature, 1, 1, no_zero},
    {"all_smi_gpu_power_consumption_watts", all_smi, Metric::power, 1, 1, no_zero},
    {"all_smi_gpu_power_limit_current_watts", all_smi, Metric::power_cap, 1, 1, no_zero},
    {"all_smi_gpu_power_limit_max_watts", all_smi, Fact::power_cap_max, 1, 1, no_zero},
    {"all_smi_gpu_frequency_mhz", all_smi, Metric::clock, 1, 1, no_zero},
    {"all_smi_gpu_clock_graphics_max_mhz", all_smi, Fact::clock_max, 1, 1, no_zero},
    {"all_smi_gpu_temperature_threshold_slowdown_celsius", all_smi, Fact::slowdown, 1, 1, no_zero},
    {"all_smi_gpu_pcie_gen_current", all_smi, Metric::pcie_generation, 1, 1, no_zero},
    {"all_smi_gpu_pcie_width_current", all_smi, Metric::pcie_lanes, 1, 1, no_zero},
    {"all_smi_tenstorrent_pcie_generation", all_smi, Metric::pcie_generation, 1, 1, no_zero},
    {"all_smi_tenstorrent_pcie_width", all_smi, Metric::pcie_lanes, 1, 1, no_zero},
    {"all_smi_energy_consumed_joules_total", all_smi, Metric::energy, 1, 1, Zero::counts,
     Several::last, of_device},
    {"all_smi_gpu_info", all_smi, Fact::identity},
    {"all_smi_mig_instance_utilization_gpu", all_smi, Metric::utilization, 1, 100},
    {"all_smi_mig_instance_memory_used_bytes", all_smi, Metric::memory_used},
    {"all_smi_mig_instance_memory_total_bytes", all_smi, Metric::memory_total, 1, 1, no_zero},
    {"all_smi_process_memory_used_bytes", all_smi, Fact::process_memory},

    {"gpu_gfx_activity", amd, Metric::utilization, 1, 100},
    {"gpu_prof_tensor_active_percent", amd, Metric::tensor_activity, 1, 100},
    {"gpu_umc_activity", amd, Metric::memory_activity, 1, 100},
    {"gpu_used_vram", amd, Metric::memory_used, mib},
    {"gpu_total_vram", amd, Metric::memory_total, mib, 1, no_zero},
    {"gpu_free_vram", amd, Fact::memory_free, mib},
    // Which of the three is there depends on the generation; the others may be 0.
    {"gpu_power_usage", amd, Metric::power, 1, 1, no_zero},
    {"gpu_package_power", amd, Metric::power, 1, 1, no_zero},
    {"gpu_average_package_power", amd, Metric::power, 1, 1, no_zero},
    {"gpu_energy_consumed", amd, Metric::energy, 1, 1e6},
    {"gpu_edge_temperature", amd, Metric::temperature, 1, 1, no_zero},
    {"gpu_junction_temperature", amd, Metric::temperature, 1, 1, no_zero},
    {"gpu_memory_temperature", amd, Metric::memory_temperature, 1, 1, no_zero},
    {"gpu_hbm_temperature", amd, Metric::memory_temperature, 1, 1, no_zero, largest},
    // One for each compute die.
    {"gpu_clock", amd, Metric::clock, 1, 1, Zero::counts, largest, system_clock},
    {"gpu_clock", amd, Metric::memory_clock, 1, 1, Zero::counts, largest, memory_clock},
    {"gpu_max_clock", amd, Fact::clock_max, 1, 1, no_zero, largest, system_clock},
    {"pcie_speed", amd, Fact::pcie_speed, 1, 1, no_zero},
    {"pcie_max_speed", amd, Fact::pcie_speed_max, 1, 1, no_zero},
    {"gpu_ecc_correct_total", amd, Metric::ecc_corrected},
    {"gpu_ecc_uncorrect_total", amd, Metric::ecc_uncorrected},

    {"nvidia_smi_utilization_gpu_ratio", nvidia_smi, Metric::utilization},
    {"nvidia_smi_utilization_memory_ratio", nvidia_smi, Metric::memory_activity},
    {"nvidia_smi_memory_used_bytes", nvidia_smi, Metric::memory_used},
    {"nvidia_smi_memory_total_bytes", nvidia_smi, Metric::memory_total, 1, 1, no_zero},
    {"nvidia_smi_power_draw_watts", nvidia_smi, Metric::power},
    {"nvidia_smi_enforced_power_limit_watts", nvidia_smi, Metric::power_cap, 1, 1, no_zero},
    {"nvidia_smi_power_limit_watts", nvidia_smi, Metric::power_cap, 1, 1, no_zero},
    {"nvidia_smi_power_min_limit_watts", nvidia_smi, Fact::power_cap_min, 1, 1, no_zero},
    {"nvidia_smi_power_max_limit_watts", nvidia_smi, Fact::power_cap_max, 1, 1, no_zero},
    {"nvidia_smi_power_default_limit_watts", nvidia_smi, Fact::power_cap_default, 1, 1, no_zero},
    {"nvidia_smi_temperature_gpu", nvidia_smi, Metric::temperature, 1, 1, no_zero},
    {"nvidia_smi_temperature_memory", nvidia_smi, Metric::memory_temperature, 1, 1, no_zero},
    {"nvidia_smi_clocks_current_sm_clock_hz", nvidia_smi, Metric::clock, 1, 1e6},
    {"nvidia_smi_clocks_current_memory_clock_hz", nvidia_smi, Metric::memory_clock, 1, 1e6},
    {"nvidia_smi_clocks_max_sm_clock_hz", nvidia_smi, Fact::clock_max, 1, 1e6, no_zero},
    {"nvidia_smi_clocks_event_reasons_active", nvidia_smi, Metric::throttle},
    {"nvidia_smi_clocks_throttle_reasons_active", nvidia_smi, Metric::throttle},
    {"nvidia_smi_energy_joules_total", nvidia_smi, Metric::energy},
    {"nvidia_smi_clocks_event_reasons_counters_sw_power_cap_seconds", nvidia_smi,
     Metric::power_violation},
    {"nvidia_smi_ecc_errors_corrected_volatile_total", nvidia_smi, Metric::ecc_corrected},
    {"nvidia_smi_ecc_errors_uncorrected_volatile_total", nvidia_smi, Metric::ecc_uncorrected},
    {"nvidia_smi_pcie_throughput_tx_bytes_per_second", nvidia_smi, Metric::pcie_sent},
    {"nvidia_smi_pcie_throughput_rx_bytes_per_second", nvidia_smi, Metric::pcie_received},
    {"nvidia_smi_pcie_link_gen_current", nvidia_smi, Metric::pcie_generation, 1, 1, no_zero},
    {"nvidia_smi_pcie_link_width_current", nvidia_smi, Metric::pcie_lanes, 1, 1, no_zero},
    {"nvidia_smi_pcie_link_gen_max", nvidia_smi, Fact::pcie_generation_max},
    {"nvidia_smi_pcie_link_width_max", nvidia_smi, Fact::pcie_lanes_max},
    {"nvidia_smi_fan_speed_ratio", nvidia_smi, Metric::fan},
    {"nvidia_smi_gpu_info", nvidia_smi, Fact::identity},
    {"nvidia_smi_index", nvidia_smi, Fact::index},
    {"nvidia_smi_mig_info", nvidia_smi, Fact::identity},
    {"nvidia_smi_mig_memory_used_bytes", nvidia_smi, Metric::memory_used},
    {"nvidia_smi_mig_memory_total_bytes", nvidia_smi, Metric::memory_total, 1, 1, no_zero},
    {"nvidia_smi_mig_graphics_activity_ratio", nvidia_smi, Metric::utilization},
    {"nvidia_smi_compute_app_used_memory_bytes", nvidia_smi, Fact::process_memory},
};

constexpr std::array<std::string_view, exporter_count> exporter_names{
    "dcgm-exporter", "GKE's device plugin", "all-smi", "AMD's device-metrics-exporter",
    "nvidia_gpu_exporter"};

struct LabelMeaning {
  std::string_view label;
  LabelRole role;
  std::optional<Exporter> exporter = std::nullopt;  // none: of all
};

// Of several labels with one role, an earlier one counts. A Prometheus server puts "exported_"
// before the labels of a page that are like its own, which are about the exporter.
constexpr LabelMeaning label_table[] = {
    {"Hostname", LabelRole::host},
    {"hostname", LabelRole::host},
    {"exported_hostname", LabelRole::host},
    {"exported_instance", LabelRole::host},
    {"kubernetes_node", LabelRole::host},
    {"exported_node", LabelRole::host},
    {"node", LabelRole::host},
    {"node_name", LabelRole::host},
    {"host", LabelRole::host},
    {"instance", LabelRole::host},
    {"gpu", LabelRole::index, dcgm},
    {"gpu_index", LabelRole::index, all_smi},
    {"npu_index", LabelRole::index, all_smi},
    {"index", LabelRole::index, all_smi},
    {"device_id", LabelRole::index, all_smi},
    {"gpu_id", LabelRole::index, amd},
    {"index", LabelRole::index, nvidia_smi},
    {"UUID", LabelRole::uuid, dcgm},
    {"uuid", LabelRole::uuid, dcgm},
    {"accelerator_id", LabelRole::uuid, gke},
    {"gpu_uuid", LabelRole::uuid, all_smi},
    {"npu_uuid", LabelRole::uuid, all_smi},
    {"device_uuid", LabelRole::uuid, all_smi},
    {"uuid", LabelRole::uuid, all_smi},
    {"gpu_uuid", LabelRole::uuid, amd},
    {"uuid", LabelRole::uuid, nvidia_smi},
    {"modelName", LabelRole::model, dcgm},
    {"model_name", LabelRole::model, dcgm},  // Drover's own pages
    {"model", LabelRole::model, gke},
    {"gpu", LabelRole::model, all_smi},
    {"npu", LabelRole::model, all_smi},
    {"gpu_name", LabelRole::model, all_smi},
    {"card_series", LabelRole::model, amd},
    {"card_model", LabelRole::model, amd},
    {"name", LabelRole::model, nvidia_smi},
    {"pci_bus_id", LabelRole::bus},
    {"pci_bus", LabelRole::bus, all_smi},
    {"DCGM_FI_DRIVER_VERSION", LabelRole::driver, dcgm},
    {"driver_version", LabelRole::driver},
    {"make", LabelRole::vendor, gke},
    {"card_vendor", LabelRole::vendor, amd},
    {"serial_number", LabelRole::serial, amd},
    {"GPU_I_ID", LabelRole::partition_id, dcgm},
    {"gpu_instance_id", LabelRole::partition_id, all_smi},
    {"mig_instance", LabelRole::partition_id, all_smi},
    {"gpu_partition_id", LabelRole::partition_id, amd},
    {"gpu_instance_id", LabelRole::partition_id, nvidia_smi},
    {"GPU_I_PROFILE", LabelRole::partition_profile, dcgm},
    {"mig_profile", LabelRole::partition_profile, all_smi},
    {"profile", LabelRole::partition_profile, nvidia_smi},
    {"mig_uuid", LabelRole::partition_uuid},
    {"exported_namespace", LabelRole::pod_namespace},
    {"namespace", LabelRole::pod_namespace},
    {"pod_namespace", LabelRole::pod_namespace},   // dcgm-exporter --use-old-namespace
    {"namespace_name", LabelRole::pod_namespace},  // Google Cloud's Prometheus
    {"exported_pod", LabelRole::pod},
    {"pod", LabelRole::pod},
    {"pod_name", LabelRole::pod},
    {"exported_container", LabelRole::container},
    {"container", LabelRole::container},
    {"container_name", LabelRole::container},
    {"pid", LabelRole::pid},
    {"user", LabelRole::user, all_smi},
    {"job_user", LabelRole::user, amd},
    {"job_id", LabelRole::job, amd},  // of Slurm
    {"hpc_job", LabelRole::job, dcgm},
    {"name", LabelRole::process, all_smi},
    {"process_name", LabelRole::process, nvidia_smi},
};

using RolesOfExporters = std::array<RankedRole, exporter_count>;

std::unordered_map<std::string_view, RolesOfExporters> labels_by_name() {
  std::unordered_map<std::string_view, RolesOfExporters> labels;
  std::uint8_t rank = 0;
  for (const LabelMeaning& row : label_table) {
    ++rank;
    RolesOfExporters& roles = labels[row.label];
    for (std::size_t exporter = 0; exporter < exporter_count; ++exporter) {
      if (row.exporter && *row.exporter != static_cast<Exporter>(exporter)) continue;
      roles[exporter] = {row.role, rank};
    }
  }
  return labels;
}

using SeriesByName = std::unordered_map<std::string_view, std::span<const KnownSeries>>;
SeriesByName series_by_name() {
  SeriesByName series;
  for (const KnownSeries& row : series_table) {
    auto& rows = series[row.name];
    rows = rows.empty() ? std::span(&row, 1) : std::span(rows.data(), rows.size() + 1);
  }
  return series;
}

/// In lower case, without what stands around the name of the table: AMD's exporter may put "amd_"
/// before it, and Google Cloud's Prometheus calls duty_cycle
/// kubernetes_io:container_accelerator_duty_cycle, and duty_cycle_node
/// kubernetes_io:node_accelerator_duty_cycle.
std::string plain_name(std::string_view name) {
  std::string plain;
  for (const char letter : name) plain += lower(letter);
  struct Prefix {
    std::string_view text, suffix;
  };
  constexpr std::array<Prefix, 3> prefixes{{{"amd_", ""},
                                            {"kubernetes_io:container_accelerator_", ""},
                                            {"kubernetes_io:node_accelerator_", "_node"}}};
  for (const auto& [text, suffix] : prefixes) {
    if (plain.starts_with(text)) return plain.substr(text.size()).append(suffix);
  }
  return plain;
}

std::unordered_map<std::string, std::span<const KnownSeries>> series_by_folded_name(
    const SeriesByName& series) {
  std::unordered_map<std::string, std::span<const KnownSeries>> folded;
  for (const auto& [name, rows] : series) folded.emplace(plain_name(name), rows);
  return folded;
}

}  // namespace

std::string_view to_text(Exporter exporter) { return row_at(exporter_names, exporter); }

std::span<const KnownSeries> all_known_series() { return series_table; }

std::span<const KnownSeries> known_series_named(std::string_view name) {
  static const auto series = series_by_name();
  if (const auto found = series.find(name); found != series.end()) return found->second;
  static const auto folded = series_by_folded_name(series);
  constexpr std::size_t name_bytes_max = 96;
  if (name.size() > name_bytes_max) return {};
  std::string plain = plain_name(name);
  auto found = folded.find(plain);
  // OpenMetrics has it at the end of each counter.
  constexpr std::string_view counter = "_total";
  if (found == folded.end() && plain.ends_with(counter)) {
    plain.resize(plain.size() - counter.size());
    found = folded.find(plain);
  }
  return found == folded.end() ? std::span<const KnownSeries>() : found->second;
}

RankedRole role_of(std::string_view label, Exporter exporter) {
  static const auto labels = labels_by_name();
  const auto found = labels.find(label);
  return found == labels.end() ? RankedRole{} : row_at(found->second, exporter);
}

}  // namespace drover::agents
