// The series of metrics that exporters publish, and what each says about a board.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "fleet/sample/sample.h"

namespace drover::agents {

enum class Exporter : std::uint8_t { dcgm, gke, all_smi, amd, nvidia_smi };
inline constexpr std::size_t exporter_count = 5;
/// "dcgm-exporter".
std::string_view to_text(Exporter exporter);

/// What a series says that is no metric.
enum class Fact : std::uint8_t {
  identity,  // only its labels
  index,     // its number on the host
  memory_free,
  memory_reserved,
  power_cap_min,
  power_cap_max,
  power_cap_default,
  clock_max,
  slowdown,
  pcie_speed,      // GT/s of one lane
  pcie_speed_max,  // the same
  pcie_generation_max,
  pcie_lanes_max,
  process_memory,
};
inline constexpr std::size_t fact_count = 14;

/// The place of a series' value: a Metric, or a Fact behind them.
class Slot {
 public:
  constexpr Slot(Metric metric) : index_(static_cast<std::uint8_t>(metric)) {}
  constexpr Slot(Fact fact)
      : index_(static_cast<std::uint8_t>(metric_count) + static_cast<std::uint8_t>(fact)) {}
  constexpr std::size_t index() const { return index_; }
  constexpr bool is_metric() const { return index_ < metric_count; }
  /// REQUIRES is_metric().
  constexpr Metric metric() const { return static_cast<Metric>(index_); }
  constexpr bool operator==(const Slot&) const = default;

 private:
  std::uint8_t index_;
};
inline constexpr std::size_t slot_count = metric_count + fact_count;

enum class Zero : std::uint8_t { counts, means_absent };
/// Of series that differ in labels that do not matter here.
enum class Several : std::uint8_t { last, largest };

/// Only series whose label has one of these values; without a label: all.
struct OnlyWith {
  std::string_view label;
  std::array<std::string_view, 2> values;
};

struct KnownSeries {
  std::string_view name;
  Exporter exporter = Exporter::dcgm;
  Slot slot = Fact::identity;
  double times = 1;  // to the slot's unit: value * times / per
  double per = 1;
  Zero zero = Zero::counts;
  Several several = Several::last;
  OnlyWith only = {};
};

/// Of several series for a slot, an earlier one is preferred. Those with the same name are
/// neighbours.
std::span<const KnownSeries> all_known_series();

/// The rows with this name, in whatever case and with the prefixes that other programs put before
/// it or the "_total" that OpenMetrics puts after it.
std::span<const KnownSeries> known_series_named(std::string_view name);

/// What a label says.
enum class LabelRole : std::uint8_t {
  none,
  host,
  index,
  uuid,
  model,
  bus,
  driver,
  vendor,
  serial,
  partition_id,
  partition_profile,
  partition_uuid,
  pod_namespace,
  pod,
  container,
  pid,
  user,
  process,
  job,
};
inline constexpr std::size_t label_role_count = 19;

struct RankedRole {
  LabelRole role = LabelRole::none;
  std::uint8_t rank = 0;  // of several labels with one role, the one with the lowest rank counts
};
RankedRole role_of(std::string_view label, Exporter exporter);

}  // namespace drover::agents
