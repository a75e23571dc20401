// What is believed of devices that send no samples because they are not usable, and of those around
// them.
#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

constexpr double busy_w = 700;

double idle_w() {
  return devices::Catalogue::embedded().device("h100-sxm").value()->spec.power.idle_w;
}

/// One host of eight H100s, of which some send no samples.
struct Host : RouterHarness {
  Host() {
    add_host(1, "h100-1");
    receive(9, Join{Role::client, "ann", "drover test"});
    tick();
    commit();
    forget();
  }
  void sample(std::uint16_t silent_from, std::uint16_t silent_to, double watts = 100) {
    std::vector<Sample> rows;
    for (Sample row : idle_samples(8)) {
      if (row.device >= silent_from && row.device < silent_to) continue;
      row[Metric::power] = watts;
      rows.push_back(row);
    }
    receive_samples("h100-1", ++sequence_, rows);
  }
  void live_without(std::uint16_t silent_from, std::uint16_t silent_to, int span_s) {
    for (int second = 0; second < span_s; ++second) {
      receive(1, Heartbeat{});
      sample(silent_from, silent_to);
      wait(seconds(1));
      commit();
    }
  }
  std::size_t assigned(const Job& job) {
    forget();
    receive(9, Submit{{job}});
    tick();
    commit();
    return told<Assign>(1).size();
  }

 private:
  std::uint64_t sequence_ = 1'000;
};

TEST(UnusableDevices, ASilentUnusableDeviceDoesNotMakeItsGroupStale) {
  Host host;
  host.receive(1, DeviceReport{2, false, 79, "Xid 79: GPU has fallen off the bus"});
  host.live_without(2, 3, 10);
  EXPECT_EQ(host.assigned(train_job(1, 4)), 1U);
}

TEST(UnusableDevices, ASilentUsableDeviceMakesItsGroupStale) {
  Host host;
  host.live_without(2, 3, 10);
  EXPECT_EQ(host.assigned(train_job(1, 4)), 0U);
}

TEST(UnusableDevices, ARecoveredDeviceIsUsedFromItsNextSampleOn) {
  Host host;
  host.receive(1, DeviceReport{5, false, 79, "Xid 79: GPU has fallen off the bus"});
  host.live_without(5, 6, 10);
  host.receive(1, DeviceReport{5, true, 0, ""});
  EXPECT_EQ(host.assigned(train_job(1, 4)), 0U) << "nothing is known of it yet";
  host.live_without(0, 0, 1);
  ASSERT_EQ(host.told<Assign>(1).size(), 1U);
  EXPECT_EQ(host.told<Assign>(1).at(0).devices, (std::vector<std::uint16_t>{4, 5, 6, 7}));
}

TEST(UnusableDevices, ASilentUnusableDeviceCountsAtIdlePower) {
  Host host;
  host.sample(0, 0, busy_w);
  EXPECT_EQ(host.router->summary(host.now).power_w, 8 * busy_w);
  host.receive(1, DeviceReport{2, false, 79, "Xid 79: GPU has fallen off the bus"});
  EXPECT_NEAR(host.router->summary(host.now).power_w, 7 * busy_w + idle_w(), 0.1);
}

TEST(UnusableDevices, ASampleInFlightIsNotTrustedForLong) {
  Host host;
  host.receive(1, DeviceReport{2, false, 79, "Xid 79: GPU has fallen off the bus"});
  host.sample(0, 0, busy_w);
  host.live_without(2, 3, 7);
  EXPECT_NEAR(host.router->summary(host.now).power_w, 7 * 100 + idle_w(), 0.1);
}

TEST(UnusableDevices, SamplesThatOneStillSendsAreTrusted) {
  Host host;
  host.receive(1, DeviceReport{2, false, 0, "uncorrectable memory error"});
  host.live_without(0, 0, 7);
  EXPECT_EQ(host.router->summary(host.now).power_w, 8 * 100);
}

TEST(UnusableDevices, PowerFromAHostsEarlierIncarnationIsNotTrusted) {
  Host host;
  host.sample(0, 0, busy_w);
  host.receive(1, host.registration("h100-1", 1));
  EXPECT_EQ(host.router->summary(host.now).power_w, 8 * busy_w) << "the same life";
  host.receive(1, host.registration("h100-1", 2));
  EXPECT_NEAR(host.router->summary(host.now).power_w, 8 * idle_w(), 0.1);
}

TEST(UnusableDevices, HoldNoReservationAndDoNotCountAsThrottled) {
  DecisionFixture fleet(
      "[policy]\nname = \"t\"\n[pool.big]\nmatch = { kind = \"gpu\" }\n"
      "[[rule]]\nname = \"all\"\npools = [\"big\"]\nscore = { queue = 1 }\n");
  const HostIndex host = fleet.add_host("big-1", "h100-sxm", 4);
  fleet.sample(host, {{Metric::power, busy_w}, {Metric::throttle, throttle_sw_thermal_slowdown}});
  fleet.fleet_state.reserve_gang(fleet.now, {0, 1}, host, {1, 2}, fleet.now + seconds(60), 300);
  fleet.fleet_state.set_usable(host, 2, false);
  EXPECT_EQ(fleet.fleet_state.reserved_w(), 300);
  EXPECT_NEAR(fleet.fleet_state.power_w(), 3 * busy_w + idle_w(), 0.1);
  EXPECT_NEAR(static_cast<double>(fleet.fleet_state.groups()[0].estimated_mw) / 1000,
              3 * busy_w + idle_w() + 300, 0.1)
      << "what decisions go by";
  EXPECT_EQ(fleet.fleet_state.devices().throttle[2], 0U);
  EXPECT_EQ(fleet.fleet_state.devices().throttle[1], throttle_sw_thermal_slowdown);
}

/// Everybody is told the age of a device's last sample, and none that is only believed.
TEST(UnusableDevices, ARecoveredDeviceHasTheAgeOfItsLastSample) {
  DecisionFixture fleet(
      "[policy]\nname = \"t\"\n[pool.big]\nmatch = { kind = \"gpu\" }\n"
      "[[rule]]\nname = \"all\"\npools = [\"big\"]\nscore = { queue = 1 }\n");
  const HostIndex host = fleet.add_host("big-1", "h100-sxm", 2);
  fleet.sample(host, {{Metric::temperature, 61}});
  const Instant last = fleet.now;
  fleet.fleet_state.set_usable(host, 1, false);
  fleet.now += seconds(20);
  Sample other;
  other.device = 0;
  other[Metric::temperature] = 40;
  fleet.fleet_state.apply(fleet.now, host, ++fleet.sample_sequence,
                          pack("big-1", std::span(&other, 1)));
  fleet.fleet_state.set_usable(host, 1, true);
  const DeviceColumns& columns = fleet.fleet_state.devices();
  EXPECT_EQ(columns.sampled[0], fleet.now);
  EXPECT_EQ(columns.sampled[1], last);
  EXPECT_EQ(columns.temperature_c[1], 61) << "that sample stands, at its age";
}

}  // namespace
}  // namespace drover::router
