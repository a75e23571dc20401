#include "router/alerts/rule_watch.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/units.h"

namespace drover::router {
namespace {

using filter::Field;

double share(double part, double whole) { return whole > 0 ? part / whole : absent; }
double if_any(double limit) { return limit > 0 ? limit : absent; }

class WatchedPool : public filter::Thing {
 public:
  explicit WatchedPool(const PoolReport& report) : report_(report) {}

  double number(Field field) const override {
    // Those that are drained are so on purpose, and of a silent host nobody knows yet: both are
    // well, or not, beside that.
    const auto lost = static_cast<double>(report_.lost);
    const auto all = static_cast<double>(report_.devices) + lost;
    const auto ill = static_cast<double>(report_.unusable + report_.ejected);
    switch (field) {
      case Field::devices:
        return static_cast<double>(report_.devices);
      case Field::well:
        return share(std::max(0.0, all - lost - ill), all);
      case Field::queue:
        return static_cast<double>(report_.queued);
      case Field::power:
        return report_.power_w;
      case Field::cap:
        return if_any(report_.power_cap_w);
      case Field::power_share:
        return share(report_.power_w, report_.power_cap_w);
      case Field::spend:
        return report_.spend_usd_per_h;
      default:
        return absent;
    }
  }
  void texts(Field field, filter::TextTest& test) const override {
    if (field == Field::pool) test.see(report_.name);
  }

 private:
  const PoolReport& report_;
};

class WatchedSite : public filter::Thing {
 public:
  explicit WatchedSite(const WatchedFleet& fleet) : fleet_(fleet) {}

  double number(Field field) const override {
    const Summary& totals = fleet_.totals;
    const Limits& limits = fleet_.policy.limits;
    switch (field) {
      case Field::queue:
        return static_cast<double>(totals.queued);
      case Field::queue_share:
        return share(static_cast<double>(totals.queued), static_cast<double>(limits.queue_max));
      case Field::power:
        return totals.power_w;
      case Field::cap:
        return if_any(limits.site_power_cap_w);
      case Field::power_share:
        return share(totals.power_w, limits.site_power_cap_w);
      case Field::spend:
        return totals.spend_usd_per_h;
      case Field::spend_share:
        return share(totals.spend_usd_per_h, totals.budget_usd_per_h);
      default:
        return absent;
    }
  }
  void texts(Field, filter::TextTest&) const override {}

