// What people and rules do to the fleet reaches the model and the screen, and goes when it is over.
#include <cmath>

#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/model/model.h"
#include "tui/tables/device_queries.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

/// The sample fleet without pools, and without anything that people or rules did to it.
SampleFleet calm_fleet() {
  SampleFleet fleet;
  for (HostChanged& host : fleet.hosts) host.pools.clear();
  fleet.conditions.clear();
  fleet.alerts.clear();
  fleet.audits.clear();
  return fleet;
}

Model told(SampleFleet& fleet, const std::vector<Message>& bodies) {
  Model model(seconds(1));
  for (const Envelope& envelope : fleet.state()) model.apply(SampleFleet::start, envelope);
  for (const Message& body : bodies) model.apply(SampleFleet::start, fleet.published(body));
  return model;
}

DeviceChanged broken(std::uint16_t device) {
  return {"gpu-a",   device, false, SampleFleet::start, "Xid 79: GPU has fallen off the bus",
          {"xid=79"}};
}

Alert hot(const std::string& subject, bool raised, Severity severity = Severity::critical) {
  return {"thermal", subject, severity, raised, SampleFleet::start, "too hot"};
}

TEST(ModelUpdates, AConditionLastsUntilTheDeviceRecovers) {
  SampleFleet fleet = calm_fleet();
  Model model = told(fleet, {broken(2), broken(3)});
  const auto row = model.find({"gpu-a", 2});
  ASSERT_TRUE(row);
  ASSERT_NE(model.condition_of(*row), nullptr);
  EXPECT_EQ(model.condition_of(*row)->reported, broken(2));
  EXPECT_EQ(model.condition_of(*row + 2), nullptr);
  DeviceChanged well{"gpu-a", 2, true, SampleFleet::start, "", {}};
  model.apply(SampleFleet::start, fleet.published(well));
  EXPECT_EQ(model.condition_of(*row), nullptr);
  EXPECT_EQ(model.conditions().size(), 1u);
}

TEST(ModelUpdates, ADrainedDeviceIsShownUntilItIsResumed) {
  SampleFleet fleet = calm_fleet();
  DeviceChanged drained{"gpu-a", 2, true, SampleFleet::start, "", {}, true};
  Model model = told(fleet, {drained});
  const auto row = model.find({"gpu-a", 2});
  ASSERT_TRUE(row);
  ASSERT_NE(model.condition_of(*row), nullptr);
  EXPECT_EQ(condition_text(model.condition_of(*row)->reported), "drained: no new work");
  drained.drained = false;
  model.apply(SampleFleet::start, fleet.published(drained));
  EXPECT_EQ(model.condition_of(*row), nullptr);
}

TEST(ModelUpdates, AlertsAreRaisedOncePerRuleAndSubjectAndKeptInHistory) {
  SampleFleet fleet = calm_fleet();
  const Model model = told(fleet, {hot("gpu-a/1", true), hot("gpu-a/1", true), hot("gpu-a/2", true),
                                   hot("gpu-a/1", false), hot("gpu-a/7", false)});
  ASSERT_EQ(model.alerts().size(), 1u);
  EXPECT_EQ(model.alerts().begin()->second.alert.subject, "gpu-a/2");
  ASSERT_EQ(model.alert_history().size(), 3u) << "raised, raised, ended";
  EXPECT_FALSE(model.alert_history().back().alert.raised);
}

TEST(ModelUpdates, ANewAlertTextIsShownWithoutANewHistoryEntry) {
  SampleFleet fleet = calm_fleet();
  Alert first = hot("gpu-a/1", true);
  Alert again = first;
  again.text = "hotter still";
  again.text_only = true;
  const Model model = told(fleet, {first, again});
  ASSERT_EQ(model.alerts().size(), 1u);
  EXPECT_EQ(model.alerts().begin()->second.alert.text, "hotter still");
  EXPECT_EQ(model.alert_history().size(), 1u) << "raised, once";
}

