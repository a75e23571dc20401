#include "tui/moments/moment_snapshot.h"

#include <algorithm>
#include <cmath>

namespace drover::tui {
namespace {

std::uint8_t sample_bits(const Model& model, DeviceTable::Row row) {
  if (model.is_past(row)) return 0;
  const bool throttled = is_throttled(model.devices().value(row, Metric::throttle));
  return device_sampled | (throttled ? device_throttled : 0);
}

std::uint8_t condition_bits(const DeviceChanged& reported) {
  return static_cast<std::uint8_t>((reported.usable ? 0 : device_unusable) |
                                   (reported.drained ? device_drained : 0) |
                                   (reported.injected.empty() ? 0 : device_faulty));
}

void add_host(MomentSnapshot& moment, const Model& model, const HostRow& host) {
  const auto first = static_cast<std::uint32_t>(moment.index.size());
  std::vector<DeviceTable::Row> rows(host.count);
  for (DeviceTable::Row i = 0; i < host.count; ++i) rows[i] = host.first + i;
  const DeviceTable& devices = model.devices();
  std::ranges::sort(rows, {}, [&](DeviceTable::Row row) { return devices.index(row); });
  for (const DeviceTable::Row row : rows) {
    moment.index.push_back(devices.index(row));
    moment.bits.push_back(sample_bits(model, row));
    for (std::size_t i = 0; i < compared_readings.size(); ++i) {
      const double value = model.reading(row, compared_readings[i].metric);
      moment.readings[i].push_back(static_cast<float>(value));
    }
  }
  moment.hosts.push_back(
      {host.reported.registration.host, host.reported.health, first, host.count});
}

/// Few devices have a condition, so this looks for their rows and not the other way round.
void add_conditions(MomentSnapshot& moment, const Model& model) {
  for (const auto& [id, condition] : model.conditions()) {
    const auto host = std::ranges::lower_bound(moment.hosts, id.host, {}, &MomentHost::name);
    if (host == moment.hosts.end() || host->name != id.host) continue;
    const auto begin = moment.index.begin() + host->first, end = begin + host->count;
    const auto found = std::lower_bound(begin, end, id.index);
    if (found == end || *found != id.index) continue;
    moment.bits[static_cast<std::size_t>(found - moment.index.begin())] |=
        condition_bits(condition.reported);
  }
}

}  // namespace

MomentSnapshot moment_of(const Model& model, Instant at) {
  MomentSnapshot moment;
  moment.at = at;
  std::vector<const HostRow*> hosts;
  for (const HostRow& host : model.hosts()) hosts.push_back(&host);
  std::ranges::sort(hosts, {}, [](const HostRow* host) -> const std::string& {
    return host->reported.registration.host;
  });
  for (const HostRow* const host : hosts) add_host(moment, model, *host);
  add_conditions(moment, model);
  for (const auto& [key, row] : model.alerts()) {
    moment.alerts.push_back({key, row.alert.severity});
  }
  moment.sums = model.summary();
  return moment;
}

std::size_t MomentSnapshot::bytes() const {
  return index.size() * (sizeof(std::uint16_t) + 1 + readings.size() * sizeof(float)) +
         hosts.size() * sizeof(MomentHost) + alerts.size() * sizeof(MomentAlert) + sizeof(Summary);
}

}  // namespace drover::tui
