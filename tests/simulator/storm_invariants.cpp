// What must hold in a storm, and who looks.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "fleet/base/text.h"
#include "fleet/codec/codec.h"
#include "fleet/socket/published_stream.h"
#include "simulator/placement_validator.h"
#include "simulator/simulation.h"
#include "tests/simulator/fault_storms.h"
#include "tests/simulator/placement_ground_truth.h"
#include "tests/simulator/power_cap_invariants.h"
#include "tests/simulator/queue_invariants.h"
#include "tests/simulator/starvation_check.h"

namespace drover::simulator {
namespace {

/// Room that is made for a job is taken by then.
constexpr Duration given_within = std::chrono::seconds(30);
constexpr Duration look_every = std::chrono::milliseconds(100);
/// Long after the storm: in no step with beats and samples, of which else some are always under
/// way.
constexpr Duration look_later = std::chrono::milliseconds(1070);
constexpr Duration settles_after = std::chrono::seconds(5);  // I10
/// A message and two commits are under way for less.
constexpr Duration under_way = std::chrono::milliseconds(200);
constexpr Duration patience = std::chrono::minutes(40);

/// (job, attempt, host): an attempt that somebody says is running.
using Running = std::set<std::tuple<std::string, std::uint32_t, std::string>>;

Running less(const Running& all, const Running& those) {
  Running left;
  std::set_difference(all.begin(), all.end(), those.begin(), those.end(),
                      std::inserter(left, left.end()));
  return left;
}

Running both(const Running& one, const Running& other) { return less(one, less(one, other)); }

/// A dashboard: what it knows comes from what is published and from snapshots.
class Screen {
 public:
  Screen(Simulation& world, Duration wall) : world_(world), stream_(wall) {}

  void hear(Peer from, const Envelope& envelope) {
    const auto heard = stream_.receive(world_.now(), from, envelope);
    if (heard.snapshot) {
      jobs_.clear();
      health_.clear();
      for (const std::string& bytes : *heard.snapshot) apply(decode(bytes).value());
    }
    if (heard.is_new) apply(envelope);
  }
  void look() {
    if (stream_.take_snapshot_request(world_.now())) world_.client_send(SnapshotRequest{});
  }

  Running running() const {
    Running running;
    for (const auto& [job, changed] : jobs_) {
      if (changed.state != JobState::running) continue;
      // A multi-host gang names a part of each.
      for (const std::string& part : split(changed.target, ' ')) {
        running.insert({to_text(job), changed.attempt, part.substr(0, part.find('/'))});
      }
    }
    return running;
  }
  const std::map<std::string, Health>& health() const { return health_; }
  const std::map<JobId, JobChanged>& jobs() const { return jobs_; }

 private:
  void apply(const Envelope& envelope) {
    if (const auto* changed = std::get_if<JobChanged>(&envelope.body)) {
      jobs_[changed->job.id] = *changed;
    } else if (const auto* host = std::get_if<HostChanged>(&envelope.body)) {
      health_[host->registration.host] = host->health;
    }
  }

  Simulation& world_;
  PublishedStream stream_;
  std::map<JobId, JobChanged> jobs_;
  std::map<std::string, Health> health_;
};

Running truly_running(const Simulation& world) {
  Running running;
  for (const auto& [host, attempts] : world.running()) {
    for (const HeldAttempt& held : attempts) {
      running.insert({to_text(held.job), held.attempt, host});
    }
  }
  return running;
}

/// I3, as the hosts live it: no two attempts of a job run at once.
void judge_lives(const Running& running, std::vector<std::string>& broken) {
  for (auto next = running.begin(); next != running.end(); ++next) {
    const auto after = std::next(next);
    if (after == running.end() || std::get<0>(*next) != std::get<0>(*after)) continue;
    if (std::get<1>(*next) == std::get<1>(*after)) continue;  // a multi-host gang
    broken.push_back(fmt::format("I3: {} runs as attempt {} on {} and {} on {}", std::get<0>(*next),
                                 std::get<1>(*next), std::get<2>(*next), std::get<1>(*after),
                                 std::get<2>(*after)));
  }
}

/// I10: dashboard and hosts agree, but for what was under way at both looks.
void judge_calm(Simulation& world, Screen& screen, std::vector<std::string>& broken, Duration at) {
  const auto apart = [&] {
    const Running shown = screen.running();
    const Running real = truly_running(world);
    return std::pair{less(shown, real), less(real, shown)};
  };
  const auto [shown, real] = apart();
  world.run_for(at + under_way);
  const auto [shown_later, real_later] = apart();
  for (const auto& [job, attempt, host] : both(shown, shown_later)) {
    broken.push_back(fmt::format("I10: {} attempt {} is shown running on {}", job, attempt, host));
  }
  for (const auto& [job, attempt, host] : both(real, real_later)) {
    broken.push_back(fmt::format("I10: {} attempt {} runs unseen on {}", job, attempt, host));
  }
  for (const auto& [host, attempts] : world.running()) {
    const auto health = screen.health().find(host);
    if (health == screen.health().end() || health->second != Health::ok) {
      broken.push_back(fmt::format("I10: {} lives and is not shown as well", host));
    }
  }
}

/// I1, I2 and I3 as the ledger tells it.
class LedgerInvariants {
 public:
  LedgerInvariants(const Simulation& world, FaultStormReport& report)
      : world_(world), report_(report) {}

