#include "tui/tables/target_lookup.h"

#include <algorithm>
#include <charconv>
#include <string>

#include "fleet/job_target.h"

namespace drover::tui {
namespace {

constexpr std::size_t prefix_least = 6;  // shorter prefixes may be words: "ade"

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

}  // namespace

bool uses_device(const Replica& replica, std::uint16_t index) {
  return std::find(replica.devices.begin(), replica.devices.end(), index) != replica.devices.end();
}

std::optional<DeviceId> find_device(const Model& model, std::string_view subject) {
  for (const std::string_view kind : {"device:", "host:"}) {
    if (subject.starts_with(kind)) subject.remove_prefix(kind.size());
  }
  subject = subject.substr(0, subject.find(' '));  // the first of several
  const std::size_t slash = subject.rfind('/');
  const std::string host(subject.substr(0, slash));
  const HostRow* const known = model.find_host(host);
  if (known == nullptr || known->count == 0) return std::nullopt;
  if (slash == std::string_view::npos) return model.id_of(known->first);
  const auto device = first_of(model, host, subject.substr(slash + 1));
  return device && model.find(*device) ? device : std::nullopt;
}

std::vector<DeviceTable::Row> rows_of_target(const Model& model, std::string_view target) {
  std::vector<DeviceTable::Row> rows;
  while (const auto part = take_target_part(target)) {
    const HostRow* const host = model.find_host(std::string(part->host));
    if (host == nullptr) continue;
    const auto number = replica_in(part->place);
    const auto replica = number ? model.replicas().find({host->reported.registration.host, *number})
                                : model.replicas().end();
    for (DeviceTable::Row row = host->first; row < host->first + host->count; ++row) {
      const std::uint16_t index = model.devices().index(row);
      bool there = lists_device(part->place, index);
      if (number) {
        there = replica != model.replicas().end() &&
                uses_device(replica->second.reported.replica, index);
      }
      if (there) rows.push_back(row);
    }
  }
  return rows;
}

std::optional<JobId> find_job(const Model& model, std::string_view subject) {
  if (subject.starts_with("job:")) subject.remove_prefix(4);
  if (subject.size() < prefix_least) return std::nullopt;
  std::optional<JobId> found;
  for (const auto& [id, row] : model.jobs()) {
    if (!to_text(id).starts_with(subject)) continue;
    if (found) return std::nullopt;
    found = id;
  }
  return found;
}

}  // namespace drover::tui
