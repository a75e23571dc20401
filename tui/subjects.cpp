#include "tui/subjects.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace drover::tui {
namespace {

constexpr std::size_t prefix_least = 6;  // shorter digits are words by chance: "ade"

std::optional<std::uint32_t> leading_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [stop, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc{}) return std::nullopt;
  return number;
}

/// Of a target of one host.
void add_rows(const Model& model, std::string_view target, std::vector<DeviceTable::Row>& rows) {
  const std::size_t slash = target.rfind('/');
  if (slash == std::string_view::npos) return;
  const std::string host(target.substr(0, slash));
  const HostRow* const known = model.find_host(host);
  if (known == nullptr) return;
  const auto add = [&](std::uint32_t index) {
    const auto row = model.find({host, static_cast<std::uint16_t>(index)});
    if (row) rows.push_back(*row);
  };
  std::string_view part = target.substr(slash + 1);
  if (part.starts_with('r')) {
    const auto number = leading_number(part.substr(1));
    const auto replica = model.replicas().find({host, number.value_or(0)});
    if (!number || replica == model.replicas().end()) return;
    for (const std::uint16_t device : replica->second.said.replica.devices) add(device);
    return;
  }
  while (!part.empty()) {
    const std::string_view range = part.substr(0, part.find(','));
    part.remove_prefix(std::min(part.size(), range.size() + 1));
    const std::size_t dash = range.find('-');
    const auto from = leading_number(range);
    const auto to = dash == std::string_view::npos ? from : leading_number(range.substr(dash + 1));
    // No more than the host has: a text from outside may name millions.
    if (!from || !to || *to - *from >= devices_max) continue;
    for (std::uint32_t index = *from; index <= *to && rows.size() < devices_max; ++index)
      add(index);
  }
}

std::optional<DeviceId> first_of(const Model& model, const std::string& host,
                                 std::string_view part) {
  const bool replica = part.starts_with('r');
  const auto number = leading_number(replica ? part.substr(1) : part);
  if (!number) return std::nullopt;
  if (!replica) return DeviceId{host, static_cast<std::uint16_t>(*number)};
  const auto known = model.replicas().find({host, *number});
  if (known == model.replicas().end()) return std::nullopt;
  const auto& devices = known->second.said.replica.devices;
  return devices.empty() ? std::nullopt : std::optional(DeviceId{host, devices.front()});
}

}  // namespace

std::optional<DeviceId> device_named(const Model& model, std::string_view subject) {
  for (const std::string_view kind : {"device:", "host:"}) {
    if (subject.starts_with(kind)) subject.remove_prefix(kind.size());
  }
  subject = subject.substr(0, subject.find(' '));  // of several the first
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
  while (!target.empty()) {
    const std::size_t end = std::min(target.find(' '), target.size());
    add_rows(model, target.substr(0, end), rows);
    target.remove_prefix(std::min(end + 1, target.size()));
  }
  return rows;
}

std::optional<JobId> job_named(const Model& model, std::string_view subject) {
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