  void judge() {
    for (const LedgerRow& row : world_.ledger()) read(row);
    for (const auto& [job, answer] : world_.seen().answers) {
      if (answer.status == SubmitStatus::refused) continue;
      if (accepted_[job] != 1) violate("I1", job, "acknowledged, rows: ", accepted_[job]);
      if (ended_[job] != 1) violate("I2", job, "ended, rows: ", ended_[job]);
    }
    for (const auto& [job, times] : accepted_) {
      if (times != 1) violate("I2", job, "accepted, rows: ", times);
    }
    for (const auto& [job, times] : ended_) {
      if (times != 1) violate("I2", job, "ended, rows: ", times);
    }
    judge_sums();
  }

 private:
  void violate(const char* which, const JobId& job, const char* what, int count) {
    report_.broken.push_back(fmt::format("{}: {} {}{}", which, to_text(job), what, count));
  }

  void read(const LedgerRow& row) {
    switch (row.transition) {
      case Transition::accepted:
        ++accepted_[row.job];
        break;
      case Transition::leased:
        ++report_.attempts;
        if (ended_[row.job] > 0) violate("I2", row.job, "leased after its end: ", row.attempt);
        if (!leases_.emplace(row.job, row.attempt).second) {
          violate("I3", row.job, "leased while it is leased: ", row.attempt);
        }
        break;
      case Transition::returned:
        ++report_.returned;
        close(row);
        come_to_nothing(std::get<Failed>(decode(row.payload)->body));
        break;
      case Transition::finished:
        close(row);
        ++ended_[row.job];
        used_ += std::get<Finished>(decode(row.payload)->body).usage;
        break;
      case Transition::failed:
        leases_.erase(row.job);
        ++ended_[row.job];
        come_to_nothing(std::get<Failed>(decode(row.payload)->body));
        break;
      case Transition::stale:
        ++report_.stale;
        break;
      default:
        break;
    }
  }

  void come_to_nothing(const Failed& failed) {
    used_ += failed.usage;
    wasted_ += failed.usage;
    saves_ |= failed.steps_saved > 0;
  }

  /// The lease that ends is the one that stands.
  void close(const LedgerRow& row) {
    const auto lease = leases_.find(row.job);
    if (lease == leases_.end() || lease->second != row.attempt) {
      violate("I2", row.job, "an attempt ends that holds no lease: ", row.attempt);
    }
    if (lease != leases_.end()) leases_.erase(lease);
  }

  void judge_sums() {
    const Summary summary = world_.summary();
    report_.finished = summary.finished;
    report_.failed = summary.failed;
    report_.cancelled = summary.cancelled;
    const auto same = [&](const char* what, double told, double counted) {
      if (std::abs(told - counted) <= 1e-6 * std::max(1.0, counted)) return;
      report_.broken.push_back(
          fmt::format("I2: {}: {} told, {} in the ledger", what, told, counted));
    };
    // What led to a checkpoint that was gone on from is charged in the end, though the attempt came
    // to nothing.
    Usage told = summary.charged;
    told += summary.wasted;
    same("charged or wasted s", told.device_s, used_.device_s);
    same("charged or wasted J", told.energy_j, used_.energy_j);
    same("charged or wasted $", told.cost_usd, used_.cost_usd);
    if (!saves_) same("wasted s", summary.wasted.device_s, wasted_.device_s);
    same("accepted", static_cast<double>(summary.accepted), static_cast<double>(accepted_.size()));
    same("finished, failed and cancelled",
         static_cast<double>(summary.finished + summary.failed + summary.cancelled),
         static_cast<double>(ended_.size()));
    if (summary.charged.energy_j > summary.fleet_energy_j * 1.001) {
      report_.broken.push_back(fmt::format("I2: {} J charged, the fleet drew {}",
                                           summary.charged.energy_j, summary.fleet_energy_j));
    }
  }

