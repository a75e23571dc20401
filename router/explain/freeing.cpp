#include "router/explain/freeing.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "fleet/base/text.h"
#include "fleet/base/units.h"

namespace drover::router {
namespace {

/// What has to happen before a device is free, the least first.
enum class Obstacle : std::uint8_t {
  none,
  gang,     // it ends
  leaving,  // a replica that is on its way out
  spare,    // one that leaves once it is spare
  kept,     // another job is to have it
  fixed,    // a replica that its agent was started with
  drained,
  unusable,
  immovable,
};

bool is_leaving(const ReplicaEntry& entry) {
  return entry.retiring || entry.facts.state == ReplicaState::draining;
}

Obstacle obstacle_of(const Question& question, const ReplicaEntry& entry) {
  // A replica of its own model need not make room for another one.
  const bool serves_it =
      question.purpose != Purpose::gang && entry.replica.model == question.ask.model->id;
  if (is_leaving(entry)) return Obstacle::leaving;
  if (serves_it) return Obstacle::immovable;
  const bool yields = entry.replica.asked_for && question.policy.replicas.manage;
  return yields ? Obstacle::spare : Obstacle::fixed;
}

/// The devices of one group, by their place in it.
class Site {
 public:
  Site(const Question& question, const std::vector<KeptDevices>& kept, GroupIndex index)
      : question_(question),
        kept_(kept),
        columns_(question.roster.devices()),
        index_(index),
        group_(question.roster.groups()[index]) {
    for (DeviceIndex device = group_.first; device < group_.first + group_.group.count; ++device) {
      obstacles_.push_back(of_state(device));
      ends_s_.push_back(end_of(device));
    }
    for (const ReplicaIndex replica : question.roster.hosts()[group_.host].replicas) {
      const ReplicaEntry& entry = question.roster.replicas()[replica];
      if (entry.group != index) continue;
      replicas_.push_back(replica);
      question.roster.each_device(
          entry, [&](DeviceIndex device) { raise(device, obstacle_of(question, entry)); });
    }
  }

  std::optional<Freeing> cheapest(int count) {
    for (int most = 0; most < static_cast<int>(Obstacle::immovable); ++most) {
      open_.clear();
      for (const Obstacle each : obstacles_) open_.push_back(static_cast<int>(each) <= most);
      if (!suffices(count)) continue;
      const double wait_s = shorten_wait(count);
      leave_out(count);
      return freeing(count, wait_s);
    }
    return std::nullopt;
  }

 private:
  void raise(DeviceIndex device, Obstacle obstacle) {
    Obstacle& known = obstacles_[device - group_.first];
    known = std::max(known, obstacle);
  }

  Obstacle of_state(DeviceIndex device) const {
    const std::uint32_t bits = columns_.condition[device];
    if ((bits & condition_unusable) != 0) return Obstacle::unusable;
    if ((bits & condition_drained) != 0) return Obstacle::drained;
    if ((bits & condition_reserved) != 0) return Obstacle::kept;
    return columns_.gang[device].empty() ? Obstacle::none : Obstacle::gang;
  }

  const KeptDevices* makes_room(const JobId& gang) const {
    for (const KeptDevices& kept : kept_) {
      const bool own = kept.job == question_.ask.job->id;
      const auto& leaving = kept.leaving;
      if (own && std::find(leaving.begin(), leaving.end(), gang) != leaving.end()) return &kept;
    }
    return nullptr;
  }

  double end_of(DeviceIndex device) const {
    const JobId& gang = columns_.gang[device];
    if (gang.empty()) return 0;
    const KeptDevices* kept = makes_room(gang);
    const Instant end = kept != nullptr ? std::min(columns_.busy_until[device], kept->grace_until)
                                        : columns_.busy_until[device];
    return std::max(0.0, to_seconds(end - question_.now));
  }

  bool suffices(int count) const { return !lowest_devices(group_, count, open_).empty(); }

  /// Closes the devices that will be free later than is needed; answers when enough are.
  double shorten_wait(int count) {
    std::vector<double> ends_s;
    for (std::size_t at = 0; at < open_.size(); ++at) {
      if (open_[at]) ends_s.push_back(ends_s_[at]);
    }
    std::sort(ends_s.begin(), ends_s.end());
    const std::vector<bool> all = open_;
    for (const double end_s : ends_s) {
      for (std::size_t at = 0; at < open_.size(); ++at) open_[at] = all[at] && ends_s_[at] <= end_s;
      if (suffices(count)) return end_s;
    }
    return 0;
  }

