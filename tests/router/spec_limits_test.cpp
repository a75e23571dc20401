// How many device specs the fleet takes from one host.
#include <gtest/gtest.h>

#include <string>

#include "router/fleet_state/fleet_state.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

/// A host with so many kinds of device, of which no other host has any.
Register of_many_kinds(const std::string& host, std::size_t kinds) {
  Register registration = RouterHarness().registration(host);
  const std::string text = registration.specs[0].text;
  const std::string id = registration.specs[0].id;
  registration.specs.clear();
  registration.groups.clear();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const std::string name = host + "-" + std::to_string(kind);
    std::string own = text;
    own.replace(own.find('"' + id + '"'), id.size() + 2, '"' + name + '"');
    const auto number = static_cast<std::uint16_t>(kind);
    registration.specs.push_back({name, own});
    registration.groups.push_back({number, number, 1, name, "", 0});
  }
  return registration;
}

TEST(SpecLimits, AHostOverItsShareIsRefusedAndOthersJoin) {
  FleetState fleet_state;
  const auto over =
      fleet_state.register_host(Instant{}, of_many_kinds("a", specs_per_host_max + 1));
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().message,
            "Register of a: 17 device specs, expected at most 16 of one host");
  EXPECT_FALSE(fleet_state.refused_for_capacity()) << "that does not pass";
  EXPECT_EQ(fleet_state.spec_count(), 0U);
  const auto full = fleet_state.register_host(Instant{}, of_many_kinds("a", specs_per_host_max));
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_TRUE(fleet_state.register_host(Instant{}, RouterHarness().registration("b")));
}

TEST(SpecLimits, OneHostNeverExceedsItsShareHoweverOftenItsDevicesChange) {
  FleetState fleet_state;
  const std::size_t hosts = specs_max / specs_per_host_max;
  for (std::size_t host = 2; host < hosts; ++host) {
    const std::string name = "h" + std::to_string(host);
    ASSERT_TRUE(fleet_state.register_host(Instant{}, of_many_kinds(name, specs_per_host_max)))
        << name;
  }
  for (std::size_t life = 0; life < 2 * hosts; ++life) {
    Register registration = of_many_kinds("x" + std::to_string(life), specs_per_host_max);
    registration.host = "hostile";
    ASSERT_TRUE(fleet_state.register_host(Instant{}, registration)) << life;
  }
  EXPECT_LE(fleet_state.spec_count(), specs_max);
  const auto late = fleet_state.register_host(Instant{}, RouterHarness().registration("late"));
  EXPECT_TRUE(late) << late.error().message;
}

TEST(SpecLimits, SpecsOfARefusedRegistrationAreNotKept) {
  FleetState fleet_state;
  for (int turn = 0; turn < 100; ++turn) {
    Register registration = of_many_kinds("h" + std::to_string(turn), specs_per_host_max);
    registration.groups.back().device = "none-of-them";
    ASSERT_FALSE(fleet_state.register_host(Instant{}, registration));
  }
  EXPECT_EQ(fleet_state.spec_count(), 0U);
  EXPECT_TRUE(fleet_state.take_unused_specs().empty());
}

}  // namespace
}  // namespace drover::router
