// Sparklines of past moments: what was on the screen then, and nothing is read twice for it.
#include "tui/history/cursor_history.h"

#include <gtest/gtest.h>

#include "fleet/sample/sample.h"
#include "tests/tui/sample_stream.h"

namespace drover::tui {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
constexpr std::size_t cursor_bytes_max = 1u << 30;
// Where the table of devices, and the panel of one, have room for a sparkline.
constexpr Size sizes[] = {{80, 24}, {200, 60}};
constexpr const char* views[] = {"devices", "fleet"};

Size with_banner(Size size) { return {size.columns, size.rows + 2}; }

TEST(CursorHistory, StepsBackFromNowShowTheSparklinesOfThatTime) {
  const std::vector<Told> stream = sample_stream(6, 200);
  for (const Size size : sizes) {
    for (const std::string view : views) {
      const auto live = live_of(size, view);
      std::size_t next = 0;
      std::vector<std::string> seen;
      const Instant noon = SampleFleet::start + milliseconds(150'500);
      for (int back = 130; back >= 0; --back) {
        tell(*live, stream, next, noon - seconds(back));
        seen.insert(seen.begin(), rows_of(live->draw(noon - seconds(back))));
      }
      live->resize(noon, with_banner(size));
      live->press(noon, {"Space"});
      ASSERT_EQ(rows_of(live->draw(noon), 2), seen[0]) << view;
      for (std::size_t back = 1; back <= 130; ++back) {
        const Instant now = noon + milliseconds(250 * back);
        tell(*live, stream, next, now);
        live->press(now, {"["});
        ASSERT_EQ(rows_of(live->draw(now), 2), seen[back]) << view << ", " << back << " s back";
      }
      for (std::size_t back = 129; back >= 100; --back) {
        live->press(noon + seconds(40), {"]"});
        ASSERT_EQ(rows_of(live->draw(noon + seconds(40)), 2), seen[back]) << view << ", on again";
      }
    }
  }
}

TEST(CursorHistory, AMomentLooksTheSameHoweverItIsReached) {
  const std::vector<Told> stream = sample_stream(4, 200);
  const Remembered remembered(stream);
  for (const std::string view : views) {
    const auto wanderer = replay_of(remembered.memory, sizes[1], view, SampleFleet::start, true);
    RandomStream random(5);
    for (int i = 0; i < 25; ++i) {
      const Instant at = SampleFleet::start + milliseconds(random.below(200'000));
      wanderer->press(SampleFleet::start, {"@"});
      for (const char letter : to_iso8601(at))
        wanderer->press(SampleFleet::start, {std::string(1, letter)});
      wanderer->press(SampleFleet::start, {"Enter"});
      const auto fresh = replay_of(remembered.memory, sizes[1], view, at, true);
      ASSERT_EQ(rows_of(wanderer->draw(SampleFleet::start), 2), rows_of(fresh->draw(at), 2))
          << view << " at " << to_iso8601(at);
    }
  }
}

TEST(CursorHistory, AReplayShowsTheSparklinesThatLiveShowed) {
  const std::vector<Told> stream = sample_stream(3, 100);
  const Remembered remembered(stream);
  for (const std::string view : views) {
    const auto live = live_of(sizes[1], view);
    const auto replay =
        replay_of(remembered.memory, with_banner(sizes[1]), view, SampleFleet::start);
    std::size_t next = 0;
    RandomStream random(17);
    for (Instant at = SampleFleet::start; at < SampleFleet::start + seconds(98);
         at += milliseconds(random.below(2'500))) {
      tell(*live, stream, next, at);
      ASSERT_EQ(rows_of(live->draw(at)), rows_of(replay->draw(at), 2)) << to_iso8601(at);
    }
  }
}

/// A timeline that counts for how long a time batches were asked of it.
class Counting final : public Timeline {
 public:
  explicit Counting(const InMemoryTimeline& memory) : memory_(memory) {}
  Instant first() const override { return memory_.first(); }
  Instant last() const override { return memory_.last(); }
  ModelSnapshot keyframe(Instant at) const override { return memory_.keyframe(at); }
  Instant keyframe_before(Instant at) const override { return memory_.keyframe_before(at); }
  bool can_advance_to(const ModelSnapshot& moment, Instant to) const override {
    return memory_.can_advance_to(moment, to);
  }
  std::uint64_t visit(std::uint64_t position, Instant to, const Visit& visit) const override {
    return memory_.visit(position, to, visit);
  }
  void visit_batches(const std::string& host, Instant from, Instant to,
                     const VisitBatch& visit) const override {
    asked += to - std::max(from, first());
    memory_.visit_batches(host, from, to, visit);
  }
  const std::vector<TimelineMarker>& markers() const override { return memory_.markers(); }

  mutable Duration asked{};

 private:
  const InMemoryTimeline& memory_;
};

double load_at(const DeviceHistory& history, Instant at) {
  return history.read({"gpu-a", 4}, HistoryMetric::utilization, HistoryResolution::seconds, at, 2)
      .values[0];  // of the second before, which is over
}

TEST(CursorHistory, IsReadOnceForAMinuteOfStepsBackAndForth) {
  const std::vector<Told> stream = sample_stream(8, 300);
  const Remembered remembered(stream);
  const Counting timeline(remembered.memory);
  CursorHistory moment(seconds(1), cursor_bytes_max);
  const Instant noon = SampleFleet::start + seconds(200);
  EXPECT_FALSE(std::isnan(load_at(moment.follow(timeline, noon), noon)));
  EXPECT_LE(timeline.asked, seconds(2 * recent_seconds));
  timeline.asked = {};
  for (int i = 1; i <= 55; ++i) (void)moment.follow(timeline, noon - seconds(i));
  for (int i = 55; i >= 0; --i) (void)moment.follow(timeline, noon - seconds(i));
  EXPECT_EQ(timeline.asked, Duration{});
  for (int i = 1; i <= 30; ++i) {
    const Instant at = noon + seconds(i);
    EXPECT_FALSE(std::isnan(load_at(moment.follow(timeline, at), at)));
  }
  EXPECT_LE(timeline.asked, seconds(31)) << "only what is new";
  const Instant far = SampleFleet::start + milliseconds(70'500);
  EXPECT_FALSE(std::isnan(load_at(moment.follow(timeline, far), far)));
}

TEST(CursorHistory, StartsFromTheLiveHistoryWithoutReading) {
  const std::vector<Told> stream = sample_stream(8, 300);
  const Remembered remembered(stream);
  const Counting timeline(remembered.memory);
  DeviceHistory live(seconds(1), cursor_bytes_max);
  const Instant noon = SampleFleet::start + seconds(120);
  for (const Told& told : stream) {
    const auto* batch = std::get_if<SampleBatch>(&told.envelope.body);
    if (batch != nullptr && told.at <= noon) live.take(told.at, *batch);
  }
  CursorHistory moment(seconds(1), cursor_bytes_max);
  moment.begin(live, noon);
  const DeviceHistory& history = moment.follow(timeline, noon);
  EXPECT_EQ(timeline.asked, Duration{});
  for (int back = 0; back < 55; ++back) {
    EXPECT_EQ(load_at(history, noon - seconds(back)), load_at(live, noon - seconds(back))) << back;
  }
  moment.forget();
  EXPECT_TRUE(moment.empty());
}

}  // namespace
}  // namespace drover::tui
