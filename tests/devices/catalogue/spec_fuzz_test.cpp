// Mutated specs are read or refused, never more; what is read gives finite, positive answers.
#include <cmath>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "devices/operation/power.h"
#include "devices/training/training.h"
#include "fleet/base/random_stream.h"
#include "tests/devices/embedded.h"

namespace drover::devices {
namespace {

std::string mutated(std::string text, RandomStream& random) {
  static constexpr std::string_view spice = "0123456789.-e\"[]{}=#\n\\,_ \x00\xff";
  const std::uint64_t changes = 1 + random.below(4);
  for (std::uint64_t i = 0; i < changes && !text.empty(); ++i) {
    const std::size_t at = random.below(text.size());
    switch (random.below(4)) {
      case 0:
        text[at] = spice[random.below(spice.size())];
        break;
      case 1:
        text.erase(at, 1 + random.below(12));
        break;
      case 2:
        text.insert(at, 1, spice[random.below(spice.size())]);
        break;
      default:
        text.insert(at, text.substr(random.below(text.size()), random.below(40)));
    }
  }
  return text;
}

void expect_sane_answers(const Catalogue& catalogue) {
  for (const auto& [id, entry] : catalogue.devices()) {
    const Placement placement{&entry.spec, 4, Precision::bf16};
    const Step step = decode_step(placement, model_named("llama-3.1-8b"), 8, 4000, 1);
    EXPECT_TRUE(std::isfinite(step.seconds) && step.seconds > 0) << entry.text;
    const double watts = power_w(entry.spec, step, true, 1);
    EXPECT_TRUE(std::isfinite(watts) && watts >= 0) << entry.text;
    const double share = clock_share_of(
        entry.spec.clock, steps_down_under_cap(entry.spec, step, true, entry.spec.power.tdp_w));
    EXPECT_GT(share, 0) << entry.text;
    EXPECT_LE(share, 1) << entry.text;
  }
  for (const auto& [id, entry] : catalogue.models()) {
    const TrainingShape shape{16, 128};
    const Step step = training_step(on("h100-sxm", 8), entry.spec, shape, 1);
    EXPECT_TRUE(std::isfinite(step.seconds) && step.seconds > 0) << entry.text;
  }
}

TEST(SpecFuzz, MutatedSpecsAreReadOrRefused) {
  RandomStream random(20'260'101);
  int accepted = 0, refused = 0;
  std::vector<std::string> texts;
  for (const auto& [id, entry] : Catalogue::embedded().devices()) texts.push_back(entry.text);
  for (const auto& [id, entry] : Catalogue::embedded().models()) texts.push_back(entry.text);
  constexpr int rounds = 6;
  for (const std::string& text : texts) {
    for (int round = 0; round < rounds; ++round) {
      Catalogue catalogue;
      if (catalogue.add(mutated(text, random), "mutated.toml").ok()) {
        ++accepted;
        expect_sane_answers(catalogue);
      } else {
        ++refused;
      }
    }
  }
  // Both sides of the door are exercised.
  EXPECT_GT(accepted, 50);
  EXPECT_GT(refused, 50);
}

}  // namespace
}  // namespace drover::devices
