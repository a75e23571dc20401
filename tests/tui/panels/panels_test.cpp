// What panels say of jobs and of the fleet: no estimate, loss or age that looks like something
// else.
#include <gtest/gtest.h>

#include "fleet/base/units.h"
#include "fleet/sample/sample.h"
#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

TEST(Jobs, ShowExpectedProgressWhileRunningAndLateWhenOverdue) {
  SampleFleet fleet;
  JobChanged job = fleet.jobs[0];
  job.job.work.kind = WorkKind::serve;
  job.state = JobState::running;
  job.reason.reset();
  job.progress = 0;
  job.since = SampleFleet::start + seconds(10);
  job.remaining_s = 20;
  struct Case {
    int after_s;
    const char* progress;
    const char* time;
  };
  for (const Case& c : {Case{15, " ~25%", "15s"}, {25, " ~75%", "5.0s"}, {37, "late", "+7.0s"}}) {
    SampleFleet one;
    one.jobs = {job};
    const auto dashboard = dashboard_of(one, {120, 40}, "jobs", false, 2);
    const std::string text = dashboard->draw(SampleFleet::start + seconds(c.after_s)).to_text();
    const std::size_t at = text.find(to_short_text(job.job.id));
    ASSERT_NE(at, std::string::npos) << text;
    const std::string line = text.substr(at, text.find('\n', at) - at);
    EXPECT_NE(line.find(c.progress), std::string::npos) << line;
    EXPECT_NE(line.find(c.time), std::string::npos) << line;
    EXPECT_EQ(line.find('|'), std::string::npos) << "a bar would be a measurement: " << line;
  }
}

TEST(Jobs, ShowReportedProgressAsReported) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 40}, "jobs", false, 2);
  const std::string text = dashboard->draw(SampleFleet::start + seconds(25)).to_text();
  EXPECT_NE(text.find("62%"), std::string::npos) << "nobody has told more since: " << text;
}

TEST(Jobs, ThatWereCancelledAppearSeparatelyWithWhoCancelledThem) {
  SampleFleet fleet;
  JobChanged job = fleet.jobs.back();
  job.job.id = {7, 7};
  job.state = JobState::cancelled;
  job.reason = Reason::cancelled;
  job.detail = "cancelled by ann";
  const auto shown = [&] {
    const auto dashboard = dashboard_of(fleet, {120, 40}, "jobs", false, 2);
    return dashboard->draw(SampleFleet::start + seconds(2)).to_text();
  };
  EXPECT_EQ(shown().find("Cancelled"), std::string::npos) << "there is none";
  fleet.jobs.push_back(job);
  fleet.summary.cancelled = 1;
  const std::string text = shown();
  EXPECT_NE(text.find("Cancelled 1 "), std::string::npos) << text;
  EXPECT_NE(text.find(" cancelled by ann"), std::string::npos) << text;
  EXPECT_EQ(text.find("cancelled: cancelled"), std::string::npos) << text;
}

TEST(Jobs, HeadingsMentionTimesOnlyWhereTimesAreShown) {
  for (const int columns : {60, 66, 72, 80, 120, 200}) {
    SampleFleet fleet;
    const auto dashboard = dashboard_of(fleet, {columns, 40}, "jobs", false, 2);
    const std::string text = dashboard->draw(SampleFleet::start + seconds(2)).to_text();
    const bool shown = text.find(" TIME ") != std::string::npos;
    EXPECT_EQ(text.find("time: ") != std::string::npos, shown) << columns << "\n" << text;
    EXPECT_TRUE(shown || columns < 80) << columns;
  }
}

TEST(Jobs, HeadingsSayWhatTimeAndNoteMeanInEachState) {
  SampleFleet fleet;
  for (const int columns : {80, 120, 200}) {
    const auto dashboard = dashboard_of(fleet, {columns, 40}, "jobs", false, 2);
    const std::string text = dashboard->draw(SampleFleet::start + seconds(2)).to_text();
    for (const auto& [section, meaning] :
         {std::pair(" Running ", "time: expected left, note: pool"),
          {" Waiting ", "time: waited, note: waits for"},
          {" Failed ", "newest first, time: in all, note: why"},
          {" Finished ", "newest first, time: in all, note: what it used"}}) {
      EXPECT_NE(text.find(meaning), std::string::npos) << section << columns << "\n" << text;
    }
    const auto titles = [&](const char* key) {
      dashboard->press(SampleFleet::start + seconds(2), {key});
      return line_with(dashboard->draw(SampleFleet::start + seconds(2)).to_text(), "PROGRESS");
    };
    EXPECT_NE(titles("f").find("   LEFT "), std::string::npos) << columns;
    const std::string waiting = titles("f");
    EXPECT_NE(waiting.find(" WAITED "), std::string::npos) << waiting;
    EXPECT_NE(waiting.find(" WAITS FOR "), std::string::npos) << waiting;
    EXPECT_NE(titles("f").find("   TOOK "), std::string::npos) << columns;
  }
}

