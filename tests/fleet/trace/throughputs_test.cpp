#include "fleet/trace/throughputs.h"

#include <algorithm>
#include <functional>

#include <gtest/gtest.h>

#include "tests/fleet/trace/read_trace.h"

namespace drover {
namespace {

Result<std::string> find_device(std::string_view name) {
  if (name == "unheard-of") return error("unknown device \"{}\"", name);
  return std::string(name);
}

Result<Throughputs> parse(std::string_view json) {
  return Throughputs::parse(json, "t.json", find_device);
}

TEST(Throughputs, AreStepsPerSecondByTypeDeviceAndGang) {
  const auto measured = parse(R"json({
      "v100": {"('LM (batch size 5)', 2)": {"null": 132.5, "('A3C', 1)": [1, 2]},
               "('LM (batch size 5)', 1)": {"null": 64}},
      "k80": {"('A3C', 1)": {"null": 3.5}, "('LM (batch size 5)', 1)": {"null": 17}},
      "h100-sxm": {"('A3C', 1)": {"null": 30}}
      })json");
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->throughputs("LM (batch size 5)"),
            (std::vector<MeasuredThroughput>{
                {"k80", 1, 17}, {"v100-sxm2-16gb", 1, 64}, {"v100-sxm2-16gb", 2, 132.5}}));
  EXPECT_EQ(measured->throughputs("A3C"),
            (std::vector<MeasuredThroughput>{{"h100-sxm", 1, 30}, {"k80", 1, 3.5}}));
  EXPECT_TRUE(measured->throughputs("LM (batch size 10)").empty());
}

TEST(Throughputs, AreZeroForWorkThatDoesNotRunThere) {
  const auto measured = parse(R"json({
      "k80": {"('ResNet-50 (batch size 128)', 8)": {"null": 0}},
      "v100_unconsolidated": {"('ResNet-50 (batch size 128)', 1)": {"null": 9}}
      })json");
  ASSERT_TRUE(measured) << measured.error().message;
  EXPECT_EQ(measured->throughputs("ResNet-50 (batch size 128)"),
            (std::vector<MeasuredThroughput>{{"k80", 8, 0}}))
      << "one device is not spread over hosts";
}

TEST(Throughputs, OfGangsThatSpanHostsAreKeptSeparate) {
  const auto measured = parse(R"json({
      "v100_unconsolidated": {"('A3C', 8)": {"null": 9}},
      "v100": {"('A3C', 8)": {"null": 12}}
      })json");
  ASSERT_TRUE(measured) << measured.error().message;
  Workload work;
  work.throughputs = measured->throughputs("A3C");
  ASSERT_NE(measured_throughput(work, "v100-sxm2-16gb", 8, true), nullptr);
  EXPECT_EQ(measured_throughput(work, "v100-sxm2-16gb", 8, true)->steps_per_s, 9);
  EXPECT_EQ(measured_throughput(work, "v100-sxm2-16gb", 8, false)->steps_per_s, 12);
  EXPECT_EQ(measured_throughput(work, "v100-sxm2-16gb", 4, true), nullptr);
}

TEST(Throughputs, ProblemNamesFileWorkerAndJob) {
  const struct {
    std::string_view json, expected;
  } cases[] = {
      {"[]", "t.json: expected an object of worker types"},
      {R"json({"v100": 3})json", "t.json: v100: expected an object of jobs"},
      {R"json({"unheard-of": {}})json", "t.json: unheard-of: unknown device \"unheard-of\""},
      {R"json({"v100": {"A3C": {"null": 1}}})json",
       "t.json: v100: found \"A3C\", expected a key such as \"('LM (batch size 5)', 2)\""},
      {R"json({"v100": {"('A3C', 0)": {"null": 1}}})json",
       "t.json: v100: found \"('A3C', 0)\", expected a key such as \"('LM (batch size 5)', 2)\""},
      {R"json({"v100": {"('": {"null": 1}}})json",
       "t.json: v100: found \"('\", expected a key such as \"('LM (batch size 5)', 2)\""},
      {R"json({"v100": {"('A3C', 1)": {}}})json",
       "t.json: v100: ('A3C', 1): null: found null, expected steps per second, 0 to 1000000000"},
      {R"json({"v100": {"('A3C', 1)": {"null": -1}}})json",
       "t.json: v100: ('A3C', 1): null: found -1, expected steps per second, 0 to 1000000000"},
      {R"json({"v100_unconsolidated": {"('A3C', 1)": {"null": "x"}}})json",
       "t.json: v100_unconsolidated: ('A3C', 1): null: found \"x\", expected steps per second, 0 "
       "to "
       "1000000000"},
  };
  for (const auto& row : cases) {
    const auto measured = parse(row.json);
    ASSERT_FALSE(measured) << row.json;
    EXPECT_EQ(measured.error().message, row.expected);
  }
}

TEST(Throughputs, TheRealFileIsReadCompletely) {
  DROVER_SHARED_TRACE("gavel_simulation_throughputs.json");
  const auto measured = parse(text);
  ASSERT_TRUE(measured) << measured.error().message;
  const std::vector<MeasuredThroughput>& throughputs =
      measured->throughputs("ResNet-50 (batch size 128)");
  const auto over_hosts = [](const MeasuredThroughput& throughput) {
    return throughput.over_hosts;
  };
  // Three kinds of device by four sizes; for gangs the K80 has no memory.
  EXPECT_EQ(std::count_if(throughputs.begin(), throughputs.end(), std::not_fn(over_hosts)), 12);
  EXPECT_EQ(std::count_if(throughputs.begin(), throughputs.end(),
                          [](const MeasuredThroughput& throughput) {
                            return throughput.device == "k80" && throughput.devices > 1 &&
                                   !throughput.over_hosts && throughput.steps_per_s == 0;
                          }),
            3);
  const std::vector<MeasuredThroughput>& small = measured->throughputs("ResNet-18 (batch size 16)");
  ASSERT_FALSE(small.empty());
  EXPECT_EQ(small.front(), (MeasuredThroughput{"k80", 1, 4.795294551566172}));
}

}  // namespace
}  // namespace drover
