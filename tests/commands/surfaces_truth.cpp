// What the surfaces say, against the devices as they are; what alerts say, against what holds.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string_view>

#include <fmt/format.h>

#include "commands/device_filter.h"
#include "commands/device_rows.h"
#include "fleet/placement.h"
#include "router/alert_rules.h"
#include "simulator/world.h"
#include "tests/commands/surfaces_watch.h"

namespace drover::commands {
namespace {

/// Until a silent host is suspect, and what it says again is believed.
constexpr Duration believed_within = std::chrono::seconds(8);
/// Alerts are looked for once a beat.
constexpr Duration seen_within = std::chrono::seconds(5);
/// Samples and beats until a cap that can be met is met (docs/actions.md), and a beat to tell it.
constexpr Duration caps_within = std::chrono::seconds(10);
/// Of the watts of one device: sensors average, and a sample is up to a second old.
constexpr double sensor_share = 0.5;
constexpr double sensor_w = 60;
/// Sensors read a little wrong, and caps are met by what they say.
constexpr double cap_slack = 1.05;

using Ids = std::set<std::string>;

bool shown_well(const FleetView& fleet, const std::string& host) {
  const auto found = fleet.hosts().find(host);
  return found != fleet.hosts().end() && found->second.changed.health == Health::ok;
}

class Truth {
 public:
  Truth(const Surfaces& at, const simulator::World& world, Differences& wrong)
      : at_(at), world_(world), wrong_(wrong), devices_(world.devices()) {}

  void hosts() {
    for (const auto& [name, host] : at_.fleet.hosts()) {
      if (host.changed.health == Health::ok && !devices_.contains(name)) {
        differs(name, "is shown as well, and is dead or silent");
      }
    }
  }

  void devices() {
    for (const DeviceRow& row : rows_of(at_.fleet, {at_.now})) {
      const auto host = devices_.find(row.id.host);
      if (host == devices_.end() || !shown_well(at_.fleet, row.id.host)) continue;
      const agents::TrueDevice& device = host->second.at(row.id.index);
      const std::string id = to_text(row.id);
      if (device.usable != row.standing.usable) {
        differs(id, device.usable ? "is shown unusable, and is usable" : "is not shown unusable");
      }
      const double cap_w = row.sample[Metric::power_cap];
      if (!std::isnan(cap_w) && std::abs(cap_w - device.power_cap_w) > 1) {
        differs(id, "is shown with another cap than it has");
      }
      const double power_w = row.sample[Metric::power];
      if (!std::isnan(power_w) &&
          std::abs(power_w - device.power_w) > sensor_share * device.power_w + sensor_w) {
        differs(id, "is shown to draw other watts than it draws");
      }
    }
  }

  void work() {
    for (const auto& [host, attempts] : world_.running()) {
      if (!devices_.contains(host) || !shown_well(at_.fleet, host)) continue;
      Ids running, shown;
      for (const HeldAttempt& held : attempts) running.insert(to_text(held.job));
      for (const JobChanged& job : at_.jobs.jobs) {
        std::string_view target = job.target;
        while (const auto part = take_part(target)) {
          if (part->host == host && job.state == JobState::running)
            shown.insert(to_text(job.job.id));
        }
      }
      for (const std::string& job : running) {
        if (!shown.contains(job)) differs(job, "runs unseen on " + host);
      }
      for (const std::string& job : shown) {
        if (!running.contains(job)) differs(job, "is shown running on " + host);
      }
    }
  }

  /// The site draws no more than its cap, or an alert says why not.
  void site_cap() {
    const double cap_w = at_.site_cap_w;
    if (cap_w <= 0 || at_.policy.limits.site_admission_only) return;
    double drawn_w = 0;
    for (const auto& [host, devices] : devices_) {
      if (!shown_well(at_.fleet, host)) continue;
      for (const agents::TrueDevice& device : devices) drawn_w += device.power_w;
    }
    if (drawn_w <= cap_slack * cap_w) return;
    const auto alerts = at_.fleet.alerts().find("site");
    if (alerts != at_.fleet.alerts().end() &&
        alerts->second.contains(std::string(router::condition::power_cap_unmet))) {
      return;
    }
    wrong_["T: the site draws more than its cap, and no alert says so"] = {
        caps_within + seen_within, fmt::format("{:.0f} of {:.0f} W", drawn_w, cap_w)};
  }

