// What the surfaces say, against the devices as they are.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "fleet/job_target.h"
#include "router/policy/alert_rules.h"
#include "simulator/simulation.h"
#include "tests/commands/consistency/watch.h"
#include "tui/tables/device_queries.h"

namespace drover::commands {
namespace {

/// Until a silent host is suspect, and what it says again is believed.
constexpr Duration believed_within = std::chrono::seconds(8);
/// Until a host that can speak again has joined, said Register, and is believed.
constexpr Duration back_within = std::chrono::seconds(10);
/// Samples and beats until a cap that can be met is met (docs/actions.md), and a beat to tell it.
constexpr Duration caps_within = std::chrono::seconds(15);
/// Samples come once a second, and one or two of them may be lost.
constexpr Duration window = std::chrono::seconds(3);
/// Of the watts of one device: sensors average, and a sample is up to a second old.
constexpr double sensor_share = 0.5;
constexpr double sensor_w = 60;
/// A die warms up and cools down by some degrees in the second or two that a sample is old.
constexpr double sensor_c = 12;
/// Sensors read a little wrong, and caps are met by what they say.
constexpr double cap_slack = 1.05;

class Truth {
 public:
  Truth(const InterfaceAnswers& at, const simulator::Simulation& world, const Lived& lived,
        Inconsistencies& wrong)
      : at_(at), world_(world), lived_(lived), wrong_(wrong), devices_(world.devices()) {
    for (const JobChanged& job : at.jobs.jobs) {
      if (job.state == JobState::leased || job.state == JobState::running) placed_.push_back(&job);
    }
  }

  void hosts() {
    for (const tui::HostRow& host : at_.fleet.hosts()) {
      const std::string& name = host.reported.registration.host;
      const bool lives = devices_.contains(name);
      const Health health = host.reported.health;
      if (health == Health::ok && !lives) {
        differs(name, "is shown as well, and is dead or silent");
      }
      // One that has left cleanly is on its way out, and its process ends when it likes.
      if (!lives || !world_.is_connected(name) || health == Health::ok || health == Health::left) {
        continue;
      }
      differs(name, fmt::format("is shown {}, and lives and is heard", to_text(health)),
              back_within);
    }
  }

  void devices() {
    for (const DeviceAnswer& row : devices_of(at_)) {
      if (!is_well(row.id.host)) continue;
      const agents::DeviceTruth& device = devices_.at(row.id.host).at(row.id.index);
      condition(row, device);
      readings(row, device);
      work_on(row, device);
    }
  }

  /// Which jobs each host runs.
  void jobs() {
    for (const auto& [host, attempts] : world_.running()) {
      if (!is_well(host)) continue;
      Ids running, shown, placed;
      for (const HeldAttempt& held : attempts) running.insert(to_text(held.job));
      for (const JobChanged* job : placed_) {
        std::string_view target = job->target;
        while (const auto part = take_target_part(target)) {
          if (part->host != host) continue;
          placed.insert(to_text(job->job.id));
          if (job->state == JobState::running) shown.insert(to_text(job->job.id));
        }
      }
      // A multi-host gang is held by some of them before it runs.
      for (const std::string& job : running) {
        if (!placed.contains(job)) differs(job, "runs unseen on " + host);
      }
      for (const std::string& job : shown) {
        if (!running.contains(job)) differs(job, "is shown running on " + host, ended_within(job));
      }
    }
  }

  /// The site draws no more than its cap, or an alert says why not.
  void site_cap() {
    const double cap_w = at_.heard.site_cap_w();
    if (cap_w <= 0 || at_.heard.admits_only("site")) return;
    double drawn_w = 0;
    for (const auto& [host, devices] : devices_) {
      if (!is_well(host)) continue;
      for (const agents::DeviceTruth& device : devices) drawn_w += device.power_w;
    }
    if (drawn_w <= cap_slack * cap_w) return;
    if (at_.fleet.alerts().contains({std::string(router::condition::power_cap_unmet), "site"})) {
      return;
    }
    wrong_["T: the site draws more than its cap, and no alert says so"] = {
        caps_within, fmt::format("{:.0f} of {:.0f} W", drawn_w, cap_w)};
  }

 private:
  void differs(const std::string& what, const std::string& how, Duration may = believed_within,
               const std::string& details = "") {
    wrong_[fmt::format("T: {} {}", what, how)] = {may, details};
  }

  /// A multi-host gang is shown on all of them until each has told how it ended there, is back, or
  /// has had its time for it, 12 s.
  Duration ended_within(const std::string& job) const {
    const auto over_hosts = [&](const JobChanged* placed) {
      return to_text(placed->job.id) == job && placed->target.find(' ') != std::string::npos;
    };
    return std::any_of(placed_.begin(), placed_.end(), over_hosts) ? 2 * believed_within
                                                                   : believed_within;
  }

  /// It lives, is heard, and is shown so.
  bool is_well(const std::string& host) const {
    const tui::HostRow* const found = at_.fleet.find_host(host);
    return found != nullptr && found->reported.health == Health::ok && devices_.contains(host) &&
           world_.is_connected(host);
  }

  void condition(const DeviceAnswer& row, const agents::DeviceTruth& device) {
    const std::string id = to_text(row.id);
    if (device.usable != row.standing.usable) {
      differs(id, device.usable ? "is shown unusable, and is usable" : "is not shown unusable");
    }
    // A fault is said to have reached a host that has just fallen silent (docs/actions.md).
    if (row.standing.faulty && !device.faulty_since && !lived_.went_astray(row.id)) {
      differs(id, "is shown faulty, and no fault is in force");
    }
    if (!row.standing.faulty && device.faulty_since) differs(id, "is not shown faulty");
  }

