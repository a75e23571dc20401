// Past moments are what the moments were: live, remembered and replayed frames are the same.
#include "tui/history/timeline.h"

#include <gtest/gtest.h>

#include "fleet/sample/sample.h"
#include "tests/tui/sample_stream.h"
#include "tui/history/timeline_series.h"
#include "tui/state/view_id.h"

namespace drover::tui {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr Size size{120, 40};
constexpr Size size_with_banner{120, 42};

/// The telemetry view shows counters of the dashboard itself, which differ between two dashboards.
bool shows_its_own_counters(const std::string& view) { return view == "telemetry"; }
/// Enter narrows the filter there, which has a line of its own only in a dashboard that is live.
bool narrows(const std::string& view) { return view == "power" || view == "users"; }

TEST(Replay, ShowsTheLiveFramesInEveryViewFromEndToEnd) {
  const std::vector<Told> stream = sample_stream(3, 60);
  const Remembered remembered(stream);
  for (const std::string& view : view_names()) {
    if (shows_its_own_counters(view)) continue;
    const auto live = live_of(size, view);
    const auto replay = replay_of(remembered.memory, size_with_banner, view, SampleFleet::start);
    std::size_t next = 0;
    RandomStream random(17);
    for (Instant at = SampleFleet::start; at < SampleFleet::start + seconds(58);
         at += milliseconds(200 + random.below(2'500))) {
      tell(*live, stream, next, at);
      if (random.below(6) == 0) {
        for (const char* key : {"j", "Enter"}) {
          // There it goes to a moment of the past, which only a dashboard that is live leaves now
          // for.
          if ((view == "events" || narrows(view)) && std::string(key) == "Enter") continue;
          live->press(at, {key});
          replay->press(at, {key});
        }
      }
      ASSERT_EQ(rows_of(live->draw(at)), rows_of(replay->draw(at), 2))
          << view << " at " << to_iso8601(at);
    }
  }
}

TEST(Timeline, AMomentIsTheSameHoweverItIsReached) {
  const std::vector<Told> stream = sample_stream(4, 50);
  const Remembered remembered(stream);
  const auto wanderer = replay_of(remembered.memory, size, "fleet", SampleFleet::start, true);
  wanderer->press(SampleFleet::start, {"3"});  // chooses a device
  RandomStream random(5);
  for (int i = 0; i < 40; ++i) {
    const Instant at = SampleFleet::start + milliseconds(random.below(50'000));
    const std::size_t view = random.below(view_names().size() - 1);
    const std::string number = std::to_string(view + 1);
    wanderer->press(SampleFleet::start, {number});
    wanderer->press(SampleFleet::start, {"@"});
    for (const char letter : to_iso8601(at))
      wanderer->press(SampleFleet::start, {std::string(1, letter)});
    wanderer->press(SampleFleet::start, {"Enter"});
    const auto fresh = replay_of(remembered.memory, size, "fleet", at, true);
    for (const std::string& key : {std::string("3"), number}) fresh->press(at, {key});
    ASSERT_EQ(rows_of(wanderer->draw(SampleFleet::start), 2), rows_of(fresh->draw(at), 2))
        << view_names()[view] << " at " << to_iso8601(at);
  }
}

TEST(Timeline, SteppingBackShowsWhatWasOnTheScreenThen) {
  const std::vector<Told> stream = sample_stream(6, 40);
  for (const std::string& view : view_names()) {
    if (view == "help") continue;  // shows no moment, and Space reads on
    if (shows_its_own_counters(view)) continue;
    const auto live = live_of(size, view);
    std::size_t next = 0;
    std::vector<std::string> seen;
    const Instant noon = SampleFleet::start + milliseconds(30'500);
    for (int back = 20; back >= 0; --back) {
      tell(*live, stream, next, noon - seconds(back));
      seen.insert(seen.begin(), rows_of(live->draw(noon - seconds(back))));
    }
    live->resize(noon, size_with_banner);
    live->press(noon, {"Space"});
    ASSERT_EQ(rows_of(live->draw(noon), 2), seen[0]) << view;
    for (std::size_t back = 1; back <= 20; ++back) {
      // News comes in meanwhile, and is not shown.
      const Instant now = noon + milliseconds(250 * back);
      tell(*live, stream, next, now);
      live->press(now, {"["});
      ASSERT_EQ(rows_of(live->draw(now), 2), seen[back]) << view << ", " << back << " s back";
    }
    const Instant later = noon + seconds(8);
    tell(*live, stream, next, later);
    live->press(later, {"L"});
    live->resize(later, size);
    const auto fresh = live_of(size, view);
    next = 0;
    tell(*fresh, stream, next, later);
    ASSERT_EQ(rows_of(live->draw(later)), rows_of(fresh->draw(later))) << view;
  }
}

TEST(InMemoryTimeline, StaysWithinItsLimitAndKeepsItsDataCorrect) {
  const std::vector<Told> stream = sample_stream(8, 250);
  const Remembered all(stream);
  constexpr std::size_t few = 3u << 19;
  const Remembered some(stream, few);
  EXPECT_EQ(all.memory.first(), SampleFleet::start);
  EXPECT_GT(some.memory.first(), SampleFleet::start + seconds(20)) << "the oldest is gone";
  EXPECT_LT(some.memory.first(), SampleFleet::start + seconds(240)) << "and not more than must";
  EXPECT_LE(some.memory.bytes(), few);
  EXPECT_FALSE(some.memory.holds(0));
  for (const TimelineMarker& mark : some.memory.markers()) EXPECT_GE(mark.at, some.memory.first());
  RandomStream random(1);
  for (int i = 0; i < 8; ++i) {
    const Duration span = some.memory.last() - some.memory.first();
    const Instant at =
        some.memory.first() + Duration(random.below(static_cast<std::uint64_t>(span.count())));
    // Without the charts, which show less where the oldest is gone.
    const auto one = replay_of(some.memory, {120, 24}, "fleet", at, true);
    const auto other = replay_of(all.memory, {120, 24}, "fleet", at, true);
    ASSERT_EQ(rows_of(one->draw(at), 2), rows_of(other->draw(at), 2)) << to_iso8601(at);
  }
}

TEST(InMemoryTimeline, StaysWithinItsLimitEvenWithLargeModels) {
  for (const int hosts : {10, 40, 55, 80, 160, 400}) {  // models of 7 to 280 % of the bound
    constexpr std::size_t few = 1u << 20;
    InMemoryTimeline memory(SampleFleet::start, seconds(1), few);
    Model model(seconds(1));
    Instant at = SampleFleet::start;
    for (const Envelope& host : plain_hosts(hosts, 8)) model.apply(at, host);
    memory.begin(at, model);
    std::size_t most = 0;
    const std::uint64_t length_s = 100 + 4'000 / static_cast<std::uint64_t>(hosts);
    for (std::uint64_t second = 1; second <= length_s; ++second) {
      at += seconds(1);
      for (const Envelope& batch : plain_samples(hosts, 8, second)) {
        memory.add(at, batch);
        model.apply(at, batch);
        memory.watch(at, model);
        ASSERT_LE(memory.bytes(), std::max(few, model.bytes() + few / 2)) << hosts;
        most = std::max(most, memory.bytes());
      }
    }
    EXPECT_GT(most, few / 2) << hosts << " hosts: what there is is used";
    EXPECT_GT(memory.first(), SampleFleet::start) << hosts;
    const ModelSnapshot moment = model_snapshot_at(memory, memory.last());
    EXPECT_EQ(moment.model.devices().value(3, Metric::power),
              model.devices().value(3, Metric::power));
  }
}

TEST(InMemoryTimeline, SpacesOlderKeyframesFartherApart) {
  InMemoryTimeline memory(SampleFleet::start, seconds(1), 8u << 20);
  Model model(seconds(1));
  Instant at = SampleFleet::start;
  for (const Envelope& host : plain_hosts(4, 8)) model.apply(at, host);
  memory.begin(at, model);
  for (std::uint64_t second = 1; second <= 2'500; ++second) {
    at += seconds(1);
    for (const Envelope& batch : plain_samples(4, 8, second)) {
      memory.add(at, batch);
      model.apply(at, batch);
      memory.watch(at, model);
    }
  }
  ASSERT_LT(memory.bytes(), 8u << 20) << "nothing had to be forgotten";
  const auto gap_before = [&](Instant when) {
    const Instant end = memory.keyframe_before(when);
    return end - memory.keyframe_before(end - Duration(1));
  };
  EXPECT_GT(gap_before(at - seconds(1'200)), gap_before(at));
}

TEST(Series, HoldsTheBatchValuesOfTheRequestedRangeAsItMoves) {
  const std::vector<Told> stream = sample_stream(9, 40);
  const Remembered remembered(stream);
  const DeviceId device{"gpu-a", 3};
  SeriesReader along;
  for (const int second : {5, 12, 12, 39, 20, 21, 9, 35, 2}) {
    const Instant to = SampleFleet::start + seconds(second);
    const Instant from = to - seconds(11);
    const Series& series = along.read(remembered.memory, device, from, to);
    SeriesReader anew;
    const Series& whole = anew.read(remembered.memory, device, from, to);
    EXPECT_EQ(series.at, whole.at) << second;
    std::vector<Instant> at;
    std::vector<double> power;
    for (const Told& told : stream) {
      const auto* batch = std::get_if<SampleBatch>(&told.envelope.body);
      if (batch == nullptr || batch->host != device.host) continue;
      if (told.at <= from || told.at > to) continue;
      at.push_back(told.at);
      power.push_back(unpack(*batch)[3][Metric::power]);
    }
    EXPECT_EQ(series.at, at) << second;
    EXPECT_EQ(series.of(Metric::power), power) << second;
  }
  EXPECT_TRUE(along
                  .read(remembered.memory, {"nobody", 0}, SampleFleet::start,
                        SampleFleet::start + seconds(9))
                  .at.empty());
}

/// Half an hour of one host, and what was asked of it.
class WatchedTimeline final : public Timeline {
 public:
  WatchedTimeline() : memory_(SampleFleet::start, seconds(1)) {
    for (const Envelope& host : plain_hosts(1, 2)) memory_.add(SampleFleet::start, host);
    for (int second = 1; second <= length_s; ++second) {
      for (const Envelope& batch : plain_samples(1, 2, static_cast<std::uint64_t>(second))) {
        memory_.add(SampleFleet::start + seconds(second), batch);
      }
    }
  }
  static constexpr int length_s = 1'800;
  mutable Instant asked_from = never;
  Instant forgotten_to = SampleFleet::start;  // nothing before it is kept

  Instant first() const override { return forgotten_to; }
  Instant last() const override { return memory_.last(); }
  ModelSnapshot keyframe(Instant at) const override { return memory_.keyframe(at); }
  Instant keyframe_before(Instant at) const override { return memory_.keyframe_before(at); }
  std::uint64_t visit(std::uint64_t position, Instant to, const Visit& visit) const override {
    return memory_.visit(position, to, visit);
  }
  bool can_advance_to(const ModelSnapshot& moment, Instant to) const override {
    return memory_.can_advance_to(moment, to);
  }
  void visit_batches(const std::string& host, Instant from, Instant to,
                     const VisitBatch& visit) const override {
    asked_from = std::min(asked_from, from);
    memory_.visit_batches(host, std::max(from, forgotten_to), to, visit);
  }
  const std::vector<TimelineMarker>& markers() const override { return memory_.markers(); }

 private:
  InMemoryTimeline memory_;
};

TEST(Series, OfADeviceIsReadNoFartherBackThanItsChartsReach) {
  for (const int columns : {60, 80, 120, 200}) {
    const WatchedTimeline timeline;
    const Instant noon = SampleFleet::start + seconds(WatchedTimeline::length_s);
    const auto replay = replay_of(timeline, {columns, 40}, "device", noon, true);
    const std::string whole = rows_of(replay->draw(noon));
    EXPECT_NE(whole.find("⣿"), std::string::npos) << whole;
    // Half an hour, and two bins of the narrowest charts.
    EXPECT_GT(timeline.asked_from, noon - std::chrono::minutes(35)) << columns;
    EXPECT_LT(timeline.asked_from, noon - std::chrono::minutes(2)) << columns;
  }
}

TEST(Series, OfAShownMomentStaysWhenTheTimelineDropsIt) {
  WatchedTimeline timeline;
  const Instant noon = SampleFleet::start + seconds(900);
  const auto replay = replay_of(timeline, {120, 40}, "device", noon, true);
  replay->press(noon, {"z"});  // a span that the user has chosen stays
  const std::string seen = rows_of(replay->draw(noon), 2);
  for (const int later : {-30, 0, 1, 300}) {
    timeline.forgotten_to = noon + seconds(later);
    EXPECT_EQ(rows_of(replay->draw(noon), 2), seen) << later;
  }
  EXPECT_EQ(seen.find("no history is kept"), std::string::npos);
  replay->press(noon, {"j"});
  const std::string other = rows_of(replay->draw(noon), 2);
  EXPECT_NE(other.find("Device host-0000/1"), std::string::npos) << other;
  EXPECT_NE(other.find("no history is kept"), std::string::npos) << other;
}

TEST(Curves, DoNotDependOnWhenTheyAreRead) {
  const std::vector<Told> stream = sample_stream(11, 30);
  const Remembered remembered(stream);
  ModelSnapshot moment = remembered.memory.keyframe(SampleFleet::start);
  seek(remembered.memory, moment, SampleFleet::start + seconds(30));
  Model lazy = remembered.model;
  lazy.tick(SampleFleet::start + seconds(30));
  ASSERT_EQ(lazy.trend().size(), moment.model.trend().size());
  for (std::size_t i = 0; i < lazy.trend().size(); ++i) {
    const TrendPoint& a = lazy.trend()[i];
    const TrendPoint& b = moment.model.trend()[i];
    EXPECT_EQ(a.at, b.at);
    if (i == 0) continue;  // before the first sample
    EXPECT_EQ(a.power_w, b.power_w);
    EXPECT_EQ(a.pools.size(), b.pools.size());
    EXPECT_EQ(a.at - lazy.trend()[i - 1].at, seconds(1));
    EXPECT_GT(a.power_w, 0) << i;
  }
  EXPECT_EQ(lazy.pools(), (std::vector<std::string>{"hopper", "tpu", "ampere"}));
}

}  // namespace
}  // namespace drover::tui
