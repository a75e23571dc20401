#include "tui/tables/device_queries.h"

#include <gtest/gtest.h>

#include "fleet/sample/sample.h"
#include "tests/tui/sample_fleet.h"
#include "tui/tables/device_columns.h"
#include "tui/tables/log_entry.h"

namespace drover::tui {
namespace {

Model model_of(SampleFleet& fleet) {
  Model model{std::chrono::seconds(1)};
  for (const Envelope& reported : fleet.state()) model.apply(SampleFleet::start, reported);
  return model;
}

TEST(DeviceFacts, ATargetNamesItsDevicesByRangeOrByReplica) {
  SampleFleet fleet;
  const Model model = model_of(fleet);
  struct Case {
    const char* target;
    std::uint16_t device;  // of gpu-b
    bool named;
  };
  for (const Case& c : {Case{"gpu-b/3", 3, true},
                        {"gpu-b/3", 4, false},
                        {"gpu-b/0-3,6", 2, true},
                        {"gpu-b/0-3,6", 6, true},
                        {"gpu-b/0-3,6", 5, false},
                        {"gpu-b/r1", 4, true},  // its only device
                        {"gpu-b/r1", 5, false},
                        {"gpu-b/r77", 0, false},
                        {"gpu-a/3", 3, false},
                        {"gpu-a/0-7 gpu-b/0-3", 3, true},  // a multi-host gang
                        {"gpu-a/0-7 gpu-b/0-3", 5, false},
                        {"gpu-b/0-3 gpu-a/0-7", 5, false},
                        {" gpu-b/3 ", 3, true},
                        {"gpu-b", 3, false},
                        {"gpu-b/", 3, false},
                        {"gpu-b/r", 3, false},
                        {"gpu-b/3-", 3, false},
                        {"gpu-b/99999999999", 3, false},
                        {"", 0, false}}) {
    EXPECT_EQ(has_device(model, c.target, {"gpu-b", c.device}), c.named)
        << c.target << " and " << c.device;
  }
}

TEST(DeviceFacts, ASubjectMatchesADeviceByNameHostOrReplica) {
  SampleFleet fleet;
  const Model model = model_of(fleet);
  const DeviceId device{"gpu-b", 4};
  for (const char* subject : {"gpu-b/4", "device:gpu-b/4", "gpu-b", "host:gpu-b", "gpu-b/r1"}) {
    EXPECT_TRUE(concerns(model, subject, device)) << subject;
  }
  for (const char* subject : {"gpu-b/5", "gpu-a", "gpu-b/r0x", "rack:r1", "site", ""}) {
    EXPECT_FALSE(concerns(model, subject, device)) << subject;
  }
}

TEST(DeviceFacts, DecisionsThatChoseItOrRejectedItsTypeAreListedNewestFirst) {
  SampleFleet fleet;
  const Model model = model_of(fleet);
  const auto row = model.find({"gpu-a", 2});
  ASSERT_TRUE(row);
  const std::vector<DeviceDecision> device_decisions = decisions_about(model, *row, 100);
  int chosen = 0, rejected = 0;
  for (std::size_t i = 0; i < device_decisions.size(); ++i) {
    if (i > 0) {
      EXPECT_GT(device_decisions[i - 1].decision->number, device_decisions[i].decision->number);
    }
    ++(device_decisions[i].rejected == nullptr ? chosen : rejected);
  }
  int went_there = 0, passed_by = 0;
  for (const Decision& decision : fleet.decisions) {
    if (decision.target == "gpu-a/r0") ++went_there;
    if (decision.preferred_pool == "hopper" && !decision.rejections.empty()) ++passed_by;
  }
  EXPECT_EQ(chosen, went_there);
  EXPECT_EQ(rejected, passed_by);
  EXPECT_EQ(decisions_about(model, *row, 3).size(), 3u);
}

TEST(DeviceFacts, PrefillPausesTheDeviceButNoneOfItsRequests) {
  SampleFleet fleet;
  Model model = model_of(fleet);
  ReplicaChanged reads = fleet.replicas[0];
  reads.replica.pause = Pause::prefill;
  model.apply(SampleFleet::start, fleet.published(reads));
  JobChanged request;
  request.state = JobState::running;
  request.target = to_text(reads.replica.id);
  EXPECT_EQ(pause_of(model, request), Pause::none);
  const JobsByDevice jobs(model);
  const EvaluationContext at{model, SampleFleet::start, jobs};
  const auto row = model.find({reads.replica.id.host, reads.replica.devices.front()});
  ASSERT_TRUE(row);
  EXPECT_EQ(ModelDevice(at, *row).pause(), Pause::prefill);
}

TEST(DeviceFacts, JobsOnADeviceListLongWorkFirst) {
  SampleFleet fleet;
  const Model model = model_of(fleet);
  const std::vector<const JobRow*> on_tpu = jobs_on(model, {"tpu-b", 3});
  ASSERT_EQ(on_tpu.size(), 1u);
  EXPECT_EQ(on_tpu.front()->reported.job.work.model, "resnet-50");
  EXPECT_EQ(jobs_on(model, {"gpu-a", 2}).size(), 7u);  // those of the replica on devices 0 to 3
  EXPECT_TRUE(jobs_on(model, {"gpu-b", 7}).empty());
}

TEST(DeviceFacts, AJobIsFoundByDigitsThatNoOtherJobBeginsWith) {
  Model model{std::chrono::seconds(1)};
  const JobId first{0xade0000000000000, 1}, second{0xade1200000000000, 2},
      last{0xffffffffffffffff, 3};
  for (const JobId& id : {second, last, first}) {
    JobChanged job;
    job.job.id = id;
    model.apply(SampleFleet::start, {"router", 1, SampleFleet::start, job});
  }
  struct Case {
    std::string subject;
    std::size_t digits_min;
    std::optional<JobId> found;
  };
  for (const Case& c : std::vector<Case>{{to_text(first), 6, first},
                                         {"job:" + to_text(last), 6, last},
                                         {"ade000", 6, first},
                                         {"ade120", 6, second},
                                         {"ffffff", 6, last},
                                         {"ade12", 6, {}},  // too few
                                         {"ade12", 1, second},
                                         {"f", 1, last},
                                         {"ade", 1, {}},  // of two jobs
                                         {"ade13", 1, {}},
                                         {"0", 1, {}},
                                         {"ade12x", 1, {}},
                                         {"", 1, {}},
                                         {to_text(last) + "f", 1, {}}}) {
    EXPECT_EQ(find_job(model, c.subject, c.digits_min), c.found) << c.subject;
  }
}

TEST(DeviceFacts, AConditionIsDescribedInWords) {
  SampleFleet fleet;
  EXPECT_EQ(condition_text(fleet.conditions[0]), "* injected: throttle=0.5 for 60s");
  EXPECT_EQ(condition_text(fleet.conditions[1]),
            "! not usable since 02:37:43: Xid 79: GPU has fallen off the bus  "
            "* injected: xid=79 for 120s");
}

TEST(DeviceFacts, APowerBrakeIsNotReportedAsThermal) {
  EXPECT_EQ(throttle_text(throttle_hw_slowdown), "hw");
  EXPECT_EQ(throttle_text(throttle_hw_slowdown | throttle_hw_thermal_slowdown), "hw thermal");
  EXPECT_EQ(throttle_text(throttle_hw_slowdown | throttle_sw_thermal_slowdown), "thermal");
}

TEST(LogEntry, EventsAlertsAndActionsAreListedTogetherNewestFirst) {
  SampleFleet fleet;
  const Model model = model_of(fleet);
  const std::vector<LogEntry> news = latest_log_entries(model, 100);
  ASSERT_EQ(news.size(), fleet.events.size() + fleet.alerts.size() + fleet.audits.size());
  for (std::size_t i = 1; i < news.size(); ++i) EXPECT_GE(news[i - 1].at, news[i].at);
  EXPECT_EQ(latest_log_entries(model, 4).size(), 4u);
  EXPECT_EQ(latest_log_entries(model, 4).back().text, news[3].text);
}

TEST(LogEntry, ADeviceShowsOnlyEntriesThatConcernIt) {
  SampleFleet fleet;
  const Model model = model_of(fleet);
  for (const LogEntry& item : latest_log_entries(model, 100, DeviceId{"gpu-a", 3})) {
    EXPECT_TRUE(item.subject == "gpu-a/3" || item.subject == "device:gpu-a/3" ||
                item.subject == "gpu-a")
        << item.subject;
  }
  EXPECT_EQ(latest_log_entries(model, 100, DeviceId{"gpu-a", 3}).size(), 3u);
}

TEST(LogEntry, AnAuditedActionIsShownOnce) {
  SampleFleet fleet;
  Model model = model_of(fleet);
  const Instant at = SampleFleet::start + std::chrono::seconds(60);
  const std::size_t before = latest_log_entries(model, 1'000).size();
  const auto hear = [&](Message body) { model.apply(at, fleet.published(std::move(body), at)); };
  hear(Event{Severity::warning, "device:gpu-a/1", "bob@desk: drain"});
  hear(Audit{"bob@desk", "drain", "device:gpu-a/1", true, "gpu-a/1"});
  hear(Event{Severity::info, "pool:hoper", "bob@desk: drain: not done: no such pool"});
  hear(Audit{"bob@desk", "drain", "pool:hoper", false, "no such pool"});
  hear(Event{Severity::info, "gpu-a/1", "drained"});
  EXPECT_EQ(latest_log_entries(model, 1'000).size(), before + 3);
}

TEST(LogEntry, ARefusedActionIsShownAsRefused) {
  SampleFleet fleet;
  const Model model = model_of(fleet);
  int refused = 0;
  for (const LogEntry& item : latest_log_entries(model, 100)) {
    if (item.kind != LogEntryKind::action_refused) continue;
    ++refused;
    EXPECT_EQ(item.text, "demo: power cap 9kW, refused (no such pool; did you mean hopper?)");
  }
  EXPECT_EQ(refused, 1);
}

}  // namespace
}  // namespace drover::tui
