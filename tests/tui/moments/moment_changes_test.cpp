// What is different at two moments, from moments made by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/tui/sample_fleet.h"
#include "tui/moments/change_lines.h"
#include "tui/moments/moment_changes.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

/// A moment to which hosts are added in the order of their names.
struct MadeMoment {
  explicit MadeMoment(int at_s) { moment.at = SampleFleet::start + seconds(at_s); }
  MadeMoment& host(const std::string& name, int devices, Health health = Health::ok) {
    const auto first = static_cast<std::uint32_t>(moment.index.size());
    moment.hosts.push_back({name, health, first, static_cast<std::uint32_t>(devices)});
    for (int i = 0; i < devices; ++i) {
      moment.index.push_back(static_cast<std::uint16_t>(i));
      moment.bits.push_back(device_sampled);
      for (auto& column : moment.readings) column.push_back(static_cast<float>(absent));
    }
    return *this;
  }
  /// A reading of the device in this row.
  MadeMoment& reads(std::size_t row, Metric metric, double value) {
    for (std::size_t i = 0; i < compared_readings.size(); ++i) {
      if (compared_readings[i].metric == metric)
        moment.readings[i][row] = static_cast<float>(value);
    }
    return *this;
  }
  MadeMoment& bits(std::size_t row, unsigned bits) {
    moment.bits[row] = static_cast<std::uint8_t>(bits);
    return *this;
  }
  MomentSnapshot moment;
};

/// "gpu-a/0 +0.42" for each change of a metric.
std::vector<std::string> change_texts(const std::vector<DeviceChange>& changes) {
  std::vector<std::string> all;
  for (const DeviceChange& change : changes) {
    all.push_back(fmt::format("{} {:+.2f}", to_text(change.id), change.after - change.before));
  }
  return all;
}

using ChangeTexts = std::vector<std::string>;

TEST(MomentChanges, DevicesAreInTheOrderOfTheirChangeOfEitherSign) {
  const MomentSnapshot before = MadeMoment(0)
                                    .host("a", 4)
                                    .host("b", 1)
                                    .reads(0, Metric::utilization, 0.50)
                                    .reads(1, Metric::utilization, 0.90)
                                    .reads(2, Metric::utilization, 0.30)
                                    .reads(4, Metric::utilization, 0.10)
                                    .moment;
  const MomentSnapshot after = MadeMoment(30)
                                   .host("a", 4)
                                   .host("b", 1)
                                   .reads(0, Metric::utilization, 0.502)  // too little
                                   .reads(1, Metric::utilization, 0.10)
                                   .reads(2, Metric::utilization, 0.50)
                                   .reads(3, Metric::utilization, 0.99)  // not known before
                                   .reads(4, Metric::utilization, 0.90)
                                   .moment;
  EXPECT_EQ(change_texts(changes_between(before, after).readings[0]),
            (ChangeTexts{"a/1 -0.80", "b/0 +0.80", "a/2 +0.20"}));
}

TEST(MomentChanges, TheEarlierMomentComesFirstWhicheverIsMarked) {
  const MomentSnapshot early = MadeMoment(0).host("a", 1).reads(0, Metric::power, 100).moment;
  const MomentSnapshot late = MadeMoment(60).host("a", 1).reads(0, Metric::power, 300).moment;
  for (const bool mark_is_later : {false, true}) {
    const MomentChanges changes =
        mark_is_later ? changes_between(late, early) : changes_between(early, late);
    EXPECT_EQ(changes.mark_is_later, mark_is_later);
    EXPECT_EQ(changes.from, early.at);
    EXPECT_EQ(changes.to, late.at);
    EXPECT_EQ(change_texts(changes.readings[1]), ChangeTexts{"a/0 +200.00"});
  }
}

TEST(MomentChanges, HostsAreLostBackJoinedOrLeft) {
  struct Case {
    std::optional<Health> before, after;
    std::optional<StateChange> expected;
  };
  using enum Health;
  for (const Case& row : std::vector<Case>{
           {ok, ok, std::nullopt},
           {ok, suspect, std::nullopt},
           {ok, lost, StateChange::host_lost},
           {suspect, lost, StateChange::host_lost},
           {ok, left, StateChange::host_left},
           {lost, ok, StateChange::host_back},
           {left, ok, StateChange::host_joined},
           {lost, lost, std::nullopt},
           {std::nullopt, ok, StateChange::host_joined},
           {std::nullopt, lost, std::nullopt},
           {ok, std::nullopt, StateChange::host_left},
           {lost, std::nullopt, std::nullopt},
       }) {
    MadeMoment before(0), after(1);
    before.host("a", 1);
    after.host("a", 1);
    if (row.before) before.host("h", 2, *row.before);
    if (row.after) after.host("h", 2, *row.after);
    const MomentChanges changes = changes_between(before.moment, after.moment);
    for (std::size_t i = 0; i < state_change_count; ++i) {
      const bool expected = row.expected == static_cast<StateChange>(i);
      EXPECT_EQ(changes.hosts[i], expected ? ChangeTexts{"h"} : ChangeTexts{}) << i;
      EXPECT_TRUE(changes.devices[i].empty()) << "devices of a host that is gone are left out";
    }
  }
}

