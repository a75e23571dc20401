// What happens to a drawn fleet.
#include <algorithm>

#include "devices/serving/performance.h"
#include "tests/router/drawn_fleet.h"

namespace drover::router {

void DrawnFleet::sample_host(HostIndex host) {
  const HostEntry& entry = roster.hosts()[host];
  std::vector<Sample> rows;
  for (std::uint16_t number = 0; number < entry.devices.size(); ++number) {
    const DeviceIndex device = entry.devices[number];
    const devices::DeviceSpec& spec = *roster.groups()[roster.devices().group[device]].spec;
    const bool serves = roster.devices().replicas[device] != 0;
    const bool trains = !roster.devices().gang[device].empty();
    Sample row;
    row.device = number;
    row[Metric::power] = trains ? 0.8 * spec.tdp_w : serves ? spec.open_w : spec.idle_w;
    row[Metric::temperature] = hot_.contains(host) ? spec.temperature_max_c + 1 : 40;
    row[Metric::throttle] = hot_.contains(host) ? double{throttle_thermal_software} : 0;
    rows.push_back(row);
  }
  roster.apply(now, host, ++sample_sequence, pack(entry.hello.host, rows));
}

void DrawnFleet::sample_all() {
  for (HostIndex host = 0; host < roster.hosts().size(); ++host) {
    if (!silent_.contains(host)) sample_host(host);
  }
}

void DrawnFleet::pass(double span_s) {
  now += from_seconds(span_s);
  for (const Gang& gang : gangs_) {
    if (gang.until <= now) roster.release_gang(gang.job, gang.host, gang.devices);
  }
  sample_all();
}

ReplicaIndex DrawnFleet::find(const std::string& replica) const {
  const std::size_t slash = replica.find("/r");
  const auto host = roster.find_host(replica.substr(0, slash));
  DROVER_REQUIRE(host && slash != std::string::npos);
  const auto number = static_cast<std::uint32_t>(std::stoul(replica.substr(slash + 2)));
  return *roster.find_replica(*host, number);
}

HostIndex DrawnFleet::host_of(const std::string& target) const {
  const auto host = roster.find_host(target.substr(0, target.find('/')));
  DROVER_REQUIRE(host.has_value());
  return *host;
}

void DrawnFleet::leave(const std::string& replica) {
  const ReplicaIndex index = find(replica);
  Replica gone = roster.replicas()[index].replica;
  gone.state = ReplicaState::gone;
  std::erase_if(served_, [&](const Served& each) { return each.replica == index; });
  roster.apply(now, roster.replicas()[index].host, gone);
  sample_all();
}

void DrawnFleet::drop_job(const JobId& kept_for) {
  for (const KeptDevices& kept : wait.kept) {
    if (kept.job != kept_for) continue;
    for (const DeviceIndex device : kept.devices) roster.set_reserved(device, false);
  }
}

void DrawnFleet::end(const std::string& short_id) {
  for (const Gang& gang : gangs_) {
    if (to_short_text(gang.job) != short_id) continue;
    roster.release_gang(gang.job, gang.host, gang.devices);
  }
  sample_all();
}

void DrawnFleet::resume(const std::string& target) {
  if (target.starts_with("host:")) {
    const HostIndex host = host_of(target.substr(5));
    for (std::uint16_t number = 0; number < roster.hosts()[host].devices.size(); ++number) {
      roster.set_drained(host, number, false);
    }
    return;
  }
  const auto number = static_cast<std::uint16_t>(std::stoul(target.substr(target.find('/') + 1)));
  roster.set_drained(host_of(target), number, false);
}

void DrawnFleet::revive(const std::string& host) {
  roster.set_health(now, host_of(host), Health::ok);
  hear(host);
}

void DrawnFleet::mend(const std::string& device) {
  const auto number = static_cast<std::uint16_t>(std::stoul(device.substr(device.find('/') + 1)));
  roster.set_usable(host_of(device), number, true);
  hear(device);
}

void DrawnFleet::hear(const std::string& host) {
  silent_.erase(host_of(host));
  sample_host(host_of(host));
}

void DrawnFleet::cool(const std::string& host) {
  hot_.erase(host_of(host));
  sample_host(host_of(host));
}

void DrawnFleet::trust(const std::string& target) {
  if (target.find("/r") != std::string::npos) {
    roster.replica(find(target)).trust.ejected = false;
  } else {
    roster.group(roster.hosts()[host_of(target)].groups[0]).trust.ejected = false;
  }
}

void DrawnFleet::relieve(const std::string& replica, int requests, double tokens) {
  const ReplicaIndex index = find(replica);
  for (auto each = served_.begin(); each != served_.end() && (requests > 0 || tokens > 0);) {
    if (each->replica != index) {
      ++each;
      continue;
    }
    roster.release_request(index, each->tokens);
    --requests;
    tokens -= static_cast<double>(each->tokens);
    each = served_.erase(each);
  }
}

void DrawnFleet::make_ready(const std::string& replica) {
  const ReplicaIndex index = find(replica);
  const ReplicaEntry& entry = roster.replicas()[index];
  Replica ready = entry.replica;
  ready.state = ReplicaState::ready;
  const devices::DeviceSpec* spec = roster.groups()[entry.group].spec;
  ready.kv_capacity_tokens = devices::kv_capacity_tokens(
      {spec, static_cast<int>(ready.devices.size()), ready.precision}, *ask().model);
  roster.apply(now, entry.host, ready);
}

void DrawnFleet::enlarge(const std::string& replica, double bytes) {
  const ReplicaIndex index = find(replica);
  const ReplicaEntry& entry = roster.replicas()[index];
  Replica larger = entry.replica;
  const int devices = static_cast<int>(larger.devices.size());
  const devices::Placement on{roster.groups()[entry.group].spec, devices, larger.precision};
  const double each = devices::kv_bytes_per_token(on, *ask().model) / devices;
  larger.kv_capacity_tokens += static_cast<std::uint64_t>(bytes / each);
  roster.apply(now, entry.host, larger);
}

bool DrawnFleet::load() {
  Dice same(1);
  const auto place = router::decide_replica(roster, policy, estimator, ask(), now, same).place;
  if (!place) return false;
  pass(place->run_s);
  const devices::DeviceSpec* spec = roster.groups()[place->group].spec;
  Replica replica;
  replica.id = {roster.hosts()[place->host].hello.host, 1000};
  replica.model = job.work.model;
  replica.precision = place->precision;
  replica.devices = place->devices;
  replica.state = ReplicaState::ready;
  replica.batch_max = 16;
  replica.kv_capacity_tokens = devices::kv_capacity_tokens(
      {spec, static_cast<int>(place->devices.size()), place->precision}, *ask().model);
  DROVER_REQUIRE(roster.apply(now, place->host, replica) != nowhere);
  sample_all();
  return true;
}

}  // namespace drover::router
