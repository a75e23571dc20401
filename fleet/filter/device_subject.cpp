#include "fleet/filter/device_subject.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace drover::filter {
namespace {

/// The metric whose last value is the field; nothing for fields that are no plain reading.
std::optional<Metric> metric_of(Field field) {
  switch (field) {
    case Field::utilization:
      return Metric::utilization;
    case Field::tensor:
      return Metric::tensor_activity;
    case Field::memory_bandwidth:
      return Metric::memory_activity;
    case Field::memory:
      return Metric::memory_used;
    case Field::power:
      return Metric::power;
    case Field::temperature:
      return Metric::temperature;
    case Field::memory_temperature:
      return Metric::memory_temperature;
    case Field::clock:
      return Metric::clock;
    case Field::queue:
      return Metric::queue;
    case Field::running:
      return Metric::running;
    case Field::energy:
      return Metric::energy;
    default:
      return std::nullopt;
  }
}

void match_unless_empty(std::string_view text, TextMatcher& test) {
  if (!text.empty()) test.match(text);
}

}  // namespace

bool DeviceSubject::is_gone() const { return drover::is_gone(condition().health); }

double DeviceSubject::power_cap_w() const {
  const double sampled_w = reading(Metric::power_cap);
  if (!std::isnan(sampled_w)) return sampled_w;
  return group().power_cap_w > 0 ? group().power_cap_w : absent;
}

double DeviceSubject::number(Field field) const {
  if (const auto metric = metric_of(field)) return reading(*metric);
  switch (field) {
    case Field::index:
      return index();
    case Field::group:
      return group().number;
    case Field::age:
      return condition().age_s;
    case Field::price:
      return price_usd_per_h() > 0 ? price_usd_per_h() : absent;
    case Field::memory_share:
      return reading(Metric::memory_used) / reading(Metric::memory_total);
    case Field::headroom:
      return slowdown_c() > 0 ? slowdown_c() - reading(Metric::temperature) : absent;
    case Field::cap:
      return power_cap_w();
    case Field::power_share: {
      const double cap_w = power_cap_w();
      return cap_w > 0 ? reading(Metric::power) / cap_w : absent;
    }
    default:
      return absent;
  }
}

void DeviceSubject::texts(Field field, TextMatcher& test) const {
  switch (field) {
    case Field::state:
      for (const DeviceState state : active_states(condition())) {
        if (test.match(to_text(state))) return;
      }
      return;
    case Field::throttle:
      return show_throttle_reasons(reading(Metric::throttle), test);
    case Field::pause:
      if (const auto cause = pause()) test.match(*cause == Pause::none ? "no" : to_text(*cause));
      return;
    case Field::model:
    case Field::job:
    case Field::tenant:
      return show_work(field, test);
    case Field::user:
      return show_users(test);
    case Field::alert:
      return show_alerts(test);
    default:
      return show_location(field, test);
  }
}

void DeviceSubject::show_location(Field field, TextMatcher& test) const {
  switch (field) {
    case Field::id:
      test.match(to_text(DeviceId{registration().host, index()}));
      return;
    case Field::host:
      test.match(registration().host);
      return;
    case Field::rack:
      return match_unless_empty(registration().rack, test);
    case Field::site:
      return match_unless_empty(registration().site, test);
    case Field::origin:
      test.match(real() ? "real" : "emulated");
      return;
    case Field::kind:
      if (test.match(to_text(device_class())) || test.match(group().device)) return;
      // A board that is in no catalogue is shown under its name.
      if (const Board* const known = board()) match_unless_empty(known->name, test);
      return;
    case Field::pool:
      return each_pool([&](std::string_view pool) { match_unless_empty(pool, test); });
    case Field::label:
      for (const auto& [key, value] : registration().labels) {
        if (test.match(fmt::format("{}={}", key, value))) return;
      }
      return;
    default:
      return;
  }
}

/// Models are those of its replicas and of its jobs.
void DeviceSubject::show_work(Field field, TextMatcher& test) const {
  if (is_gone()) return;
  if (field == Field::model) {
    each_replica([&](const Replica& replica) { test.match(replica.model); });
  }
  if (const Board* const known = field == Field::tenant ? board() : nullptr) {
    for (const DeviceProcess& process : known->processes) match_unless_empty(process.tenant, test);
  }
  each_job([&](const Job& job, Pause) {
    if (field == Field::job) test.match(to_text(job.id));
    test.match(field == Field::tenant ? job.tenant : job.work.model);
  });
}

void DeviceSubject::show_users(TextMatcher& test) const {
  const Board* const known = is_gone() ? nullptr : board();
  if (known == nullptr) return;
  for (const DeviceProcess& process : known->processes) match_unless_empty(process.user, test);
}

void DeviceSubject::show_alerts(TextMatcher& test) const {
  const std::string& host = registration().host;
  each_alert([&](std::string_view subject, std::string_view rule) {
    if (!subject.starts_with(host)) return;
    if (subject == host || subject == to_text(DeviceId{host, index()})) test.match(rule);
  });
}

std::optional<Pause> DeviceSubject::pause() const {
  if (is_gone() || real()) return std::nullopt;  // what others run there is not known
  Pause first = Pause::none;
  const auto note = [&](Pause cause) {
    if (first == Pause::none) first = cause;
  };
  each_replica([&](const Replica& replica) { note(replica.pause); });
  // A faulty device does not wait for its peers; they wait for it.
  const DeviceCondition own = condition();
  const bool faulty = !own.usable || own.faulty;
  each_job([&](const Job&, Pause cause) {
    if (!faulty || cause != Pause::peer) note(cause);
  });
  return first;
}

std::vector<JobId> DeviceSubject::job_ids() const {
  std::vector<JobId> ids;
  if (!is_gone()) each_job([&](const Job& job, Pause) { ids.push_back(job.id); });
  return ids;
}

std::vector<std::string> DeviceSubject::values(Field field) const {
  std::vector<std::string> seen;
  TextMatcher all(seen);
  texts(field, all);
  return seen;
}

void show_throttle_reasons(double throttle, TextMatcher& test) {
  if (std::isnan(throttle)) return;
  const std::uint32_t set =
      static_cast<std::uint32_t>(throttle) & ~std::uint32_t{throttle_gpu_idle};
  if (set == 0) {
    test.match("no");
    return;
  }
  // A hardware thermal slowdown also sets the hardware slowdown bit; alone that is a power brake.
  const bool hot_hardware = (set & throttle_hw_thermal_slowdown) != 0;
  const bool slowdown = (set & throttle_hw_slowdown) != 0;
  constexpr std::uint32_t named = throttle_sw_power_cap | throttle_sw_thermal_slowdown |
                                  throttle_hw_thermal_slowdown | throttle_hw_slowdown |
                                  throttle_hw_power_brake;
  if ((set & throttle_sw_power_cap) != 0) test.match("power");
  if ((set & throttle_sw_thermal_slowdown) != 0) test.match("thermal");
  if (hot_hardware) test.match("hw thermal");
  if ((set & throttle_hw_power_brake) != 0 || (slowdown && !hot_hardware)) test.match("hw");
  if ((set & ~named) != 0) test.match("other");
}

}  // namespace drover::filter