 private:
  const WatchedFleet& fleet_;
};

std::string value_text(filter::Kind kind, double value) {
  switch (kind) {
    case filter::Kind::share:
      return fmt::format("{:.0f}%", value * 100);
    case filter::Kind::watts:
      return watts_text(value);
    case filter::Kind::celsius:
      return fmt::format("{:.1f}C", value);
    case filter::Kind::bytes:
      return bytes_text(value);
    case filter::Kind::seconds:
      return duration_text(value);
    case filter::Kind::megahertz:
      return fmt::format("{:.0f}MHz", value);
    case filter::Kind::joules:
      return joules_text(value);
    case filter::Kind::dollars:
      return dollars_text(value);
    case filter::Kind::number:
    case filter::Kind::text:
      break;
  }
  return fmt::format("{:g}", value);
}

filter::Filter compiled(const std::string& text, const std::string& about) {
  auto parsed = filter::Filter::parse(text, filtered_subjects(about).value());
  DROVER_REQUIRE(std::holds_alternative<filter::Filter>(parsed));
  return std::get<filter::Filter>(std::move(parsed));
}

}  // namespace

std::string alert_text(const std::string& help, const filter::Filter& when,
                       const filter::Thing& thing) {
  std::string text = help;
  const char* between = help.empty() ? "" : ": ";
  for (const filter::FieldFacts& field : filter::fields()) {
    if (field.kind == filter::Kind::text || !when.asks(field.field)) continue;
    const double value = thing.number(field.field);
    if (!std::isfinite(value)) continue;
    text += fmt::format("{}{} {}", std::exchange(between, ", "), field.name,
                        value_text(field.kind, value));
  }
  return text;
}

void RuleWatch::set_rules(const std::vector<AlertRule>& rules) {
  of_devices_.clear();
  of_pools_.clear();
  of_site_.clear();
  for (const AlertRule& rule : rules) {
    if (rule.looked_for || !rule.enabled) continue;
    Rule made{rule.told.name, rule.told.help, compiled(rule.told.when, rule.told.about),
              std::nullopt};
    if (made.help.empty()) made.help = rule.told.when;
    if (!rule.told.clear.empty()) made.clear = compiled(rule.told.clear, rule.told.about);
    std::vector<Rule>& home = rule.told.about == "device" ? of_devices_
                              : rule.told.about == "pool" ? of_pools_
                                                          : of_site_;
    home.push_back(std::move(made));
  }
}

void RuleWatch::look(const WatchedFleet& fleet, std::vector<Sighting>& seen) const {
  look_at_devices(fleet, seen);
  look_at_pools(fleet, seen);
  look_at_site(fleet, seen);
}

void RuleWatch::look_at_devices(const WatchedFleet& fleet, std::vector<Sighting>& seen) const {
  const DeviceColumns& columns = fleet.roster.devices();
  WatchedDevice device(fleet);
  const auto subject_of = [&](DeviceIndex index) {
    const HostEntry& host = fleet.roster.hosts()[columns.host[index]];
    return to_text(DeviceId{host.hello.host, columns.number[index]});
  };
  for (const Rule& rule : of_devices_) {
    std::size_t held = 0;
    for (const HostEntry& host : fleet.roster.hosts()) {
      if (is_gone(host.health)) continue;
      for (const DeviceIndex index : host.devices) {
        device.look_at(index);
        if (!rule.when.matches(device)) continue;
        // Beyond so many nobody will read it (alerts.h).
        std::string subject = subject_of(index);
        const bool told = ++held <= alert_subjects_max || fleet.alerts.knows(rule.name, subject);
        seen.push_back({rule.name, std::move(subject),
                        told ? alert_text(rule.help, rule.when, device) : std::string()});
      }
    }
    if (!rule.clear) continue;
    for (const std::string& subject : fleet.alerts.raised_subjects(rule.name)) {
      const auto id = parse_device_id(subject);
      const auto host = id ? fleet.roster.find_host(id->host) : std::nullopt;
      if (!host || is_gone(fleet.roster.hosts()[*host].health)) continue;
      const auto& devices = fleet.roster.hosts()[*host].devices;
      if (id->index >= devices.size()) continue;
      device.look_at(devices[id->index]);
      if (!rule.when.matches(device) && !rule.clear->matches(device)) {
        seen.push_back({rule.name, subject, alert_text(rule.help, rule.when, device)});
      }
    }
  }
}

void RuleWatch::look_at(const Rule& rule, const filter::Thing& thing, const std::string& subject,
                        const AlertBook& alerts, std::vector<Sighting>& seen) {
  if (rule.when.matches(thing)) {
    seen.push_back({rule.name, subject, alert_text(rule.help, rule.when, thing)});
  } else if (rule.clear && !rule.clear->matches(thing)) {
    const std::vector<std::string> raised = alerts.raised_subjects(rule.name);
    if (std::find(raised.begin(), raised.end(), subject) == raised.end()) return;
    seen.push_back({rule.name, subject, alert_text(rule.help, rule.when, thing)});
  }
}

void RuleWatch::look_at_pools(const WatchedFleet& fleet, std::vector<Sighting>& seen) const {
  for (const Rule& rule : of_pools_) {
    for (const PoolReport& report : fleet.totals.pools) {
      look_at(rule, WatchedPool(report), "pool:" + report.name, fleet.alerts, seen);
    }
  }
}

void RuleWatch::look_at_site(const WatchedFleet& fleet, std::vector<Sighting>& seen) const {
  for (const Rule& rule : of_site_) {
    look_at(rule, WatchedSite(fleet), "site", fleet.alerts, seen);
  }
}

}  // namespace drover::router
