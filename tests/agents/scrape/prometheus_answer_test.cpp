// Answers of a Prometheus server to a query, as readings.
#include <vector>

#include "tests/agents/scrape/pages.h"

namespace drover::agents::pages {
namespace {

std::string answer(const std::string& type, const std::string& rows) {
  return "{\"status\":\"success\",\"data\":{\"resultType\":\"" + type + "\",\"result\":[" + rows +
         "]}}";
}

constexpr const char* labels =
    "\"metric\":{\"__name__\":\"DCGM_FI_DEV_GPU_TEMP\",\"gpu\":\"1\",\"UUID\":\"GPU-1\","
    "\"instance\":\"10.0.0.1:9400\",\"Hostname\":\"node-7\",\"modelName\":\"NVIDIA \\\"L4\\\"\"}";

std::string problem(std::string_view json) {
  const auto readings = read_prometheus_answer(json, "http://prometheus:9090");
  EXPECT_FALSE(readings) << json;
  return readings ? "" : readings.error().message;
}

TEST(PrometheusAnswer, IsReadAsAPage) {
  const auto readings = read_prometheus_answer(
      answer(
          "vector",
          std::string("{") + labels +
              ",\"value\":[1764300000.123,\"61\"]},"
              "{\"metric\":{\"__name__\":\"DCGM_FI_DEV_POWER_USAGE\",\"gpu\":\"1\",\"UUID\":\"GPU-"
              "1\","
              "\"Hostname\":\"node-7\"},\"value\":[1764300000,\"70.5\"]},"
              "{\"metric\":{\"__name__\":\"DCGM_FI_DEV_SM_CLOCK\",\"gpu\":\"1\",\"UUID\":\"GPU-1\","
              "\"Hostname\":\"node-7\"},\"value\":[1764300000,\"NaN\"]},"
              "{\"metric\":{\"__name__\":\"DCGM_FI_DEV_MEM_CLOCK\",\"gpu\":\"1\",\"UUID\":\"GPU-"
              "1\","
              "\"Hostname\":\"node-7\"},\"value\":[1764300000,\"+Inf\"]},"
              "{\"metric\":{\"__name__\":\"up\"},\"value\":[1764300000,\"1\"]}"),
      "http://prometheus:9090");
  ASSERT_TRUE(readings) << readings.error().message;
  const BoardReading reading = only_board(*readings);
  EXPECT_EQ(readings->hosts[0].host, "node-7");
  EXPECT_EQ(reading.index, 1);
  EXPECT_EQ(reading.board.name, "NVIDIA \"L4\"");
  EXPECT_EQ(reading.board.read_by, "http://prometheus:9090");
  expect_values(reading, {{Metric::temperature, 61}, {Metric::power, 70.5}});
}

TEST(PrometheusAnswer, OfAMatrixTheLastValueIsNow) {
  const auto readings = read_prometheus_answer(
      answer("matrix", std::string("{") + labels + ",\"values\":[[1,\"60\"],[2,\"62\"]]}"),
      "http://p");
  ASSERT_TRUE(readings) << readings.error().message;
  EXPECT_EQ(only_board(*readings).values[Metric::temperature], 62);
}

TEST(PrometheusAnswer, ErrorsAreSaid) {
  EXPECT_EQ(
      problem("{\"status\":\"error\",\"errorType\":\"bad_data\",\"error\":\"1:5: parse error\"}"),
      "the Prometheus server says: 1:5: parse error");
  EXPECT_EQ(problem(answer("vector", "")), "the query found no series");
  EXPECT_EQ(
      problem("{\"status\":\"success\",\"data\":{\"resultType\":\"scalar\",\"result\":[1,\"2\"]}}"),
      "the answer is of type 'scalar'; expected a query for series, such as "
      "{__name__=~\"DCGM_FI_.*\"}");
  EXPECT_EQ(problem("{}"), "not a Prometheus server's answer: it has no \"status\"");
  EXPECT_EQ(problem("<html>").substr(0, 34), "not a Prometheus server's answer: ");
  EXPECT_EQ(
      problem(answer("vector", "{\"metric\":{\"gpu\":\"0\"},\"value\":[1,\"2\"]}")).substr(0, 22),
      "no metrics of devices:");
}

TEST(PrometheusAnswer, WrongShapesAreNoValues) {
  for (const char* sample :
       {"\"value\":[1]", "\"value\":\"61\"", "\"value\":[1,61]", "\"value\":[1,\"\"]",
        "\"value\":{}", "\"values\":[]", "\"values\":[[]]", "\"a\":1"}) {
    const auto readings = read_prometheus_answer(
        answer("vector", std::string("{") + labels + "," + sample + "}"), "http://p");
    ASSERT_TRUE(readings) << sample;
    expect_values(only_board(*readings), {});
  }
  for (const char* row : {"1", "null", "[]", "{\"metric\":[]}", "{\"metric\":{\"__name__\":5}}"}) {
    EXPECT_FALSE(read_prometheus_answer(answer("vector", row), "http://p")) << row;
  }
}

}  // namespace
}  // namespace drover::agents::pages
