#include "tui/tables/device_queries.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/job_target.h"
#include "tui/tables/job_list.h"

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

std::optional<std::uint32_t> leading_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return std::nullopt;
  return number;
}

std::optional<DeviceId> first_of(const Model& model, const std::string& host,
                                 std::string_view part) {
  const bool replica = part.starts_with('r');
  const auto number = leading_number(replica ? part.substr(1) : part);
  if (!number) return std::nullopt;
  if (!replica) return DeviceId{host, static_cast<std::uint16_t>(*number)};
  const auto known = model.replicas().find({host, *number});
  if (known == model.replicas().end()) return std::nullopt;
  const auto& devices = known->second.reported.replica.devices;
  return devices.empty() ? std::nullopt : std::optional(DeviceId{host, devices.front()});
}

/// The subject of an event, alert or audit without "device:" or "host:".
std::string_view without_kind(std::string_view subject) {
  for (const std::string_view kind : {"device:", "host:"}) {
    if (subject.starts_with(kind)) subject.remove_prefix(kind.size());
  }
  return subject;
}

}  // namespace

bool all_real(const Model& model) {
  const std::vector<SpecRow>& specs = model.specs();
  return !specs.empty() &&
         std::all_of(specs.begin(), specs.end(), [](const SpecRow& spec) { return spec.real; });
}

std::optional<DeviceId> find_device(const Model& model, std::string_view subject) {
  subject = without_kind(subject);
  subject = subject.substr(0, subject.find(' '));  // the first of several
  const std::size_t slash = subject.rfind('/');
  const std::string host(subject.substr(0, slash));
  const HostRow* const known = model.find_host(host);
  if (known == nullptr || known->count == 0) return std::nullopt;
  if (slash == std::string_view::npos) return model.id_of(known->first);
  const auto device = first_of(model, host, subject.substr(slash + 1));
  return device && model.find(*device) ? device : std::nullopt;
}

std::string unknown_device_text(const Model& model, const DeviceId& device) {
  const std::string name = printable(to_text(device));
  if (const HostRow* const host = model.find_host(device.host)) {
    if (host->count == 0) return fmt::format("no device {}: {} has none", name, device.host);
    return fmt::format("no device {}: {} has devices 0 to {}", name, device.host, host->count - 1);
  }
  std::vector<std::string> hosts;
  for (const HostRow& host : model.hosts()) {
    if (!host.reported.registration.host.empty()) hosts.push_back(host.reported.registration.host);
  }
  return fmt::format("no device {}: no host \"{}\"{}", name, printable(device.host),
                     suggestion(device.host, hosts));
}

std::optional<JobId> find_job(const Model& model, std::string_view subject,
                              std::size_t digits_min) {
  constexpr std::size_t digits_all = 32;
  if (subject.starts_with("job:")) subject.remove_prefix(4);
  if (subject.size() < digits_min || subject.size() > digits_all) return std::nullopt;
  // Jobs are ordered as their ids are written, so those with the same first digits are adjacent.
  std::string first(subject);
  first.resize(digits_all, '0');
  const auto least = parse_job_id(first);
  if (!least) return std::nullopt;
  const auto begins = [&](const auto& job) { return to_text(job->first).starts_with(subject); };
  const auto job = model.jobs().lower_bound(*least);
  if (job == model.jobs().end() || !begins(job)) return std::nullopt;
  const auto next = std::next(job);
  return next != model.jobs().end() && begins(next) ? std::nullopt : std::optional(job->first);
}

DeviceMarker device_marker(const Model& model, Instant now, DeviceTable::Row row) {
  const DeviceCondition condition = standing_of(model, now, row);
  // Most devices: the map asks for thousands in each frame.
  if (most_severe_state(condition) == DeviceState::ok) return {" ", CellStyle::plain};
  for (const DeviceState state : active_states(condition)) {
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
    const Replica* const replica = replica_at(model, device.host, part->place);
    if (replica != nullptr && uses_device(*replica, device.index)) return true;
  }
  return false;
}

bool concerns(const Model& model, std::string_view subject, const DeviceId& device) {
  subject = without_kind(subject);
  return subject == device.host || has_device(model, subject, device);
}

std::string device_search_text(const Model& model, DeviceTable::Row row) {
  return fmt::format("{} {} {} {}", to_text(model.id_of(row)), model.spec_of(row).kind(),
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
  if (!is_placed(job.state)) return Pause::none;
  std::string_view target = job.target;
  while (const auto part = take_target_part(target)) {
    if (!replica_in(part->place)) continue;
    const Replica* const replica = replica_at(model, std::string(part->host), part->place);
    return replica == nullptr ? job.pause : pause_of_requests(*replica);
  }
  return job.pause;
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
    if (!is_placed(row.reported.state)) continue;
    if (has_device(model, row.reported.target, device)) rows.push_back(&row);
  }
  std::sort(rows.begin(), rows.end(),
            [](const JobRow* a, const JobRow* b) { return runs_before(a->reported, b->reported); });
  return rows;
}

ReadingSums sums_of(const Model& model, std::span<const DeviceTable::Row> rows) {
  ReadingSums sums;
  double load = 0;
  int loads = 0;  // devices that report it
  for (const DeviceTable::Row row : rows) {
    const double share = model.reading(row, Metric::utilization);
    if (!std::isnan(share)) {
      load += share;
      ++loads;
    }
    const double watts = model.reading(row, Metric::power);
    if (!std::isnan(watts)) sums.power_w = std::isnan(sums.power_w) ? watts : sums.power_w + watts;
    const double celsius = model.reading(row, Metric::temperature);
    if (!std::isnan(celsius) && !(sums.hottest_c >= celsius)) sums.hottest_c = celsius;
  }
  if (loads > 0) sums.load = load / loads;
  return sums;
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
