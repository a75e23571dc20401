// Statistics of predictions against measurements, and the page that shows them.
#include "commands/validate/validation.h"

#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commands/validate/validation_page.h"
#include "commands/validate/validation_report.h"

namespace drover::commands {
namespace {

Comparison comparison(std::string class_id, double measured, double predicted) {
  Comparison of;
  of.class_id = std::move(class_id);
  of.device = "a100-sxm-80gb";
  of.source = "github owner/repository:path/table.csv";
  of.location = "table.csv:2";
  of.label = "all_reduce 8 x 64 MiB";
  of.given = "all_reduce,8,67108864";
  of.unit = "ms";
  of.measured = measured;
  of.predicted = predicted;
  return of;
}

ValidationReport small_report() {
  ValidationReport report;
  report.comparisons = {comparison("collective", 100, 104), comparison("collective", 130, 104),
                        comparison("power-cap", 0.90, 0.95)};
  report.comparisons[1].location = "table.csv:3";
  report.comparisons[2].device = "a<40>";
  report.left_out = {{"table.csv:9", "no device"}, {"table.csv:4", "no device"}};
  report.devices = {"a100-sxm-80gb", "tpu-v4"};
  return report;
}

TEST(Statistics, UseErrorMagnitudesAndOnlyTheBiasIsSigned) {
  const Statistics of = statistics_of({0.1, -0.2, 0.3, -0.4});
  EXPECT_EQ(of.rows, 4U);
  EXPECT_DOUBLE_EQ(of.mean, 0.25);
  EXPECT_DOUBLE_EQ(of.median, 0.25);
  EXPECT_DOUBLE_EQ(of.bias, -0.05);
  EXPECT_NEAR(of.p90, 0.37, 1e-12);
  EXPECT_NEAR(of.root_mean_square, 0.27386, 1e-5);
}

TEST(Statistics, OfNothingAreZero) {
  EXPECT_EQ(statistics_of({}).rows, 0U);
  EXPECT_EQ(statistics_of({}).mean, 0.0);
}

TEST(Statistics, OfOneRowAreThatRow) {
  const Statistics of = statistics_of({-0.08});
  EXPECT_DOUBLE_EQ(of.mean, 0.08);
  EXPECT_DOUBLE_EQ(of.median, 0.08);
  EXPECT_DOUBLE_EQ(of.p90, 0.08);
  EXPECT_DOUBLE_EQ(of.bias, -0.08);
}

TEST(ErrorClasses, HaveTheirStatedGoals) {
  const std::vector<std::pair<std::string, double>> goals = {
      {"gemm", 0.08},      {"kernel", 0.15},    {"collective", 0.10}, {"train-gpu", 0.08},
      {"train-tpu", 0.08}, {"decode", 0.07},    {"serve", 0.15},      {"classic", 0.15},
      {"power", 0.07},     {"power-cap", 0.03}, {"temperature", 2.0}};
  for (const auto& [id, goal] : goals) {
    const ErrorClass* of = find_class(id);
    ASSERT_NE(of, nullptr) << id;
    EXPECT_DOUBLE_EQ(of->goal, goal) << id;
  }
  EXPECT_EQ(find_class("none"), nullptr);
}

TEST(ErrorClasses, TemperatureIsJudgedByItsRootMeanSquare) {
  const Statistics of = statistics_of({1.0, -3.0});
  EXPECT_NEAR(goal_value(*find_class("temperature"), of), 2.236, 1e-3);
  EXPECT_EQ(goal_status(*find_class("temperature"), of), "missed");
  EXPECT_EQ(goal_status(*find_class("other"), of), "-");
}

TEST(Groups, FollowTheClassOrderWhateverTheRowOrder) {
  const auto groups = by_class({comparison("power", 100, 90), comparison("gemm", 1, 1.1)});
  ASSERT_EQ(groups.size(), 2U);
  EXPECT_EQ(groups[0].class_id, "gemm");
  EXPECT_NEAR(groups[1].statistics.bias, -0.1, 1e-12);
}

TEST(WorstCases, AreRankedByTheGoalOfTheirClass) {
  // 20 % is two goals of a collective; 0.09 is three goals of a power cap.
  const std::vector<Comparison> rows = {comparison("collective", 100, 120),
                                        comparison("power-cap", 0.90, 0.99)};
  const auto worst = worst_cases(rows, 5);
  ASSERT_EQ(worst.size(), 2U);
  EXPECT_EQ(worst[0]->class_id, "power-cap");
  EXPECT_EQ(worst_cases(rows, 1).size(), 1U);
}

TEST(Contradictions, AreReportedWhenMeasurementsOfACaseDifferByOver15Percent) {
  const auto found = contradictions(small_report().comparisons);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].ratio, 1.3, 1e-12);
  EXPECT_EQ(found[0].rows, 2U);
  EXPECT_TRUE(contradictions({comparison("gemm", 100, 1), comparison("gemm", 114, 1)}).empty());
}

