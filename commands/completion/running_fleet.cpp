#include "commands/completion/running_fleet.h"

#include <set>

#include "commands/connection/session.h"
#include "commands/query/fleet_client.h"
#include "fleet/base/text.h"

namespace drover::commands {

namespace {

constexpr std::chrono::milliseconds answer_within{300};
constexpr std::chrono::milliseconds snapshot_within{500};

/// A shell would take a name with other characters apart.
void add(std::vector<std::string>& names, const std::string& name) {
  if (!name.empty() && name == printable(name)) names.push_back(name);
}

FleetNames names_in_model(const tui::Model& model) {
  FleetNames names;
  std::set<std::string> racks, rules;
  for (const std::uint32_t number : model.host_order()) {
    const auto& registration = model.hosts()[number].reported.registration;
    add(names.hosts, registration.host);
    racks.insert(registration.rack);
  }
  for (const std::string& rack : racks) add(names.racks, rack);
  for (const tui::DeviceTable::Row row : model.device_order()) {
    add(names.devices, to_text(model.id_of(row)));
  }
  for (const std::string& pool : model.pools()) add(names.pools, pool);
  for (const auto& [id, job] : model.jobs()) add(names.jobs, to_text(id));
  for (const auto& [key, alert] : model.alerts()) rules.insert(key.rule);
  for (const std::string& rule : rules) add(names.alert_rules, rule);
  return names;
}

}  // namespace

FleetNames names_of_fleet(const RouterAddress& address) {
  const auto session =
      Session::open({address, Role::client, user_name("completion"), answer_within});
  if (!session) return {};
  FleetClient fleet(**session);
  if (!fleet.read_snapshot(snapshot_within)) return {};
  return names_in_model(fleet.model());
}

}  // namespace drover::commands
