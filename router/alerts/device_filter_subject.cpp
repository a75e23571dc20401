#include "router/alerts/device_filter_subject.h"

#include <fmt/format.h>

#include "fleet/base/contains.h"
#include "fleet/base/identity.h"
#include "fleet/filter/device.h"
#include "router/jobs/accounting.h"

namespace drover::router {
namespace {

using filter::Field;
using filter::TextMatcher;

}  // namespace

const HostEntry& DeviceFilterSubject::host() const {
  return fleet_.fleet_state.hosts()[fleet_.fleet_state.devices().host[device_]];
}

const GroupEntry& DeviceFilterSubject::group() const {
  return fleet_.fleet_state.groups()[fleet_.fleet_state.devices().group[device_]];
}

std::string DeviceFilterSubject::id() const {
  return to_text(DeviceId{host().registration.host, fleet_.fleet_state.devices().number[device_]});
}

DeviceCondition DeviceFilterSubject::device_condition() const {
  const DeviceColumns& columns = fleet_.fleet_state.devices();
  const ReportedCondition& known =
      fleet_.conditions.of({columns.host[device_], columns.number[device_]});
  DeviceCondition condition;
  condition.health = host().health;
  condition.usable = known.usable;
  condition.faulty = !known.faults.empty();
  condition.drained = known.drained;
  condition.stale_after_s = fleet_.policy.stale_after_s;
  const Instant sampled = columns.sampled[device_];
  if (sampled != Instant{}) condition.age_s = to_seconds(fleet_.now - sampled);
  return condition;
}

double DeviceFilterSubject::number(Field field) const {
  const DeviceColumns& columns = fleet_.fleet_state.devices();
  filter::DeviceFacts facts;
  facts.index = columns.number[device_];
  facts.group = group().group.number;
  facts.condition = device_condition();
  // Software throttles a device before its hardware does.
  const devices::DeviceSpec& spec = *group().spec;
  facts.slowdown_c =
      spec.temperature_max_c > 0 ? spec.temperature_max_c : spec.temperature_slowdown_c;
  facts.group_cap_w = group().group.power_cap_w;
  facts.price_usd_per_h =
      price_usd_per_h(fleet_.fleet_state, fleet_.policy, columns.group[device_]);
  const bool known = is_known(facts.condition);
  return filter::number_of(field, facts, [&](Metric metric) {
    return known ? reading(columns, device_, metric) : absent;
  });
}

void DeviceFilterSubject::texts(Field field, TextMatcher& test) const {
  switch (field) {
    case Field::state:
      return filter::show_states(device_condition(), test);
    case Field::throttle:
      if (is_known(device_condition())) {
        filter::show_throttle_reasons(
            reading(fleet_.fleet_state.devices(), device_, Metric::throttle), test);
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

void DeviceFilterSubject::show_place(Field field, TextMatcher& test) const {
  const Register& registration = host().registration;
  switch (field) {
    case Field::id:
      test.match(id());
      return;
    case Field::host:
      test.match(registration.host);
      return;
    case Field::rack:
      if (!registration.rack.empty()) test.match(registration.rack);
      return;
    case Field::site:
      if (!registration.site.empty()) test.match(registration.site);
      return;
    case Field::kind:
      test.match(to_text(group().spec->device_class)) || test.match(group().group.device);
      return;
    case Field::pool:
      for (const std::uint32_t pool : group().pools) {
        if (test.match(fleet_.policy.pools[pool].name)) return;
      }
      return;
    case Field::label:
      for (const auto& [key, value] : registration.labels) {
        if (test.match(fmt::format("{}={}", key, value))) return;
      }
      return;
    default:
      return;
  }
}

template <typename Visit>
void DeviceFilterSubject::each_replica(const Visit& visit) const {
  const std::uint16_t number = fleet_.fleet_state.devices().number[device_];
  for (const ReplicaIndex index : host().replicas) {
    const Replica& replica = fleet_.fleet_state.replicas()[index].replica;
    if (contains(replica.devices, number)) visit(replica);
  }
}

template <typename Visit>
void DeviceFilterSubject::each_job(const Visit& visit) const {
  const std::uint16_t number = fleet_.fleet_state.devices().number[device_];
  const std::string& name = host().registration.host;
  for (const JobRecord* record : fleet_.jobs.on_host(name)) {
    const Member* member = record->lease.member(name);
    if (member == nullptr) continue;
    if (contains(member_devices(fleet_.fleet_state, *record, *member), number)) visit(*record);
  }
}

void DeviceFilterSubject::show_models(TextMatcher& test) const {
  if (is_gone(host().health)) return;
  each_replica([&](const Replica& replica) { test.match(replica.model); });
  each_job([&](const JobRecord& record) { test.match(record.job.work.model); });
}

void DeviceFilterSubject::show_jobs(Field field, TextMatcher& test) const {
  if (is_gone(host().health)) return;
  each_job([&](const JobRecord& record) {
    if (field == Field::tenant) {
      test.match(record.job.tenant);
    } else {
      test.match(to_text(record.job.id)) || test.match(record.job.work.model);
    }
  });
}

void DeviceFilterSubject::show_pauses(TextMatcher& test) const {
  if (is_gone(host().health)) return;
  Pause first = Pause::none;
  const auto match = [&](Pause pause) {
    if (first == Pause::none) first = pause;
  };
  each_replica([&](const Replica& replica) { match(replica.pause); });
  const DeviceCondition own = device_condition();
  // The peers of a faulty device wait for it.
  const bool faulty = !own.usable || own.faulty;
  each_job([&](const JobRecord& record) {
    if (const Pause pause = pause_of(record); !faulty || pause != Pause::peer) match(pause);
  });
  test.match(first == Pause::none ? "no" : to_text(first));
}

void DeviceFilterSubject::show_alerts(TextMatcher& test) const {
  const std::string subject = id();
  for (const Alert& alert : fleet_.alerts.raised()) {
    const bool about = filter::is_about_device(alert.subject, subject, host().registration.host);
    if (about && test.match(alert.rule)) return;
  }
}

}  // namespace drover::router
