#include "router/health/failure_detector.h"

#include <gtest/gtest.h>

namespace drover::router {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr FailureTimeouts times{seconds(1), seconds(3), seconds(12)};
constexpr Instant detector_start = Instant{} + std::chrono::hours(1);

/// Sweeps at the book's own pace until `end`; answers everything found.
Sweep sweep_until(FailureDetector& book, Instant end) {
  Sweep all;
  while (book.next_sweep() <= end) {
    const Sweep sweep = book.sweep(book.next_sweep());
    all.suspect.insert(all.suspect.end(), sweep.suspect.begin(), sweep.suspect.end());
    all.lost.insert(all.lost.end(), sweep.lost.begin(), sweep.lost.end());
    all.held = std::max(all.held, sweep.held);
    all.hold_began = all.hold_began || sweep.hold_began;
  }
  return all;
}

struct Silence {
  milliseconds unheard;
  Health expected;
};

TEST(Health, FollowsTheTimeSinceTheHostsLastMessage) {
  for (const Silence& silence : {Silence{milliseconds(0), Health::ok},
                                 {milliseconds(2999), Health::ok},
                                 {milliseconds(3250), Health::suspect},
                                 {milliseconds(11999), Health::suspect},
                                 {milliseconds(12250), Health::lost},
                                 {milliseconds(60000), Health::lost}}) {
    FailureDetector book(times, detector_start);
    book.registered(detector_start, 0);
    sweep_until(book, detector_start + silence.unheard);
    EXPECT_EQ(book.health(0), silence.expected) << silence.unheard.count() << " ms";
  }
}

TEST(Health, IsUpdatedWithinAQuarterOfAHeartbeat) {
  FailureDetector book(times, detector_start);
  book.registered(detector_start, 0);
  EXPECT_TRUE(sweep_until(book, detector_start + milliseconds(2750)).suspect.empty());
  EXPECT_EQ(sweep_until(book, detector_start + milliseconds(3250)).suspect.size(), 1u);
}

TEST(Health, ASuspectHostRecoversAtItsFirstMessage) {
  FailureDetector book(times, detector_start);
  book.registered(detector_start, 0);
  sweep_until(book, detector_start + seconds(5));
  ASSERT_EQ(book.health(0), Health::suspect);
  EXPECT_TRUE(book.record_contact(detector_start + seconds(5), 0));
  EXPECT_EQ(book.health(0), Health::ok);
  EXPECT_FALSE(book.record_contact(detector_start + seconds(5), 0)) << "it was well already";
}

TEST(Health, ALostHostStaysLostUntilItRegisters) {
  FailureDetector book(times, detector_start);
  book.registered(detector_start, 0);
  sweep_until(book, detector_start + seconds(13));
  EXPECT_FALSE(book.record_contact(detector_start + seconds(13), 0));
  EXPECT_EQ(book.health(0), Health::lost);
  book.registered(detector_start + seconds(14), 0);
  EXPECT_EQ(book.health(0), Health::ok);
}

TEST(Health, AStalledRouterSkipsOneSweep) {
  FailureDetector book(times, detector_start);
  book.registered(detector_start, 0);
  const Sweep sweep = book.sweep(detector_start + seconds(20));
  EXPECT_TRUE(sweep.stalled);
  EXPECT_TRUE(sweep.lost.empty());
  EXPECT_EQ(book.health(0), Health::ok);
  book.record_contact(detector_start + seconds(20), 0);
  EXPECT_TRUE(sweep_until(book, detector_start + milliseconds(20500)).lost.empty());
}

struct SilentHosts {
  HostIndex hosts;
  HostIndex silent;
  bool held;
};

TEST(Health, IsHeldWhenTooManyHostsFallSilentAtOnce) {
  for (const SilentHosts& fleet : {SilentHosts{4, 1, false},
                                   {4, 3, false},
                                   {4, 4, true},
                                   {10, 3, false},
                                   {10, 4, true},
                                   {100, 30, false},
                                   {100, 31, true}}) {
    FailureDetector book(times, detector_start);
    for (HostIndex host = 0; host < fleet.hosts; ++host) book.registered(detector_start, host);
    std::size_t lost = 0;
    bool held = false;
    for (int beat = 1; beat <= 13; ++beat) {
      for (HostIndex host = fleet.silent; host < fleet.hosts; ++host) {
        book.record_contact(detector_start + seconds(beat) - milliseconds(100), host);
      }
      const Sweep found = sweep_until(book, detector_start + seconds(beat));
      lost += found.lost.size();
      held = held || found.hold_began;
    }
    EXPECT_EQ(held, fleet.held) << fleet.silent << " of " << fleet.hosts;
    EXPECT_EQ(lost, fleet.held ? 0 : fleet.silent) << fleet.silent << " of " << fleet.hosts;
  }
}

TEST(Health, AHoldEndsAfterAnotherLease) {
  FailureDetector book(times, detector_start);
  for (HostIndex host = 0; host < 5; ++host) book.registered(detector_start, host);
  EXPECT_TRUE(sweep_until(book, detector_start + seconds(23)).lost.empty());
  EXPECT_EQ(sweep_until(book, detector_start + milliseconds(24250)).lost.size(), 5u);
}

}  // namespace
}  // namespace drover::router
