// What in the model concerns one device: its condition, replicas, jobs, decisions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tui/canvas/palette.h"
#include "tui/model/model.h"

namespace drover::tui {

/// How a device is in one column, told by a shape as well as a role: "x" lost, "!" not usable, "?"
/// stale, "*" with a fault in it on purpose, "d" drained; a blank when all is well.
struct DeviceSign {
  std::string_view text;
  Role role = Role::plain;
};
DeviceSign sign_of(const Model& model, Instant now, DeviceTable::Row row);
/// Why it cannot be used and what was injected, in words.
std::string condition_text(const DeviceChanged& condition);

/// What people may look for: id, kind, pool, rack.
std::string device_words(const Model& model, DeviceTable::Row row);

/// Whether a target, as decisions and jobs name it ("host/r0", "host/0-3,6", of a gang over hosts
/// "a/0-7 b/0-3"), has the device.
bool has_device(const Model& model, std::string_view target, const DeviceId& device);
/// Whether a text names the device, its host or a replica on it, as events, alerts and audits do:
/// "host/3", "device:host/3", "host", "host/r0".
bool concerns(const Model& model, std::string_view subject, const DeviceId& device);

/// The pools of its devices, or the one that the router has told where they are not known.
std::string pools_text(const Model& model, const ReplicaChanged& replica);
/// With its host.
bool is_gone(const Model& model, const Replica& replica);
/// Why what is loaded or runs on the device makes no progress: the first cause of `jobs` there.
Pause pause_on(const Model& model, const DeviceId& device,
               const std::vector<const JobChanged*>& jobs);
/// Of a request that of its replica.
Pause pause_of(const Model& model, const JobChanged& job);
std::vector<const ReplicaRow*> replicas_on(const Model& model, const DeviceId& device);
/// Those that run there, long work first.
std::vector<const JobRow*> jobs_on(const Model& model, const DeviceId& device);

/// A decision that chose the device or, else, rejected candidates of its pool and kind.
struct Mention {
  const Decision* decision = nullptr;
  const Rejection* rejected = nullptr;  // null: chosen
};
/// Newest first.
std::vector<Mention> mentions_of(const Model& model, DeviceTable::Row row, std::size_t most);

}  // namespace drover::tui
