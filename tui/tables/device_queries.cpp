#include "tui/tables/device_queries.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/job_target.h"
#include "tui/model/device_state.h"
#include "tui/tables/job_list.h"
#include "tui/tables/target_lookup.h"

namespace drover::tui {
namespace {

const Rejection* rejection_of(const Decision& decision, const Model& model, DeviceTable::Row row) {
  const std::string& kind = model.spec_of(row).id;
  const auto found = std::find_if(
      decision.rejections.begin(), decision.rejections.end(), [&](const Rejection& rejection) {
        return model.is_in_pool(row, rejection.pool) &&
               (rejection.device_class.empty() || rejection.device_class == kind);
      });
  return found == decision.rejections.end() ? nullptr : &*found;
}

/// In the order of DeviceState. Suspect hosts have no symbol: their names are coloured, and their
/// devices become stale.
constexpr std::array<DeviceMarker, device_state_count> state_signs = {{{"x", CellStyle::critical},
                                                                       {"!", CellStyle::critical},
                                                                       {" ", CellStyle::plain},
                                                                       {"*", CellStyle::fault},
                                                                       {"?", CellStyle::stale},
                                                                       {"d", CellStyle::accent},
                                                                       {"-", CellStyle::stale},
                                                                       {" ", CellStyle::plain}}};

}  // namespace

DeviceMarker device_marker(const Model& model, Instant now, DeviceTable::Row row) {
  for (const DeviceState state : device_states(model, now, row)) {
    const DeviceMarker& sign = state_signs[static_cast<std::size_t>(state)];
    if (sign.text != " ") return sign;
  }
  return {" ", CellStyle::plain};
}

std::string condition_text(const DeviceChanged& condition) {
  std::string text;
  if (!condition.usable) {
    text = fmt::format("! not usable since {}", to_clock_text(condition.since));
    if (!condition.detail.empty()) text += ": " + condition.detail;
  }
  for (std::size_t i = 0; i < condition.injected.size(); ++i) {
    if (i > 0) {
      text += ", ";
    } else {
      text += text.empty() ? "* injected: " : "  * injected: ";
    }
    text += condition.injected[i];
  }
  if (condition.drained) text += text.empty() ? "drained: no new work" : "  drained";
  return text;
}

bool has_device(const Model& model, std::string_view target, const DeviceId& device) {
  while (const auto part = take_target_part(target)) {
    if (part->host != device.host) continue;
    if (lists_device(part->place, device.index)) return true;
    const auto number = replica_in(part->place);
    if (!number) continue;
    const auto replica = model.replicas().find({device.host, *number});
    if (replica == model.replicas().end()) continue;
    if (uses_device(replica->second.reported.replica, device.index)) return true;
  }
  return false;
}

bool concerns(const Model& model, std::string_view subject, const DeviceId& device) {
  for (const std::string_view kind : {"device:", "host:"}) {
    if (subject.starts_with(kind)) subject.remove_prefix(kind.size());
  }
  return subject == device.host || has_device(model, subject, device);
}

std::string device_search_text(const Model& model, DeviceTable::Row row) {
  return fmt::format("{} {} {} {}", to_text(model.id_of(row)), model.spec_of(row).id,
                     model.pools_text(row), model.host_of(row).reported.registration.rack);
}

std::string pools_text(const Model& model, const ReplicaChanged& changed) {
  const Replica& replica = changed.replica;
  if (replica.devices.empty()) return changed.pool;
  const auto row = model.find({replica.id.host, replica.devices.front()});
  return row ? model.pools_text(*row) : changed.pool;
}

bool is_gone(const Model& model, const Replica& replica) {
  const HostRow* const host = model.find_host(replica.id.host);
  return host != nullptr && is_gone(host->reported.health);
}

Pause pause_of(const Model& model, const JobChanged& job) {
  if (job.state != JobState::leased && job.state != JobState::running) return Pause::none;
  std::string_view target = job.target;
  while (const auto part = take_target_part(target)) {
    const auto number = replica_in(part->place);
    if (!number) continue;
    const auto replica = model.replicas().find({std::string(part->host), *number});
    return replica == model.replicas().end() ? Pause::none
                                             : pause_of_requests(replica->second.reported.replica);
  }
  return job.pause;
}

Pause pause_on(const Model& model, const DeviceId& device,
               const std::vector<const JobChanged*>& jobs) {
  for (const ReplicaRow* const row : replicas_on(model, device)) {
    if (row->reported.replica.pause != Pause::none) return row->reported.replica.pause;
  }
  const auto row = model.find(device);
  const ConditionRow* const condition = row ? model.condition_of(*row) : nullptr;
  const bool faulty = condition != nullptr &&
                      (!condition->reported.usable || !condition->reported.injected.empty());
  for (const JobChanged* const job : jobs) {
    // A faulty device does not wait for its peers; they wait for it.
    const Pause pause = pause_of(model, *job);
    if (pause != Pause::none && !(faulty && pause == Pause::peer)) return pause;
  }
  return Pause::none;
}

std::vector<const ReplicaRow*> replicas_on(const Model& model, const DeviceId& device) {
  std::vector<const ReplicaRow*> rows;
  for (auto replica = model.replicas().lower_bound({device.host, 0});
       replica != model.replicas().end() && replica->first.host == device.host; ++replica) {
    if (uses_device(replica->second.reported.replica, device.index)) {
      rows.push_back(&replica->second);
    }
  }
  return rows;
}

std::vector<const JobRow*> jobs_on(const Model& model, const DeviceId& device) {
  std::vector<const JobRow*> rows;
  for (const auto& [id, row] : model.jobs()) {
    const JobState state = row.reported.state;
    if (state != JobState::running && state != JobState::leased) continue;
    if (has_device(model, row.reported.target, device)) rows.push_back(&row);
  }
  std::sort(rows.begin(), rows.end(),
            [](const JobRow* a, const JobRow* b) { return runs_before(a->reported, b->reported); });
  return rows;
}

std::vector<DeviceDecision> decisions_about(const Model& model, DeviceTable::Row row,
                                            std::size_t count_max) {
  const DeviceId device = model.id_of(row);
  std::vector<DeviceDecision> device_decisions;
  const auto& decisions = model.decisions();
  for (auto decision = decisions.rbegin(); decision != decisions.rend(); ++decision) {
    if (device_decisions.size() >= count_max) break;
    if (has_device(model, decision->target, device)) {
      device_decisions.push_back({&*decision, nullptr});
    } else if (const Rejection* rejected = rejection_of(*decision, model, row)) {
      device_decisions.push_back({&*decision, rejected});
    }
  }
  return device_decisions;
}

}  // namespace drover::tui
