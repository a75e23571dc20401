#include "tui/panels/device_panels.h"

#include <gtest/gtest.h>

#include "fleet/sample/sample.h"
#include "tests/tui/sample_specs.h"

namespace drover::tui {
namespace {

std::string limit(std::string_view name, std::string_view text, double cap_w) {
  for (int i = 0; i < limit_count; ++i) {
    if (metric_formulas()[first_limit + static_cast<std::size_t>(i)].name == name) {
      return limit_text(i, SpecFacts(text), cap_w);
    }
  }
  ADD_FAILURE() << "no limit " << name;
  return {};
}

constexpr std::string_view assumed = R"(class = "tpu"
[peak_tflops]
int8 = { value = 92, assumed = "a" }
[memory]
capacity_gib = { value = 8, assumed = "a" }
bandwidth_gb_s = { value = 34, assumed = "a" }
[power]
tdp_w = { value = 75, assumed = "a" }
cap_min_w = { value = 37, assumed = "a" }
[thermal]
slowdown_c = { value = 90, assumed = "a" }
shutdown_c = { value = 100, assumed = "a" }
[clock]
nominal_mhz = 700
boost_mhz = 0
min_share = { value = 0.5, assumed = "a" }
[price]
usd_per_h = { value = 0.5, assumed = "a" }
spot_usd_per_h = 0
)";

TEST(Limits, MatchTheSpecAndAreMarkedWhereAssumed) {
  struct Case {
    const char* name;
    const char* read;
    const char* assumed;
  };
  for (const Case& c : {Case{"memory", "80.0G", "~8.0G"},
                        {"bandwidth", "3.35 TB/s", "~34 GB/s"},
                        {"peak", "989.4 TFLOP/s bf16", "~92 TFLOP/s int8"},
                        {"TDP", "700W", "~75W"},
                        {"power cap", "350W of 200-700W", "350W of ~37-75W"},
                        {"throttle", "87C, half clock at 89C", "~90C"},
                        {"shutdown", "95C", "~100C"},
                        {"clocks", "~549 to 1980 MHz", "~350 to 700 MHz"},
                        {"price/h", "$6.88, spot $2.46", "~$0.50"}}) {
    EXPECT_EQ(limit(c.name, h100_text, 350), c.read);
    EXPECT_EQ(limit(c.name, assumed, 350), c.assumed);
    EXPECT_EQ(limit(c.name, "class = \"gpu\"\n", absent), "N/A") << c.name;
    EXPECT_EQ(limit(c.name, "[power", absent), "N/A") << c.name;
  }
  EXPECT_EQ(limit("power cap", h100_text, absent), "N/A of 200-700W");
}

TEST(Limits, OccupyCellsThatNeverTouchAtAnyWidth) {
  for (int columns = 1; columns <= 400; ++columns) {
    for (int i = 0; i < limit_count; ++i) {
      const Rect place = limit_place(i, columns);
      EXPECT_GE(place.column, 0);
      EXPECT_LE(place.column + place.columns, columns);
      EXPECT_LT(place.row, limits_rows(columns));
      if (i == 0) continue;
      const Rect before = limit_place(i - 1, columns);
      EXPECT_TRUE(place.row > before.row || place.column > before.column + before.columns - 1)
          << columns;
    }
  }
}

}  // namespace
}  // namespace drover::tui
