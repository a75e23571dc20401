#include "tui/model/spec_facts.h"

#include <cmath>

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

constexpr std::string_view text = R"(class = "tpu"
source = "Google Cloud TPU v5e"
[power]
tdp_w = { value = 220, assumed = "not published" }
context_idle_w = 60
active_w_per_unit = { value = 6.25, fitted = "to a log" }
strange = { wert = 3 }
[price]
source = "GCP"
usd_per_h = 1.2
[links]
torus = "2d"
)";

TEST(SpecFacts, ReportEachNumberWithItsProvenance) {
  const SpecFacts facts(text);
  struct Case {
    const char* name;
    double value;
    Provenance known;
    const char* note;
  };
  for (const Case& c : {Case{"power.tdp_w", 220, Provenance::assumed, "not published"},
                        {"power.context_idle_w", 60, Provenance::read, ""},
                        {"power.active_w_per_unit", 6.25, Provenance::fitted, "to a log"},
                        {"price.usd_per_h", 1.2, Provenance::read, ""}}) {
    const SpecFact* const fact = facts.find(c.name);
    ASSERT_NE(fact, nullptr) << c.name;
    EXPECT_EQ(fact->value, c.value) << c.name;
    EXPECT_EQ(fact->known, c.known) << c.name;
    EXPECT_EQ(fact->note, c.note) << c.name;
    EXPECT_EQ(facts.value(c.name), c.value);
    EXPECT_EQ(facts.is_assumed(c.name), c.known == Provenance::assumed) << c.name;
  }
  for (const char* name : {"power.idle_w", "power.strange", "links.torus", "class", "power", ""}) {
    EXPECT_EQ(facts.find(name), nullptr) << name;
    EXPECT_TRUE(std::isnan(facts.value(name))) << name;
    EXPECT_FALSE(facts.is_assumed(name)) << name;
  }
}

TEST(SpecFacts, ASectionHasItsOwnSourceOrThatOfTheWholeFile) {
  const SpecFacts facts(text);
  EXPECT_EQ(facts.source_of("price"), "GCP");
  EXPECT_EQ(facts.source_of("power"), "Google Cloud TPU v5e");
  EXPECT_EQ(SpecFacts("class = \"gpu\"\n").source_of("power"), "");
}

TEST(SpecFacts, AreEmptyForTextThatDoesNotParse) {
  for (const char* broken : {"", "power = [", "[power]\ntdp_w = 'x'\n", "\xff\xfe"}) {
    EXPECT_EQ(SpecFacts(broken).find("power.tdp_w"), nullptr) << broken;
  }
}

}  // namespace
}  // namespace drover::tui