TEST(ModelUpdates, AForgottenHostIsGoneAndTheOthersKeepTheirValues) {
  SampleFleet fleet = calm_fleet();
  Model model = told(fleet, {broken(2)});
  for (const Envelope& batch : fleet.samples(0)) model.apply(SampleFleet::start, batch);
  const DeviceTable::Row rows = model.devices().rows();
  const auto before = *model.find({"gpu-b", 3});
  const double load = model.reading(before, Metric::utilization);
  ASSERT_GT(load, 0);
  model.apply(SampleFleet::start, fleet.published(HostForgotten{"gpu-a"}));
  EXPECT_FALSE(model.find({"gpu-a", 2}));
  EXPECT_EQ(model.find_host("gpu-a"), nullptr);
  EXPECT_EQ(model.devices().rows(), rows - 8);
  EXPECT_TRUE(model.conditions().empty());
  for (const auto& [id, replica] : model.replicas()) EXPECT_NE(id.host, "gpu-a");
  const auto after = model.find({"gpu-b", 3});
  ASSERT_TRUE(after);
  EXPECT_EQ(model.id_of(*after), (DeviceId{"gpu-b", 3}));
  EXPECT_EQ(model.reading(*after, Metric::utilization), load);
  EXPECT_EQ(model.device_order().size(), rows - 8);
  model.apply(SampleFleet::start, fleet.published(HostForgotten{"gpu-a"}));
  EXPECT_EQ(model.devices().rows(), rows - 8) << "nobody knows it any more";
}

TEST(ModelUpdates, AHostThatLeftIsCountedNowhere) {
  SampleFleet fleet = calm_fleet();
  Model model = told(fleet, {});
  for (const Envelope& batch : fleet.samples(0)) model.apply(SampleFleet::start, batch);
  const Totals before = totals_of(model, SampleFleet::start);
  HostChanged left = fleet.hosts[0];
  left.health = Health::left;
  model.apply(SampleFleet::start, fleet.published(left));
  const Totals after = totals_of(model, SampleFleet::start);
  EXPECT_EQ(after.hosts_left, 1u);
  EXPECT_EQ(after.hosts_lost, before.hosts_lost);
  EXPECT_EQ(after.stale, before.stale) << "it left cleanly: nobody waits for its samples";
  EXPECT_EQ(after.devices, before.devices - 8);
}

TEST(ModelUpdates, ALostHostIsNotAlsoStale) {
  SampleFleet fleet = calm_fleet();
  Model model = told(fleet, {});
  for (const Envelope& batch : fleet.samples(0)) model.apply(SampleFleet::start, batch);
  const Totals before = totals_of(model, SampleFleet::start);
  HostChanged lost = fleet.hosts[0];
  lost.health = Health::lost;
  model.apply(SampleFleet::start, fleet.published(lost));
  const Totals after = totals_of(model, SampleFleet::start);
  EXPECT_EQ(after.lost, before.lost + 8);
  EXPECT_EQ(after.stale, before.stale) << "as `state==stale` finds them";
}

TEST(ModelUpdates, AHostIsAsFreshAsItsMostRecentlySampledDevice) {
  SampleFleet fleet = calm_fleet();
  Model model = told(fleet, {});
  for (int second = 0; second <= 8; ++second) {
    for (Envelope& batch : fleet.samples(second)) {
      auto& samples = std::get<SampleBatch>(batch.body);
      std::vector<Sample> kept = unpack(samples);
      if (samples.host == "gpu-a" && second > 0) {
        std::erase_if(kept, [](const Sample& sample) { return sample.device == 0; });
      }
      samples = pack(samples.host, kept);
      model.apply(SampleFleet::start + seconds(second), batch);
    }
  }
  const Instant now = SampleFleet::start + seconds(8);
  EXPECT_TRUE(model.is_stale(now, *model.find({"gpu-a", 0})));
  EXPECT_FALSE(model.is_stale(now, *model.find_host("gpu-a")));
}

