// Power caps of the site over real devices, whose owners may have set caps of their own.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "router/lint/policy_file.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

constexpr double owners_cap_w = 500;  // rated: 700 W

RouterSettings with_control(bool control) {
  RouterSettings settings;
  settings.fleet_state_limits.real_power_caps = control;
  return settings;
}

/// A real host of eight busy H100s, which its owner has capped.
struct CappedByItsOwner : RouterHarness {
  explicit CappedByItsOwner(bool control = true)
      : RouterHarness(with_control(control), builtin_policy()) {
    Register said = registration("real-1", 1, "h100-sxm", 8);
    devices::DeviceSpec spec = devices::Catalogue::embedded().device("h100-sxm").value()->spec;
    spec.real = true;
    said.specs[0].text = to_toml(spec);
    receive(1, Join{Role::agent, "real-1", "drover test"});
    receive(1, said);
    receive(9, Join{Role::client, "ann", "drover test"});
    pass(1);
    forget();
  }
  /// Its agent reports what it sees, and does what it is told.
  void pass(int span_s) {
    for (int second = 0; second < span_s; ++second) {
      for (std::uint16_t device = 0; device < 8; ++device) {
        Board board;
        board.device = device;
        board.uuid = "GPU-" + std::to_string(device);
        if (caps_w_[device] < owners_cap_w) board.power_cap_before_w = owners_cap_w;
        receive(1, BoardReport{board});
      }
      std::vector<Sample> rows = idle_samples(8);
      for (Sample& row : rows) {
        row[Metric::power_cap] = caps_w_[row.device];
        row[Metric::power] = caps_w_[row.device] - 10;
      }
      receive(1, Heartbeat{});
      receive_samples("real-1", ++sequence_, rows);
      wait(seconds(1));
      commit();
      for (const CapDevices& cap : told<CapDevices>(1)) {
        for (const std::uint16_t device : cap.devices) {
          asked_w.push_back(cap.watts);
          caps_w_[device] = std::min(cap.watts, owners_cap_w);
        }
      }
      forget();
    }
  }
  const std::array<double, 8>& caps_w() const { return caps_w_; }

  std::vector<double> asked_w;  // a cap for each device that was told

 private:
  std::array<double, 8> caps_w_ = filled(owners_cap_w);
  static std::array<double, 8> filled(double value) {
    std::array<double, 8> values{};
    values.fill(value);
    return values;
  }
  std::uint64_t sequence_ = 0;
};

TEST(RealPowerCaps, TheOneThatItsOwnerHasSetStays) {
  CappedByItsOwner stage;
  stage.pass(20);
  EXPECT_EQ(stage.asked_w, std::vector<double>{});
}

TEST(RealPowerCaps, OfTheSiteAreMetFromTheOwnersCapDown) {
  CappedByItsOwner stage;
  stage.receive(9, SetPowerCap{"site", 8 * 400, seconds(60)});
  stage.pass(20);
  for (const double watts : stage.caps_w()) EXPECT_LE(watts, 400);
  for (const double watts : stage.asked_w) EXPECT_LT(watts, owners_cap_w);
}

TEST(RealPowerCaps, AreNotSetByARouterWithoutControl) {
  CappedByItsOwner stage(false);
  stage.receive(9, SetPowerCap{"site", 8 * 400, seconds(60)});
  stage.pass(20);
  EXPECT_EQ(stage.asked_w, std::vector<double>{});
}

TEST(RealPowerCaps, EndWithTheOwnersCap) {
  CappedByItsOwner stage;
  stage.receive(9, SetPowerCap{"site", 8 * 400, seconds(30)});
  stage.pass(29);
  stage.asked_w.clear();
  stage.pass(30);
  EXPECT_EQ(stage.asked_w, std::vector<double>(8, owners_cap_w)) << "each once, and no more";
}

}  // namespace
}  // namespace drover::router
