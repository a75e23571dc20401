// The families that have a series for each device or host: names, units and labels of their makers,
// and ours. docs/metrics.md lists them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "commands/metrics/page/series_table.h"
#include "fleet/messages.h"
#include "fleet/sample/sample.h"

namespace drover::commands {

/// A column, and the value of a device's sample; NaN: unknown.
struct DeviceColumn {
  SeriesColumn series;
  double (*value)(const Sample& sample);
};
/// For GPUs the names of NVIDIA's DCGM, for TPUs those of GKE's device plugin and our extensions;
/// for all devices what only Drover knows.
std::span<const DeviceColumn> gpu_columns();
std::span<const DeviceColumn> tpu_columns();
std::span<const DeviceColumn> device_columns();
/// One column whose values are always 1.
std::span<const SeriesColumn> info_columns();
enum class HostColumn : std::uint8_t { up, sample_age, gaps, thinned, undecodable };
std::span<const SeriesColumn> host_columns();

/// Labels of GPUs that have several names. dcgm-exporter changed Hostname to hostname in 2026, and
/// promtool's rules for names forbid modelName.
struct GpuLabelNames {
  std::string_view style;
  std::string_view hostname;
  std::string_view model;
};
inline constexpr GpuLabelNames gpu_label_names[] = {{"snake-case", "hostname", "model_name"},
                                                    {"dcgm", "Hostname", "modelName"},
                                                    {"dcgm-hostname", "hostname", "modelName"}};

/// What labels say of a kind of device, from the text of its spec.
struct SpecLabels {
  std::string id;
  std::string name;    // "NVIDIA H100 SXM5 80GB"
  std::string vendor;  // "nvidia"
  bool tpu = false;
  bool real = false;  // read, not emulated
};
SpecLabels spec_labels(const SpecText& spec);

/// What labels say of a real device, as its driver does; what is not known is empty.
struct BoardLabels {
  std::string name, uuid, bus, driver;
  bool operator==(const BoardLabels&) const = default;
};

struct LabelledDevice {
  const Register& host;
  const Group& group;
  const SpecLabels& spec;
  std::uint16_t index = 0;
  const BoardLabels* board = nullptr;  // null: emulated
  std::string_view pools;              // "fast,spot"
};
std::string gpu_labels(const LabelledDevice& device, const GpuLabelNames& names);
std::string tpu_labels(const LabelledDevice& device);
std::string device_labels(const LabelledDevice& device);
std::string info_labels(const LabelledDevice& device);

/// Of a real board what its maker says. Of an emulated one made up from host and index, always the
/// same: "GPU-5c8e..".
std::string uuid_of(const LabelledDevice& device);

}  // namespace drover::commands
