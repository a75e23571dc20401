#include "router/publishing/snapshot.h"

#include <cmath>
#include <map>

#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

std::size_t bytes_of(const SnapshotPart& part) {
  return encode(Envelope{"router", 1, {}, part}).size();
}

TEST(SnapshotParts, HoldEveryMessageInOrderAndFit) {
  std::vector<std::string> messages;
  for (int number = 0; number < 3000; ++number) {
    messages.push_back(std::to_string(number) + std::string(static_cast<std::size_t>(number), 'x'));
  }
  const std::vector<SnapshotPart> parts = pack_parts(7, 42, messages);
  ASSERT_GT(parts.size(), 10u);
  std::vector<std::string> unpacked;
  for (std::size_t at = 0; at < parts.size(); ++at) {
    EXPECT_EQ(parts[at].snapshot, 7u);
    EXPECT_EQ(parts[at].at_sequence, 42u);
    EXPECT_EQ(parts[at].part, at);
    EXPECT_EQ(parts[at].parts, parts.size());
    EXPECT_LE(bytes_of(parts[at]), snapshot_part_bytes_max);
    unpacked.insert(unpacked.end(), parts[at].messages.begin(), parts[at].messages.end());
  }
  EXPECT_EQ(unpacked, messages);
}

TEST(SnapshotParts, AreAtLeastOne) {
  const auto parts = pack_parts(1, 0, {});
  ASSERT_EQ(parts.size(), 1u);
  EXPECT_EQ(parts[0].parts, 1u);
}

TEST(SnapshotParts, OmitMessagesThatFitInNoPart) {
  EXPECT_TRUE(pack_parts(1, 0, {std::string(snapshot_part_bytes_max, 'x')})[0].messages.empty());
}

/// All envelopes of the snapshot that the peer was sent.
std::vector<Envelope> snapshot_of(const RouterHarness& stage, std::uint64_t peer) {
  std::vector<Envelope> envelopes;
  for (const SnapshotPart& part : stage.told<SnapshotPart>(peer)) {
    EXPECT_LE(bytes_of(part), snapshot_part_bytes_max);
    for (const std::string& message : part.messages) {
      auto envelope = decode(message);
      EXPECT_TRUE(envelope) << envelope.error().message;
      if (envelope) envelopes.push_back(std::move(*envelope));
    }
  }
  return envelopes;
}

template <typename Body>
std::vector<Body> only(const std::vector<Envelope>& envelopes) {
  std::vector<Body> found;
  for (const Envelope& envelope : envelopes) {
    if (const auto* body = std::get_if<Body>(&envelope.body)) found.push_back(*body);
  }
  return found;
}

struct ToldSample {
  Instant at{};
  Sample row;
};
/// What a snapshot tells of devices, by number.
std::map<std::uint16_t, ToldSample> devices_told(RouterHarness& stage) {
  stage.wait(std::chrono::seconds(1));
  stage.forget();
  stage.receive(8, SnapshotRequest{});
  std::map<std::uint16_t, ToldSample> devices;
  for (const Envelope& envelope : snapshot_of(stage, 8)) {
    const auto* batch = std::get_if<SampleBatch>(&envelope.body);
    if (batch == nullptr) continue;
    for (const Sample& row : unpack(*batch)) devices[row.device] = {envelope.at, row};
  }
  return devices;
}

/// No age is made up: nobody is to take what it was before the fault for what it is.
TEST(Snapshot, ReportsARecoveredDevicesLastSampleAtItsAge) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive(8, Join{Role::viewer, "screen", "drover test"});
  std::vector<Sample> rows = RouterHarness::idle_samples(8);
  rows[2][Metric::temperature] = 75;
  stage.receive_samples("h1", 100, rows);
  const Instant before = stage.now;
  stage.receive(1, DeviceReport{2, false, 79, "Xid 79"});
  rows.erase(rows.begin() + 2);
  stage.wait(std::chrono::seconds(3));
  stage.receive_samples("h1", 101, rows);
  const Instant later = stage.now;
  stage.receive(1, DeviceReport{2, true, 0, ""});
  auto told = devices_told(stage);
  EXPECT_EQ(told[2].at, before);
  EXPECT_EQ(told[2].row[Metric::temperature], 75);
  EXPECT_EQ(told[3].at, later);
  const Instant last = stage.now;
  stage.receive_samples("h1", 102, RouterHarness::idle_samples(8));
  EXPECT_EQ(devices_told(stage)[2].at, last);
  EXPECT_EQ(devices_told(stage)[2].row[Metric::temperature], 40);
}

TEST(Snapshot, GivesALateSubscriberEverything) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.add_host(2, "h2");
  for (std::uint64_t number = 1; number <= 30; ++number)
    stage.receive(9, Submit{{serve_job(number)}});
  stage.tick();
  stage.commit();
  stage.receive(8, Join{Role::viewer, "screen", "drover test"});
  stage.receive(8, SnapshotRequest{});
  const auto envelopes = snapshot_of(stage, 8);
  EXPECT_EQ(only<HostChanged>(envelopes).size(), 2u);
  EXPECT_EQ(only<ReplicaChanged>(envelopes).size(), 2u);
  EXPECT_EQ(only<JobChanged>(envelopes).size(), 30u);
  EXPECT_EQ(only<Summary>(envelopes).size(), 1u);
  EXPECT_FALSE(only<Decision>(envelopes).empty());
  EXPECT_FALSE(only<Event>(envelopes).empty());
  const auto batches = only<SampleBatch>(envelopes);
  ASSERT_EQ(batches.size(), 2u);
  const auto rows = unpack(batches[0]);
  ASSERT_EQ(rows.size(), 8u);
  EXPECT_DOUBLE_EQ(rows[3][Metric::power], 100);
}