TEST(Fleet, AHostsMeanLoadCoversOnlyDevicesThatReportIt) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {160, 50}, "fleet", false, 2);
  std::vector<Sample> rows(8);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rows[i].device = static_cast<std::uint16_t>(i);
    if (i > 0) rows[i][Metric::utilization] = 0.5;
  }
  const Instant now = SampleFleet::start + seconds(3);
  dashboard->receive(now, publish_peer, {"gpu-a", 1'000, now, pack("gpu-a", rows)});
  const std::string text = dashboard->draw(now).to_text();
  EXPECT_NE(text.find("mean 50%"), std::string::npos) << text;
}

TEST(Fleet, AReplicaThatCompilesIsNotReady) {
  SampleFleet fleet;
  const auto shown = [&] {
    const auto dashboard = dashboard_of(fleet, {200, 60}, "fleet", false, 2);
    return line_with(dashboard->draw(SampleFleet::after_2s).to_text(), "hopper llama-3.1-70b");
  };
  EXPECT_NE(shown().find(" 1/1 "), std::string::npos) << shown();
  for (ReplicaChanged& changed : fleet.replicas) {
    if (changed.replica.id == ReplicaId{"gpu-a", 0}) changed.replica.pause = Pause::compiling;
  }
  EXPECT_NE(shown().find("bf16, 1 compiling"), std::string::npos) << shown();
  EXPECT_NE(shown().find(" 0/1 "), std::string::npos) << shown();
}

TEST(Power, HeatComesBeforePowerCapsAmongThrottledDevices) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {200, 60}, "power", false, 2);
  std::vector<Sample> rows(8);
  for (std::uint16_t i = 0; i < 8; ++i) {
    rows[i].device = i;
    rows[i][Metric::throttle] = i == 7 ? throttle_sw_thermal_slowdown : throttle_sw_power_cap;
  }
  const Instant now = SampleFleet::start + seconds(3);
  dashboard->receive(now, publish_peer, {"gpu-a", 1'000, now, pack("gpu-a", rows)});
  const std::string text = dashboard->draw(now).to_text();
  const std::size_t list = text.find("Throttled devices");
  EXPECT_LT(text.find("gpu-a/7 ", list), text.find("gpu-a/0 ", list)) << text;
}

TEST(Fleet, ALostHostShowsNothingAsCurrent) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {200, 60}, "fleet", false, 1);
  const Instant now = SampleFleet::start + seconds(1);
  const std::string text = dashboard->draw(now).to_text();
  EXPECT_NE(text.find("lost, 14s ago"), std::string::npos) << "since its last sample: " << text;
  const std::size_t at = text.find("edge   llama-3.1-8b");
  ASSERT_NE(at, std::string::npos) << text;
  const std::string line = text.substr(at, text.find('\n', at) - at);
  EXPECT_NE(line.find("0/1      0      0"), std::string::npos) << line;
  EXPECT_NE(text.find("4 loaded, 2 loading, 1 lost"), std::string::npos) << text;
  // 8 h100, 8 a100 and 16 v5e; the four l4 of the lost host are not paid for now.
  EXPECT_NE(text.find(dollars_text(8 * 6.88 + 8 * 3.43 + 16 * 1.2) + "/h"), std::string::npos)
      << text;
  dashboard->press(now, {"2"});
  const std::string devices = dashboard->draw(now).to_text();
  const std::size_t device = devices.find("x edge-1/0");
  ASSERT_NE(device, std::string::npos) << "the sign stands apart from the name: " << devices;
  const std::string row = devices.substr(device, devices.find('\n', device) - device);
  EXPECT_EQ(row.find('%'), std::string::npos) << row;
  EXPECT_EQ(row.find("70"), std::string::npos) << row;
  EXPECT_NE(row.find("14s"), std::string::npos) << row;
}

TEST(Fleet, AgesUseTheClockInTheTitle) {
  SampleFleet fleet;
  DashboardOptions options;
  options.speed = 2;
  Dashboard dashboard(options, {160, 50}, SampleFleet::start);
  feed_snapshot(dashboard, fleet, SampleFleet::start);
  const std::string text = dashboard.draw(SampleFleet::start + seconds(7)).to_text();
  EXPECT_NE(text.find("lost, 20s ago"), std::string::npos) << "13 and the 7 since: " << text;
  dashboard.set_connected(SampleFleet::start + seconds(7), false);
  const std::string later = dashboard.draw(SampleFleet::start + seconds(11)).to_text();
  EXPECT_NE(later.find("router lost 4.0s ago"), std::string::npos) << later;
}

TEST(Fleet, TheTimeAxisUsesTheClockInTheTitle) {
  for (const double speed : {1.0, 10.0, 60.0}) {
    SampleFleet fleet;
    DashboardOptions options;
    options.speed = speed;
    Dashboard dashboard(options, {120, 40}, SampleFleet::start);
    feed_snapshot(dashboard, fleet, SampleFleet::start);
    const std::string text = dashboard.draw(SampleFleet::start).to_text();
    const char* const axis = speed == 1 ? "-50s" : speed == 10 ? "-90s" : "-25m";
    EXPECT_NE(text.find(axis), std::string::npos) << text;
  }
}

TEST(Fleet, ChartsOfAFreshFrameMatchTheTotals) {
  SampleFleet fleet;
  DashboardOptions options;
  options.speed = 60;
  Dashboard dashboard(options, {120, 60}, SampleFleet::start);
  feed_snapshot(dashboard, fleet, SampleFleet::start + seconds(2));
  for (const Envelope& batch : fleet.samples(2)) {
    dashboard.receive(SampleFleet::start + seconds(2), publish_peer, batch);
  }
  const std::string text = dashboard.draw(SampleFleet::start + seconds(2)).to_text();
  for (const char* title : {"Load, last ", "Power ─", "Queued jobs "}) {
    const std::size_t at = text.find(title);
    ASSERT_NE(at, std::string::npos) << text;
    EXPECT_EQ(text.substr(at, text.find("  ", at) - at).find("- -"), std::string::npos) << text;
  }
  EXPECT_NE(line_with(text, "Queued jobs").find("─ 6 "), std::string::npos) << text;
}

}  // namespace
}  // namespace drover::tui
