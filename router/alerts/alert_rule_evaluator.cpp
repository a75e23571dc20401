#include "router/alerts/alert_rule_evaluator.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/search.h"
#include "fleet/base/units.h"

namespace drover::router {
namespace {

using filter::Field;

double share(double part, double whole) { return whole > 0 ? part / whole : absent; }
double if_any(double limit) { return limit > 0 ? limit : absent; }

/// A pool or the site, by the values of its fields.
class Watched : public filter::FilterSubject {
 public:
  explicit Watched(std::map<Field, double> values, std::string pool = "")
      : values_(std::move(values)), pool_(std::move(pool)) {}

  double number(Field field) const override {
    const double* value = find_in(values_, field);
    return value == nullptr ? absent : *value;
  }
  void texts(Field field, filter::TextMatcher& test) const override {
    if (field == Field::pool && !pool_.empty()) test.match(pool_);
  }

 private:
  std::map<Field, double> values_;
  std::string pool_;  // empty: the site
};

Watched watched_pool(const PoolReport& report) {
  // Drained devices are drained on purpose, and a silent host may be fine: neither counts as
  // unhealthy by itself.
  const auto lost = static_cast<double>(report.lost);
  const auto living = static_cast<double>(report.devices);
  const auto faulty = static_cast<double>(report.unusable + report.ejected);
  return Watched({{Field::devices, living},
                  {Field::healthy, share(std::max(0.0, living - faulty), living + lost)},
                  {Field::queue, static_cast<double>(report.queued)},
                  {Field::power, report.power_w},
                  {Field::cap, if_any(report.power_cap_w)},
                  {Field::power_share, share(report.power_w, report.power_cap_w)},
                  {Field::spend, report.spend_usd_per_h}},
                 report.name);
}

Watched watched_site(const Summary& totals, const Limits& limits) {
  const auto queued = static_cast<double>(totals.queued);
  return Watched({{Field::queue, queued},
                  {Field::queue_share, share(queued, static_cast<double>(limits.queue_max))},
                  {Field::power, totals.power_w},
                  {Field::cap, if_any(limits.site_power_cap_w)},
                  {Field::power_share, share(totals.power_w, limits.site_power_cap_w)},
                  {Field::spend, totals.spend_usd_per_h},
                  {Field::spend_share, share(totals.spend_usd_per_h, totals.budget_usd_per_h)}});
}

std::string value_text(filter::ValueKind kind, double value) {
  switch (kind) {
    case filter::ValueKind::share:
      return fmt::format("{:.0f}%", value * 100);
    case filter::ValueKind::watts:
      return watts_text(value);
    case filter::ValueKind::celsius:
      return fmt::format("{:.1f}C", value);
    case filter::ValueKind::bytes:
      return bytes_text(value);
    case filter::ValueKind::seconds:
      return duration_text(value);
    case filter::ValueKind::megahertz:
      return fmt::format("{:.0f}MHz", value);
    case filter::ValueKind::joules:
      return joules_text(value);
    case filter::ValueKind::dollars:
      return dollars_text(value);
    case filter::ValueKind::number:
    case filter::ValueKind::text:
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
                       const filter::FilterSubject& thing) {
  std::string text = help;
  const char* between = help.empty() ? "" : ": ";
  for (const filter::FieldFacts& field : filter::fields()) {
    if (field.kind == filter::ValueKind::text || !when.asks(field.field)) continue;
    const double value = thing.number(field.field);
    if (!std::isfinite(value)) continue;
    text += fmt::format("{}{} {}", std::exchange(between, ", "), field.name,
                        value_text(field.kind, value));
  }
  return text;
}

void AlertRuleEvaluator::set_rules(const std::vector<AlertRule>& rules) {
  of_devices_.clear();
  of_pools_.clear();
  of_site_.clear();
  for (const AlertRule& rule : rules) {
    if (rule.built_in || !rule.enabled) continue;
    Rule made{rule.published.name, rule.published.help,
              compiled(rule.published.when, rule.published.about), std::nullopt};
    if (made.help.empty()) made.help = rule.published.when;
    if (!rule.published.clear.empty())
      made.clear = compiled(rule.published.clear, rule.published.about);
    std::vector<Rule>& home = rule.published.about == "device" ? of_devices_
                              : rule.published.about == "pool" ? of_pools_
                                                               : of_site_;
    home.push_back(std::move(made));
  }
}

void AlertRuleEvaluator::evaluate(const AlertInputs& fleet,
                                  std::vector<AlertCondition>& seen) const {
  evaluate_devices(fleet, seen);
  for (const Rule& rule : of_pools_) {
    for (const PoolReport& report : fleet.totals.pools) {
      evaluate_subject(rule, watched_pool(report), "pool:" + report.name, fleet.alerts, seen);
    }
  }
  for (const Rule& rule : of_site_) {
    evaluate_subject(rule, watched_site(fleet.totals, fleet.policy.limits), "site", fleet.alerts,
                     seen);
  }
}

void AlertRuleEvaluator::evaluate_devices(const AlertInputs& fleet,
                                          std::vector<AlertCondition>& seen) const {
  FleetDevice device(fleet);
  for (const Rule& rule : of_devices_) {
    std::size_t held = 0;
    for (const HostEntry& host : fleet.fleet_state.hosts()) {
      if (is_gone(host.health)) continue;
      for (const DeviceIndex index : host.devices) {
        device.select(index);
        if (!rule.when.matches(device)) continue;
        // Beyond this number nobody reads them (alerts.h).
        std::string subject = to_text(DeviceId{host.registration.host, device.index()});
        const bool has_slot =
            ++held <= alert_subjects_max || fleet.alerts.knows(rule.name, subject);
        seen.push_back({rule.name, std::move(subject),
                        has_slot ? alert_text(rule.help, rule.when, device) : std::string()});
      }
    }
    if (!rule.clear) continue;
    for (const std::string& subject : fleet.alerts.raised_subjects(rule.name)) {
      const auto id = parse_device_id(subject);
      const auto host = id ? fleet.fleet_state.find_host(id->host) : std::nullopt;
      if (!host || is_gone(fleet.fleet_state.hosts()[*host].health)) continue;
      const auto& devices = fleet.fleet_state.hosts()[*host].devices;
      if (id->index >= devices.size()) continue;
      device.select(devices[id->index]);
      if (!rule.when.matches(device) && !rule.clear->matches(device)) {
        seen.push_back({rule.name, subject, alert_text(rule.help, rule.when, device)});
      }
    }
  }
}

void AlertRuleEvaluator::evaluate_subject(const Rule& rule, const filter::FilterSubject& thing,
                                          const std::string& subject, const AlertTable& alerts,
                                          std::vector<AlertCondition>& seen) {
  if (rule.when.matches(thing)) {
    seen.push_back({rule.name, subject, alert_text(rule.help, rule.when, thing)});
  } else if (rule.clear && !rule.clear->matches(thing)) {
    if (!contains(alerts.raised_subjects(rule.name), subject)) return;
    seen.push_back({rule.name, subject, alert_text(rule.help, rule.when, thing)});
  }
}

}  // namespace drover::router
