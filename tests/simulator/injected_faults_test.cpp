// Whole fleets under faults of every kind, drawn from seeds: what they promise holds all the same,
// faults end when they should, and leave nothing behind.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "fleet/codec/codec.h"
#include "simulator/simulation.h"
#include "tests/simulator/end_state_invariants.h"
#include "tests/simulator/fleet_under_test.h"

namespace drover::simulator {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;

struct Shape {
  const char* target;
  const char* fault;
};
constexpr std::array<Shape, 16> shapes{{
    {"site", "throttle=0.6"},
    {"pool:h100", "throttle=0.2"},
    {"site", "hang"},
    {"site", "xid=79"},
    {"site", "xid=48"},
    {"site", "xid=13"},
    {"site", "xid=63"},
    {"pool:h100", "ecc"},
    {"pool:v5e", "ecc"},
    {"pool:h100", "lose"},
    {"pool:a100", "lose"},
    {"pool:v5e", "lose"},
    {"rack:rack-1", "lose"},
    {"rack:rack-2", "lose"},
    {"site", "slow-link=0.1"},
    {"site", "inlet=+9C"},
}};
constexpr int times_each = 2;
constexpr double faults_s = 95;  // the last is asked for before
constexpr double fault_longest_s = 50;

/// Every shape a few times, at any time, over one another; the router is killed among them.
Scenario faulty(std::uint64_t seed) {
  Scenario scenario = mixed_scenario(seed, 120, 5);
  RandomStream random = RandomStream(seed).child("injected");
  for (int time = 0; time < times_each; ++time) {
    for (const Shape& shape : shapes) {
      InjectFault inject;
      inject.target = shape.target;
      inject.fault = parse_fault(shape.fault).value();
      inject.fault.duration = from_seconds(random.uniform(2, fault_longest_s));
      inject.any = 1 + static_cast<std::uint32_t>(random.below(2));
      inject.seed = random.bits();
      scenario.actions.push_back({from_seconds(random.uniform(5, faults_s)), inject});
    }
  }
  scenario.router_kills = {
      {from_seconds(random.uniform(30, 70)), from_seconds(random.uniform(0.3, 3))}};
  return scenario;
}

using DeviceName = std::pair<std::string, std::uint16_t>;

/// Knows from what agents hear when each fault ends, and holds them to it.
class FaultEndCheck : public MessageTransport {
 public:
  std::string carry(Channel channel, const std::string& from, const std::string& to,
                    std::string bytes) override {
    if (channel != Channel::control) return bytes;
    const auto envelope = decode(bytes);
    if (const auto* apply = std::get_if<ApplyFault>(&envelope->body)) hear(to, *apply);
    if (const auto* report = std::get_if<DeviceReport>(&envelope->body)) {
      if (report->usable && report->detail.empty()) check({from, report->device}, envelope->at);
    }
    return bytes;
  }
  const Simulation* world = nullptr;
  std::size_t checked = 0;

 private:
  void hear(const std::string& host, const ApplyFault& apply) {
    const Instant now = world->now();
    if (now < silent_until_[host]) return;
    const Instant until = now + apply.fault.duration;
    const FaultKind kind = apply.fault.kind;
    if (apply.host) {
      if (kind == FaultKind::lose) silent_until_[host] = until;
      return;
    }
    const bool lasting_xid = apply.fault.code == 79 || apply.fault.code == 48;
    if (kind != FaultKind::ecc && kind != FaultKind::lose && !lasting_xid) return;
    for (const std::uint16_t device : apply.devices) ends_[{host, device}][kind] = until;
  }
  void check(const DeviceName& device, Instant at) {
    ++checked;
    Instant last{};
    for (const auto& [kind, until] : ends_[device]) last = std::max(last, until);
    EXPECT_EQ(at, last) << device.first << '/' << device.second;
  }