TEST(ModelUpdates, ANewCapKeepsTheLastValuesOfAHostsDevices) {
  SampleFleet fleet = calm_fleet();
  Model model = told(fleet, {});
  for (const Envelope& batch : fleet.samples(0)) model.apply(SampleFleet::start, batch);
  HostChanged capped = fleet.hosts[0];
  for (Group& group : capped.registration.groups) group.power_cap_w = 400;
  model.apply(SampleFleet::start, fleet.published(capped));
  const auto row = *model.find({"gpu-a", 2});
  EXPECT_FALSE(std::isnan(model.reading(row, Metric::utilization)));
}

TEST(ModelUpdates, HostsAreInNaturalOrder) {
  Model model(seconds(1));
  for (Envelope& host : plain_hosts(3, 1)) {
    Register& registration = std::get<HostChanged>(host.body).registration;
    registration.rack = "r1";
    registration.host = registration.host == "host-0000"   ? "h10"
                        : registration.host == "host-0001" ? "h9"
                                                           : "h1";
    model.apply(SampleFleet::start, host);
  }
  std::vector<std::string> names;
  for (const std::uint32_t host : model.host_order()) {
    names.push_back(model.hosts()[host].reported.registration.host);
  }
  EXPECT_EQ(names, (std::vector<std::string>{"h1", "h9", "h10"}));
}

TEST(ModelUpdates, ADeviceThatIsNoLongerSampledIsUnknown) {
  SampleFleet fleet = calm_fleet();
  Model model = told(fleet, {});
  for (const Envelope& batch : fleet.samples(0)) model.apply(SampleFleet::start, batch);
  const auto row = *model.find({"gpu-a", 2});
  for (int second = 1; second <= 8; ++second) {
    for (Envelope& batch : fleet.samples(second)) {
      auto& samples = std::get<SampleBatch>(batch.body);
      if (samples.host == "gpu-a") {
        std::vector<Sample> kept = unpack(samples);
        std::erase_if(kept, [](const Sample& sample) { return sample.device == 2; });
        samples = pack("gpu-a", kept);
      }
      model.apply(SampleFleet::start + seconds(second), batch);
    }
    EXPECT_EQ(std::isnan(model.reading(row, Metric::utilization)), second > 5) << second;
    EXPECT_FALSE(std::isnan(model.reading(row + 1, Metric::utilization)));
  }
}

/// After a router's restart most hosts are missing until they have said Register again.
TEST(ModelUpdates, HostsMissingFromASnapshotDoNotAffectOtherHostsValues) {
  SampleFleet fleet = calm_fleet();
  Model model = told(fleet, {});
  for (const Envelope& batch : fleet.samples(0)) model.apply(SampleFleet::start, batch);
  const std::string other = "tpu-a";
  const auto before = model.find({other, 1});
  ASSERT_TRUE(before);
  const double power_w = model.reading(*before, Metric::power);
  ASSERT_GT(power_w, 0);
  model.begin_snapshot();
  for (const Envelope& envelope : fleet.state()) {
    const auto* host = std::get_if<HostChanged>(&envelope.body);
    if (host == nullptr || host->registration.host != "gpu-a")
      model.apply(SampleFleet::start, envelope);
  }
  model.end_snapshot(SampleFleet::start);
  EXPECT_FALSE(model.find({"gpu-a", 1}));
  const auto row = model.find({other, 1});
  ASSERT_TRUE(row);
  EXPECT_EQ(model.reading(*row, Metric::power), power_w);
  EXPECT_EQ(model.host_of(*row).reported.registration.host, other);
}

