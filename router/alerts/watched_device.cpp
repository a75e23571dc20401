#include "router/alerts/watched_device.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/identity.h"
#include "fleet/filter/filter_device.h"
#include "router/jobs/accounting.h"

namespace drover::router {
namespace {

using filter::Field;
using filter::TextTest;

}  // namespace

const HostEntry& WatchedDevice::host() const {
  return fleet_.roster.hosts()[fleet_.roster.devices().host[device_]];
}

const GroupEntry& WatchedDevice::group() const {
  return fleet_.roster.groups()[fleet_.roster.devices().group[device_]];
}

std::string WatchedDevice::id() const {
  return to_text(DeviceId{host().hello.host, fleet_.roster.devices().number[device_]});
}

DeviceStanding WatchedDevice::standing() const {
  const DeviceColumns& columns = fleet_.roster.devices();
  const Condition& known = fleet_.conditions.of({columns.host[device_], columns.number[device_]});
  DeviceStanding standing;
  standing.health = host().health;
  standing.usable = known.usable;
  standing.faulty = !known.faults.empty();
  standing.drained = known.drained;
  standing.stale_after_s = fleet_.policy.stale_after_s;
  const Instant sampled = columns.sampled[device_];
  if (sampled != Instant{}) standing.age_s = to_seconds(fleet_.now - sampled);
  return standing;
}

double WatchedDevice::number(Field field) const {
  const DeviceColumns& columns = fleet_.roster.devices();
  filter::DeviceFacts facts;
  facts.index = columns.number[device_];
  facts.group = group().group.number;
  facts.standing = standing();
  // Software slows a device down before its hardware does.
  const devices::DeviceSpec& spec = *group().spec;
  facts.slowdown_c =
      spec.temperature_max_c > 0 ? spec.temperature_max_c : spec.temperature_slowdown_c;
  facts.group_cap_w = group().group.power_cap_w;
  facts.price_usd_per_h = price_usd_per_h(fleet_.roster, fleet_.policy, columns.group[device_]);
  const bool known = is_known(facts.standing);
  return filter::number_of(field, facts, [&](Metric metric) {
    return known ? reading(columns, device_, metric) : absent;
  });
}

void WatchedDevice::texts(Field field, TextTest& test) const {
  switch (field) {
    case Field::state:
      return filter::show_states(standing(), test);
    case Field::slowed:
      if (is_known(standing())) {
        filter::show_slowed(reading(fleet_.roster.devices(), device_, Metric::throttle), test);
      }
      return;
    case Field::model:
      return show_models(test);
    case Field::pause:
      return show_pauses(test);
    case Field::job:
    case Field::tenant:
      return show_jobs(field, test);
    case Field::alert:
      return show_alerts(test);
    default:
      return show_place(field, test);
  }
}

void WatchedDevice::show_place(Field field, TextTest& test) const {
  const Hello& hello = host().hello;
  switch (field) {
    case Field::id:
      test.see(id());
      return;
    case Field::host:
      test.see(hello.host);
      return;
    case Field::rack:
      if (!hello.rack.empty()) test.see(hello.rack);
      return;
    case Field::site:
      if (!hello.site.empty()) test.see(hello.site);
      return;
    case Field::kind:
      test.see(to_text(group().spec->device_class)) || test.see(group().group.device);
      return;
    case Field::pool:
      for (const std::uint32_t pool : group().pools) {
        if (test.see(fleet_.policy.pools[pool].name)) return;
      }
      return;
    case Field::label:
      for (const auto& [key, value] : hello.labels) {
        if (test.see(fmt::format("{}={}", key, value))) return;
      }
      return;
    default:
      return;
  }
}

template <typename Visit>
void WatchedDevice::each_replica(const Visit& visit) const {
  const std::uint16_t number = fleet_.roster.devices().number[device_];
  for (const ReplicaIndex index : host().replicas) {
    const Replica& replica = fleet_.roster.replicas()[index].replica;
    const auto& devices = replica.devices;
    if (std::find(devices.begin(), devices.end(), number) != devices.end()) visit(replica);
  }
}

template <typename Visit>
void WatchedDevice::each_job(const Visit& visit) const {
  const std::uint16_t number = fleet_.roster.devices().number[device_];
  const std::string& name = host().hello.host;
  for (const JobRecord* record : fleet_.jobs.on_host(name)) {
    const Member* member = record->lease.member(name);
    if (member == nullptr) continue;
    std::vector<std::uint16_t> devices = member->devices;
    if (record->lease.replica) {
      const auto replica =
          fleet_.roster.find_replica(fleet_.roster.devices().host[device_], *record->lease.replica);
      if (replica) devices = fleet_.roster.replicas()[*replica].replica.devices;
    }
    if (std::find(devices.begin(), devices.end(), number) != devices.end()) visit(*record);
  }
}

void WatchedDevice::show_models(TextTest& test) const {
  if (is_gone(host().health)) return;
  each_replica([&](const Replica& replica) { test.see(replica.model); });
  each_job([&](const JobRecord& record) { test.see(record.job.work.model); });
}

void WatchedDevice::show_jobs(Field field, TextTest& test) const {
  if (is_gone(host().health)) return;
  each_job([&](const JobRecord& record) {
    if (field == Field::tenant) {
      test.see(record.job.tenant);
    } else {
      test.see(to_text(record.job.id)) || test.see(record.job.work.model);
    }
  });
}

void WatchedDevice::show_pauses(TextTest& test) const {
  if (is_gone(host().health)) return;
  Pause first = Pause::none;
  const auto see = [&](Pause pause) {
    if (first == Pause::none) first = pause;
  };
  each_replica([&](const Replica& replica) { see(replica.pause); });
  const DeviceStanding own = standing();
  // A device that is ill is what its peers wait for.
  const bool ill = !own.usable || own.faulty;
  each_job([&](const JobRecord& record) {
    if (const Pause pause = pause_of(record); !ill || pause != Pause::peer) see(pause);
  });
  test.see(first == Pause::none ? "no" : to_text(first));
}

void WatchedDevice::show_alerts(TextTest& test) const {
  const std::string subject = id();
  for (const Alert& alert : fleet_.alerts.raised()) {
    const bool about = filter::is_about_device(alert.subject, subject, host().hello.host);
    if (about && test.see(alert.rule)) return;
  }
}

}  // namespace drover::router
