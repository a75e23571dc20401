// From envelopes to the model: snapshot and stream joined, what was lost counted.
#include "tui/history/stream_subscriber.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "fleet/codec/codec.h"
#include "fleet/sample/sample.h"
#include "tests/tui/sample_fleet.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

int requests_in(Dashboard& dashboard) {
  int requests = 0;
  for (const Send& send : take<Send>(dashboard)) {
    EXPECT_EQ(send.to, router_peer);
    if (std::holds_alternative<SnapshotRequest>(send.envelope.body)) ++requests;
  }
  return requests;
}

TEST(StreamSubscriber, RequestsASnapshotAtTheStartAndAgainIfNoneArrives) {
  Dashboard dashboard({}, {80, 24}, SampleFleet::start);
  EXPECT_EQ(requests_in(dashboard), 1);
  dashboard.tick(SampleFleet::start + seconds(1));
  EXPECT_EQ(requests_in(dashboard), 0);
  dashboard.tick(SampleFleet::start + seconds(6));
  EXPECT_EQ(requests_in(dashboard), 1);
}

TEST(StreamSubscriber, AGapRequestsASnapshotAtMostOncePerWallSecond) {
  SampleFleet fleet;
  Dashboard dashboard({}, {80, 24}, SampleFleet::start);
  feed_snapshot(dashboard, fleet, SampleFleet::start);
  dashboard.receive(SampleFleet::start + seconds(2), publish_peer, fleet.published(fleet.summary));
  EXPECT_EQ(requests_in(dashboard), 1) << "the first one, and none without a gap";
  (void)fleet.published(fleet.summary);  // lost on the way
  dashboard.receive(SampleFleet::start + seconds(3), publish_peer, fleet.published(fleet.summary));
  EXPECT_EQ(requests_in(dashboard), 1);
  feed_snapshot(dashboard, fleet, SampleFleet::start + seconds(3));
  dashboard.receive(SampleFleet::start + seconds(3), publish_peer, fleet.published(fleet.summary));
  (void)fleet.published(fleet.summary);
  dashboard.receive(SampleFleet::start + seconds(3), publish_peer, fleet.published(fleet.summary));
  EXPECT_EQ(requests_in(dashboard), 0) << "within the same second";
  dashboard.tick(SampleFleet::start + seconds(4));
  EXPECT_EQ(requests_in(dashboard), 1);
}

TEST(StreamSubscriber, UpdatesNewerThanTheSnapshotSurviveIt) {
  SampleFleet fleet;
  Model model{seconds(1)};
  StreamSubscriber subscriber{seconds(1)};
  ASSERT_TRUE(subscriber.take_snapshot_request(SampleFleet::start));
  const std::vector<Envelope> parts = fleet.snapshot();
  JobChanged job = fleet.jobs[0];
  job.progress = 0.99;
  subscriber.receive(SampleFleet::start, publish_peer, fleet.published(job), model);
  for (const Envelope& part : parts)
    subscriber.receive(SampleFleet::start, router_peer, part, model);
  EXPECT_TRUE(subscriber.has_snapshot());
  EXPECT_DOUBLE_EQ(model.jobs().at(job.job.id).reported.progress, 0.99);
}

TEST(StreamSubscriber, MessagesBeforeTheSubscriptionAreFetchedButNotCountedAsLost) {
  SampleFleet fleet;
  Dashboard dashboard({}, {80, 24}, SampleFleet::start);
  feed_snapshot(dashboard, fleet, SampleFleet::start);
  ASSERT_EQ(requests_in(dashboard), 1);
  // The snapshot comes over a connection that stands; the subscription reaches the router later.
  (void)fleet.published(fleet.summary);
  dashboard.receive(SampleFleet::start + seconds(1), publish_peer, fleet.published(fleet.summary));
  EXPECT_EQ(dashboard.draw(SampleFleet::start + seconds(1)).to_text().find("message"),
            std::string::npos);
  EXPECT_EQ(requests_in(dashboard), 1) << "the hole has to be filled";
  (void)fleet.published(fleet.summary);
  dashboard.receive(SampleFleet::start + seconds(1), publish_peer, fleet.published(fleet.summary));
  EXPECT_NE(dashboard.draw(SampleFleet::start + seconds(1)).to_text().find(" 1 message lost"),
            std::string::npos);
}

TEST(StreamSubscriber, SamplesThatOvertakeTheirSnapshotStayAndNothingIsCountedAsLost) {
  SampleFleet fleet;
  const auto batch = [&](std::uint64_t sequence, int at_s, double load) {
    Sample row;
    row[Metric::utilization] = load;
    return Envelope{"gpu-a", sequence, SampleFleet::start + seconds(at_s),
                    pack("gpu-a", std::vector<Sample>{row})};
  };
  Model model{seconds(1)};
  for (const Envelope& envelope : fleet.state()) model.apply(SampleFleet::start, envelope);
  model.apply(SampleFleet::start, batch(101, 0, 0.9));
  model.begin_snapshot();
  for (const Envelope& envelope : fleet.state()) model.apply(SampleFleet::start, envelope);
  model.apply(SampleFleet::start, batch(100, -1, 0.1));  // what the router knew when it was asked
  model.end_snapshot(SampleFleet::start);
  const DeviceTable::Row row = *model.find({"gpu-a", 0});
  EXPECT_NEAR(model.reading(row, Metric::utilization), 0.9, 0.01);
  EXPECT_EQ(model.devices().arrived(row), SampleFleet::start);
  model.apply(SampleFleet::start + seconds(1), batch(102, 1, 0.8));
  EXPECT_EQ(model.find_host("gpu-a")->gaps, 0u);
}