 private:
  void differs(const std::string& what, std::string_view how) {
    wrong_[fmt::format("T: {} {}", what, how)] = {believed_within, ""};
  }

  const Surfaces& at_;
  const simulator::World& world_;
  Differences& wrong_;
  std::map<std::string, std::vector<agents::TrueDevice>> devices_;
};

Ids ids_with(const Surfaces& at, const std::string& text) {
  std::vector<DeviceRow> rows = rows_of(at.fleet, {at.now});
  auto filter = filter::Filter::parse(text, filter::devices);
  DROVER_REQUIRE(std::holds_alternative<filter::Filter>(filter));
  DeviceFilter(std::get<filter::Filter>(std::move(filter))).narrow(rows, at.fleet);
  Ids ids;
  for (const DeviceRow& row : rows) ids.insert(to_text(row.id));
  return ids;
}

Ids subjects_of(const FleetView& fleet, const std::string& rule) {
  Ids subjects;
  for (const auto& [subject, rules] : fleet.alerts()) {
    if (rules.contains(rule)) subjects.insert(subject);
  }
  return subjects;
}

Ids hosts_with(const FleetView& fleet, Health health) {
  Ids names;
  for (const auto& [name, host] : fleet.hosts()) {
    if (host.changed.health == health) names.insert(name);
  }
  return names;
}

Ids unusable_devices(const Surfaces& at) {
  Ids ids;
  for (const DeviceRow& row : rows_of(at.fleet, {at.now})) {
    if (!row.standing.usable && !is_gone(row.standing.health)) ids.insert(to_text(row.id));
  }
  return ids;
}

/// What a rule is about now (`holds`), and what keeps its alerts up (`stands`), for each rule whose
/// subjects the tables show.
struct Described {
  bool known = false;
  Ids holds, stands;
};

Described described(const Surfaces& at, const AlertRule& rule) {
  const auto both = [](Ids ids) { return Described{true, ids, ids}; };
  const std::string& name = rule.told.name;
  if (name == router::condition::host_lost) return both(hosts_with(at.fleet, Health::lost));
  if (name == router::condition::host_suspect) return both(hosts_with(at.fleet, Health::suspect));
  if (name == router::condition::device_unusable) return both(unusable_devices(at));
  if (rule.looked_for || rule.told.about != "device") return {};
  Described described{true, ids_with(at, rule.told.when), {}};
  described.stands =
      rule.told.clear.empty() ? described.holds : ids_with(at, "!(" + rule.told.clear + ")");
  return described;
}

}  // namespace

void compare_truth(const Surfaces& at, const simulator::World& world, Differences& wrong) {
  Truth truth(at, world, wrong);
  truth.hosts();
  truth.devices();
  truth.work();
  truth.site_cap();
}

void compare_alerts(const Surfaces& at, Differences& wrong) {
  for (const AlertRule& rule : at.policy.alerts) {
    if (!rule.enabled) continue;
    const Described described = commands::described(at, rule);
    if (!described.known) continue;
    const Ids raised = subjects_of(at.fleet, rule.told.name);
    for (const std::string& subject : described.holds) {
      if (raised.contains(subject)) continue;
      wrong[fmt::format("A: {} holds for {}, and is not raised", rule.told.name, subject)] = {
          rule.told.raise_after + seen_within, ""};
    }
    for (const std::string& subject : raised) {
      if (described.stands.contains(subject) || described.holds.contains(subject)) continue;
      wrong[fmt::format("A: {} is raised for {}, and does not hold", rule.told.name, subject)] = {
          rule.told.clear_after + seen_within, ""};
    }
  }
}

}  // namespace drover::commands
