// The forecast of power: a table of curves.
#include "tui/model/power_forecast.h"

#include <cmath>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/base/random_stream.h"
#include "fleet/sample/sample.h"

namespace drover::tui {
namespace {

constexpr Instant forecast_noon{std::chrono::seconds(1'763'726'400)};

/// A point each `every_s` seconds, over ten minutes.
std::vector<PowerPoint> curve(const std::function<double(int)>& watts, int every_s = 10) {
  std::vector<PowerPoint> points;
  for (int second = 0; second <= 600; second += every_s) {
    points.push_back({forecast_noon + std::chrono::seconds(second), watts(second)});
  }
  return points;
}

struct ForecastCase {
  const char* promise;
  std::function<double(int)> watts;
  double cap_w;
  int seconds;  // until the cap; -1: no forecast
};

TEST(PowerForecast, OnlyAClearRiseHasAForecast) {
  RandomStream random(1);
  const auto noise = [&](double most) { return most * (2 * random.uniform() - 1); };
  const ForecastCase cases[] = {
      {"a straight rise", [](int s) { return 4'000 + 2.0 * s; }, 5'680, 240},
      {"a rise with noise", [&](int s) { return 4'000 + 2.0 * s + noise(150); }, 5'680, 240},
      {"single peaks do not count",
       [](int s) { return s % 100 == 50 ? 20'000.0 : 4'000 + 2.0 * s; }, 5'680, 240},
      {"gaps do not count", [](int s) { return s % 30 == 0 ? absent : 4'000 + 2.0 * s; }, 5'680,
       240},
      {"a constant", [](int) { return 4'000.0; }, 5'000, -1},
      {"noise", [&](int) { return 4'000 + noise(500); }, 5'000, -1},
      {"a fall", [](int s) { return 4'000 - 2.0 * s; }, 5'000, -1},
      {"a wave", [](int s) { return 4'000 + 500 * std::sin(s / 30.0); }, 5'000, -1},
      {"a rise that is hidden by noise", [&](int s) { return 4'000 + 0.2 * s + noise(500); }, 4'500,
       -1},
      {"the cap has been reached", [](int s) { return 4'000 + 2.0 * s; }, 5'000, -1},
      {"the cap is too far away", [](int s) { return 4'000 + 2.0 * s; }, 9'000, -1},
      {"there is no cap", [](int s) { return 4'000 + 2.0 * s; }, 0, -1},
      {"the cap is not known", [](int s) { return 4'000 + 2.0 * s; }, absent, -1},
      {"nothing is known", [](int) { return absent; }, 5'000, -1},
  };
  for (const ForecastCase& c : cases) {
    const auto until = time_until_cap(curve(c.watts), c.cap_w);
    ASSERT_EQ(until.has_value(), c.seconds >= 0) << c.promise;
    if (until) {
      EXPECT_NEAR(to_seconds(*until), c.seconds, 25) << c.promise;
    }
  }
}

TEST(PowerForecast, FewPointsHaveNoneAndManyHaveTheSame) {
  const auto rise = [](int second) { return 4'000 + 2.0 * second; };
  EXPECT_FALSE(time_until_cap({}, 5'680));
  EXPECT_FALSE(time_until_cap(curve(rise, 60), 5'680)) << "eleven points";
  const auto many = time_until_cap(curve(rise, 1), 5'680);
  ASSERT_TRUE(many);
  EXPECT_NEAR(to_seconds(*many), 240, 5);
}

}  // namespace
}  // namespace drover::tui