TEST(StreamSubscriber, AnAlertNewerThanTheSnapshotSurvivesIt) {
  SampleFleet fleet;
  Model model{seconds(1)};
  StreamSubscriber subscriber{seconds(1)};
  ASSERT_TRUE(subscriber.take_snapshot_request(SampleFleet::start));
  const std::vector<Envelope> parts = fleet.snapshot();
  const std::size_t known = model.alerts().size();
  const Alert alert{"throttling", "gpu-a/6",          Severity::warning,
                    true,         SampleFleet::start, "held by its cap"};
  subscriber.receive(SampleFleet::start, publish_peer, fleet.published(alert), model);
  ASSERT_EQ(model.alerts().size(), known + 1);
  for (const Envelope& part : parts)
    subscriber.receive(SampleFleet::start, router_peer, part, model);
  EXPECT_TRUE(std::any_of(model.alerts().begin(), model.alerts().end(),
                          [](const auto& row) { return row.second.alert.subject == "gpu-a/6"; }));
}

TEST(StreamSubscriber, OldUpdatesThatArriveAfterTheSnapshotAreDropped) {
  SampleFleet fleet;
  Model model{seconds(1)};
  StreamSubscriber subscriber{seconds(1)};
  ASSERT_TRUE(subscriber.take_snapshot_request(SampleFleet::start));
  JobChanged old = fleet.jobs[0];
  old.progress = 0.01;
  const Envelope late = fleet.published(old);
  for (const Envelope& part : fleet.snapshot())
    subscriber.receive(SampleFleet::start, router_peer, part, model);
  subscriber.receive(SampleFleet::start, publish_peer, late, model);
  EXPECT_DOUBLE_EQ(model.jobs().at(old.job.id).reported.progress, 0.62);
  EXPECT_EQ(subscriber.gaps(), 0u);
}

TEST(StreamSubscriber, RemovesWhatASnapshotDoesNotContain) {
  SampleFleet fleet;
  Model model{seconds(1)};
  StreamSubscriber subscriber{seconds(1)};
  ASSERT_TRUE(subscriber.take_snapshot_request(SampleFleet::start));
  for (const Envelope& part : fleet.snapshot())
    subscriber.receive(SampleFleet::start, router_peer, part, model);
  ASSERT_EQ(model.hosts().size(), 5u);
  const JobId gone = fleet.jobs[0].job.id;
  fleet.hosts.erase(fleet.hosts.begin() + 1);
  fleet.jobs.erase(fleet.jobs.begin());
  subscriber.request_snapshot();
  ASSERT_TRUE(subscriber.take_snapshot_request(SampleFleet::start + seconds(1)));
  for (const Envelope& part : fleet.snapshot())
    subscriber.receive(SampleFleet::start, router_peer, part, model);
  EXPECT_EQ(model.hosts().size(), 4u);
  EXPECT_FALSE(model.find({"gpu-b", 0}));
  ASSERT_TRUE(model.find({"tpu-a", 3}));
  EXPECT_EQ(model.id_of(*model.find({"tpu-a", 3})), (DeviceId{"tpu-a", 3}));
  EXPECT_FALSE(model.jobs().contains(gone));
}

TEST(StreamSubscriber, RequestsANewSnapshotFromARestartedRouter) {
  SampleFleet fleet;
  Dashboard dashboard({}, {80, 24}, SampleFleet::start);
  feed_snapshot(dashboard, fleet, SampleFleet::start);
  dashboard.receive(SampleFleet::start, publish_peer, fleet.published(fleet.summary));
  (void)dashboard.take_effects();
  Envelope first = fleet.published(fleet.summary);
  first.sequence = 1;
  dashboard.receive(SampleFleet::start + seconds(3), publish_peer, first);
  EXPECT_EQ(requests_in(dashboard), 1);
}

TEST(Model, CountsMissingSampleBatchesPerHost) {
  SampleFleet fleet;
  Model model{seconds(1)};
  for (const Envelope& envelope : fleet.state()) model.apply(SampleFleet::start, envelope);
  for (int second = 0; second < 6; ++second) {
    for (const Envelope& batch : fleet.samples(second)) {
      const bool lost = batch.sender == "gpu-b" && (second == 2 || second == 3);
      if (!lost) model.apply(SampleFleet::start + seconds(second), batch);
    }
  }
  for (const HostRow& host : model.hosts()) {
    EXPECT_EQ(host.gaps, host.reported.registration.host == "gpu-b" ? 2u : 0u)
        << host.reported.registration.host;
  }
}

TEST(Model, MissingValuesAreShownAsMissingNeverAsZero) {
  SampleFleet fleet;
  const auto dashboard = dashboard_of(fleet, {120, 60}, "devices");
  const std::string text = dashboard->draw(SampleFleet::start + seconds(40)).to_text();
  const std::size_t row = text.find("tpu-b/5");  // whose power no sample has told
  ASSERT_NE(row, std::string::npos);
  const std::string line = text.substr(row, text.find('\n', row) - row);
  EXPECT_NE(line.find(" N/A "), std::string::npos) << line;
  EXPECT_EQ(line.find(" 0/"), std::string::npos) << line;
}

}  // namespace
}  // namespace drover::tui
