// How many device specs the fleet takes from one host.
#include <gtest/gtest.h>

#include <string>

#include "router/roster/roster.h"
#include "tests/router/stage.h"

namespace drover::router {
namespace {

/// A host with so many kinds of device, of which no other host has any.
Hello of_many_kinds(const std::string& host, std::size_t kinds) {
  Hello hello = Stage().hello(host);
  const std::string text = hello.specs[0].text;
  const std::string id = hello.specs[0].id;
  hello.specs.clear();
  hello.groups.clear();
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const std::string name = host + "-" + std::to_string(kind);
    std::string own = text;
    own.replace(own.find('"' + id + '"'), id.size() + 2, '"' + name + '"');
    const auto number = static_cast<std::uint16_t>(kind);
    hello.specs.push_back({name, own});
    hello.groups.push_back({number, number, 1, name, "", 0});
  }
  return hello;
}

TEST(SpecLimits, AHostOverItsShareIsRefusedAndOthersJoin) {
  Roster roster;
  const auto over = roster.enrol(Instant{}, of_many_kinds("a", specs_per_host_max + 1));
  ASSERT_FALSE(over);
  EXPECT_EQ(over.error().message, "Hello of a: 17 device specs, expected at most 16 of one host");
  EXPECT_FALSE(roster.refused_for_room()) << "that does not pass";
  EXPECT_EQ(roster.spec_count(), 0U);
  const auto full = roster.enrol(Instant{}, of_many_kinds("a", specs_per_host_max));
  ASSERT_TRUE(full) << full.error().message;
  EXPECT_TRUE(roster.enrol(Instant{}, Stage().hello("b")));
}

TEST(SpecLimits, OneHostTakesItsShareOfTheFleetsTableHoweverOftenItsDevicesChange) {
  Roster roster;
  const std::size_t hosts = specs_max / specs_per_host_max;
  for (std::size_t host = 2; host < hosts; ++host) {
    const std::string name = "h" + std::to_string(host);
    ASSERT_TRUE(roster.enrol(Instant{}, of_many_kinds(name, specs_per_host_max))) << name;
  }
  for (std::size_t life = 0; life < 2 * hosts; ++life) {
    Hello hello = of_many_kinds("x" + std::to_string(life), specs_per_host_max);
    hello.host = "hostile";
    ASSERT_TRUE(roster.enrol(Instant{}, hello)) << life;
  }
  EXPECT_LE(roster.spec_count(), specs_max);
  const auto late = roster.enrol(Instant{}, Stage().hello("late"));
  EXPECT_TRUE(late) << late.error().message;
}

TEST(SpecLimits, WhatARefusedHelloCarriesIsNotKept) {
  Roster roster;
  for (int turn = 0; turn < 100; ++turn) {
    Hello hello = of_many_kinds("h" + std::to_string(turn), specs_per_host_max);
    hello.groups.back().device = "none-of-them";
    ASSERT_FALSE(roster.enrol(Instant{}, hello));
  }
  EXPECT_EQ(roster.spec_count(), 0U);
  EXPECT_TRUE(roster.take_unused_specs().empty());
}

}  // namespace
}  // namespace drover::router
