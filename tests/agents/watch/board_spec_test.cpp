// The spec that a real board registers with: the catalogue's, else what its driver says.
#include <limits>

#include <gtest/gtest.h>

#include "agents/watch/board_spec.h"
#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "tests/agents/watch/stage.h"

namespace drover::agents {
namespace {

SpecFacts named(const std::string& name) {
  SpecFacts facts;
  facts.name = name;
  return facts;
}

devices::DeviceSpec spec_of(const SpecFacts& facts) {
  return agents::spec_of(facts, devices::Catalogue::embedded());
}

/// As the router reads it.
devices::DeviceSpec as_received(const devices::DeviceSpec& spec) {
  const std::string text = to_toml(spec);
  EXPECT_LE(text.size(), std::size_t{16} << 10U) << spec.id;
  const auto parsed = devices::parse_received_spec(text, "spec");
  EXPECT_TRUE(parsed) << parsed.error().message << "\n" << text.substr(0, 500);
  return parsed ? *parsed : devices::DeviceSpec{};
}

TEST(BoardSpec, AKnownBoardHasTheCataloguesFacts) {
  const auto spec = spec_of(named("NVIDIA H100 80GB HBM3"));
  EXPECT_EQ(spec.id, "h100-sxm");
  EXPECT_TRUE(spec.real);
  const auto listed = devices::Catalogue::embedded().device("h100-sxm").value()->spec;
  EXPECT_EQ(spec.memory.bytes, listed.memory.bytes);
  EXPECT_EQ(spec.power.tdp_w, listed.power.tdp_w);
  EXPECT_GT(spec.peak(Precision::bf16), 0);
}

TEST(BoardSpec, WhatTheDriverSaysStandsInItsPlace) {
  SpecFacts facts = named("NVIDIA H100 80GB HBM3");
  facts.memory_bytes = 85.5e9;
  facts.power_cap_default_w = 650;
  facts.power_cap_min_w = 200;
  facts.slowdown_c = 90;
  const auto watched = as_received(spec_of(facts));
  EXPECT_DOUBLE_EQ(watched.memory.bytes, 85.5e9);
  EXPECT_EQ(watched.power.tdp_w, 650);
  EXPECT_EQ(watched.thermal.max_c, 90);
  EXPECT_EQ(watched.power.cap_min_w, 0) << "a cap that nobody can set counts as none";
  facts.caps = true;
  EXPECT_EQ(as_received(spec_of(facts)).power.cap_min_w, 200);
}

TEST(BoardSpec, AnUnknownBoardHasItsNameAndNoNumbersThatNobodyKnows) {
  SpecFacts facts = named("NVIDIA GeForce GT 710");
  facts.vendor = "nvidia";
  facts.memory_bytes = 2e9;
  const auto spec = as_received(spec_of(facts));
  EXPECT_EQ(spec.id, "nvidia-geforce-gt-710");
  EXPECT_EQ(spec.name, "NVIDIA GeForce GT 710");
  EXPECT_EQ(spec.vendor, "nvidia");
  EXPECT_TRUE(spec.real);
  EXPECT_DOUBLE_EQ(spec.memory.bytes, 2e9);
  EXPECT_EQ(spec.power.tdp_w, 0);
  EXPECT_EQ(spec.peak(Precision::bf16), 0);
}

TEST(BoardSpec, ABoardWithoutANameIsUnknownOfItsClass) {
  EXPECT_EQ(as_received(spec_of(named(""))).id, "unknown-gpu");
  SpecFacts facts;
  facts.device_class = DeviceClass::tpu;
  const auto spec = as_received(spec_of(facts));
  EXPECT_EQ(spec.id, "unknown-tpu");
  EXPECT_EQ(spec.device_class, DeviceClass::tpu);
}

TEST(BoardSpec, EveryNameGivesASpecThatTheRouterCanRead) {
  const std::vector<std::string> names = {
      "\"quoted\"",
      "back\\slash",
      "two\nlines",
      "'''",
      "\"\"\"",
      "carriage\rreturn\ttab",
      std::string("zero\0byte", 9),
      "\x01\x02\x1b[31mred",
      "\x7f",
      "Instinct\xe2\x84\xa2 MI300X",
      "\xff\xfe not UTF-8",
      "\xc3",
      "-----",
      "]",
      "a = 1 # comment",
      std::string(std::size_t{64} << 10U, 'x'),
      std::string(std::size_t{64} << 10U, '"'),
      std::string(std::size_t{64} << 10U, '\x01'),
      std::string(std::size_t{64} << 10U, '\xff'),
  };
  for (const std::string& name : names) {
    SpecFacts facts = named(name);
    facts.vendor = name;
    const auto spec = as_received(spec_of(facts));
    EXPECT_TRUE(is_name(spec.id)) << excerpt(name) << ": " << spec.id;
    EXPECT_TRUE(spec.real);
  }
}

TEST(BoardSpec, EveryNumberGivesASpecThatTheRouterCanRead) {
  for (const double value :
       {0.0, -1.0, 1e-300, 0.3, 1e14, 1e300, std::numeric_limits<double>::infinity(), absent}) {
    SpecFacts facts = named("NVIDIA H100 80GB HBM3");
    facts.memory_bytes = value;
    facts.power_cap_default_w = value;
    facts.power_cap_min_w = value;
    facts.slowdown_c = value;
    facts.caps = true;
    as_received(spec_of(facts));
    facts.name = "unheard of";
    as_received(spec_of(facts));
  }
}

TEST(BoardSpec, ReadingsSayWhatTheyKnow) {
  BoardReading reading = watch::board("a");
  EXPECT_EQ(spec_facts_of(reading, true).memory_bytes, 24'152'899'584);
  EXPECT_TRUE(spec_facts_of(reading, true).caps);
  reading.values[Metric::memory_total] = absent;
  EXPECT_EQ(spec_facts_of(reading, false).memory_bytes, std::nullopt);
  reading.values[Metric::memory_total] = 0;
  EXPECT_EQ(spec_facts_of(reading, false).memory_bytes, std::nullopt) << "no board has none";
}

}  // namespace
}  // namespace drover::agents
