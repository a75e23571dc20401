// Queries of the model about one device: its condition, replicas, jobs and decisions. Finds the
// device or job named by the subject of an event, alert, audit or decision.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/palette.h"
#include "tui/model/model.h"
#include "tui/usage/job_devices.h"

namespace drover::tui {

/// A device of the model: "gpu-a/3", "device:gpu-a/3"; the first device of a host ("gpu-a",
/// "host:gpu-a"), a replica ("gpu-a/r0") or a set ("gpu-a/0-3,6").
std::optional<DeviceId> find_device(const Model& model, std::string_view subject);
/// Why there is no such device: "no device h100-1/33: h100-1 has devices 0 to 7", or the hosts
/// whose names are nearest.
std::string unknown_device_text(const Model& model, const DeviceId& device);
/// A job by its id ("job:" may stand before it) or by first digits that no other job has. Fewer
/// than `digits_min` are no job: of a text that may be a word, such as "ade", it takes six.
std::optional<JobId> find_job(const Model& model, std::string_view subject,
                              std::size_t digits_min = 6);

/// Whether every device is real, so that nothing places work on it.
bool all_real(const Model& model);

/// A device's state in one column, by a character as well as a colour: "x" lost, "!" not usable,
/// "?" stale, "*" injected fault, "d" drained; blank if it is ok.
struct DeviceMarker {
  std::string_view text;
  CellStyle style = CellStyle::plain;
};
DeviceMarker device_marker(const Model& model, Instant now, DeviceTable::Row row);
/// Why it cannot be used, and its injected faults.
std::string condition_text(const DeviceChanged& condition);

/// The text that a search matches: id, kind, pool, rack.
std::string device_search_text(const Model& model, DeviceTable::Row row);

/// Whether a target of a decision or job includes the device. Targets are "host/r0", "host/0-3,6"
/// or, of a multi-host gang, "a/0-7 b/0-3".
bool has_device(const Model& model, std::string_view target, const DeviceId& device);
/// Whether the subject of an event, alert or audit is the device, its host or a replica on it:
/// "host/3", "device:host/3", "host", "host/r0".
bool concerns(const Model& model, std::string_view subject, const DeviceId& device);

/// The pools of its devices, or the one that the router reported if the devices are unknown.
std::string pools_text(const Model& model, const ReplicaChanged& replica);
/// Whether its host is lost or has left.
bool is_gone(const Model& model, const Replica& replica);
/// Why the job makes no progress; of a request, why its replica does. If the model does not know
/// the replica, it is what the router reported of the job.
Pause pause_of(const Model& model, const JobChanged& job);
std::vector<const ReplicaRow*> replicas_on(const Model& model, const DeviceId& device);
/// The jobs that run there: training and batch jobs before requests, then by start time.
std::vector<const JobRow*> jobs_on(const Model& model, const DeviceId& device);

/// Of the last readings of some devices; NaN if none of them reports the metric.
struct ReadingSums {
  double load = absent;  // the mean
  double power_w = absent;
  double hottest_c = absent;
};
ReadingSums sums_of(const Model& model, std::span<const DeviceTable::Row> rows);

/// A decision that chose the device or rejected candidates of its pool and kind.
struct DeviceDecision {
  const Decision* decision = nullptr;
  const Rejection* rejected = nullptr;  // null: chosen
};
/// Newest first.
std::vector<DeviceDecision> decisions_about(const Model& model, DeviceTable::Row row,
                                            std::size_t count_max);

}  // namespace drover::tui
