// Pages of /metrics. The golden pages are in pages/; DROVER_REWRITE=1 writes them.
#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "tests/commands/folder.h"
#include "tests/commands/metrics/page_fleet.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

void expect_golden(const std::string& page, const std::string& name) {
  const std::string path = DROVER_SOURCE_DIR "/tests/commands/metrics/pages/" + name;
  if (std::getenv("DROVER_REWRITE") != nullptr) std::ofstream(path) << page;
  EXPECT_EQ(page, text_of(path)) << path;
}

/// The first line that begins so; empty: none.
std::string line_of(const std::string& page, const std::string& begin) {
  for (const std::string& line : split(page, '\n')) {
    if (line.starts_with(begin)) return line;
  }
  return {};
}

/// What promtool says of a page.
std::string promtool(const std::string& page) {
  const TestFolder folder;
  return run_shell("promtool check metrics < " + folder.write("page", page) + " 2>&1").out;
}

/// The series with their values; slots may be filled differently.
std::map<std::string, double> values_of(const std::string& page) {
  std::map<std::string, double> values;
  for (const std::string& line : split(page, '\n')) {
    if (line.empty() || line[0] == '#') continue;
    const std::size_t labels = line.find("} ");
    const std::size_t end = labels == std::string::npos ? line.find(' ') : labels + 1;
    const bool fresh = values.emplace(line.substr(0, end), std::stod(line.substr(end))).second;
    EXPECT_TRUE(fresh) << line;
  }
  return values;
}

TEST(MetricsPage, IsTheGoldenOneInBothForms) {
  PageFleet fleet;
  fill(fleet);
  expect_golden(fleet.page(0.5), "small.prom");
  expect_golden(fleet.page(0.5, PageFormat::openmetrics), "small.openmetrics");
}

TEST(MetricsPage, PromtoolFindsNothing) {
  PageFleet fleet;
  fill(fleet);
  EXPECT_EQ(promtool(fleet.page(0.5)), "");
  EXPECT_EQ(promtool(PageFleet().page()), "");
}

/// It finds that in dcgm-exporter's own pages as well.
TEST(MetricsPage, PromtoolFindsOnlyTheMakersLabelInDcgmsForm) {
  PageFleet fleet({.gpu_labels = gpu_label_names[1]});
  fill(fleet);
  for (const std::string& line : split(promtool(fleet.page(0.5)), '\n')) {
    EXPECT_TRUE(line.empty() ||
                (line.starts_with("DCGM_FI_") && line.ends_with(" label names should be written in "
                                                                "'snake_case' not 'camelCase'")))
        << line;
  }
}

TEST(MetricsPage, HasOneHeadingForEachFamilyAndNoSeriesTwice) {
  PageFleet fleet;
  fill(fleet);
  std::set<std::string> headings;
  std::string family;
  for (const std::string& line : split(fleet.page(), '\n')) {
    if (line.empty()) continue;
    if (line.starts_with("# TYPE ")) {
      family = split(line, ' ')[2];
      EXPECT_TRUE(headings.insert(family).second) << line;
    }
    if (line.starts_with("#")) continue;
    EXPECT_TRUE(line.starts_with(family)) << line << " stands under " << family;
  }
  EXPECT_GT(headings.size(), 60u);
  EXPECT_GT(values_of(fleet.page()).size(), 100u);  // which finds series that are there twice
}

TEST(MetricsPage, EscapesLabels) {
  PageFleet fleet;
  Alert alert;
  alert.rule = "a\\b\"c\nd\xff";
  fleet.send(alert);
  EXPECT_EQ(line_of(fleet.page(), "drover_alert_firing"),
            "drover_alert_firing{rule=\"a\\\\b\\\"c\\nd\xef\xbf\xbd\",severity=\"warning\"} 1");
  EXPECT_EQ(promtool(fleet.page()), "");
}

TEST(MetricsPage, LeavesOutWhatIsNotKnown) {
  PageFleet fleet;
  fill(fleet);
  Sample sample = page_sample(0);
  sample[Metric::temperature] = absent;
  const Sample rows[] = {sample, page_sample(1)};
  fleet.send(pack("h-1", rows), 1, "h-1");
  const std::string page = fleet.page(1);
  EXPECT_EQ(line_of(page, "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\""), "");
  EXPECT_NE(line_of(page, "DCGM_FI_DEV_GPU_TEMP{gpu=\"1\""), "");
  EXPECT_NE(line_of(page, "DCGM_FI_DEV_POWER_USAGE{gpu=\"0\""), "");
  // Emulated boards have no clock of their memory.
  EXPECT_EQ(page.find("DCGM_FI_DEV_MEM_CLOCK"), std::string::npos);
}

