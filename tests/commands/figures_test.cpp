// What the dashboard says of figures holds for the models that make them: it cannot ask them, so
// its table names their constants and their classes of errors.
#include "tui/figures.h"

#include <gtest/gtest.h>

#include "commands/validation.h"
#include "devices/catalogue.h"

namespace drover::commands {
namespace {

TEST(Figures, NameConstantsThatEverySpecTells) {
  int compared = 0;
  for (const auto& [id, entry] : devices::Catalogue::embedded().devices()) {
    const tui::SpecFacts facts(entry.text);
    for (const tui::Figure& figure : tui::figures()) {
      for (const std::string_view text : {figure.told, figure.formula}) {
        for (const std::string_view name : tui::constants_in(text)) {
          if (name.starts_with("peak_tflops.")) continue;  // not every precision is native
          const tui::SpecFact* const fact = facts.find(name);
          ASSERT_NE(fact, nullptr) << id << ": " << figure.name << " names " << name;
          EXPECT_EQ(to_text(fact->known) == "assumed",
                    entry.spec.basis(name) == devices::Basis::assumed)
              << id << ": " << name;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 2'000);
}

TEST(Figures, NamePrecisionsThatSomeSpecTells) {
  const tui::SpecFacts h100(devices::Catalogue::embedded().devices().at("h100-sxm").text);
  for (const tui::Figure& figure : tui::figures()) {
    for (const std::string_view name : tui::constants_in(figure.formula)) {
      EXPECT_NE(h100.find(name), nullptr) << name;
    }
  }
}

TEST(Figures, NameClassesOfErrorsThatValidateKnows) {
  for (int i = 0; i < tui::error_class_count; ++i) {
    const tui::ErrorFacts& row = tui::facts(static_cast<tui::ErrorClass>(i));
    EXPECT_NE(find_class(row.id), nullptr) << row.id;
  }
}

}  // namespace
}  // namespace drover::commands
