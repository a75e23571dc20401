#include "tui/device_facts.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

#include "tui/job_list.h"

namespace drover::tui {
namespace {

std::optional<std::uint32_t> number_in(std::string_view text) {
  std::uint32_t number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, number);
  if (problem != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// "0-3,6" holds 2.
bool lists_index(std::string_view ranges, std::uint32_t index) {
  while (!ranges.empty()) {
    const std::string_view range = ranges.substr(0, ranges.find(','));
    ranges.remove_prefix(std::min(ranges.size(), range.size() + 1));
    const std::size_t dash = range.find('-');
    const auto from = number_in(range.substr(0, dash));
    const auto to = dash == std::string_view::npos ? from : number_in(range.substr(dash + 1));
    if (from && to && *from <= index && index <= *to) return true;
  }
  return false;
}

bool has(const Replica& replica, std::uint16_t index) {
  return std::find(replica.devices.begin(), replica.devices.end(), index) != replica.devices.end();
}

const Rejection* rejection_of(const Decision& decision, std::string_view pool,
                              std::string_view kind) {
  const auto found = std::find_if(
      decision.rejections.begin(), decision.rejections.end(), [&](const Rejection& rejection) {
        return rejection.pool == pool &&
               (rejection.device_class.empty() || rejection.device_class == kind);
      });
  return found == decision.rejections.end() ? nullptr : &*found;
}

}  // namespace

DeviceSign sign_of(const Scene& scene, DeviceTable::Row row) {
  if (scene.model.is_lost(row)) return {"x", Role::critical};
  const ConditionRow* condition = scene.model.condition_of(row);
  if (condition != nullptr && !condition->said.usable) return {"!", Role::critical};
  if (scene.stale(row)) return {"?", Role::stale};
  if (condition != nullptr && !condition->said.injected.empty()) return {"*", Role::fault};
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

namespace {

/// Of a target of one host.
bool part_has_device(const Model& model, std::string_view target, const DeviceId& device) {
  const std::string& host = device.host;
  if (target.size() < host.size() + 2 || !target.starts_with(host)) return false;
  if (target[host.size()] != '/') return false;
  const std::string_view part = target.substr(host.size() + 1);
  if (part.front() != 'r') return lists_index(part, device.index);
  const auto number = number_in(part.substr(1));
  if (!number) return false;
  const auto replica = model.replicas().find({host, *number});
  return replica != model.replicas().end() && has(replica->second.said.replica, device.index);
}

}  // namespace

bool has_device(const Model& model, std::string_view target, const DeviceId& device) {
  while (!target.empty()) {
    const std::size_t end = std::min(target.find(' '), target.size());
    if (part_has_device(model, target.substr(0, end), device)) return true;
    target.remove_prefix(std::min(end + 1, target.size()));
  }
  return false;
}

bool concerns(const Model& model, std::string_view subject, const DeviceId& device) {
  for (const std::string_view kind : {"device:", "host:"}) {
    if (subject.starts_with(kind)) subject.remove_prefix(kind.size());
  }
  return subject == device.host || has_device(model, subject, device);
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
  const std::string_view pool = model.pool_of(row);
  const std::string& kind = model.spec_of(row).id;
  std::vector<Mention> mentions;
  const auto& decisions = model.decisions();
  for (auto decision = decisions.rbegin(); decision != decisions.rend(); ++decision) {
    if (mentions.size() >= most) break;
    if (has_device(model, decision->target, device)) {
      mentions.push_back({&*decision, nullptr});
    } else if (const Rejection* rejected = rejection_of(*decision, pool, kind)) {
      mentions.push_back({&*decision, rejected});
    }
  }
  return mentions;
}

}  // namespace drover::tui