  void readings(const DeviceAnswer& row, const agents::DeviceTruth& device) {
    const std::string id = to_text(row.id);
    const bool known = is_known(row.standing);
    if (device.off_bus) {
      // Nobody sees it: once its last sample is old, nothing is known.
      if (known) differs(id, "has fallen off the bus, and has readings");
      return;
    }
    if (!known) {
      differs(id, "lives, and nothing is known of it", believed_within,
              fmt::format("age {}", row.standing.age_s));
      return;
    }
    const auto apart = [&](Metric metric, double truth, double may_w) {
      const double shown_w = at_.fleet.reading(row.row, metric);
      return std::isnan(shown_w) || std::abs(shown_w - truth) > may_w;
    };
    const auto told = [&](Metric metric, double truth) {
      return fmt::format("{} and {}", at_.fleet.reading(row.row, metric), truth);
    };
    if (apart(Metric::power_cap, device.power_cap_w, 1)) {
      differs(id, "is shown with another cap than it has", believed_within,
              told(Metric::power_cap, device.power_cap_w));
    }
    const Lived::Watts drawn = lived_.power_w(row.id);
    const double truth_w =
        std::clamp(at_.fleet.reading(row.row, Metric::power), drawn.least, drawn.most);
    if (apart(Metric::power, truth_w, sensor_share * truth_w + sensor_w)) {
      differs(id, "is shown to draw other watts than it draws", believed_within,
              told(Metric::power, truth_w));
    }
    if (apart(Metric::temperature, device.temperature_c, sensor_c)) {
      differs(id, "is shown with another temperature than it has", believed_within,
              told(Metric::temperature, device.temperature_c));
    }
  }

  /// What is said to be on a device, and what is.
  void work_on(const DeviceAnswer& row, const agents::DeviceTruth& device) {
    const std::string id = to_text(row.id);
    std::string gang;
    bool requests = false;
    for (const tui::JobRow* const job : tui::jobs_on(at_.fleet, row.id)) {
      std::string_view target = job->reported.target;
      const auto part = take_target_part(target);
      if (part && replica_in(part->place)) {
        requests = requests || replica_in(part->place) == device.replica;
      } else {
        gang += (gang.empty() ? "" : " ") + to_text(job->reported.job.id);
      }
    }
    const std::string truth = device.gang ? to_text(*device.gang) : "";
    if (gang != truth) {
      differs(id, fmt::format("runs '{}' and is said to run '{}'", truth, gang),
              ended_within(gang));
    }
    Ids replicas;
    const auto& known = at_.fleet.replicas();
    for (auto at = known.lower_bound({row.id.host, 0});
         at != known.end() && at->first.host == row.id.host; ++at) {
      const auto& loaded = at->second.reported.replica.devices;
      if (std::find(loaded.begin(), loaded.end(), row.id.index) == loaded.end()) continue;
      replicas.insert(to_text(at->first));
    }
    const Ids real = device.replica ? Ids{to_text(ReplicaId{row.id.host, *device.replica})} : Ids{};
    if (replicas != real) {
      differs(id, fmt::format("has '{}' loaded and is said to have '{}'", joined(real),
                              joined(replicas)));
    }
    if (device.replica && device.running > 0 && !requests) {
      differs(id, "runs requests, and none is shown there");
    }
  }

  const InterfaceAnswers& at_;
  const simulator::Simulation& world_;
  const Lived& lived_;
  Inconsistencies& wrong_;
  std::map<std::string, std::vector<agents::DeviceTruth>> devices_;
  std::vector<const JobChanged*> placed_;
};

}  // namespace

void Lived::note(const simulator::Simulation& world) {
  const Instant now = world.now();
  if (began_ == Instant::min() || now - began_ >= window) {
    before_ = std::exchange(now_, {});
    began_ = now;
  }
  for (const auto& [host, devices] : world.devices()) {
    for (std::size_t at = 0; at < devices.size(); ++at) {
      const double watts = devices[at].power_w;
      const DeviceId id{host, static_cast<std::uint16_t>(at)};
      Watts& known = now_.try_emplace(id, Watts{watts, watts}).first->second;
      known = {std::min(known.least, watts), std::max(known.most, watts)};
    }
    if (!world.is_connected(host)) cut_off_[host].push_back(now);
  }
}

void Lived::hear(Instant now, const DeviceChanged& device) {
  if (!device.injected.empty()) faulted_[{device.host, device.device}] = now;
}

Lived::Watts Lived::power_w(const DeviceId& device) const {
  Watts drawn = now_.at(device);
  const auto before = before_.find(device);
  if (before == before_.end()) return drawn;
  return {std::min(drawn.least, before->second.least), std::max(drawn.most, before->second.most)};
}

bool Lived::went_astray(const DeviceId& device) const {
  const auto told = faulted_.find(device);
  const auto cuts = cut_off_.find(device.host);
  if (told == faulted_.end() || cuts == cut_off_.end()) return false;
  return std::any_of(cuts->second.begin(), cuts->second.end(), [&](Instant cut) {
    return std::chrono::abs(cut - told->second) < believed_within;
  });
}

void judge_by_truth(const InterfaceAnswers& at, const simulator::Simulation& world,
                    const Lived& lived, Inconsistencies& wrong) {
  Truth truth(at, world, lived, wrong);
  truth.hosts();
  truth.devices();
  truth.jobs();
  truth.site_cap();
}

}  // namespace drover::commands