TEST(Snapshot, EveryDeviceHasTheAgeOfItsOwnLastSample) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  const Instant first = stage.now;
  stage.wait(std::chrono::seconds(2));
  std::vector<Sample> rows = RouterHarness::idle_samples(8);
  rows.erase(rows.begin() + 2);
  stage.receive_samples("h1", 50, rows);
  stage.receive(8, SnapshotRequest{});
  std::map<std::uint16_t, Instant> sampled;
  for (const Envelope& envelope : snapshot_of(stage, 8)) {
    const auto* batch = std::get_if<SampleBatch>(&envelope.body);
    if (batch == nullptr) continue;
    for (const std::uint16_t device : batch->devices) sampled[device] = envelope.at;
  }
  ASSERT_EQ(sampled.size(), 8u);
  for (const auto& [device, at] : sampled) EXPECT_EQ(at, device == 2 ? first : stage.now) << device;
}

TEST(Snapshot, ValuesThatNoSampleReportedAreAbsent) {
  RouterHarness stage;
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, stage.registration("h1"));
  std::vector<Sample> rows = RouterHarness::idle_samples(1);
  rows[0][Metric::temperature] = absent;
  stage.receive_samples("h1", 1, rows);
  stage.receive(8, SnapshotRequest{});
  const auto batches = only<SampleBatch>(snapshot_of(stage, 8));
  ASSERT_EQ(batches.size(), 1u);
  const auto told = unpack(batches[0]);
  EXPECT_TRUE(std::isnan(told.at(0)[Metric::temperature])) << "not 0 C";
  EXPECT_EQ(told.at(0)[Metric::power], 100);
}

TEST(Snapshot, ContainsEveryMetricOfTheLastSamples) {
  RouterHarness stage;
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, stage.registration("h1"));
  std::vector<Sample> rows = RouterHarness::idle_samples(2);
  double value = 10;
  for (double& each : rows[0].values) each = value += 1;
  for (const Metric share : {Metric::utilization, Metric::tensor_activity, Metric::memory_activity,
                             Metric::fan, Metric::busiest_cpu_core}) {
    rows[0][share] = 0.5;
  }
  for (const Metric rate :
       {Metric::pcie_sent, Metric::pcie_received, Metric::link_sent, Metric::link_received}) {
    rows[0][rate] = 5000;
  }
  rows[0][Metric::memory_used] = 14e9;
  rows[0][Metric::memory_total] = 80e9;
  rows[0][Metric::throttle] = throttle_sw_power_cap;
  rows[1][Metric::memory_temperature] = absent;
  rows[1][Metric::thermal_violation] = absent;
  stage.receive_samples("h1", 1, rows);
  stage.receive(8, SnapshotRequest{});
  const auto batches = only<SampleBatch>(snapshot_of(stage, 8));
  ASSERT_EQ(batches.size(), 1u);
  const auto told = unpack(batches[0]);
  for (int metric = 0; metric < metric_count; ++metric) {
    const auto which = static_cast<Metric>(metric);
    EXPECT_EQ(told.at(0)[which], rows[0][which]) << metric;
  }
  EXPECT_TRUE(std::isnan(told.at(1)[Metric::memory_temperature]));
  EXPECT_TRUE(std::isnan(told.at(1)[Metric::thermal_violation]));
}

TEST(Snapshot, CarriesTheLastPublishedSequenceNumber) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  std::uint64_t last = 0;
  for (const Send& send : stage.delivered) {
    if (send.to == publish_peer) last = send.envelope.sequence;
  }
  stage.receive(8, SnapshotRequest{});
  EXPECT_EQ(stage.told<SnapshotPart>(8).front().at_sequence, last);
}

TEST(Snapshot, IsBoundedHoweverManyJobsWait) {
  RouterHarness stage;
  for (std::uint64_t number = 1; number <= 3000; ++number) {
    stage.receive(9, Submit{{serve_job(number)}});
  }
  stage.receive(8, SnapshotRequest{});
  EXPECT_EQ(only<JobChanged>(snapshot_of(stage, 8)).size(), snapshot_open_jobs_max);
}

TEST(Snapshot, IsNotResentImmediately) {
  RouterHarness stage;
  stage.receive(8, SnapshotRequest{});
  const std::size_t sent = stage.told<SnapshotPart>(8).size();
  stage.receive(8, SnapshotRequest{});
  EXPECT_EQ(stage.told<SnapshotPart>(8).size(), sent);
  EXPECT_EQ(stage.told<RequestError>(8).size(), 1u);
}

}  // namespace
}  // namespace drover::router
