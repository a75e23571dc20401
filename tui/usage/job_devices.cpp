#include "tui/usage/job_devices.h"

#include <algorithm>

#include "fleet/job_target.h"

namespace drover::tui {

const Replica* replica_at(const Model& model, const std::string& host, std::string_view place) {
  const auto number = replica_in(place);
  const auto known = number ? model.replicas().find({host, *number}) : model.replicas().end();
  return known == model.replicas().end() ? nullptr : &known->second.reported.replica;
}

bool uses_device(const Replica& replica, std::uint16_t index) {
  return std::find(replica.devices.begin(), replica.devices.end(), index) != replica.devices.end();
}

std::vector<DeviceTable::Row> rows_of_target(const Model& model, std::string_view target) {
  std::vector<DeviceTable::Row> rows;
  while (const auto part = take_target_part(target)) {
    const HostRow* const host = model.find_host(std::string(part->host));
    if (host == nullptr) continue;
    const bool of_replica = replica_in(part->place).has_value();
    const Replica* const replica = replica_at(model, host->reported.registration.host, part->place);
    for (DeviceTable::Row row = host->first; row < host->end(); ++row) {
      const std::uint16_t index = model.devices().index(row);
      const bool there = of_replica ? replica != nullptr && uses_device(*replica, index)
                                    : lists_device(part->place, index);
      if (there) rows.push_back(row);
    }
  }
  return rows;
}

}  // namespace drover::tui