TEST(Contradictions, NeedTheSameUnit) {
  std::vector<Comparison> rows = {comparison("gemm", 100, 1), comparison("gemm", 200, 1)};
  rows[1].unit = "s";
  EXPECT_TRUE(contradictions(rows).empty());
}

TEST(ShortSource, IsTheRepository) {
  EXPECT_EQ(short_source("github microsoft/vidur:data/profiling/x.csv"), "microsoft/vidur");
  EXPECT_EQ(short_source("github NVIDIA/Megatron-LM README @ v3"), "NVIDIA/Megatron-LM");
  EXPECT_EQ(short_source("Jouppi ISCA'17 table 4"), "Jouppi ISCA'17 table 4");
}

TEST(Coverage, ShowsDevicesWithoutAnyMeasurement) {
  const auto rows = coverage(small_report());
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[2].device, "tpu-v4");
  for (const std::size_t count : rows[2].rows) EXPECT_EQ(count, 0U);
}

TEST(LeftOut, RowsAreCountedByReasonWithTheirLocations) {
  const auto found = left_out_reasons(small_report().left_out);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].rows, 2U);
  EXPECT_EQ(found[0].locations, "table.csv:9, table.csv:4");
}

TEST(ValidationText, NamesClassesGoalsAndContradictions) {
  const std::string text = validation_text(small_report());
  EXPECT_NE(text.find("collective"), std::string::npos);
  EXPECT_NE(text.find("10.0 %"), std::string::npos);
  EXPECT_NE(text.find("Contradictions: 1"), std::string::npos);
  EXPECT_NE(text.find("Rows left out: 2"), std::string::npos);
}

TEST(ValidationJson, CanBeReadBack) {
  const auto json = Json::parse(validation_json(small_report()).dump());
  ASSERT_TRUE(json.ok());
  EXPECT_EQ((*json)["classes"][0]["class"].text(), "collective");
  EXPECT_EQ((*json)["classes"][0]["rows"].integer(), 2);
  EXPECT_EQ((*json)["left_out"].size(), 2U);
}

TEST(Plot, DrawsOnlyPositiveValues) {
  const std::string svg =
      plot_svg({{1, 2, 0, "a"}, {0, 2, 0, "b"}, {3, -1, 0, "c"}}, "tokens/s", 0.1);
  EXPECT_NE(svg.find("<title>a</title>"), std::string::npos);
  EXPECT_EQ(svg.find("<title>b</title>"), std::string::npos);
  EXPECT_EQ(svg.find("<title>c</title>"), std::string::npos);
  EXPECT_EQ(plot_svg({}, "ms", 0.1), "");
}

TEST(Page, IsSelfContainedAndEscapesNames) {
  const std::string page = validation_page(small_report());
  EXPECT_EQ(page.find("<script"), std::string::npos);
  EXPECT_EQ(page.find("http"), std::string::npos);
  EXPECT_EQ(page.find("a<40>"), std::string::npos);
  EXPECT_NE(page.find("a&lt;40&gt;"), std::string::npos);
  EXPECT_NE(page.find("prefers-color-scheme: dark"), std::string::npos);
}

}  // namespace
}  // namespace drover::commands