TEST(MetricsPage, EndsTheSeriesOfADeviceThatIsNoLongerSampled) {
  PageFleet fleet;
  fill(fleet);
  const Sample rows[] = {page_sample(0)};
  for (int second = 1; second < 8; ++second) fleet.send(pack("h-1", rows), second, "h-1");
  const std::string page = fleet.page(7);
  EXPECT_NE(line_of(page, "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\""), "");
  EXPECT_EQ(line_of(page, "DCGM_FI_DEV_GPU_TEMP{gpu=\"1\""), "");
  EXPECT_NE(line_of(page, "drover_device_info{drover_id=\"h-1/1\""), "") << "it is still there";
}

TEST(MetricsPage, EndsTheSeriesOfALostHostAndForgetsAForgottenOne) {
  PageFleet fleet;
  fill(fleet);
  HostChanged lost = page_host("h-1", "l4", 2);
  lost.health = Health::lost;
  fleet.send(lost, 1);
  send_samples(fleet, "h-1", 2, 1);  // was on the way
  std::string page = fleet.page(1);
  EXPECT_EQ(page.find("DCGM_"), std::string::npos);
  EXPECT_EQ(line_of(page, "drover_host_up{host=\"h-1\""),
            "drover_host_up{host=\"h-1\",rack=\"rack-1\",site=\"local\"} 0");
  EXPECT_NE(page.find("duty_cycle"), std::string::npos) << "of the other host";
  lost.health = Health::ok;
  fleet.send(lost, 2);
  send_samples(fleet, "h-1", 2, 2);
  EXPECT_NE(fleet.page(2).find("DCGM_"), std::string::npos) << "it is back";
  fleet.send(HostForgotten{"h-1"}, 3);
  EXPECT_EQ(fleet.page(3).find("h-1/1"), std::string::npos);
}

TEST(MetricsPage, AnEmulatedDeviceKeepsItsLastXid) {
  PageFleet fleet;
  fill(fleet);
  EXPECT_EQ(fleet.page().find("DCGM_FI_DEV_XID_ERRORS"), std::string::npos);
  DeviceChanged failed;
  failed.host = "h-1";
  failed.usable = false;
  failed.detail = "Xid 48: Double Bit ECC Error";
  fleet.send(failed, 1);
  failed.usable = true;
  failed.detail.clear();
  fleet.send(failed, 2);
  send_samples(fleet, "h-1", 2, 2);
  const std::string page = fleet.page(2);
  EXPECT_TRUE(line_of(page, "DCGM_FI_DEV_XID_ERRORS{gpu=\"0\"").ends_with("} 48"));
  EXPECT_EQ(line_of(page, "DCGM_FI_DEV_XID_ERRORS{gpu=\"1\""), "");
}

TEST(MetricsPage, ASnapshotRemovesWhatItDoesNotContain) {
  PageFleet fleet;
  fill(fleet);
  fleet.metrics.begin_snapshot();
  fleet.send(page_host("v5e-1", "tpu-v5e", 1, "1x1"));
  fleet.metrics.end_snapshot();
  const std::string page = fleet.page();
  EXPECT_EQ(page.find("\"h-1/0"), std::string::npos);
  EXPECT_EQ(page.find("drover_alert_firing"), std::string::npos);
  EXPECT_EQ(page.find("drover_train_progress"), std::string::npos);
  EXPECT_NE(page.find("v5e-1"), std::string::npos);
}

/// Whatever the changes, a page that was written over an earlier one has the same text as a new
/// one.
TEST(MetricsPage, IsTheSameWrittenAnewAndWrittenOver) {
  PageFleet fleet;
  fill(fleet);
  for (const PageFormat format : {PageFormat::text, PageFormat::openmetrics}) {
    Page page;
    double at_s = 0;
    for (const double power_w : {5.0, 99.9, 100.1, 1234.5, 7.25, absent, 70.0, 0.0, 70.0}) {
      at_s += 1;
      std::vector<Sample> rows = {page_sample(0), page_sample(1)};
      rows[0][Metric::power] = power_w;
      rows[1][Metric::energy] = 1e9 * power_w;
      fleet.send(pack("h-1", rows, SampleSteps::of_drivers), at_s, "h-1");
      if (power_w == 70) fleet.send(page_host("h-2", "l4", static_cast<std::uint16_t>(at_s)));
      fleet.metrics.write(page_time(at_s), format, page);
      EXPECT_EQ(values_of(page.text()), values_of(fleet.page(at_s, format))) << power_w;
      std::string pieces;
      while (pieces.size() < page.size()) pieces += page.from(pieces.size()).substr(0, 777);
      EXPECT_EQ(pieces, page.text());
    }
  }
}

