#include "tui/tables/device_diagnosis.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/tables/device_queries.h"
#include "tui/tables/filter_subjects.h"

namespace drover::tui {
namespace {

NeighbourEvidence neighbour(const Model& model, DeviceTable::Row row, bool in_gang) {
  return {to_text(model.id_of(row)), model.reading(row, Metric::throttle),
          model.reading(row, Metric::link_sent) + model.reading(row, Metric::link_received),
          in_gang};
}

/// The devices of its kind on its host, and the other devices of its jobs.
std::vector<NeighbourEvidence> neighbours_of(const Model& model, DeviceTable::Row row,
                                             const std::vector<const JobRow*>& jobs) {
  std::vector<NeighbourEvidence> neighbours;
  const HostRow& host = model.host_of(row);
  for (DeviceTable::Row other = host.first; other < host.end(); ++other) {
    const bool same_kind = model.devices().spec(other) == model.devices().spec(row);
    if (other != row && same_kind) neighbours.push_back(neighbour(model, other, false));
  }
  for (const JobRow* const job : jobs) {
    if (job->reported.job.work.kind != WorkKind::train) continue;
    for (const DeviceTable::Row other : rows_of_target(model, job->reported.target)) {
      if (other != row) neighbours.push_back(neighbour(model, other, true));
    }
  }
  return neighbours;
}

/// The metrics that no emulated device has: the enumerators from this one on.
constexpr Metric first_of_real_devices = Metric::memory_clock;

}  // namespace

DeviceEvidence evidence_about(const Model& model, Instant now, DeviceTable::Row row,
                              const std::vector<const JobRow*>& jobs) {
  DeviceEvidence evidence;
  for (int i = 0; i < metric_count; ++i) {
    const auto metric = static_cast<Metric>(i);
    evidence.values[metric] = model.reading(row, metric);
  }
  const SpecRow& spec = model.spec_of(row);
  if (spec.clock_max_mhz > 0) evidence.clock_max_mhz = spec.clock_max_mhz;
  if (spec.tdp_w > 0) evidence.power_cap_default_w = spec.tdp_w;
  evidence.tells_idle = spec.tells_idle;
  evidence.has_work = !jobs.empty() || evidence.values[Metric::running] > 0;
  if (const Board* const board = model.board_of(row)) {
    if (board->clock_max_mhz) evidence.clock_max_mhz = *board->clock_max_mhz;
    if (board->power_cap_default_w) evidence.power_cap_default_w = *board->power_cap_default_w;
    evidence.pcie_generation_max = board->pcie_generation_max;
    evidence.pcie_lanes_max = board->pcie_lanes_max;
    evidence.has_work |= !board->processes.empty();
    evidence.memory_taken = std::ranges::any_of(
        board->processes, [](const DeviceProcess& it) { return it.memory_bytes.value_or(0) > 0; });
  }
  const JobsByDevice by_device(model, &model.host_of(row));
  evidence.pause = ModelDevice({model, now, by_device}, row).pause().value_or(Pause::none);
  if (const ConditionRow* const condition = model.condition_of(row)) {
    evidence.injected = condition->reported.injected;
  }
  evidence.neighbours = neighbours_of(model, row, jobs);
  return evidence;
}

std::vector<LikelyCause> likely_causes_of(const Model& model, Instant now, DeviceTable::Row row,
                                          const std::vector<const JobRow*>& jobs) {
  if (model.is_stale(now, row)) return {};
  return likely_causes(evidence_about(model, now, row, jobs));
}

std::vector<LikelyCause> likely_causes_of(const Model& model, Instant now, DeviceTable::Row row) {
  return likely_causes_of(model, now, row, jobs_on(model, model.id_of(row)));
}

std::vector<Metric> unknown_evidence(const Model& model, DeviceTable::Row row) {
  const bool real = model.spec_of(row).real;
  std::vector<Metric> unknown;
  for (const Metric metric : slow_cause_metrics()) {
    if (!real && metric >= first_of_real_devices) continue;
    if (std::isnan(model.reading(row, metric))) unknown.push_back(metric);
  }
  return unknown;
}

std::string why_missing(const Model& model, DeviceTable::Row row, Metric metric) {
  if (model.is_gone(row)) return "its host is gone";
  if (model.devices().arrived(row) == Instant::min()) return "no sample has arrived yet";
  if (model.is_past(row)) return "its last sample is too old";
  const Board* const board = model.board_of(row);
  if (board != nullptr) {
    const auto said = std::ranges::find(board->missing, static_cast<std::uint8_t>(metric),
                                        &MissingMetric::metric);
    if (said != board->missing.end()) return printable(said->why);
  }
  if (board != nullptr && !board->read_by.empty()) {
    return fmt::format("{} does not report it", printable(board->read_by));
  }
  if (model.spec_of(row).real) {
    return model.boards_are_full() ? "too many real devices: its description is not kept"
                                   : "its driver does not report it";
  }
  if (metric == Metric::memory_temperature) return "this board has no sensor for it";
  return metric >= first_of_real_devices ? "only real devices report it"
                                         : "its agent does not report it";
}

}  // namespace drover::tui
