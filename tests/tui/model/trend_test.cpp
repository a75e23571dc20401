// The ladder of the fleet's curves: what each rung keeps, and how far back charts show it.
#include "tui/model/trend.h"

#include <cmath>

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"
#include "tests/tui/sample_stream.h"
#include "tui/history/in_memory_timeline.h"
#include "tui/history/trend_backfill.h"
#include "tui/model/model.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr Instant trend_noon{
    seconds(1'763'726'400)};  // 2025-11-21T12:00:00Z, on the grid of every rung

TrendPoint point_at(Instant at, double power_w, double cap_w = absent) {
  TrendPoint point;
  point.at = at;
  point.power_w = power_w;
  point.site_cap_w = cap_w;
  point.pools = {{power_w / 2, power_w / 4, cap_w}};
  return point;
}

TEST(Trend, LongerBinsKeepThePeakPowerAndTheLastCap) {
  Trend trend(seconds(1));
  for (int second = 0; second < 25; ++second) {
    trend.add(point_at(trend_noon + seconds(second), second == 13 ? 900 : 100 + second,
                       second < 15 ? 1'000 : 800));
  }
  const auto& tens = trend.points_for(seconds(10));
  ASSERT_EQ(tens.size(), 3u);
  for (std::size_t i = 0; i < tens.size(); ++i) {
    EXPECT_EQ(tens[i].at, trend_noon + seconds(10 * static_cast<int>(i)));
  }
  EXPECT_EQ(tens[0].power_w, 109);
  EXPECT_EQ(tens[1].power_w, 900);
  EXPECT_EQ(tens[1].pools.at(0).power_w, 450);
  EXPECT_EQ(tens[1].pools.at(0).own_w, 225) << "the parts of the greatest sum";
  EXPECT_EQ(tens[1].site_cap_w, 800);
  EXPECT_EQ(tens[2].power_w, 124) << "a bin that is open holds what came so far";
}

TEST(Trend, OlderPointsStandBeforeItsOwnInEveryResolution) {
  Trend trend(seconds(1));
  for (int second = 5; second < 20; ++second) trend.add(point_at(trend_noon + seconds(second), 7));
  std::vector<TrendPoint> older;
  for (int i = -12; i <= 1; ++i) {
    older.push_back(point_at(trend_noon + i * seconds(10), 100 + i));
  }
  trend.add_older(older, seconds(10));
  const auto& single = trend.seconds();
  ASSERT_EQ(single.size(), 15u + 5u + 120u) << "each stands for its ten seconds";
  EXPECT_EQ(single.front().at, trend_noon - seconds(120));
  EXPECT_EQ(single[single.size() - 16].power_w, 100) << "the second before its own";
  EXPECT_EQ(single[single.size() - 15].power_w, 7) << "its own stay";
  const auto& tens = trend.points_for(seconds(10));
  ASSERT_EQ(tens.size(), 2u + 12u);
  EXPECT_EQ(tens.front().power_w, 88);
  EXPECT_EQ(tens[11].power_w, 99);
  EXPECT_EQ(tens[12].power_w, 7);
}

TEST(Trend, ABinWithoutValuesStaysUnknown) {
  Trend trend(seconds(1));
  for (int second = 0; second < 30; ++second) {
    const bool silent = second >= 10 && second < 20;
    trend.add(point_at(trend_noon + seconds(second), silent ? absent : 50));
  }
  const auto& tens = trend.points_for(seconds(10));
  ASSERT_EQ(tens.size(), 3u);
  EXPECT_TRUE(std::isnan(tens[1].power_w));
  EXPECT_EQ(tens[2].power_w, 50);
}

TEST(Trend, ReachesTwoHoursBackInBoundedMemory) {
  for (const int pace : {1, 5, 60}) {
    Trend trend{seconds(pace)};
    const auto after = [&](int wall_s) { return trend_noon + seconds(pace) * wall_s; };
    for (int wall_s = 0; wall_s < 10'000; ++wall_s) trend.add(point_at(after(wall_s), 1));
    EXPECT_LE(trend.points(), 720u + 240 + 240);
    EXPECT_EQ(trend.seconds().front().at, after(10'000 - 720));
    EXPECT_LE(trend.points_for(seconds(10 * pace)).front().at, after(10'000 - 2'390));
    EXPECT_LE(trend.points_for(seconds(60 * pace)).front().at, after(10'000 - 7'170));
  }
}

TEST(Trend, AWiderBinUsesTheLongestStepThatFits) {
  Trend trend(seconds(1));
  for (int second = 0; second < 600; ++second) trend.add(point_at(trend_noon + seconds(second), 1));
  struct Case {
    int bin_s, step_s;
  };
  for (const Case& c : {Case{1, 1}, {5, 1}, {10, 10}, {20, 10}, {30, 30}, {600, 30}}) {
    const auto& points = trend.points_for(seconds(c.bin_s));
    EXPECT_EQ(points[1].at - points[0].at, seconds(c.step_s)) << c.bin_s;
  }
}

TEST(Trend, LongerBinsContinueWhatShorterOnesNoLongerHave) {
  Trend trend(seconds(1));
  EXPECT_EQ(trend.begin(), never);
  const auto at = [](int second) { return trend_noon + seconds(second); };
  for (int second = 0; second < 5'000; ++second) trend.add(point_at(at(second), second));
  const std::vector<TrendPoint> points = trend.points_since(at(1'000), seconds(4));
  EXPECT_LE(points.front().at, at(1'000));
  EXPECT_GE(points.front().at + points.front().lasts, at(1'000));
  EXPECT_EQ(points.back().at, at(4'999));
  for (std::size_t i = 1; i < points.size(); ++i) {
    ASSERT_LT(points[i - 1].at, points[i].at);
    ASSERT_LE(points[i].at - points[i - 1].at, std::max<Duration>(points[i - 1].lasts, seconds(1)))
        << "no gap at point " << i;
  }
  EXPECT_EQ(trend.points_since(at(4'990), seconds(4)).size(), 10u) << "only seconds";
  EXPECT_EQ(trend.begin(), at(0));
  for (int second = 5'000; second < 10'000; ++second) trend.add(point_at(at(second), 1));
  EXPECT_GT(trend.begin(), at(2'000)) << "older points have been dropped";
}

/// The first row of the first chart's time axis.
std::string axis_of(const Canvas& canvas) {
  const std::string text = canvas.to_text();
  const std::size_t at = text.find("0W┤");
  const std::size_t next = text.find('\n', at) + 1;
  return text.substr(next, text.find('\n', next) - next);
}

TEST(PowerView, ShowsMoreOrLessThanTheSpanOfItsData) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "power", false, 5);
  const auto at = [](int second) { return SampleFleet::start + seconds(second); };
  for (int second = 5; second < 2'000; second += 1) {
    for (const Envelope& batch : fleet.samples(second)) {
      dashboard->receive(at(second), publish_peer, batch);
    }
  }
  const auto shown = [&] { return dashboard->draw(at(2'000)).to_text(); };
  const auto span = [&] { return line_with(shown(), "Power and cost"); };
  const std::string plain = shown();
  EXPECT_NE(span().find("last 30 min"), std::string::npos) << span();
  EXPECT_NE(axis_of(dashboard->draw(at(2'000))).find("-20m"), std::string::npos)
      << axis_of(dashboard->draw(at(2'000)));
  EXPECT_NE(plain.find("┤⣿"), std::string::npos) << "the data fills the plot\n" << plain;
  dashboard->press(at(2'000), {"z"});
  EXPECT_NE(span().find("last 1 h"), std::string::npos) << span();
  for (int i = 0; i < 3; ++i) dashboard->press(at(2'000), {"z"});
  EXPECT_NE(span().find("last 2 h"), std::string::npos) << "no farther: " << span();
  for (int i = 0; i < 2; ++i) dashboard->press(at(2'000), {"Z"});
  EXPECT_EQ(shown(), plain);
  for (int i = 0; i < 9; ++i) dashboard->press(at(2'000), {"Z"});
  EXPECT_NE(span().find("last 1 min"), std::string::npos) << span();
}

/// A timeline whose moments know no more than some seconds of the past, as those of a recording.
class Forgetful final : public Timeline {
 public:
  explicit Forgetful(int length_s) : memory_(trend_noon, seconds(1), 512u << 20) {
    for (const Envelope& host : hosts()) memory_.add(trend_noon, host);
    for (int second = 1; second <= length_s; ++second) {
      for (const Envelope& batch : plain_samples(2, 2, static_cast<std::uint64_t>(second))) {
        memory_.add(trend_noon + seconds(second), batch);
      }
    }
  }
  /// Two, each of a pool of its own.
  static std::vector<Envelope> hosts() {
    std::vector<Envelope> hosts = plain_hosts(2, 2);
    std::get<HostChanged>(hosts[0].body).pools = {"north"};
    std::get<HostChanged>(hosts[1].body).pools = {"south"};
    return hosts;
  }
  Instant first() const override { return trend_noon; }
  Instant last() const override { return memory_.last(); }
  ModelSnapshot keyframe(Instant at) const override {
    ++keyframes;
    ModelSnapshot moment{trend_noon, 0, Model(seconds(1)), keyframe_before(at)};
    // Each time another host is heard of first.
    std::vector<Envelope> heard = hosts();
    if (keyframes % 2 == 0) std::swap(heard[0], heard[1]);
    for (const Envelope& host : heard) moment.model.apply(moment.keyframe, host);
    moment.position = memory_.visit(0, moment.keyframe, [](const StreamRecord&) {});
    moment.at = moment.keyframe;
    return moment;
  }
  Instant keyframe_before(Instant at) const override {
    return std::max(trend_noon, at - seconds(90));
  }
  bool can_advance_to(const ModelSnapshot&, Instant) const override { return true; }
  std::uint64_t visit(std::uint64_t position, Instant to, const Visit& visit) const override {
    return memory_.visit(position, to, [&](const StreamRecord& heard) {
      ++visited;
      visit(heard);
    });
  }
  void visit_batches(const std::string&, Instant, Instant, const VisitBatch&) const override {}
  const std::vector<TimelineMarker>& markers() const override { return memory_.markers(); }
  Duration reach() const override { return reaches; }

  Duration reaches = Duration::max();
  mutable int keyframes = 0;
  mutable std::uint64_t visited = 0;

 private:
  InMemoryTimeline memory_;
};

/// `found` by the pools of a model, `wanted` by those of another.
void expect_same(const std::vector<TrendPoint>& found, const Model& model,
                 const std::vector<TrendPoint>& wanted, const Model& whole) {
  ASSERT_EQ(found.size(), wanted.size());
  ASSERT_EQ(model.pools().size(), 2u);
  const bool turned = model.pools()[0] != whole.pools()[0];
  for (std::size_t i = 0; i < found.size(); ++i) {
    EXPECT_EQ(found[i].at, wanted[i].at) << i;
    if (std::isnan(wanted[i].power_w)) continue;  // before the first sample
    EXPECT_DOUBLE_EQ(found[i].power_w, wanted[i].power_w) << i;
    for (const std::size_t pool : {0u, 1u}) {
      EXPECT_DOUBLE_EQ(found[i].pools.at(pool).power_w,
                       wanted[i].pools.at(turned ? 1 - pool : pool).power_w)
          << i;
    }
  }
}

TEST(TrendBackfill, OfAMomentMatchesTheWholeHistory) {
  const Forgetful timeline(1'500);
  TrendBackfill past;
  for (const int second : {1'400, 1'403, 1'420, 1'402, 1'500, 700, 30, 1'450}) {
    const Instant at = trend_noon + seconds(second);
    Model whole(seconds(1));
    timeline.visit(0, at, [&](const StreamRecord& heard) { apply(whole, heard); });
    whole.tick(at);
    const ModelSnapshot moment = model_snapshot_at(timeline, at);
    for (const int bin_s : {10, 60}) {
      SCOPED_TRACE(testing::Message() << bin_s << "s at " << second);
      const Instant from = at - seconds(1'200);
      expect_same(past.read(timeline, moment.model, from, at, seconds(bin_s)), moment.model,
                  whole.fleet_trend().points_since(from, seconds(bin_s)), whole);
    }
  }
}

TEST(TrendBackfill, ShowsTheSameAfterSeekingFarAheadAndBack) {
  const Forgetful timeline(4'500);
  TrendBackfill travelled;
  const auto points_at = [&](TrendBackfill& past, int second) {
    const Instant at = trend_noon + seconds(second);
    const ModelSnapshot moment = model_snapshot_at(timeline, at);
    return past.read(timeline, moment.model, at - seconds(1'200), at, seconds(10));
  };
  for (const int second : {1'500, 2'500, 3'500, 4'400}) points_at(travelled, second);
  TrendBackfill straight;
  const auto expected = points_at(straight, 2'600);
  const auto found = points_at(travelled, 2'600);
  ASSERT_EQ(found.size(), expected.size());
  EXPECT_EQ(found.front().at, expected.front().at);
  EXPECT_EQ(found.front().power_w, expected.front().power_w);
}

TEST(TrendBackfill, IsNotRereadForNearbyMoments) {
  const Forgetful timeline(1'500);
  TrendBackfill past;
  const auto look = [&](int second) {
    const Instant at = trend_noon + seconds(second);
    const ModelSnapshot moment = model_snapshot_at(timeline, at);
    const int before = timeline.keyframes;
    const std::uint64_t visited = timeline.visited;
    past.read(timeline, moment.model, at - seconds(1'200), at, seconds(10));
    return std::pair(timeline.keyframes - before, timeline.visited - visited);
  };
  EXPECT_EQ(look(1'450).first, 1);
  EXPECT_EQ(look(1'451), std::pair(0, std::uint64_t{0}));
  EXPECT_EQ(look(1'440), std::pair(0, std::uint64_t{0})) << "a step back";
  const auto on = look(1'470);
  EXPECT_EQ(on.first, 0);
  EXPECT_LE(on.second, 60u) << "two batches a second";
}

TEST(TrendBackfill, IsReadOnlyAsFarBackAsAUserWouldWaitFor) {
  Forgetful timeline(1'500);
  timeline.reaches = seconds(300);
  TrendBackfill past;
  const Instant at = trend_noon + seconds(1'500);
  const ModelSnapshot moment = model_snapshot_at(timeline, at);
  const std::uint64_t before = timeline.visited;
  const auto points = past.read(timeline, moment.model, at - seconds(1'200), at, seconds(10));
  EXPECT_LE(points.front().at, at - seconds(290));
  EXPECT_LE(timeline.visited - before, 2u * 450);
}

}  // namespace
}  // namespace drover::tui