  std::map<DeviceName, std::map<FaultKind, Instant>> ends_;
  std::map<std::string, Instant> silent_until_;
};

/// The watts of devices that no sample shows are not held for true for long.
class Watts {
 public:
  explicit Watts(const Scenario& scenario) {
    const devices::Catalogue& catalogue = devices::Catalogue::embedded();
    for (const agents::AgentSettings& host : scenario.hosts) {
      const auto spec = catalogue.device(host.groups.at(0).device);
      for (std::uint16_t device = 0; device < host.groups.at(0).count; ++device) {
        last_[{host.host, device}] = {{}, 0, spec.value()->spec.power.idle_w};
      }
    }
  }
  void match(Instant now, const Envelope& envelope) {
    if (const auto* batch = std::get_if<SampleBatch>(&envelope.body)) {
      for (const Sample& row : unpack(*batch)) {
        Last& last = last_.at({batch->host, row.device});
        last.at = now;
        last.watts = row[Metric::power];
      }
    } else if (const auto* summary = std::get_if<Summary>(&envelope.body)) {
      double most_w = 0;
      for (const auto& [device, last] : last_) {
        most_w += now - last.at < held_for_true ? last.watts : last.idle_w;
      }
      EXPECT_LE(summary->power_w, most_w + 1) << to_seconds(now - Instant{});
    }
  }
  double shown_w() const {
    double sum_w = 0;
    for (const auto& [device, last] : last_) sum_w += last.watts;
    return sum_w;
  }

 private:
  struct Last {
    Instant at;
    double watts, idle_w;
  };
  // A host is lost after twelve seconds of silence; after twice that where many are silent at once.
  static constexpr Duration held_for_true = seconds(26);
  std::map<DeviceName, Last> last_;
};

struct Trace {
  std::vector<std::string> decisions;
  std::vector<LedgerRow> ledger;
  std::set<std::string> actions;  // applied
  std::size_t ends_checked = 0;
};

Trace run(std::uint64_t seed) {
  Scenario scenario = faulty(seed);
  Watts watts(scenario);
  FaultEndCheck ends;
  Simulation world(std::move(scenario), devices::Catalogue::embedded(), &ends);
  ends.world = &world;
  world.subscriber = [&](const Envelope& envelope) { watts.match(world.now(), envelope); };
  world.run_for(minutes(15));
  expect_end_state_invariants(world, "seed " + std::to_string(seed));
  EXPECT_NEAR(world.summary().power_w, watts.shown_w(), 0.5) << "seed " << seed;
  EXPECT_EQ(world.summary().power_reserved_w, 0) << "seed " << seed;
  EXPECT_GT(world.seen().alerts_raised, 0U) << "seed " << seed;
  Trace trace{world.seen().decisions, world.ledger(), {}, ends.checked};
  for (const Audit& audit : world.seen().audits) {
    const std::string fault = audit.action.substr(0, audit.action.find(" for "));
    if (audit.applied) trace.actions.insert(audit.target + ": " + fault);
  }
  return trace;
}

TEST(InjectedFaults, NeverBreakTheFleetsGuarantees) {
  const char* asked = std::getenv("DROVER_SEED");
  const std::uint64_t first = asked ? std::strtoull(asked, nullptr, 10) : 1;
  const std::uint64_t count = asked ? 1 : 4;
  std::set<std::string> applied;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const Trace trace = run(seed);
    EXPECT_GT(trace.ends_checked, 0U) << "seed " << seed;
    applied.insert(trace.actions.begin(), trace.actions.end());
    if (testing::Test::HasFailure()) return;
  }
  EXPECT_TRUE(asked || applied.size() == shapes.size()) << "each was tried";
}

TEST(InjectedFaults, TheSameSeedGivesTheSameTrace) {
  const Trace first = run(9);
  const Trace second = run(9);
  ASSERT_GT(first.decisions.size(), 100U);
  EXPECT_EQ(first.decisions, second.decisions);
  EXPECT_EQ(first.ledger, second.ledger);
}

}  // namespace
}  // namespace drover::simulator