TEST(ModelUpdates, AnythingMissingFromASnapshotIsRemoved) {
  SampleFleet fleet = calm_fleet();
  Caption caption{"A burst", "5", 3, 9, false};
  Model model =
      told(fleet, {broken(2), broken(3), hot("gpu-a/1", true), hot("gpu-a/2", true), caption});
  model.begin_snapshot();
  for (const Envelope& envelope : fleet.state()) model.apply(SampleFleet::start, envelope);
  model.apply(SampleFleet::start, fleet.published(broken(3)));
  model.apply(SampleFleet::start, fleet.published(hot("gpu-a/2", true)));
  model.end_snapshot(SampleFleet::start);
  ASSERT_EQ(model.conditions().size(), 1u);
  EXPECT_EQ(model.conditions().begin()->first, (DeviceId{"gpu-a", 3}));
  ASSERT_EQ(model.alerts().size(), 1u);
  EXPECT_EQ(model.alert_history().size(), 2u) << "what a snapshot repeats is no news";
  EXPECT_FALSE(model.caption());
}

TEST(ModelUpdates, AnAuditRepeatedByASnapshotIsShownOnce) {
  SampleFleet fleet = calm_fleet();
  const Envelope audit = fleet.published(Audit{"me", "inject hang", "gpu-a/1", true, "1 device"});
  Model model = told(fleet, {});
  for (int i = 0; i < 3; ++i) model.apply(SampleFleet::start, audit);
  EXPECT_EQ(model.audits().size(), 1u);
}

TEST(ModelUpdates, EveryDeviceKnowsItsPoolsAndPoolsHaveTotals) {
  SampleFleet fleet = calm_fleet();
  for (std::size_t h = 0; h < 3; ++h) fleet.hosts[h].pools = {h < 2 ? "gpus" : "tpus"};
  Model model = told(fleet, {});
  for (const Envelope& batch : fleet.samples(0)) model.apply(SampleFleet::start, batch);
  EXPECT_EQ(model.pools_text(*model.find({"gpu-b", 1})), "gpus");
  EXPECT_EQ(model.pools_text(*model.find({"edge-1", 0})), "");
  const auto pools = pool_totals_of(model, SampleFleet::start);
  ASSERT_EQ(pools.size(), 3u) << "the last is of no pool";
  EXPECT_EQ(pools[0].devices, 16u);
  EXPECT_EQ(pools[1].devices, 8u);
  EXPECT_NEAR(pools[0].power_w + pools[1].power_w + pools[2].power_w,
              totals_of(model, SampleFleet::start).power_w, 1e-6);
  HostChanged moved = fleet.hosts[1];
  moved.pools = {"tpus"};
  model.apply(SampleFleet::start, fleet.published(moved));
  EXPECT_EQ(model.pools_text(*model.find({"gpu-b", 1})), "tpus");
}

TEST(ModelUpdates, ADeviceInSeveralPoolsCountsInEach) {
  SampleFleet fleet = calm_fleet();
  for (std::size_t h = 0; h < 3; ++h) fleet.hosts[h].pools = {h < 2 ? "gpus" : "tpus"};
  fleet.hosts[1].further_pools = {{0, "spot"}, {0, "all"}, {0, "gpus"}, {7, "of no group"}};
  fleet.hosts[2].further_pools = {{0, "all"}};
  Model model = told(fleet, {});
  for (const Envelope& batch : fleet.samples(0)) model.apply(SampleFleet::start, batch);
  const auto row = *model.find({"gpu-b", 1});
  EXPECT_EQ(model.pools_text(row), "gpus,spot,all");
  EXPECT_EQ(model.first_pool_of(row), "gpus");
  EXPECT_TRUE(model.is_in_pool(row, "all"));
  EXPECT_FALSE(model.is_in_pool(*model.find({"gpu-a", 1}), "all"));
  ASSERT_EQ(model.pools(), (std::vector<std::string>{"gpus", "spot", "all", "tpus"}));
  const auto pools = pool_totals_of(model, SampleFleet::start);
  EXPECT_EQ(pools[0].devices, 16u);
  EXPECT_EQ(pools[1].devices, 8u);
  EXPECT_EQ(pools[2].devices, 16u);
  EXPECT_EQ(pools[3].devices, 8u);
  EXPECT_NEAR(pools[2].power_w, pools[1].power_w + pools[3].power_w, 1e-6);
  HostChanged alone = fleet.hosts[1];
  alone.further_pools.clear();
  model.apply(SampleFleet::start, fleet.published(alone));
  EXPECT_EQ(model.pools_text(row), "gpus");
}

