#include "tui/tables/device_facts.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "fleet/pause.h"
#include "fleet/placement.h"
#include "tui/model/device_state.h"
#include "tui/tables/job_list.h"

namespace drover::tui {
namespace {

bool has(const Replica& replica, std::uint16_t index) {
  return std::find(replica.devices.begin(), replica.devices.end(), index) != replica.devices.end();
}

const Rejection* rejection_of(const Decision& decision, const Model& model, DeviceTable::Row row) {
  const std::string& kind = model.spec_of(row).id;
  const auto found = std::find_if(
      decision.rejections.begin(), decision.rejections.end(), [&](const Rejection& rejection) {
        return model.is_in_pool(row, rejection.pool) &&
               (rejection.device_class.empty() || rejection.device_class == kind);
      });
  return found == decision.rejections.end() ? nullptr : &*found;
}

/// In the order of DeviceState. A silent host is told by the colour of its name, its devices by how
/// old what they said is.
constexpr std::array<DeviceSign, device_state_count> state_signs = {{{"x", Role::critical},
                                                                     {"!", Role::critical},
                                                                     {" ", Role::plain},
                                                                     {"*", Role::fault},
                                                                     {"?", Role::stale},
                                                                     {"d", Role::accent},
                                                                     {"-", Role::stale},
                                                                     {" ", Role::plain}}};

}  // namespace

DeviceSign sign_of(const Model& model, Instant now, DeviceTable::Row row) {
  for (const DeviceState state : device_states(model, now, row)) {
    const DeviceSign& sign = state_signs[static_cast<std::size_t>(state)];
    if (sign.text != " ") return sign;
  }
  return {" ", Role::plain};
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
  while (const auto part = take_part(target)) {
    if (part->host != device.host) continue;
    if (lists_device(part->place, device.index)) return true;
    const auto number = replica_in(part->place);
    if (!number) continue;
    const auto replica = model.replicas().find({device.host, *number});
    if (replica == model.replicas().end()) continue;
    if (has(replica->second.said.replica, device.index)) return true;
  }
  return false;
}

bool concerns(const Model& model, std::string_view subject, const DeviceId& device) {
  for (const std::string_view kind : {"device:", "host:"}) {
    if (subject.starts_with(kind)) subject.remove_prefix(kind.size());
  }
  return subject == device.host || has_device(model, subject, device);
}

std::string device_words(const Model& model, DeviceTable::Row row) {
  return fmt::format("{} {} {} {}", to_text(model.id_of(row)), model.spec_of(row).id,
                     model.pools_text(row), model.host_of(row).said.hello.rack);
}

std::string pools_text(const Model& model, const ReplicaChanged& changed) {
  const Replica& replica = changed.replica;
  if (replica.devices.empty()) return changed.pool;
  const auto row = model.find({replica.id.host, replica.devices.front()});
  return row ? model.pools_text(*row) : changed.pool;
}

bool is_gone(const Model& model, const Replica& replica) {
  const HostRow* const host = model.find_host(replica.id.host);
  return host != nullptr && is_gone(host->said.health);
}

Pause pause_of(const Model& model, const JobChanged& job) {
  if (job.state != JobState::leased && job.state != JobState::running) return Pause::none;
  std::string_view target = job.target;
  while (const auto part = take_part(target)) {
    const auto number = replica_in(part->place);
    if (!number) continue;
    const auto replica = model.replicas().find({std::string(part->host), *number});
    return replica == model.replicas().end() ? Pause::none
                                             : pause_of_requests(replica->second.said.replica);
  }
  return job.pause;
}

Pause pause_on(const Model& model, const DeviceId& device,
               const std::vector<const JobChanged*>& jobs) {
  for (const ReplicaRow* const row : replicas_on(model, device)) {
    if (row->said.replica.pause != Pause::none) return row->said.replica.pause;
  }
  const auto row = model.find(device);
  const ConditionRow* const condition = row ? model.condition_of(*row) : nullptr;
  const bool ill =
      condition != nullptr && (!condition->said.usable || !condition->said.injected.empty());
  for (const JobChanged* const job : jobs) {
    // A device that is ill is what its peers wait for.
    const Pause pause = pause_of(model, *job);
    if (pause != Pause::none && !(ill && pause == Pause::peer)) return pause;
  }
  return Pause::none;
}

std::vector<const ReplicaRow*> replicas_on(const Model& model, const DeviceId& device) {
  std::vector<const ReplicaRow*> rows;
  for (auto replica = model.replicas().lower_bound({device.host, 0});
       replica != model.replicas().end() && replica->first.host == device.host; ++replica) {
    if (has(replica->second.said.replica, device.index)) rows.push_back(&replica->second);
  }
  return rows;
}

std::vector<const JobRow*> jobs_on(const Model& model, const DeviceId& device) {
  std::vector<const JobRow*> rows;
  for (const auto& [id, row] : model.jobs()) {
    const JobState state = row.said.state;
    if (state != JobState::running && state != JobState::leased) continue;
    if (has_device(model, row.said.target, device)) rows.push_back(&row);
  }
  std::sort(rows.begin(), rows.end(),
            [](const JobRow* a, const JobRow* b) { return runs_before(a->said, b->said); });
  return rows;
}

std::vector<Mention> mentions_of(const Model& model, DeviceTable::Row row, std::size_t most) {
  const DeviceId device = model.id_of(row);
  std::vector<Mention> mentions;
  const auto& decisions = model.decisions();
  for (auto decision = decisions.rbegin(); decision != decisions.rend(); ++decision) {
    if (mentions.size() >= most) break;
    if (has_device(model, decision->target, device)) {
      mentions.push_back({&*decision, nullptr});
    } else if (const Rejection* rejected = rejection_of(*decision, model, row)) {
      mentions.push_back({&*decision, rejected});
    }
  }
  return mentions;
}

}  // namespace drover::tui