  const Simulation& world_;
  FaultStormReport& report_;
  std::map<JobId, int> accepted_, ended_;
  std::map<JobId, std::uint32_t> leases_;  // that stand
  Usage used_, wasted_;
  bool saves_ = false;  // some training has written a checkpoint
};

/// All jobs are answered and ended.
bool done(const Simulation& world, std::size_t jobs) {
  const Summary summary = world.summary();
  return world.seen().answers.size() == jobs &&
         summary.accepted == summary.finished + summary.failed + summary.cancelled;
}

FaultStormReport count_of(const FaultStorm& storm) {
  const Scenario& scenario = storm.scenario;
  FaultStormReport report;
  report.jobs = scenario.arrivals.size();
  report.router_lives = 1 + scenario.router_kills.size();
  report.faults = scenario.agent_kills.size() + scenario.partitions.size() +
                  scenario.router_kills.size() +
                  std::count_if(scenario.actions.begin(), scenario.actions.end(),
                                [](const ClientAction& action) {
                                  return std::holds_alternative<InjectFault>(action.message);
                                });
  return report;
}

}  // namespace

FaultStormReport& FaultStormReport::operator+=(const FaultStormReport& other) {
  for (const auto count :
       {&FaultStormReport::jobs, &FaultStormReport::finished, &FaultStormReport::failed,
        &FaultStormReport::cancelled, &FaultStormReport::attempts, &FaultStormReport::returned,
        &FaultStormReport::stale, &FaultStormReport::router_lives, &FaultStormReport::faults,
        &FaultStormReport::assignments, &FaultStormReport::looks, &FaultStormReport::asked_why}) {
    this->*count += other.*count;
  }
  broken.insert(broken.end(), other.broken.begin(), other.broken.end());
  return *this;
}

FaultStormReport run_fault_storm(const FaultStorm& storm, StormObserver* onlooker) {
  FaultStormReport report = count_of(storm);
  const devices::Catalogue& catalogue = devices::Catalogue::embedded();
  PlacementValidator exclusions(storm.scenario.hosts, catalogue);
  Simulation world(storm.scenario, catalogue);
  Screen screen(world, std::chrono::seconds(1));
  world.subscriber = [&](const Envelope& envelope) {
    screen.hear(publish_peer, envelope);
    exclusions.published(envelope);
    if (onlooker) onlooker->hear(publish_peer, envelope);
  };
  world.answered = [&](const Envelope& envelope) {
    screen.hear(Peer{Channel::control, 1}, envelope);
    if (onlooker) onlooker->hear(Peer{Channel::control, 1}, envelope);
  };
  world.assigned = [&](const std::string& host, const Assign& assign) {
    exclusions.assigned(host, assign);
  };
  PlacementGroundTruth truth(world, storm.scenario.hosts, catalogue, storm.scenario.policy);
  QueueInvariants waiting(world, std::chrono::seconds(4), &truth);
  PowerCapInvariants caps(world);
  if (onlooker) onlooker->begin(world, storm);
  const auto look = [&](Duration until) {
    world.run_for(until);
    screen.look();
    ++report.looks;
    judge_lives(truly_running(world), report.broken);
    if (report.looks % 10 == 0) {
      waiting.look(screen.jobs(), report.broken);
      caps.look(report.broken);
    }
    if (onlooker) onlooker->look(report.broken);
  };
  Duration at{};
  for (; at < storm.calm + settles_after; at += look_every) look(at);
  judge_calm(world, screen, report.broken, at);
  for (at += under_way; at < patience && !done(world, report.jobs); at += look_later) look(at);
  for (const auto& [job, attempt, host] : less(screen.running(), truly_running(world))) {
    report.broken.push_back(
        fmt::format("{} attempt {} is shown running on {}", job, attempt, host));
  }
  // A place may just be about to be given.
  const StarvationCheck patient(world, storm.scenario, catalogue);
  const std::vector<std::string> once = patient.starved_jobs(screen.jobs());
  const Duration later = at + (once.empty() ? Duration{0} : given_within);
  for (; at < later; at += look_later) look(at);
  for (std::string& what : patient.starved_jobs(screen.jobs())) {
    if (std::find(once.begin(), once.end(), what) != once.end()) report.broken.push_back(what);
  }
  world.client_send(EndRunRequest{});
  world.run_for(at + std::chrono::seconds(5));
  LedgerInvariants(world, report).judge();
  if (world.seen().answers.size() != report.jobs) report.broken.push_back("I1: not all answered");
  if (world.seen().placed_on_unusable > 0) report.broken.push_back("placed on unusable devices");
  if (world.seen().undecodable > 0) report.broken.push_back("bytes that did not decode");
  if (world.seen().alerts_out_of_turn > 0) {
    report.broken.push_back("alerts raised twice, or cleared and not raised");
  }
  report.assignments = exclusions.checked();
  report.asked_why = waiting.asked();
  for (const std::string& what : exclusions.violations()) report.broken.push_back(what);
  return report;
}

}  // namespace drover::simulator