TEST(ModelUpdates, ListsAreBounded) {
  SampleFleet fleet = calm_fleet();
  Model model = told(fleet, {});
  for (int i = 0; i < 2'000; ++i) {
    const std::string name = "host-" + std::to_string(i);
    model.apply(SampleFleet::start, fleet.published(Audit{"me", "inject hang", name, true, ""}));
    HostChanged host = fleet.hosts[0];
    host.registration.host = name;
    host.pools = {"pool-" + name};
    if (i < 100) model.apply(SampleFleet::start, fleet.published(host));
  }
  for (std::size_t i = 0; i < alerts_max + 100; ++i) {
    const std::string name = "host-" + std::to_string(i);
    model.apply(SampleFleet::start, fleet.published(hot(name, true)));
  }
  EXPECT_EQ(model.alerts().size(), alerts_max);
  EXPECT_EQ(model.alert_history().size(), alert_history_max);
  EXPECT_EQ(model.audits().size(), audits_max);
  EXPECT_EQ(model.pools().size(), pool_curves_max);
  EXPECT_GT(model.left_out(), 0u);
}

TEST(Title, ShowsHowManyAlertsAreRaisedAndTheWorst) {
  for (const int columns : {60, 80, 120, 200}) {
    SampleFleet fleet = calm_fleet();
    const auto dashboard = dashboard_of(fleet, {columns, 30}, "fleet", false, 2);
    const auto say = [&](const Message& body) {
      dashboard->receive(SampleFleet::start + seconds(2), publish_peer, fleet.published(body));
    };
    const auto title = [&] {
      const std::string text = dashboard->draw(SampleFleet::start + seconds(2)).to_text();
      return text.substr(0, text.find('\n'));
    };
    EXPECT_EQ(title().find("alert"), std::string::npos);
    say(hot("gpu-a/1", true));
    say(hot("gpu-a/2", true, Severity::warning));
    EXPECT_NE(title().find("2 alerts"), std::string::npos) << title();
    EXPECT_EQ(title().find(" UTC") != std::string::npos, columns >= 200) << title();
    // At 80 columns the names of the views need the room, at 60 they do not fit.
    EXPECT_EQ(title().find("gpu-a/1 thermal") != std::string::npos, columns != 80) << title();
    say(hot("gpu-a/1", false));
    EXPECT_NE(title().find("1 alert"), std::string::npos) << title();
  }
}

TEST(Caption, IsShownAboveTheHintsDuringTheStory) {
  SampleFleet fleet = calm_fleet();
  const auto dashboard = dashboard_of(fleet, {80, 24}, "fleet", false, 2);
  const auto row = [&](int number) {
    std::string text = dashboard->draw(SampleFleet::start + seconds(2)).to_text();
    for (int i = 0; i < number; ++i) text.erase(0, text.find('\n') + 1);
    return text.substr(0, text.find('\n'));
  };
  const auto say = [&](const Caption& caption) {
    dashboard->receive(SampleFleet::start + seconds(2), publish_peer, fleet.published(caption));
  };
  const std::string before = row(22);
  say({"A burst overflows v5e to GPUs", "5", 3, 9, false});
  EXPECT_EQ(row(21), " Story 3/9: A burst overflows v5e to GPUs");
  EXPECT_NE(row(22).find("press 5 to see it"), std::string::npos) << row(22);
  say({"A burst overflows v5e to GPUs", "", 3, 9, true});
  EXPECT_EQ(row(21), " Story 3/9 (paused): A burst overflows v5e to GPUs");
  say({"\x1b[31mred", "", 0, 0, false});
  EXPECT_EQ(row(21).find('\x1b'), std::string::npos);
  say({});
  EXPECT_EQ(row(22), before);
}

