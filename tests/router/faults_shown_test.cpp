// The faults that the router shows are those that agents have in force: the same devices, replaced
// by the same rule, none that is over at once.
#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "tests/router/action_harness.h"

namespace drover::router {
namespace {

using Fleet = ActionHarness;
using Words = std::vector<std::string>;
using std::chrono::seconds;

/// The faults of a device, as last published.
Words shown(const Fleet& stage, std::uint16_t device, const std::string& host = "h100-1") {
  Words words;
  for (const DeviceChanged& changed : stage.published<DeviceChanged>()) {
    if (changed.host == host && changed.device == device) words = changed.injected;
  }
  return words;
}

Words all_of(const std::string& host) {
  Words devices;
  for (std::uint16_t device = 0; device < 8; ++device) {
    devices.push_back(to_text(DeviceId{host, device}));
  }
  return devices;
}

std::vector<Event> events_of(const Fleet& stage, const std::string& subject) {
  std::vector<Event> events;
  for (const Event& event : stage.published<Event>()) {
    if (event.subject == subject) events.push_back(event);
  }
  return events;
}

TEST(FaultsShown, TheSameKindAgainReplacesTheEarlierOne) {
  for (const auto& [earlier, later] :
       {std::pair<const char*, const char*>{"throttle=0.5", "throttle=0.8"},
        {"xid=79", "xid=48"}}) {
    Fleet stage;
    stage.ask(inject("h100-1/3", earlier, seconds(60)));
    stage.ask(inject("h100-1/3", later, seconds(5)));
    EXPECT_EQ(shown(stage, 3), Words{later});
    stage.live(6, all_hosts);
    EXPECT_TRUE(shown(stage, 3).empty()) << earlier;
  }
}

TEST(FaultsShown, LosingAHostDoesNotReplaceTheLossOfItsDevices) {
  Fleet stage;
  stage.ask(inject("h100-1/3", "lose", seconds(60)));
  stage.ask(inject("host:h100-1", "lose", seconds(5)));
  EXPECT_EQ(shown(stage, 3), (Words{"lose", "lose"}));
  EXPECT_EQ(shown(stage, 4), Words{"lose"});
}

/// Of a host, where no devices are named.
ActiveFault in_force(const Fleet& stage, const std::string& fault,
                     std::vector<std::uint16_t> devices, Duration duration = seconds(40)) {
  ActiveFault told{devices.empty(), std::move(devices), parse_fault(fault).value(), {}};
  told.fault.duration = seconds(60);
  told.until = stage.now + duration;
  return told;
}

/// It comes back as the same incarnation, and its agent has gone on with the fault meanwhile.
TEST(FaultsShown, ADisconnectedHostReturnsWithItsFaultsAndARestartedOneWithout) {
  for (const bool same : {true, false}) {
    Fleet stage;
    stage.ask(inject("h100-1/3", "throttle=0.5", seconds(60)));
    stage.live(20, {{2, "h100-2"}, {3, "v5e-1"}});
    const auto hosts = stage.published<HostChanged>();
    ASSERT_TRUE(std::any_of(hosts.begin(), hosts.end(), [](const HostChanged& host) {
      return host.registration.host == "h100-1" && host.health == Health::lost;
    }));
    Register registration = stage.registration("h100-1", same ? 1 : 2);
    if (same) registration.faults = {in_force(stage, "throttle=0.5", {3})};
    stage.receive(1, registration);
    EXPECT_EQ(shown(stage, 3), same ? Words{"throttle=0.5"} : Words{});
    stage.live(45, all_hosts);
    EXPECT_TRUE(shown(stage, 3).empty()) << "it is over when it would have been";
  }
}

/// A host says Register with these faults; `asked_at`: in answer to a question of then.
void send_register(Fleet& stage, std::vector<ActiveFault> faults, Instant asked_at = {}) {
  Register registration = stage.registration("h100-1");
  registration.faults = std::move(faults);
  registration.asked_at = asked_at;
  stage.forget();
  stage.receive(1, registration);
}

TEST(FaultsShown, ARestartedRouterShowsTheActiveFaultsOfItsAgents) {
  Fleet stage;
  stage.ask(inject("h100-1/3", "throttle=0.5", seconds(60)));
  ASSERT_TRUE(stage.restart());
  stage.join_all();
  EXPECT_TRUE(shown(stage, 3).empty()) << "a Register without any";
  send_register(stage, {in_force(stage, "throttle=0.5", {3}), in_force(stage, "inlet=+10C", {}),
                        in_force(stage, "hang", {4}, seconds(0))});
  EXPECT_EQ(shown(stage, 3), (Words{"throttle=0.5", "inlet=+10C"}));
  EXPECT_EQ(shown(stage, 4), Words{"inlet=+10C"}) << "what has ended on the way is none";
  stage.forget();
  stage.live(41, all_hosts);
  EXPECT_FALSE(stage.published<DeviceChanged>().empty());
  EXPECT_TRUE(shown(stage, 3).empty());
  EXPECT_TRUE(shown(stage, 4).empty());
}

TEST(FaultsShown, ARegistrationClearsFaultsThatItsAgentReceivedButLacks) {
  for (const Duration after : {seconds(-1), seconds(1)}) {
    Fleet stage;
    stage.ask(inject("h100-1/3", "hang", seconds(60)));
    send_register(stage, {in_force(stage, "throttle=0.5", {3})}, stage.now + after);
    const bool crossed = after < Duration{0};
    EXPECT_EQ(shown(stage, 3), crossed ? (Words{"throttle=0.5", "hang"}) : Words{"throttle=0.5"});
  }
}

TEST(FaultsShown, ARegistrationWithNothingNewPublishesNothing) {
  Fleet stage;
  stage.ask(inject("h100-1/3", "hang", seconds(60)));
  send_register(stage, {in_force(stage, "hang", {3})}, stage.now + seconds(1));
  EXPECT_TRUE(stage.published<DeviceChanged>().empty());
}

TEST(FaultsShown, NoneOutlastsItsRequestedDuration) {
  Fleet stage;
  send_register(stage, {in_force(stage, "hang", {3}, std::chrono::hours(1000))});
  EXPECT_EQ(shown(stage, 3), Words{"hang"});
  stage.live(61, all_hosts);
  EXPECT_TRUE(shown(stage, 3).empty());
}

TEST(FaultsShown, ImpossibleFaultsAreDroppedAndTheSenderIsNamed) {
  Fleet stage;
  ActiveFault odd = in_force(stage, "throttle=0.5", {3});
  odd.fault.amount = 7;
  ActiveFault endless = in_force(stage, "hang", {3});
  endless.fault.duration = Duration::max();
  send_register(stage, {odd, in_force(stage, "hang", {3, 8}), in_force(stage, "ecc", {2}),
                        in_force(stage, "xid=13", {3}), endless});
  EXPECT_TRUE(shown(stage, 3).empty());
  EXPECT_EQ(shown(stage, 2), Words{"ecc"});
  const auto said = events_of(stage, "h100-1");
  ASSERT_FALSE(said.empty());
  EXPECT_EQ(said.front().text,
            "dropped, 1 so far: throttle=7 is not a valid fault for its devices");
  EXPECT_EQ(stage.router->summary(stage.now).undecodable, 4U);
}

TEST(FaultsShown, MomentaryFaultsAreNotInForce) {
  for (const char* fault : {"xid=13", "xid=63", "xid=500"}) {
    Fleet stage;
    stage.ask(inject("h100-1/3", "xid=79"));
    EXPECT_TRUE(stage.ask(inject("h100-1/3", fault)).applied);
    EXPECT_EQ(stage.told<ApplyFault>(1).size(), 1U) << "its agent hears of it";
    EXPECT_TRUE(stage.published<DeviceChanged>().empty()) << "xid=79 goes on";
  }
}

TEST(FaultsShown, ALinkFaultCoversTheWholeGroup) {
  Fleet stage;
  EXPECT_EQ(stage.ask(inject("h100-1/2", "slow-link=0.1")).targets, all_of("h100-1"));
  EXPECT_EQ(shown(stage, 7), Words{"slow-link=0.1"});
  EXPECT_EQ(
      stage.published<Audit>().at(0).detail,
      "h100-1/0-7: slow-link=0.1 for 60s: work over its links slows down; nothing runs there now");
}

TEST(FaultsShown, ASliceIsLostAsAWholeAndAGpuAlone) {
  Fleet stage;
  EXPECT_EQ(stage.ask(inject("v5e-1/2", "lose")).targets, all_of("v5e-1"));
  EXPECT_EQ(shown(stage, 7, "v5e-1"), Words{"lose"});
  EXPECT_EQ(stage.ask(inject("h100-1/2", "lose")).targets, Words{"h100-1/2"});
}

TEST(FaultsShown, ARandomPickTakesWholeGroupsForGroupFaults) {
  InjectFault some = inject("pool:v5e", "lose");
  some.any = 1;
  EXPECT_EQ(Fleet().ask(some).targets, all_of("v5e-1"));
  some = inject("pool:h100", "slow-link");
  some.any = 2;
  EXPECT_EQ(Fleet().ask(some).targets.size(), 16U);
  some.any = 3;
  EXPECT_EQ(Fleet().ask(some).problem,
            "any 3: only 2 devices or groups of pool:h100 can be reached");
}

TEST(FaultsShown, ARandomPickMayChooseAnyDevice) {
  std::set<std::string> drawn;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    InjectFault some = inject("pool:h100", "hang");
    some.any = 2;
    some.seed = seed;
    const ActionReply reply = Fleet().ask(some);
    drawn.insert(reply.targets.begin(), reply.targets.end());
    ASSERT_EQ(std::set<std::string>(reply.targets.begin(), reply.targets.end()).size(), 2U);
  }
  EXPECT_EQ(drawn.size(), 16U);
}

// ---- What a driver says in passing -------------------------------------------------------------

TEST(FaultsShown, AMomentaryXidIsReportedEachTimeAndLeavesNothing) {
  Fleet stage;
  const DeviceReport report{3, true, 13, "Xid 13: graphics engine exception"};
  stage.receive(1, report);
  stage.receive(1, report);
  ASSERT_EQ(events_of(stage, "h100-1/3").size(), 2U);
  EXPECT_EQ(events_of(stage, "h100-1/3")[0].severity, Severity::warning);
  EXPECT_EQ(events_of(stage, "h100-1/3")[0].text, "Xid 13: graphics engine exception");
  EXPECT_TRUE(stage.published<DeviceChanged>().empty()) << "it is as usable as it was";
}

TEST(FaultsShown, AMomentaryXidIsNotTheReasonADeviceIsUnusable) {
  Fleet stage;
  stage.receive(1, DeviceReport{3, false, 0, "uncorrectable memory error"});
  stage.forget();
  stage.receive(1, DeviceReport{3, false, 13, "Xid 13: graphics engine exception"});
  EXPECT_EQ(events_of(stage, "h100-1/3").size(), 1U);
  EXPECT_TRUE(stage.published<DeviceChanged>().empty()) << "the reason stays";
  stage.receive(1, DeviceReport{3, true, 0, ""});
  ASSERT_EQ(stage.published<DeviceChanged>().size(), 1U);
  EXPECT_TRUE(stage.published<DeviceChanged>()[0].detail.empty());
}

}  // namespace
}  // namespace drover::router
