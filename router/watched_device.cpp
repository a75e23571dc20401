#include "router/watched_device.h"

#include <algorithm>

#include <fmt/format.h>

#include "fleet/filter_sample.h"
#include "fleet/identity.h"
#include "router/accounting.h"

namespace drover::router {
namespace {

using filter::Field;
using filter::TextTest;

double above_zero(double value) { return value > 0 ? value : absent; }

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

double WatchedDevice::number(Field field) const {
  const DeviceColumns& columns = fleet_.roster.devices();
  switch (field) {
    case Field::index:
      return columns.number[device_];
    case Field::group:
      return group().group.number;
    case Field::price:
      return price_usd_per_h(fleet_.roster, fleet_.policy, columns.group[device_]);
    default:
      break;
  }
  if (columns.sampled[device_] == Instant{}) return absent;
  if (field == Field::age) return to_seconds(fleet_.now - columns.sampled[device_]);
  if (field == Field::headroom) {
    return above_zero(group().spec->temperature_max_c) - reading(Metric::temperature);
  }
  return filter::sampled(field, [&](Metric metric) { return reading(metric); });
}

double WatchedDevice::reading(Metric metric) const {
  const DeviceColumns& columns = fleet_.roster.devices();
  switch (metric) {
    case Metric::utilization:
      return columns.utilization[device_];
    case Metric::matrix_activity:
      return columns.matrix_activity[device_];
    case Metric::memory_activity:
      return columns.memory_activity[device_];
    case Metric::memory_used:
      return columns.memory_total[device_] > 0 ? columns.memory_used[device_] : absent;
    case Metric::memory_total:
      return above_zero(columns.memory_total[device_]);
    case Metric::power:
      return above_zero(columns.power_w[device_]);
    case Metric::power_cap:
      return above_zero(columns.power_cap_w[device_]);
    case Metric::temperature:
      return above_zero(columns.temperature_c[device_]);
    case Metric::clock:
      return above_zero(columns.clock_mhz[device_]);
    case Metric::throttle:
      return columns.throttle[device_];
    case Metric::energy:
      return above_zero(columns.energy_j[device_]);
    case Metric::queue:
      return columns.queue[device_];
    case Metric::running:
      return columns.running[device_];
    default:
      return absent;
  }
}

void WatchedDevice::texts(Field field, TextTest& test) const {
  const DeviceColumns& columns = fleet_.roster.devices();
  switch (field) {
    case Field::state:
      return show_states(test);
    case Field::slowed:
      if (columns.sampled[device_] != Instant{}) {
        filter::show_slowed(reading(Metric::throttle), test);
      }
      return;
    case Field::model:
      return show_models(test);
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

void WatchedDevice::show_states(TextTest& test) const {
  const DeviceColumns& columns = fleet_.roster.devices();
  const HostEntry& host = this->host();
  const std::uint32_t bits = columns.condition[device_];
  const double age_s = to_seconds(fleet_.now - columns.sampled[device_]);
  const Condition& known = fleet_.conditions.of({columns.host[device_], columns.number[device_]});
  const std::pair<bool, std::string_view> states[] = {
      {age_s > fleet_.policy.stale_after_s, "stale"},
      {host.health == Health::lost, "lost"},
      {host.health == Health::suspect, "suspect"},
      {(bits & condition_unusable) != 0, "unusable"},
      {(bits & condition_drained) != 0, "drained"},
      {!known.faults.empty(), "faulty"}};
  bool any = false;
  for (const auto& [holds, name] : states) {
    if (!holds) continue;
    any = true;
    if (test.see(name)) return;
  }
  if (!any) test.see("ok");
}

void WatchedDevice::show_models(TextTest& test) const {
  const std::uint16_t number = fleet_.roster.devices().number[device_];
  for (const ReplicaIndex index : host().replicas) {
    const Replica& replica = fleet_.roster.replicas()[index].replica;
    const auto& devices = replica.devices;
    if (std::find(devices.begin(), devices.end(), number) == devices.end()) continue;
    if (test.see(replica.model)) return;
  }
}

void WatchedDevice::show_jobs(Field field, TextTest& test) const {
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
    if (std::find(devices.begin(), devices.end(), number) == devices.end()) continue;
    const Job& job = record->job;
    const bool enough = field == Field::tenant
                            ? test.see(job.tenant)
                            : test.see(to_text(job.id)) || test.see(job.work.model);
    if (enough) return;
  }
}

void WatchedDevice::show_alerts(TextTest& test) const {
  const std::string subject = id();
  for (const Alert& alert : fleet_.alerts.raised()) {
    if (alert.subject == subject && test.see(alert.rule)) return;
  }
}

}  // namespace drover::router