TEST(Story, IsPausedByAKeyWhenOneIsRunning) {
  for (const bool story : {false, true}) {
    DashboardOptions options;
    options.story = story;
    Dashboard dashboard(options, {80, 24}, SampleFleet::start);
    EXPECT_FALSE(takes<ToggleStory>(dashboard));
    dashboard.press(SampleFleet::start, {"p"});
    EXPECT_EQ(takes<ToggleStory>(dashboard), story);
    EXPECT_FALSE(takes<ToggleStory>(dashboard)) << "once for each press";
  }
}

TEST(Model, KeepsAKindsTextOnceAndDetectsADifferingHost) {
  Model model(std::chrono::seconds(1));
  const Envelope reported = plain_hosts(1, 2).front();
  model.apply(SampleFleet::start, reported);
  EXPECT_TRUE(model.hosts()[0].reported.registration.specs.empty())
      << "thousands of hosts tell the same";
  std::vector<Sample> rows(2);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].device = static_cast<std::uint16_t>(i);
    rows[i][Metric::power] = 100;
  }
  model.apply(SampleFleet::start, {"host-0000", 1, SampleFleet::start, pack("host-0000", rows)});
  const std::string before = model.spec_of(0).text;
  ASSERT_NE(before, "");
  model.apply(SampleFleet::start, reported);
  EXPECT_EQ(model.reading(0, Metric::power), 100) << "nothing is new";
  Envelope other = reported;
  std::get<HostChanged>(other.body).registration.specs[0].text += "# another\n";
  model.apply(SampleFleet::start, other);
  EXPECT_EQ(model.spec_of(0).text, before + "# another\n");
  EXPECT_TRUE(std::isnan(model.reading(0, Metric::power))) << "of other devices nothing is known";
}

TEST(Model, AHostsTextOfAKindDoesNotApplyToAnotherHost) {
  Model model(std::chrono::seconds(1));
  std::vector<Envelope> reported = plain_hosts(2, 2);
  const std::string text = std::get<HostChanged>(reported[0].body).registration.specs[0].text;
  std::get<HostChanged>(reported[1].body).registration.specs[0].text = text + "# another\n";
  for (const Envelope& host : reported) model.apply(SampleFleet::start, host);
  EXPECT_EQ(model.spec_of(0).text, text);
  EXPECT_EQ(model.spec_of(2).text, text + "# another\n");
}

TEST(Model, KeepsNoMoreUnusedKindsThanAFleetMayHave) {
  Model model(std::chrono::seconds(1));
  for (const Envelope& reported : plain_hosts(2, 2)) model.apply(SampleFleet::start, reported);
  const std::string kept = model.spec_of(0).text;
  Envelope other = plain_hosts(2, 2).back();
  Register& registration = std::get<HostChanged>(other.body).registration;
  const std::string text = registration.specs[0].text;
  for (std::size_t turn = 0; turn < 2 * specs_max; ++turn) {
    registration.specs[0] = {"kind-" + std::to_string(turn),
                             text + "# " + std::to_string(turn) + "\n"};
    for (Group& group : registration.groups) group.device = registration.specs[0].id;
    model.apply(SampleFleet::start, other);
  }
  EXPECT_LE(model.specs().size(), specs_max);
  EXPECT_EQ(model.spec_of(0).text, kept) << "another host's";
  EXPECT_EQ(model.spec_of(2).id, registration.specs[0].id);
  EXPECT_EQ(model.spec_of(2).text, registration.specs[0].text);
}

}  // namespace
}  // namespace drover::tui
