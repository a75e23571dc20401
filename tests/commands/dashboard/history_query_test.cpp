// Questions about the past as a Prometheus server gets them, and its answers, good and bad.
#include "commands/dashboard/history_query.h"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace drover::commands {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
constexpr Instant asked_from{seconds(1'763'692'800)};
constexpr ClockPair same_clock{asked_from, asked_from, 1};

tui::HistoryQuestion asked_of(DeviceClass device_class = DeviceClass::gpu,
                              const std::string& uuid = "") {
  return {{"gpu-a", 3}, device_class, uuid, asked_from, minutes(5), 4};
}

std::string expression_of(std::string_view statistic, std::string_view series, Metric metric) {
  return fmt::format(
      R"(label_replace({0}({0}_over_time({1}[300000ms])) or {0}({1}),"metric","{2}","",""))",
      statistic, series, static_cast<int>(metric));
}

bool asks_for(const HistoryQuery& query, const std::string& expression) {
  return query.query.find(expression) != std::string::npos;
}

TEST(HistoryQuery, AsksForTheSeriesOfOurPages) {
  const HistoryQuery gpu = history_query(asked_of(), same_clock);
  EXPECT_TRUE(asks_for(gpu, expression_of("avg", R"(DCGM_FI_DEV_GPU_UTIL{drover_id="gpu-a/3"})",
                                          Metric::utilization)))
      << gpu.query;
  EXPECT_TRUE(asks_for(gpu, expression_of("max", R"(DCGM_FI_DEV_FB_USED{drover_id="gpu-a/3"})",
                                          Metric::memory_used)));
  EXPECT_TRUE(asks_for(
      gpu, expression_of("max", R"(drover_device_running{drover_id="gpu-a/3"})", Metric::running)));
  EXPECT_EQ(gpu.range, "start=1763693100.000&end=1763694000.000&step=300.000")
      << "the ends of the bins";
  const HistoryQuery tpu = history_query(asked_of(DeviceClass::tpu), same_clock);
  EXPECT_TRUE(asks_for(
      tpu, expression_of("avg", R"(duty_cycle{drover_id="gpu-a/3"})", Metric::utilization)))
      << tpu.query;
  EXPECT_EQ(tpu.query.find("DCGM"), std::string::npos);
}

TEST(HistoryQuery, FindsARealBoardByItsUuidWithoutItsPartitions) {
  const HistoryQuery query = history_query(asked_of(DeviceClass::gpu, "GPU-1\"2"), same_clock);
  EXPECT_TRUE(
      asks_for(query, expression_of("max", R"(DCGM_FI_DEV_GPU_TEMP{UUID="GPU-1\"2",GPU_I_ID=""})",
                                    Metric::temperature)))
      << query.query;
  EXPECT_TRUE(asks_for(query, R"(drover_device_running{drover_id="gpu-a/3"})"));
}

TEST(HistoryQuery, ConvertsFleetTimeToTheServersTime) {
  // Fleet time is a day ahead and runs sixty times as fast.
  const ClockPair clocks{asked_from + std::chrono::hours(24), asked_from, 60};
  const HistoryQuery query = history_query(asked_of(), clocks);
  EXPECT_EQ(query.range, "start=1763691365.000&end=1763691380.000&step=5.000");
  EXPECT_TRUE(asks_for(query, "[5000ms]"));
}

std::string series_of(Metric metric, std::string_view values) {
  return fmt::format(R"({{"metric":{{"metric":"{}"}},"values":[{}]}})", static_cast<int>(metric),
                     values);
}
std::string matrix_of(const std::string& rows) {
  return R"({"status":"success","data":{"resultType":"matrix","result":[)" + rows + "]}}";
}

TEST(HistoryAnswers, AreInTheUnitsOfTheDashboard) {
  const auto answer = read_history_answer(
      matrix_of(series_of(Metric::utilization, R"([1763693100,"37"],[1763693700,"50"])") + "," +
                series_of(Metric::memory_used, R"([1763694000.4,"1024"])")),
      asked_of(), same_clock);
  EXPECT_EQ(answer.failure, "");
  EXPECT_EQ(answer.question, asked_of());
  const auto& shares = answer.values[static_cast<std::size_t>(Metric::utilization)];
  ASSERT_EQ(shares.size(), 4U);
  EXPECT_DOUBLE_EQ(shares[0], 0.37);
  EXPECT_TRUE(std::isnan(shares[1]));
  EXPECT_DOUBLE_EQ(shares[2], 0.5);
  EXPECT_TRUE(std::isnan(shares[3]));
  EXPECT_EQ(answer.values[static_cast<std::size_t>(Metric::memory_used)][3], 1024.0 * 1024 * 1024);
  EXPECT_TRUE(answer.values[static_cast<std::size_t>(Metric::power)].empty());
}

TEST(HistoryAnswers, WhatIsNotPlausibleIsNotKnown) {
  for (const char* value : {"NaN", "+Inf", "-Inf", "1e300", "-1", "", "x", "1,5"}) {
    const auto answer = read_history_answer(
        matrix_of(
            series_of(Metric::power, fmt::format(R"([1763693100,"{}"],[1763693400,"70"])", value))),
        asked_of(), same_clock);
    EXPECT_EQ(answer.failure, "") << value;
    const auto& watts = answer.values[static_cast<std::size_t>(Metric::power)];
    ASSERT_EQ(watts.size(), 4U);
    EXPECT_TRUE(std::isnan(watts[0])) << value;
    EXPECT_EQ(watts[1], 70);
  }
}

TEST(HistoryAnswers, ThatMakeNoSenseSayWhy) {
  const auto failure = [](const std::string& text) {
    return read_history_answer(text, asked_of(), same_clock).failure;
  };
  EXPECT_NE(failure("<html>").find("not a Prometheus server's answer"), std::string::npos);
  EXPECT_EQ(failure(R"({"status":"error","error":"too many samples"})"),
            "the Prometheus server says: too many samples");
  EXPECT_EQ(failure(R"({"status":"success","data":{"resultType":"vector","result":[]}})"),
            "its answer is of type 'vector', expected 'matrix'");
  const std::string disorder = "the times of its values are not in order, or not those asked for";
  EXPECT_EQ(failure(matrix_of(series_of(Metric::power, R"([1763693400,"1"],[1763693100,"1"])"))),
            disorder);
  EXPECT_EQ(failure(matrix_of(series_of(Metric::power, R"([1763693100,"1"],[1763693100,"1"])"))),
            disorder);
  EXPECT_EQ(failure(matrix_of(series_of(Metric::power, R"([1763700000,"1"])"))), disorder);
  EXPECT_EQ(failure(matrix_of(series_of(Metric::power, R"(["x","1"])"))), disorder);
  EXPECT_EQ(failure(matrix_of(series_of(Metric::power, "[1,1],[2,1],[3,1],[4,1],[5,1]"))),
            "answers with 5 values of a series, expected at most 4");
  EXPECT_EQ(failure(matrix_of(R"({"metric":{"metric":"999"},"values":[[1,"1"]]},{},7)")), "")
      << "what nobody asked for";
}

}  // namespace
}  // namespace drover::commands