TEST(MetricsPage, NamesARealDeviceAsItsMakerDoes) {
  PageFleet fleet({.gpu_labels = gpu_label_names[2]});
  fleet.send(page_host("h-1", "l4", 1));
  Board board;
  board.name = "NVIDIA L4";
  board.uuid = "GPU-c2f76b33-7953-256e-8f33-1343419b1a1c";
  board.bus = "0000:3b:00.0";
  fleet.send(BoardChanged{"h-1", board});
  send_samples(fleet, "h-1", 1);
  EXPECT_EQ(line_of(fleet.page(), "DCGM_FI_DEV_GPU_TEMP{"),
            "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-c2f76b33-7953-256e-8f33-1343419b1a1c\","
            "pci_bus_id=\"00000000:3B:00.0\",device=\"nvidia0\",modelName=\"NVIDIA L4\","
            "hostname=\"h-1\",drover_id=\"h-1/0\"} 61.5");
}

TEST(MetricsPage, KeepsTheSeriesOfAHostThatIsSampledRarelyUntilTwoSamplesAreMissing) {
  PageFleet fleet;
  HostChanged host = page_host("h-1", "l4", 1);
  host.registration.sample_every = std::chrono::seconds(30);
  fleet.send(host);
  send_samples(fleet, "h-1", 1);
  EXPECT_NE(line_of(fleet.page(74), "DCGM_FI_DEV_GPU_TEMP{"), "");
  EXPECT_EQ(line_of(fleet.page(76), "DCGM_FI_DEV_GPU_TEMP{"), "");
}

TEST(MetricsPage, EachDeviceKeepsTheTimeOfItsOwnSampleWhenItsHostChanges) {
  PageFleet fleet;
  fill(fleet);
  const Sample rows[] = {page_sample(0)};
  fleet.send(pack("h-1", rows), 4, "h-1");
  fleet.send(page_host("h-1", "l4", 2), 4);
  const std::string page = fleet.page(6);
  EXPECT_NE(line_of(page, "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\""), "");
  EXPECT_EQ(line_of(page, "DCGM_FI_DEV_GPU_TEMP{gpu=\"1\""), "") << "its sample is 6 s old";
}

TEST(MetricsPage, AHostThatHasLeftIsNeitherUpNorDown) {
  PageFleet fleet;
  fill(fleet);
  HostChanged left = page_host("h-1", "l4", 2);
  left.health = Health::left;
  fleet.send(left, 1);
  const std::string page = fleet.page(1);
  EXPECT_EQ(line_of(page, "drover_host_up{host=\"h-1\""), "");
  EXPECT_NE(line_of(page, "drover_host_up{host=\"v5e-1\""), "");
  EXPECT_NE(line_of(page, "drover_host_sample_gaps_total{host=\"h-1\""), "");
}

TEST(MetricsPage, ForgetsTheBoardsOfAnEarlierAgent) {
  PageFleet fleet;
  HostChanged host = page_host("h-1", "l4", 1);
  host.registration.incarnation = {1, 1};
  Board board;
  board.uuid = "GPU-c2f76b33-7953-256e-8f33-1343419b1a1c";
  fleet.send(host);
  fleet.send(BoardChanged{"h-1", board});
  fleet.send(host);
  EXPECT_NE(fleet.page().find(board.uuid), std::string::npos) << "the same agent";
  host.registration.incarnation = {1, 2};
  fleet.send(host);
  EXPECT_EQ(fleet.page().find(board.uuid), std::string::npos);
  EXPECT_NE(line_of(fleet.page(), "drover_device_info{").find("emulated=\"true\""),
            std::string::npos);
}

TEST(MetricsPage, CountsAJobWhenItIsSeenToEnd) {
  PageFleet fleet;
  fill(fleet);
  const std::string page = fleet.page(0, PageFormat::openmetrics);
  EXPECT_EQ(line_of(page, "drover_first_token_seconds_bucket{class=\"chat\",le=\"0.5\"}"),
            "drover_first_token_seconds_bucket{class=\"chat\",le=\"0.5\"} 1 # "
            "{job_id=\"00000000000011110000000000000003\"} 0.375 1576800000.000");
  EXPECT_EQ(line_of(page, "drover_request_latency_seconds_sum"),
            "drover_request_latency_seconds_sum{class=\"chat\"} 1.5");
  EXPECT_EQ(line_of(page, "drover_queue_oldest_age_seconds"),
            "drover_queue_oldest_age_seconds{class=\"chat\"} 30");
  EXPECT_EQ(fleet.page().find(" # {"), std::string::npos) << "an exemplar in the text format";
}

TEST(MetricsPage, CountsAJobThatWasRefusedAsItCame) {
  PageFleet fleet;
  JobChanged refused;
  refused.job.id = {1, 9};
  refused.work_class = "chat";
  refused.state = JobState::failed;
  refused.reason = Reason::context;
  fleet.send(refused);
  EXPECT_EQ(line_of(fleet.page(), "drover_class_jobs_ended_total"),
            "drover_class_jobs_ended_total{class=\"chat\",state=\"failed\"} 1");
}

}  // namespace
}  // namespace drover::commands
