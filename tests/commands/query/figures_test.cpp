// What the dashboard says of figures holds for the models that make them: it cannot ask them, so
// its table names their constants and their classes of errors.
#include "tui/model/metric_formulas.h"

#include <cstdlib>
#include <map>
#include <string>

#include <gtest/gtest.h>

#include "commands/shell/files.h"
#include "commands/validate/validation.h"
#include "commands/validate/validation_report.h"
#include "devices/catalogue/catalogue.h"
#include "tests/commands/program.h"
#include "tests/devices/embedded.h"

namespace drover::commands {
namespace {

TEST(Figures, NameConstantsThatEverySpecHas) {
  int compared = 0;
  for (const auto& [id, entry] : devices::Catalogue::embedded().devices()) {
    const tui::SpecFacts facts(entry.text);
    for (const tui::MetricFormula& figure : tui::metric_formulas()) {
      for (const std::string_view text : {figure.description, figure.formula}) {
        for (const std::string_view name : tui::constants_in(text)) {
          if (name.starts_with("peak_tflops.")) continue;  // not every precision is native
          const tui::SpecFact* const fact = facts.find(name);
          ASSERT_NE(fact, nullptr) << id << ": " << figure.name << " names " << name;
          EXPECT_EQ(to_text(fact->known) == "assumed",
                    basis_of(entry.spec, name) == devices::Basis::assumed)
              << id << ": " << name;
          ++compared;
        }
      }
    }
  }
  EXPECT_GT(compared, 2'000);
}

TEST(Figures, NamePrecisionsThatSomeSpecHas) {
  const tui::SpecFacts h100(devices::Catalogue::embedded().devices().at("h100-sxm").text);
  for (const tui::MetricFormula& figure : tui::metric_formulas()) {
    for (const std::string_view name : tui::constants_in(figure.formula)) {
      EXPECT_NE(h100.find(name), nullptr) << name;
    }
  }
}

TEST(Figures, NameClassesOfErrorsThatValidateKnows) {
  for (int i = 0; i < tui::error_class_count; ++i) {
    const tui::ModelErrorInfo& row = tui::facts(static_cast<tui::ModelErrorClass>(i));
    EXPECT_NE(find_class(row.id), nullptr) << row.id;
  }
}

// docs/accuracy.md names the classes that miss their goals, as `drover validate` finds them.
TEST(Figures, ThatMissTheirGoalsAreThoseThatTheAccuracyPageNames) {
  const char* shared = std::getenv("DROVER_SHARED");
  if (shared == nullptr) GTEST_SKIP() << "DROVER_SHARED is not set";
  const ProcessResult ran = run_drover({"validate", std::string(shared) + "/data", "--json"});
  const auto report = Json::parse(ran.out);
  if (!report) GTEST_SKIP() << ran.err;
  std::map<std::string, std::string> words = {{"decode", "decode"}, {"power", "board power"}};
  std::string missed;
  const Json& classes = (*report)["classes"];
  for (std::size_t at = 0; at < classes.size(); ++at) {
    const ErrorClass* const known = find_class(classes[at]["class"].text());
    ASSERT_NE(known, nullptr);
    Statistics found;
    found.mean = classes[at]["mean"].number();
    found.root_mean_square = classes[at]["root_mean_square"].number();
    if (goal_status(*known, found) != "missed") continue;
    missed += (missed.empty() ? "" : " and ") + words[std::string(known->id)];
  }
  const auto page = read_file(std::string(DROVER_SOURCE_DIR) + "/docs/accuracy.md");
  ASSERT_TRUE(page);
  EXPECT_NE(page->find("Two miss their goals: " + missed + "."), std::string::npos) << missed;
}

}  // namespace
}  // namespace drover::commands