TEST(MomentChanges, StatesOfDevicesBeginAndEnd) {
  struct Case {
    unsigned before, after;
    std::vector<StateChange> expected;
  };
  constexpr unsigned sampled = device_sampled;
  for (const Case& row : std::vector<Case>{
           {sampled, sampled, {}},
           {sampled, sampled | device_throttled, {StateChange::throttling}},
           {sampled | device_throttled, sampled, {StateChange::not_throttling}},
           {sampled | device_throttled, 0, {StateChange::silent}},  // throttling: not known
           {0, sampled | device_throttled, {StateChange::heard}},
           {sampled,
            sampled | device_unusable | device_faulty,
            {StateChange::unusable, StateChange::faulty}},
           {sampled | device_unusable | device_drained,
            sampled,
            {StateChange::usable, StateChange::resumed}},
       }) {
    const MomentChanges changes =
        changes_between(MadeMoment(0).host("a", 1).bits(0, row.before).moment,
                        MadeMoment(1).host("a", 1).bits(0, row.after).moment);
    std::vector<StateChange> found;
    for (std::size_t i = 0; i < state_change_count; ++i) {
      if (!changes.devices[i].empty()) found.push_back(static_cast<StateChange>(i));
    }
    EXPECT_EQ(found, row.expected) << row.before << " to " << row.after;
  }
}

Summary counted_sums(std::uint64_t finished, std::uint64_t fell_back) {
  Summary sums;
  sums.started = SampleFleet::start;
  sums.accepted = 100;
  sums.finished = finished;
  sums.fallbacks = {{Reason::capacity, fell_back}, {Reason::memory, 3}};
  PoolReport pool;
  pool.name = "hopper";
  pool.usable = finished;
  sums.pools = {pool};
  return sums;
}

TEST(MomentChanges, JobsAreTheDifferenceOfWhatOneLedgerCounted) {
  MadeMoment before(0), after(60);
  EXPECT_FALSE(changes_between(before.moment, after.moment).counted) << "no sums yet";
  before.moment.sums = counted_sums(10, 4);
  after.moment.sums = counted_sums(32, 9);
  const MomentChanges changes = changes_between(before.moment, after.moment);
  ASSERT_TRUE(changes.counted);
  EXPECT_EQ(changes.counted->finished, 22U);
  EXPECT_EQ(changes.counted->accepted, 0U);
  EXPECT_EQ(changes.counted->fallbacks, (std::map<Reason, std::uint64_t>{{Reason::capacity, 5}}));
  ASSERT_EQ(changes.pools.size(), 1U);
  EXPECT_EQ(changes.pools[0].after->usable, 32U);
  after.moment.sums->started += seconds(30);  // begun anew
  EXPECT_FALSE(changes_between(before.moment, after.moment).counted);
}

TEST(MomentChanges, AlertsAreRaisedAndClearedTheWorstFirst) {
  MadeMoment before(0), after(60);
  before.moment.alerts = {{{"hot", "a/0"}, Severity::warning}, {{"hot", "a/1"}, Severity::warning}};
  after.moment.alerts = {{{"hot", "a/1"}, Severity::warning},
                         {{"hot", "b/0"}, Severity::warning},
                         {{"host_lost", "b"}, Severity::critical}};
  std::ranges::sort(after.moment.alerts, {}, &MomentAlert::key);
  const MomentChanges changes = changes_between(before.moment, after.moment);
  ASSERT_EQ(changes.raised.size(), 2U);
  EXPECT_EQ(changes.raised[0].key.rule, "host_lost");
  EXPECT_EQ(changes.raised[1].key.subject, "b/0");
  ASSERT_EQ(changes.cleared.size(), 1U);
  EXPECT_EQ(changes.cleared[0].key.subject, "a/0");
}

TEST(MomentChanges, DevicesAreNamedInRanges) {
  const auto text = [](std::vector<DeviceId> devices) { return devices_text(devices); };
  EXPECT_EQ(text({}), "");
  EXPECT_EQ(text({{"a", 0}}), "a/0");
  EXPECT_EQ(text({{"a", 0}, {"a", 1}, {"a", 3}, {"b", 4}, {"b", 5}}), "a/0-1,3 b/4-5");
}

TEST(MomentSnapshot, OfAModelHasItsHostsStatesAndAlertsInOrder) {
  SampleFleet fleet;
  Model model = model_of(fleet.state());
  for (const Envelope& batch : fleet.samples(1)) model.apply(SampleFleet::after_2s, batch);
  const MomentSnapshot moment = moment_of(model, SampleFleet::after_2s);
  ChangeTexts names;
  for (const MomentHost& host : moment.hosts) names.push_back(host.name);
  EXPECT_EQ(names, (ChangeTexts{"edge-1", "gpu-a", "gpu-b", "tpu-a", "tpu-b"}));
  EXPECT_EQ(moment.index.size(), model.devices().rows());
  for (const auto& column : moment.readings) EXPECT_EQ(column.size(), moment.index.size());
  std::size_t conditions = 0;
  for (const std::uint8_t bits : moment.bits) {
    if ((bits & (device_unusable | device_drained | device_faulty)) != 0) ++conditions;
  }
  EXPECT_EQ(conditions, model.conditions().size());
  EXPECT_TRUE(std::ranges::is_sorted(moment.alerts, {}, &MomentAlert::key));
  EXPECT_TRUE(changes_between(moment, moment).raised.empty());
}

}  // namespace
}  // namespace drover::tui
