// What stands behind the figures of the device view, and the keys that lead there.
#include "tui/model/metric_formulas.h"

#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tests/tui/sample_specs.h"
#include "tui/panels/device_panels.h"

namespace drover::tui {
namespace {

TEST(Figures, ConstantsInATextAreShownByNameOrByValue) {
  const SpecFacts facts(
      "[power]\ncontext_idle_w = 121.7\nlink_pj_per_byte = { value = 40, assumed = 'x' }\n"
      "[memory]\nbandwidth_gb_s = 3350\n"
      "[sensor]\npower_sampled_share = { value = 0.25, assumed = 'as Hopper' }\n");
  struct Case {
    const char* text;
    const char* names;
    const char* values;
  };
  for (const Case& c :
       {Case{"P = {power.context_idle_w| W} + x", "P = context_idle_w + x", "P = 121.7 W + x"},
        {"{power.link_pj_per_byte| pJ/B} x {memory.bandwidth_gb_s}",
         "link_pj_per_byte x bandwidth_gb_s", "~40 pJ/B x 3350"},
        {"{thermal.die_s| s}", "die_s", "N/A s"},
        {"samples {sensor.power_sampled_share| %} of it", "samples power_sampled_share of it",
         "samples ~25 % of it"},
        {"no constants", "no constants", "no constants"}}) {
    EXPECT_EQ(with_names(c.text), c.names);
    EXPECT_EQ(with_values(c.text, facts), c.values);
  }
  EXPECT_EQ(constants_in("{a.b} {c.d| W} {a.b| K}"), (std::vector<std::string_view>{"a.b", "c.d"}));
}

TEST(Figures, TheErrorsOfTheClassesAreThoseOfTheAccuracyPage) {
  std::ifstream file(std::string(DROVER_SOURCE_DIR) + "/docs/accuracy.md");
  ASSERT_TRUE(file.is_open());
  std::stringstream page;
  page << file.rdbuf();
  for (int i = 0; i < error_class_count; ++i) {
    const ModelErrorInfo& row = facts(static_cast<ModelErrorClass>(i));
    const std::string line = "| " + std::string(row.title) + " | " + std::string(row.measurements) +
                             " | " + std::string(row.error) + " |";
    EXPECT_NE(page.str().find(line), std::string::npos) << line;
  }
}

std::string panel_text(std::string_view name, std::string_view spec) {
  for (const MetricFormula& figure : metric_formulas()) {
    if (figure.name != name) continue;
    std::string text;
    for (const DetailLine& line : formula_lines(figure, SpecFacts(spec), 500)) {
      text += line.text + "\n";
    }
    return text;
  }
  ADD_FAILURE() << "no figure " << name;
  return {};
}

TEST(FigurePanel, ShowsFormulaNumbersSourcesAndTheErrorOfItsClass) {
  const std::string power = panel_text("power", h100_text);
  for (const char* reported :
       {"formula     P = context_idle_w + a x units", "values      P = 121.7 W + a x 132 units",
        "power.context_idle_w = 121.7, read\n",
        "power.active_w_per_unit = 1.32, fitted: H100, vLLM decode of dense models",
        "power.matrix_w_per_unit = 4.65, fitted, as above",
        "power.matrix_exponent = ~0.7, assumed: default",
        "sources     NVIDIA H100 whitepaper and page; arXiv:2605.23918; nvidia-smi dumps\n",
        "error       board power under load: 10.9 % (median 5.5) of 1,316 published"}) {
    EXPECT_NE(power.find(reported), std::string::npos) << reported << " in\n" << power;
  }
  const std::string price = panel_text("price/h", h100_text);
  EXPECT_NE(price.find("sources     AWS p5.48xlarge / 8"), std::string::npos) << price;
  EXPECT_EQ(price.find("formula"), std::string::npos) << "a fact of the spec has none";
  EXPECT_EQ(price.find("error"), std::string::npos);
  const std::string guessed =
      panel_text("price/h", "[price]\nsource = 'GCP'\nusd_per_h = { value = 1, assumed = 'so' }\n");
  EXPECT_NE(guessed.find("usd_per_h = ~1, assumed: so"), std::string::npos) << guessed;
  EXPECT_EQ(guessed.find("GCP"), std::string::npos) << "nothing was read there";
  EXPECT_NE(guessed.find("spot_usd_per_h = N/A, unknown"), std::string::npos) << guessed;
  EXPECT_NE(panel_text("price/h", "[price]\nspot_usd_per_h = 0\n").find("= 0, unknown"),
            std::string::npos);
}

TEST(FigurePanel, OfARealDeviceSaysThatItsDriverReportsTheValue) {
  for (const char* name : {"utilization", "power", "temperature", "energy"}) {
    const std::string text = panel_text(name, "class = \"gpu\"\n[price]\nusd_per_h = 3\n");
    EXPECT_NE(text.find("as reported by its driver"), std::string::npos) << text;
    EXPECT_EQ(text.find("error"), std::string::npos) << name << ": of the emulation";
  }
}

TEST(FigurePanel, FitsAnyWidth) {
  const SpecFacts facts(h100_text);
  for (const MetricFormula& figure : metric_formulas()) {
    for (const int columns : {38, 60, 78, 118, 198}) {
      for (const DetailLine& line : formula_lines(figure, facts, columns)) {
        EXPECT_LE(line.text.size(), static_cast<std::size_t>(columns)) << line.text;
      }
    }
  }
}

class DeviceView {
 public:
  explicit DeviceView(Size size = {120, 40})
      : dashboard(dashboard_of(fleet, size, "devices", false, 40)) {
    press({"j", "j", "j", "j", "j", "Enter"});  // gpu-a/0, behind the four of edge-1
  }