  /// Closes each device that the others can do without, those that take most to free first.
  void leave_out(int count) {
    for (int level = static_cast<int>(Obstacle::immovable); level > 0; --level) {
      for (std::size_t at = 0; at < open_.size(); ++at) {
        if (!open_[at] || static_cast<int>(obstacles_[at]) != level) continue;
        open_[at] = false;
        if (!suffices(count)) open_[at] = true;
      }
    }
  }

  Freeing freeing(int count, double wait_s) const {
    Freeing found;
    const HostEntry& host = question_.roster.hosts()[group_.host];
    for (const std::uint16_t number : lowest_devices(group_, count, open_)) {
      add(host.devices[number], wait_s, found);
    }
    return found;
  }

  void add(DeviceIndex device, double wait_s, Freeing& found) const {
    const std::uint32_t bits = columns_.condition[device];
    if ((bits & condition_drained) != 0) found.drained.insert(device);
    if ((bits & condition_unusable) != 0) found.unusable.insert(device);
    if ((bits & condition_reserved) != 0) add_kept(device, found);
    const JobId& gang = columns_.gang[device];
    const KeptDevices* kept = makes_room(gang);
    if (kept != nullptr) {
      found.leaving.insert(gang);
      found.leaving_s = std::max(found.leaving_s, to_seconds(kept->grace_until - question_.now));
    } else if (!gang.empty()) {
      found.wait_s = std::max(found.wait_s, wait_s);
      if (columns_.busy_until[device] <= question_.now) found.ends.insert(gang);
    }
    for (const ReplicaIndex replica : replicas_) {
      question_.roster.each_device(question_.roster.replicas()[replica], [&](DeviceIndex each) {
        if (each == device) found.replicas.insert(replica);
      });
    }
  }

  void add_kept(DeviceIndex device, Freeing& found) const {
    for (const KeptDevices& kept : kept_) {
      const auto& devices = kept.devices;
      const bool stands = std::find(devices.begin(), devices.end(), device) != devices.end();
      if (stands) found.kept_for.insert(kept.job);
    }
  }

