#include "agents/scrape/collected_board.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "agents/scrape/texts.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/sample/sample_bounds.h"

namespace drover::agents {
namespace {

struct Maker {
  std::string_view word;  // in the name of a model, or the name of a maker
  std::string_view vendor;
  DeviceClass device_class = DeviceClass::gpu;
};
constexpr std::array<Maker, 11> makers{{
    {"nvidia", "nvidia"},
    {"tesla", "nvidia"},
    {"geforce", "nvidia"},
    {"quadro", "nvidia"},
    {"amd", "amd"},
    {"instinct", "amd"},
    {"radeon", "amd"},
    {"intel", "intel"},
    {"tpu", "google", DeviceClass::tpu},
    {"google", "google", DeviceClass::tpu},
    {"gaudi", "intel"},
}};
constexpr const Maker& maker_nvidia = makers[0];
constexpr const Maker& maker_amd = makers[4];

const Maker* maker_of(Exporter exporter, const LabelTexts& labels) {
  switch (exporter) {
    case Exporter::dcgm:
    case Exporter::nvidia_smi:
      return &maker_nvidia;
    case Exporter::amd:
      return &maker_amd;
    case Exporter::gke:
    case Exporter::all_smi:
      break;
  }
  for (const LabelRole role : {LabelRole::vendor, LabelRole::model}) {
    for (const Maker& maker : makers) {
      if (contains_ignoring_case(text_of(labels, role), maker.word)) return &maker;
    }
  }
  return nullptr;
}

// What DCGM prints for "not known": the values of DCGM_INT32_BLANK, DCGM_INT64_BLANK and
// DCGM_FP64_BLANK in dcgm_structs.h, and those that follow them: not found, not supported, not
// permitted.
bool is_dcgm_blank(double value) {
  constexpr double int32_blank = 0x7ffffff0;
  constexpr double int64_blank = 9.2e18;
  constexpr double double_blank = 140'737'488'355'328.0;
  constexpr double kinds = 16;
  return value >= int64_blank || (value >= int32_blank && value < int32_blank + kinds) ||
         (value >= double_blank && value < double_blank + kinds) || value == -1;
}

/// In the slot's unit.
double converted(const KnownSeries& known, double value) { return value * known.times / known.per; }

MetricBounds bounds_of(Slot slot) {
  // Facts are no metrics; none is larger than this.
  constexpr double fact_most = 1.1e14;
  if (!slot.is_metric()) return {0, fact_most};
  Column column;
  column.metric = static_cast<std::uint8_t>(slot.metric());
  return steps_within(column);
}

/// Why the value does not count; empty: it does.
std::string why_absent(const KnownSeries& known, double value) {
  if (std::isnan(value)) return "which is no number";
  if (known.exporter == Exporter::dcgm && is_dcgm_blank(value)) return "which is DCGM's blank";
  const double amount = converted(known, value);
  const MetricBounds bounds = bounds_of(known.slot);
  if (!(amount >= bounds.least && amount <= bounds.most)) return "which is not plausible";
  if (known.zero == Zero::means_absent && amount == 0) return "which means not known";
  return "";
}

/// Whether a part of a board has values of its own in this slot; the others are the board's.
bool is_of_part(Slot slot) {
  constexpr std::array<Slot, 7> slots{
      Metric::utilization,  Metric::tensor_activity, Metric::memory_activity, Metric::memory_used,
      Metric::memory_total, Fact::memory_free,       Fact::memory_reserved};
  return contains(slots, slot);
}

/// The others have no pods on their pages: a Prometheus server has added those of the exporter.
bool names_pods(Exporter exporter) {
  return exporter == Exporter::dcgm || exporter == Exporter::gke || exporter == Exporter::amd;
}

/// A pod that reads metrics uses no device.
bool is_monitor(std::string_view pod, std::string_view container) {
  constexpr std::array<std::string_view, 3> words{"dcgm-exporter", "metrics-exporter",
                                                  "device-plugin"};
  return std::any_of(words.begin(), words.end(), [&](std::string_view word) {
    return contains_ignoring_case(pod, word) || contains_ignoring_case(container, word);
  });
}

void set_once(std::string& text, std::string_view label) {
  if (text.empty() && !label.empty()) text = as_label(label);
}

std::optional<double> total_of(std::optional<double> total, std::optional<double> used,
                               std::optional<double> free, std::optional<double> reserved) {
  if (total || !used || !free) return total;
  return *used + *free + reserved.value_or(0);
}

std::optional<double> present(double value) {
  return std::isnan(value) ? std::nullopt : std::optional(value);
}

}  // namespace

void CollectedBoard::describe(const PlacedSeries& series) {
  const LabelTexts& labels = series.labels;
  if (vendor_.empty()) {
    if (const Maker* maker = maker_of(series.known->exporter, labels)) {
      vendor_ = maker->vendor;
      class_ = maker->device_class;
    }
  }
  set_once(board_.name, text_of(labels, LabelRole::model));
  set_once(board_.uuid, text_of(labels, LabelRole::uuid));
  set_once(serial_, text_of(labels, LabelRole::serial));
  if (board_.bus.empty()) board_.bus = as_pci_address(text_of(labels, LabelRole::bus));
  const std::string_view version = text_of(labels, LabelRole::driver);
  if (board_.driver.empty() && !version.empty()) {
    const std::string_view driver = vendor_ == "nvidia" ? "NVIDIA "
                                    : vendor_ == "amd"  ? "amdgpu "
                                                        : "";
    board_.driver = std::string(driver) + as_label(version);
  }
}

void CollectedBoard::add_user(const PlacedSeries& series) {
  constexpr std::size_t users_kept_max = 4 * device_processes_max;
  const LabelTexts& labels = series.labels;
  DeviceProcess user;
  const std::string_view pod = text_of(labels, LabelRole::pod);
  const std::string_view container = text_of(labels, LabelRole::container);
  if (series.known->slot == Fact::process_memory) {
    user.pid = as_number(text_of(labels, LabelRole::pid)).value_or(0);
    user.user = as_label(text_of(labels, LabelRole::user));
    user.name = as_label(text_of(labels, LabelRole::process));
    user.tenant = as_name(user.user);
    if (why_absent(*series.known, series.value).empty()) user.memory_bytes = series.value;
  } else if (!pod.empty() && names_pods(series.known->exporter) && !is_monitor(pod, container)) {
    const std::string_view pod_namespace = text_of(labels, LabelRole::pod_namespace);
    user.name = as_label(pod_namespace);
    add_part(user.name, "/", as_label(pod));
    add_part(user.name, "/", as_label(container));
    user.tenant = as_name(pod_namespace);
  } else if (const std::string_view job = text_of(labels, LabelRole::job); !job.empty()) {
    user.name = "job " + as_label(job);
    user.user = as_label(text_of(labels, LabelRole::user));
    user.tenant = as_name(user.user);
  } else {
    return;
  }
  const auto known = std::find_if(users_.begin(), users_.end(), [&](const DeviceProcess& each) {
    return each.pid == user.pid && each.name == user.name;
  });
  if (known != users_.end()) {
    if (user.memory_bytes) known->memory_bytes = user.memory_bytes;
  } else if (users_.size() < users_kept_max) {
    users_.push_back(std::move(user));
  } else {
    ++users_left_out_;
  }
}

CollectedBoard::Part* CollectedBoard::part_of(const PlacedSeries& series) {
  if (series.known->exporter == Exporter::amd) return nullptr;  // a device of its own
  const auto number = as_number(text_of(series.labels, LabelRole::partition_id));
  if (!number || *number > UINT32_MAX) return nullptr;
  Part* part = find_by(parts_, &Part::number, static_cast<std::uint32_t>(*number));
  if (part == nullptr) {
    if (parts_.size() == device_partitions_max) return nullptr;
    part = &parts_.emplace_back();
    part->number = static_cast<std::uint32_t>(*number);
    part->values.fill(absent);
  }
  set_once(part->profile, text_of(series.labels, LabelRole::partition_profile));
  set_once(part->uuid, text_of(series.labels, LabelRole::partition_uuid));
  return part;
}

bool CollectedBoard::set(const PlacedSeries& series, bool of_part) {
  const KnownSeries& known = *series.known;
  Cell& cell = cells_[known.slot.index()];
  const bool good = why_absent(known, series.value).empty();
  const bool again =
      !of_part && cell.from == &known && !cell.of_part && cell.label_hash == series.label_hash;
  if (cell.from != nullptr && !again) {
    // What counts is better than what does not, the board's than a part's, an earlier row of the
    // table than a later one.
    if (cell.good != good) {
      if (cell.good) return false;
    } else if (cell.of_part != of_part) {
      if (of_part) return false;
    } else if (&known > cell.from) {
      return false;
    }
    if (&known == cell.from && known.several == Several::largest && cell.value > series.value) {
      return false;
    }
  }
  cell = {&known, series.label_hash, series.value, good, of_part};
  return again;
}

bool CollectedBoard::add(const PlacedSeries& series) {
  describe(series);
  add_user(series);
  const Slot slot = series.known->slot;
  const bool has_part = !text_of(series.labels, LabelRole::partition_id).empty() &&
                        series.known->exporter != Exporter::amd;
  Part* const part = has_part ? part_of(series) : nullptr;
  if (slot == Fact::identity || slot == Fact::process_memory) return false;
  if (!has_part || !is_of_part(slot)) return set(series, has_part);
  if (part != nullptr && why_absent(*series.known, series.value).empty()) {
    part->values[slot.index()] = converted(*series.known, series.value);
  }
  return false;
}

std::optional<double> CollectedBoard::value_at(Slot slot) const {
  const Cell& cell = cells_[slot.index()];
  if (!cell.good) return std::nullopt;
  return converted(*cell.from, cell.value);
}

BoardReading CollectedBoard::reading() const {
  BoardReading reading;
  reading.device_class = class_;
  reading.vendor = vendor_;
  reading.board = board_;
  if (reading.board.uuid.empty()) reading.board.uuid = serial_;
  fill_board(reading);
  fill_values(reading);
  fill_missing(reading);
  return reading;
}

void CollectedBoard::fill_board(BoardReading& reading) const {
  Board& board = reading.board;
  board.power_cap_min_w = value_at(Fact::power_cap_min);
  board.power_cap_max_w = value_at(Fact::power_cap_max);
  board.power_cap_default_w = value_at(Fact::power_cap_default);
  board.clock_max_mhz = value_at(Fact::clock_max);
  board.slowdown_c = value_at(Fact::slowdown);
  constexpr double most = 64;  // as of Metric::pcie_generation
  double generation = value_at(Fact::pcie_generation_max).value_or(0);
  if (const auto speed = value_at(Fact::pcie_speed_max)) generation = pcie_generation(*speed);
  board.pcie_generation_max = static_cast<std::uint16_t>(generation <= most ? generation : 0);
  const double lanes = value_at(Fact::pcie_lanes_max).value_or(0);
  board.pcie_lanes_max = static_cast<std::uint16_t>(lanes <= most ? lanes : 0);
  for (const Part& part : parts_) {
    const auto at = [&](Slot slot) { return present(part.values[slot.index()]); };
    DevicePartition partition;
    partition.number = part.number;
    partition.profile = part.profile;
    partition.uuid = part.uuid;
    partition.memory_used_bytes = at(Metric::memory_used);
    partition.memory_total_bytes = total_of(at(Metric::memory_total), at(Metric::memory_used),
                                            at(Fact::memory_free), at(Fact::memory_reserved));
    partition.utilization = at(Metric::utilization);
    board.partitions.push_back(std::move(partition));
  }
  std::sort(board.partitions.begin(), board.partitions.end(),
            [](const auto& a, const auto& b) { return a.number < b.number; });
  set_processes(board, users_, false);
  board.processes_left_out += users_left_out_;
}

void CollectedBoard::fill_values(BoardReading& reading) const {
  for (std::size_t index = 0; index < metric_count; ++index) {
    const auto metric = static_cast<Metric>(index);
    if (const auto value = value_at(metric)) reading.values[metric] = *value;
  }
  auto used = value_at(Metric::memory_used);
  auto total = total_of(value_at(Metric::memory_total), used, value_at(Fact::memory_free),
                        value_at(Fact::memory_reserved));
  // A board of which only the parts are known has at least their memory.
  if (cells_[Slot(Metric::memory_used).index()].from == nullptr) {
    for (const DevicePartition& part : reading.board.partitions) {
      if (part.memory_used_bytes) used = used.value_or(0) + *part.memory_used_bytes;
      if (part.memory_total_bytes) total = total.value_or(0) + *part.memory_total_bytes;
    }
  }
  reading.values[Metric::memory_used] = used.value_or(absent);
  reading.values[Metric::memory_total] = total.value_or(absent);
  if (const auto speed = value_at(Fact::pcie_speed)) {
    const std::uint16_t generation = pcie_generation(*speed);
    reading.values[Metric::pcie_generation] = generation > 0 ? generation : absent;
  }
}

std::string CollectedBoard::why_missing(Metric metric) const {
  const Cell& cell = cells_[Slot(metric).index()];
  if (cell.from != nullptr) {
    return fmt::format("the page says {} for {}, {}", cell.value, cell.from->name,
                       why_absent(*cell.from, cell.value));
  }
  if (class_ == DeviceClass::tpu && (metric == Metric::power || metric == Metric::temperature)) {
    return "Google publishes no power and no temperature of TPUs";
  }
  const auto rows = all_known_series();
  const auto named = std::find_if(rows.begin(), rows.end(), [&](const KnownSeries& row) {
    return row.exporter == exporter_ && row.slot == metric;
  });
  if (named == rows.end()) return fmt::format("{} does not publish it", to_text(exporter_));
  if (!parts_.empty() && is_of_part(metric)) {
    return fmt::format("the page has no {} of the whole board", named->name);
  }
  return fmt::format("the page has no {}", named->name);
}

void CollectedBoard::fill_missing(BoardReading& reading) const {
  for (std::size_t index = 0; index < metric_count; ++index) {
    const auto metric = static_cast<Metric>(index);
    if (metric == Metric::queue || metric == Metric::running) continue;  // of emulated devices
    if (!std::isnan(reading.values[metric])) continue;
    reading.board.missing.push_back({static_cast<std::uint8_t>(index), why_missing(metric)});
  }
}

}  // namespace drover::agents
