// What a dashboard asks a server about the time before its memory, and what it does with answers.
#include "tui/history/server_history.h"

#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

using std::chrono::minutes;
using std::chrono::seconds;
constexpr Instant now{seconds(1'763'692'800)};  // a multiple of the bin
const DeviceId device{"gpu-a", 3};

/// The six hours before `until`, in bins of five minutes.
HistoryQuestion six_hours(Instant until = now, const DeviceId& of = device) {
  return {of, DeviceClass::gpu, "", until - minutes(5 * 72), minutes(5), 72};
}

/// An answer whose utilization is the number of the bin, counted from the question's begin.
HistoryAnswer answer_to(const HistoryQuestion& question) {
  HistoryAnswer answer{question, {}, {}};
  std::vector<double>& values = answer.values[static_cast<std::size_t>(Metric::utilization)];
  for (int bin = 0; bin < question.bins; ++bin) values.push_back(bin);
  return answer;
}

HistoryAnswer failure_of(const HistoryQuestion& question) {
  return {question, "cannot connect to it", {}};
}

class AskedServer : public ::testing::Test {
 protected:
  ServerHistory history{seconds(1)};
};

TEST_F(AskedServer, IsAskedOneQuestionAtATime) {
  const auto first = history.follow(six_hours(), now, now);
  ASSERT_TRUE(first);
  EXPECT_EQ(first->end(), six_hours().end());
  EXPECT_LT(first->begin, six_hours().begin) << "some more, for steps into the past";
  EXPECT_EQ(history.note("prometheus:9090"), "history: waiting for prometheus:9090");
  EXPECT_FALSE(history.follow(six_hours(), now, now + minutes(1)));
  const DeviceId other{"gpu-a", 4};
  EXPECT_FALSE(history.follow(six_hours(now, other), now, now + minutes(1)));
  history.take(now + minutes(1), answer_to(*first));
  const auto second = history.follow(six_hours(now, other), now, now + minutes(2));
  ASSERT_TRUE(second);
  EXPECT_EQ(second->device, other);
}

TEST_F(AskedServer, IsAskedAgainOnlyWhenMemoryHasDroppedWhatNoAnswerHas) {
  const auto question = history.follow(six_hours(), now - minutes(120), now);
  ASSERT_TRUE(question);
  history.take(now, answer_to(*question));
  EXPECT_EQ(history.note("p"), "");
  for (int minute = 5; minute <= 120; minute += 5) {
    const Instant later = now + minutes(minute);
    EXPECT_FALSE(history.follow(six_hours(later), later - minutes(120), later)) << minute;
  }
  const Instant later = now + minutes(125);
  EXPECT_TRUE(history.follow(six_hours(later), later - minutes(120), later));
}

TEST_F(AskedServer, IsNotAskedWhatMemoryHas) {
  ASSERT_TRUE(history.follow(six_hours(), now, now));
  EXPECT_FALSE(history.follow(six_hours(), now - std::chrono::hours(6), now));
  EXPECT_EQ(history.note("prometheus:9090"), "");
}

TEST_F(AskedServer, IsLeftAloneForLongerAfterEachFailure) {
  Instant at = now;
  std::vector<int> pauses;
  for (int failures = 0; failures < 9; ++failures) {
    auto question = history.follow(six_hours(), now, at);
    for (int second = 0; !question; ++second) {
      ASSERT_LT(second, 100);
      at += seconds(1);
      question = history.follow(six_hours(), now, at);
      if (question) pauses.push_back(second + 1);
    }
    history.take(at, failure_of(*question));
    EXPECT_EQ(history.note("prometheus:9090"), "history: prometheus:9090: cannot connect to it");
  }
  EXPECT_EQ(pauses, (std::vector<int>{1, 2, 4, 8, 16, 32, 60, 60}));
  at += minutes(1);
  const auto question = history.follow(six_hours(), now, at);
  ASSERT_TRUE(question);
  history.take(at, answer_to(*question));
  EXPECT_EQ(history.note("prometheus:9090"), "");
}

TEST_F(AskedServer, SaysWhenItKnowsNothing) {
  const auto question = history.follow(six_hours(), now, now);
  ASSERT_TRUE(question);
  history.take(now, {*question, {}, {}});
  EXPECT_EQ(history.note("prometheus:9090"), "history: prometheus:9090 has nothing older");
}

TEST_F(AskedServer, IsReadInTheBinsOfTheChart) {
  const auto question = history.follow(six_hours(), now, now);
  ASSERT_TRUE(question);
  history.take(now, answer_to(*question));
  const int earlier = question->bins - 72;
  const Instant begin = now - minutes(10);
  const HistoryBins bins = history.read(device, Metric::utilization, begin, minutes(5), now);
  EXPECT_EQ(bins.begin, begin);
  ASSERT_EQ(bins.values.size(), 3U);
  EXPECT_EQ(bins.values[0], earlier + 70);
  EXPECT_EQ(bins.values[1], earlier + 71);
  EXPECT_TRUE(std::isnan(bins.values[2])) << "of the time after the answer";
  const auto known = [&](const HistoryBins& read) {
    return std::ranges::any_of(read.values, [](double value) { return !std::isnan(value); });
  };
  EXPECT_TRUE(known(history.read(device, Metric::utilization, begin, minutes(5), now)));
  EXPECT_FALSE(known(history.read(device, Metric::power, begin, minutes(5), now)));
  EXPECT_FALSE(known(history.read({"gpu-a", 4}, Metric::utilization, begin, minutes(5), now)));
  EXPECT_FALSE(known(history.read(device, Metric::utilization, begin, minutes(1), now)));
}

TEST_F(AskedServer, OnlyAnAnswerToTheOpenQuestionCounts) {
  history.take(now, answer_to(six_hours()));
  const auto question = history.follow(six_hours(), now, now);
  ASSERT_TRUE(question) << "what nobody asked for is no answer";
  HistoryQuestion other = *question;
  other.bin = minutes(1);
  history.take(now, answer_to(other));
  EXPECT_EQ(history.note("p"), "history: waiting for p");
}

TEST_F(AskedServer, IsNeverAskedForMoreValuesThanItAnswers) {
  HistoryQuestion wide = six_hours();
  wide.bins = 100'000;
  wide.begin = now - wide.bins * wide.bin;
  const auto question = history.follow(wide, now, now);
  ASSERT_TRUE(question);
  EXPECT_LE(question->bins, served_bins_max);
  EXPECT_EQ(question->end(), now);
  history.take(now, answer_to(*question));
  EXPECT_FALSE(history.follow(wide, now, now + minutes(1))) << "nor asked for it for ever";
}

}  // namespace
}  // namespace drover::tui
