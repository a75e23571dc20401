// What happens to a drawn fleet.
#include <algorithm>

#include "devices/serving/performance.h"
#include "tests/router/random_fleet.h"

namespace drover::router {

void RandomFleet::sample_host(HostIndex host) {
  const HostEntry& entry = fleet_state.hosts()[host];
  std::vector<Sample> rows;
  for (std::uint16_t number = 0; number < entry.devices.size(); ++number) {
    const DeviceIndex device = entry.devices[number];
    const devices::DeviceSpec& spec =
        *fleet_state.groups()[fleet_state.devices().group[device]].spec;
    const bool serves = fleet_state.devices().replicas[device] != 0;
    const bool trains = !fleet_state.devices().gang[device].empty();
    Sample row;
    row.device = number;
    row[Metric::power] = trains   ? 0.8 * spec.power.tdp_w
                         : serves ? spec.power.context_idle_w
                                  : spec.power.idle_w;
    row[Metric::temperature] = hot_.contains(host) ? spec.thermal.max_c + 1 : 40;
    row[Metric::throttle] = hot_.contains(host) ? double{throttle_sw_thermal_slowdown} : 0;
    rows.push_back(row);
  }
  fleet_state.apply(now, host, ++sample_sequence, pack(entry.registration.host, rows));
}

void RandomFleet::sample_all() {
  for (HostIndex host = 0; host < fleet_state.hosts().size(); ++host) {
    if (!silent_.contains(host)) sample_host(host);
  }
}

void RandomFleet::pass(double span_s) {
  now += from_seconds(span_s);
  for (const Gang& gang : gangs_) {
    if (gang.until <= now) fleet_state.release_gang(gang.job, gang.host, gang.devices);
  }
  sample_all();
}

ReplicaIndex RandomFleet::find(const std::string& replica) const {
  const std::size_t slash = replica.find("/r");
  const auto host = fleet_state.find_host(replica.substr(0, slash));
  DROVER_REQUIRE(host && slash != std::string::npos);
  const auto number = static_cast<std::uint32_t>(std::stoul(replica.substr(slash + 2)));
  return *fleet_state.find_replica(*host, number);
}

HostIndex RandomFleet::host_of(const std::string& target) const {
  const auto host = fleet_state.find_host(target.substr(0, target.find('/')));
  DROVER_REQUIRE(host.has_value());
  return *host;
}

void RandomFleet::leave(const std::string& replica) {
  const ReplicaIndex index = find(replica);
  Replica gone = fleet_state.replicas()[index].replica;
  gone.state = ReplicaState::gone;
  std::erase_if(served_, [&](const Served& each) { return each.replica == index; });
  fleet_state.apply(now, fleet_state.replicas()[index].host, gone);
  sample_all();
}

void RandomFleet::drop_job(const JobId& kept_for) {
  for (const Preemption& kept : wait.kept) {
    if (kept.job != kept_for) continue;
    for (const DeviceIndex device : kept.devices) fleet_state.set_reserved(device, false);
  }
}

void RandomFleet::end(const std::string& short_id) {
  for (const Gang& gang : gangs_) {
    if (to_short_text(gang.job) != short_id) continue;
    fleet_state.release_gang(gang.job, gang.host, gang.devices);
  }
  sample_all();
}

void RandomFleet::resume(const std::string& target) {
  if (target.starts_with("host:")) {
    const HostIndex host = host_of(target.substr(5));
    for (std::uint16_t number = 0; number < fleet_state.hosts()[host].devices.size(); ++number) {
      fleet_state.set_drained(host, number, false);
    }
    return;
  }
  const auto number = static_cast<std::uint16_t>(std::stoul(target.substr(target.find('/') + 1)));
  fleet_state.set_drained(host_of(target), number, false);
}

void RandomFleet::revive(const std::string& host) {
  fleet_state.set_health(now, host_of(host), Health::ok);
  hear(host);
}

void RandomFleet::mend(const std::string& device) {
  const auto number = static_cast<std::uint16_t>(std::stoul(device.substr(device.find('/') + 1)));
  fleet_state.set_usable(host_of(device), number, true);
  hear(device);
}

void RandomFleet::hear(const std::string& host) {
  silent_.erase(host_of(host));
  sample_host(host_of(host));
}

void RandomFleet::cool(const std::string& host) {
  hot_.erase(host_of(host));
  sample_host(host_of(host));
}

void RandomFleet::outlier(const std::string& target) {
  if (target.find("/r") != std::string::npos) {
    fleet_state.replica(find(target)).outlier.ejected = false;
  } else {
    fleet_state.group(fleet_state.hosts()[host_of(target)].groups[0]).outlier.ejected = false;
  }
}

void RandomFleet::relieve(const std::string& replica, int requests, double tokens) {
  const ReplicaIndex index = find(replica);
  for (auto each = served_.begin(); each != served_.end() && (requests > 0 || tokens > 0);) {
    if (each->replica != index) {
      ++each;
      continue;
    }
    fleet_state.release_request(index, each->tokens);
    --requests;
    tokens -= static_cast<double>(each->tokens);
    each = served_.erase(each);
  }
}

void RandomFleet::make_ready(const std::string& replica) {
  const ReplicaIndex index = find(replica);
  const ReplicaEntry& entry = fleet_state.replicas()[index];
  Replica ready = entry.replica;
  ready.state = ReplicaState::ready;
  const devices::DeviceSpec* spec = fleet_state.groups()[entry.group].spec;
  ready.kv_capacity_tokens = devices::kv_capacity_tokens(
      {spec, static_cast<int>(ready.devices.size()), ready.precision}, *ask().model);
  fleet_state.apply(now, entry.host, ready);
}

void RandomFleet::enlarge(const std::string& replica, double bytes) {
  const ReplicaIndex index = find(replica);
  const ReplicaEntry& entry = fleet_state.replicas()[index];
  Replica larger = entry.replica;
  const int devices = static_cast<int>(larger.devices.size());
  const devices::Placement on{fleet_state.groups()[entry.group].spec, devices, larger.precision};
  const double each = devices::kv_bytes_per_token(on, *ask().model) / devices;
  larger.kv_capacity_tokens += static_cast<std::uint64_t>(bytes / each);
  fleet_state.apply(now, entry.host, larger);
}

bool RandomFleet::load() {
  RandomStream same(1);
  const auto place = router::decide_replica(fleet_state, policy, estimator, ask(), now, same).place;
  if (!place) return false;
  pass(place->run_s);
  const devices::DeviceSpec* spec = fleet_state.groups()[place->group].spec;
  Replica replica;
  replica.id = {fleet_state.hosts()[place->host].registration.host, 1000};
  replica.model = job.work.model;
  replica.precision = place->precision;
  replica.devices = place->devices;
  replica.state = ReplicaState::ready;
  replica.batch_max = 16;
  replica.kv_capacity_tokens = devices::kv_capacity_tokens(
      {spec, static_cast<int>(place->devices.size()), place->precision}, *ask().model);
  DROVER_REQUIRE(fleet_state.apply(now, place->host, replica) != no_index);
  sample_all();
  return true;
}

}  // namespace drover::router