  const Question& question_;
  const std::vector<KeptDevices>& kept_;
  const DeviceColumns& columns_;
  GroupIndex index_;
  const GroupEntry& group_;
  std::vector<Obstacle> obstacles_;
  std::vector<double> ends_s_;  // of gangs; 0: none
  std::vector<ReplicaIndex> replicas_;
  std::vector<bool> open_;
};

std::string device_text(const Roster& roster, DeviceIndex device) {
  const HostEntry& host = roster.hosts()[roster.devices().host[device]];
  return fmt::format("{}/{}", host.hello.host, roster.devices().number[device]);
}

std::map<HostIndex, std::set<DeviceIndex>> by_host(const Roster& roster,
                                                   const std::set<DeviceIndex>& devices) {
  std::map<HostIndex, std::set<DeviceIndex>> hosts;
  for (const DeviceIndex device : devices) hosts[roster.devices().host[device]].insert(device);
  return hosts;
}

void append(std::string& text, const std::string& more) {
  if (more.empty()) return;
  text += text.empty() ? "" : ", and ";
  text += more;
}

std::string short_names(const std::set<JobId>& jobs) {
  std::string text;
  for (const JobId& job : jobs) {
    text += fmt::format("{}{}", text.empty() ? "" : ", ", to_short_text(job));
  }
  return text;
}

std::string replica_words(const Question& question, const ReplicaEntry& entry) {
  std::string when;
  switch (obstacle_of(question, entry)) {
    case Obstacle::leaving:
      when = "once what it serves has ended";
      break;
    case Obstacle::spare:
      when = "once spare for " + duration_text(to_seconds(question.policy.replicas.yield_after));
      break;
    default:
      when = entry.replica.asked_for ? "when [replicas] manage is true and it is spare"
                                     : "when its agent is started without it";
  }
  return fmt::format("without replica {} ({}), which leaves {}", to_text(entry.replica.id),
                     entry.replica.model, when);
}

}  // namespace

Reason Freeing::reason() const {
  if (!unusable.empty() || !silent.empty()) return Reason::unhealthy;
  return drained.empty() ? Reason::capacity : Reason::drain;
}

bool Freeing::by_itself(const Question& question) const {
  return kept_for.empty() &&
         std::all_of(replicas.begin(), replicas.end(), [&](ReplicaIndex replica) {
           return obstacle_of(question, question.roster.replicas()[replica]) != Obstacle::fixed;
         });
}

std::string Freeing::words(const Question& question) const {
  const Roster& roster = question.roster;
  std::string text;
  if (wait_s > 0) text = duration_text(wait_s);
  if (!ends.empty() && wait_s <= 0) {
    text = fmt::format("once {} {} ended, overdue by what was estimated", short_names(ends),
                       ends.size() == 1 ? "has" : "have");
  }
  if (!leaving.empty()) {
    append(text, fmt::format("once {} {} made room for it, within {}", short_names(leaving),
                             leaving.size() == 1 ? "has" : "have",
                             duration_text(std::max(0.0, leaving_s))));
  }
  std::string left;
  for (const ReplicaIndex replica : replicas) {
    left += left.empty() ? "" : "; ";
    left += replica_words(question, roster.replicas()[replica]);
  }
  append(text, left);
  if (!kept_for.empty()) {
    append(text,
           fmt::format("without job {}, for which devices there are kept", short_names(kept_for)));
  }
  append(text, resume_words(roster, drained));
  append(text, mend_words(roster, unusable, silent));
  return text;
}

void Freeing::make(const std::vector<KeptDevices>& kept, Trial& trial) const {
  for (const JobId& job : leaving) trial.fleet.end_gang(job);
  for (const JobId& job : ends) trial.fleet.end_gang(job);
  if (wait_s > 0) trial.pass(wait_s);
  for (const ReplicaIndex replica : replicas) trial.fleet.lift(replica);
  for (const KeptDevices& each : kept) {
    if (!kept_for.contains(each.job)) continue;
    for (const DeviceIndex device : each.devices) trial.fleet.clear(device, condition_reserved);
  }
  resume(drained, trial);
  mend(unusable, silent, trial);
}

void Freeing::add(const Freeing& other) {
  wait_s = std::max(wait_s, other.wait_s);
  leaving_s = std::max(leaving_s, other.leaving_s);
  ends.insert(other.ends.begin(), other.ends.end());
  leaving.insert(other.leaving.begin(), other.leaving.end());
  replicas.insert(other.replicas.begin(), other.replicas.end());
  kept_for.insert(other.kept_for.begin(), other.kept_for.end());
  drained.insert(other.drained.begin(), other.drained.end());
  unusable.insert(other.unusable.begin(), other.unusable.end());
  silent.insert(other.silent.begin(), other.silent.end());
}

std::optional<Freeing> cheapest_freeing(const Question& question,
                                        const std::vector<KeptDevices>& kept, GroupIndex group,
                                        int count) {
  const HostIndex index = question.roster.groups()[group].host;
  const HostEntry& host = question.roster.hosts()[index];
  if (host.draining) return std::nullopt;
  auto found = Site(question, kept, group).cheapest(count);
  if (found && host.health != Health::ok) found->silent.insert(index);
  return found;
}

std::string resume_words(const Roster& roster, const std::set<DeviceIndex>& drained) {
  std::string text;
  for (const auto& [host, devices] : by_host(roster, drained)) {
    append(text, devices.size() == 1 ? "resume " + device_text(roster, *devices.begin())
                                     : "resume host:" + roster.hosts()[host].hello.host);
  }
  return text;
}

void resume(const std::set<DeviceIndex>& drained, Trial& trial) {
  const Roster& roster = trial.fleet.roster();
  for (const auto& [host, devices] : by_host(roster, drained)) {
    if (devices.size() == 1) trial.fleet.clear(*devices.begin(), condition_drained);
    if (devices.size() == 1) continue;
    for (const DeviceIndex device : roster.hosts()[host].devices) {
      trial.fleet.clear(device, condition_drained);
    }
  }
}

std::string mend_words(const Roster& roster, const std::set<DeviceIndex>& unusable,
                       const std::set<HostIndex>& silent) {
  std::string text;
  for (const HostIndex host : silent) {
    append(text, fmt::format("host {} back", roster.hosts()[host].hello.host));
  }
  std::string devices;
  for (const DeviceIndex device : unusable) {
    devices += (devices.empty() ? "" : ", ") + device_text(roster, device);
  }
  append(text, devices.empty() ? "" : devices + " usable again");
  return text;
}

void mend(const std::set<DeviceIndex>& unusable, const std::set<HostIndex>& silent, Trial& trial) {
  for (const HostIndex host : silent) {
    trial.fleet.revive(host);
    for (const DeviceIndex device : trial.fleet.roster().hosts()[host].devices) {
      trial.fleet.hear(trial.now, device);
    }
  }
  for (const DeviceIndex device : unusable) {
    trial.fleet.clear(device, condition_unusable);
    trial.fleet.hear(trial.now, device);
  }
}

}  // namespace drover::router