  SampleFleet fleet;
  std::unique_ptr<Dashboard> dashboard;

  void press(const std::vector<const char*>& keys) {
    for (const char* key : keys) dashboard->press(SampleFleet::after_40s, {key});
  }
  std::string text() { return dashboard->draw(SampleFleet::after_40s).to_text(); }
  std::string line(int row) {
    std::istringstream lines(text());
    std::string found;
    for (int i = 0; i <= row; ++i) std::getline(lines, found);
    return found;
  }
};

TEST(FigureKeys, SelectAFigureOpenItScrollItAndGoBack) {
  DeviceView view;
  const std::string before = view.text();
  view.press({"l", "l", "l", "Enter"});
  EXPECT_NE(view.text().find(" power: "), std::string::npos);
  EXPECT_EQ(view.text().find("error       board power"), std::string::npos) << "it is below";
  view.press({"G"});
  EXPECT_NE(view.text().find("error       board power"), std::string::npos);
  view.press({"Left"});
  EXPECT_NE(view.text().find(" memory used: "), std::string::npos) << "the open one follows";
  view.press({"Esc"});
  EXPECT_EQ(view.text().find("formula     "), std::string::npos);
  EXPECT_NE(view.text().find("Device gpu-a/0"), std::string::npos);
  view.press({"Esc"});
  EXPECT_EQ(view.text(), before) << "nothing is selected";
  view.press({"Esc"});
  EXPECT_EQ(view.text().find("Device gpu-a/0"), std::string::npos) << "the view before";
}

TEST(FigureKeys, TheSelectedFigureStaysVisible) {
  DeviceView view({80, 24});  // where the page is three screens long
  view.press({"h", "h"});     // round from the first to the last: the price, below the screen
  EXPECT_NE(view.text().find("price/h"), std::string::npos);
  view.press({"l"});
  EXPECT_NE(view.text().find("utilization ──"), std::string::npos);
  view.press({"h", "Enter"});
  EXPECT_NE(view.text().find("price/h   $6.88"), std::string::npos) << "above what is open";
  EXPECT_NE(view.text().find("price/h: $6.88, spot $2.46"), std::string::npos);
  view.press({"G", "Esc"});
  EXPECT_NE(view.text().find("price/h   $6.88"), std::string::npos) << "the page stays there";
}

TEST(FigureKeys, AClickSelectsAndASecondOneOpens) {
  DeviceView view;
  ASSERT_NE(view.line(3).find("utilization"), std::string::npos) << view.line(3);
  view.dashboard->press(SampleFleet::after_40s, {"Click", 45, 3});
  EXPECT_EQ(view.text().find("memory used:"), std::string::npos);
  view.dashboard->press(SampleFleet::after_40s, {"Click", 45, 3});
  EXPECT_NE(view.text().find(" memory used: "), std::string::npos);
  // What scrolled away or lies under the panel is no place to click on.
  view.dashboard->press(SampleFleet::after_40s, {"Click", 5, 35});
  EXPECT_NE(view.text().find(" memory used: "), std::string::npos);
}

TEST(FigureKeys, AnotherDeviceShowsTheSameFigure) {
  DeviceView view;
  view.press({"l", "Enter", "j"});
  EXPECT_NE(view.text().find("Device gpu-a/1"), std::string::npos);
  EXPECT_NE(view.text().find(" utilization: "), std::string::npos);
}

}  // namespace
}  // namespace drover::tui
