// Faults that slow work down or hold it up, and what the samples show of them.
#include <gtest/gtest.h>

#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

struct Row {
  Sample sample;
  double operator[](Metric metric) const { return sample[metric]; }
  std::uint32_t bits() const { return static_cast<std::uint32_t>(sample[Metric::throttle]); }
};

/// An agent that trains on devices 0 and 1 for about half a minute.
class Trainer {
 public:
  explicit Trainer(const std::string& devices = "h100-sxm:2", double ambient_c = 22)
      : talk(settings(devices, ambient_c)) {
    talk.welcome(seconds(1), seconds(10));
    talk.from_router(to_devices(train_job(1, "bert-large", 1500, 128, 512, 2), {0, 1}));
  }
  static AgentSettings settings(const std::string& devices, double ambient_c) {
    AgentSettings settings = settings_of(devices, "");
    settings.ambient_c = ambient_c;
    return settings;
  }
  Row row(std::uint16_t device) const { return {unpack(talk.all<SampleBatch>().back())[device]}; }
  double share() const { return talk.all<Progress>().back().share; }
  double run_s() {
    talk.pass(seconds(600), seconds(1));
    return talk.all<Finished>().at(0).outcome.run_s;
  }
  AgentDialogue talk;
};

TEST(Faults, AThrottledDeviceSlowsItsGangAndUsesLessPower) {
  Trainer calm, slow;
  for (Trainer* one : {&calm, &slow}) one->talk.pass(seconds(5), seconds(1));
  slow.talk.from_router(fault("throttle=0.4", seconds(10), {1}));
  for (Trainer* one : {&calm, &slow}) one->talk.pass(seconds(5), seconds(1));
  EXPECT_TRUE(slow.row(1).bits() & throttle_hw_slowdown);
  EXPECT_TRUE(slow.row(1).bits() & throttle_hw_power_brake);
  EXPECT_FALSE(slow.row(0).bits() & throttle_hw_slowdown) << "only waits for the other";
  EXPECT_LE(slow.row(1)[Metric::clock], 0.4 * 1830);
  EXPECT_LT(slow.row(1)[Metric::power], 0.7 * calm.row(1)[Metric::power]);
  EXPECT_LT(slow.share(), calm.share());
  slow.talk.pass(seconds(10), seconds(1));
  EXPECT_FALSE(slow.row(1).bits() & throttle_hw_slowdown) << "it has ended";
  const double late_s = slow.run_s() - calm.run_s();
  EXPECT_GT(late_s, 3);
  EXPECT_LT(late_s, 10);
}

TEST(Faults, AHungDeviceLooksBusyAndItsGangWaits) {
  Trainer calm, hung;
  for (Trainer* one : {&calm, &hung}) one->talk.pass(milliseconds(5500), seconds(1));
  hung.talk.from_router(fault("hang", seconds(10), {1}));
  hung.talk.pass(seconds(4), seconds(1));
  const double share = hung.share();
  hung.talk.pass(seconds(5), seconds(1));
  EXPECT_EQ(hung.share(), share);
  const auto progress = hung.talk.all<Progress>();
  EXPECT_EQ(progress.back(), progress[progress.size() - 5]) << "not even the estimate moves";
  for (const std::uint16_t device : {std::uint16_t{0}, std::uint16_t{1}}) {
    EXPECT_EQ(hung.row(device)[Metric::utilization], 1);
    EXPECT_EQ(hung.row(device)[Metric::tensor_activity], 0);
    EXPECT_EQ(hung.row(device)[Metric::memory_activity], 0);
    EXPECT_GT(hung.row(device)[Metric::memory_used], 0);
    EXPECT_GT(hung.row(device)[Metric::power], device_spec("h100-sxm").power.context_idle_w * 0.9);
    EXPECT_LT(hung.row(device)[Metric::power], 400) << "it computes nothing";
  }
  EXPECT_NEAR(hung.run_s(), calm.run_s() + 10, 0.05) << "it goes on where it was";
}

TEST(Faults, AHungDeviceLooksBusyEvenWhenNothingRunsThere) {
  AgentDialogue talk(settings_of("h100-sxm:2", "llama-3.1-8b:0"));
  talk.welcome();
  talk.from_router(fault("hang", seconds(10), {0, 1}));
  talk.pass(seconds(2), seconds(1));
  for (const Sample& row : unpack(talk.all<SampleBatch>().back())) {
    EXPECT_EQ(row[Metric::utilization], 1);
  }
  talk.pass(seconds(10), seconds(1));
  for (const Sample& row : unpack(talk.all<SampleBatch>().back())) {
    EXPECT_EQ(row[Metric::utilization], 0);
  }
}

TEST(Faults, AHungReplicaRespondsLaterByTheDurationOfTheHang) {
  AgentDialogue calm(settings_of("h100-sxm:2", "llama-3.1-8b:0-1")),
      hung(settings_of("h100-sxm:2", "llama-3.1-8b:0-1"));
  for (AgentDialogue* talk : {&calm, &hung}) {
    talk->welcome(seconds(1), seconds(60));
    talk->from_router(to_replica(serve_job(1, chat_model, 1000, 2000), 0));
    talk->pass(seconds(2));
    if (talk == &hung) talk->from_router(fault("hang", seconds(10), {1}));
    talk->pass(seconds(1));
  }
  hung.from_router(to_replica(serve_job(2, chat_model, 100, 10), 0));  // joins while nothing moves
  hung.pass(seconds(8));
  EXPECT_TRUE(hung.all<Finished>().empty());
  for (AgentDialogue* talk : {&calm, &hung}) talk->pass(seconds(30), seconds(5));
  const auto ends = hung.all<Finished>();
  ASSERT_EQ(ends.size(), 2u);
  EXPECT_EQ(ends[0].job, job_id(2));
  EXPECT_NEAR(ends[0].outcome.first_token_s, 9, 0.2);
  EXPECT_NEAR(ends[1].outcome.run_s, calm.all<Finished>().at(0).outcome.run_s + 10, 0.2);
  EXPECT_NEAR(ends[1].outcome.first_token_s, calm.all<Finished>().at(0).outcome.first_token_s,
              1e-9);
}

TEST(Faults, AHangDelaysLoadingToo) {
  AgentDialogue talk(settings_of("tpu-v5e:4", ""));
  talk.welcome(seconds(1), seconds(10));
  talk.from_router(StartReplica{0, chat_model, "", Precision::int8, {0, 1, 2, 3}});
  const Instant ready_at = talk.all<ReplicaReport>().back().replica.ready_at;
  talk.pass(seconds(5), seconds(1));
  talk.from_router(fault("hang", seconds(20), {2}));
  talk.pass(seconds(100), seconds(1));
  EXPECT_EQ(talk.all<ReplicaReport>().back().replica.state, ReplicaState::ready);
  for (const Send& send : talk.said) {
    const auto* report = std::get_if<ReplicaReport>(&send.envelope.body);
    if (report == nullptr || report->replica.state != ReplicaState::ready) continue;
    EXPECT_EQ(send.envelope.at, ready_at + seconds(20));
  }
}

TEST(Faults, ASlowLinkImmediatelySlowsWorkThatUsesIt) {
  Trainer calm, slow;
  for (Trainer* one : {&calm, &slow}) one->talk.pass(seconds(3), seconds(1));
  slow.talk.from_router(fault("slow-link=0.01", seconds(10), {0}));
  EXPECT_GT(slow.run_s(), calm.run_s() + 1);
  EXPECT_TRUE(slow.talk.all<DeviceReport>().empty()) << "no driver knows of it";
}

TEST(Faults, ASlowLinkDoesNotAffectASingleDevice) {
  AgentDialogue calm(settings_of("h100-sxm:2", "llama-3.1-8b:0"));
  AgentDialogue slow(settings_of("h100-sxm:2", "llama-3.1-8b:0"));
  for (AgentDialogue* talk : {&calm, &slow}) {
    talk->welcome(seconds(1), seconds(10));
    talk->from_router(to_replica(serve_job(1, chat_model, 1000, 500), 0));
    if (talk == &slow) talk->from_router(fault("slow-link=0.01", seconds(60), {0}));
    talk->pass(seconds(20), seconds(1));
  }
  EXPECT_EQ(slow.all<Finished>().at(0).outcome, calm.all<Finished>().at(0).outcome);
}

TEST(Faults, WarmInletAirCausesThermalThrottlingUntilItEnds) {
  Trainer one("h100-sxm:2", 40);  // the fans cope with less
  AgentDialogue& talk = one.talk;
  talk.from_router(Cancel{job_id(1), 1, Reason::cancelled});
  talk.from_router(to_devices(train_job(3, "bert-large", 1'000'000, 128, 512, 2), {0, 1}));
  talk.pass(seconds(60), seconds(1));
  const double before_c = one.row(1)[Metric::temperature];
  EXPECT_FALSE(one.row(1).bits() & throttle_sw_thermal_slowdown);
  talk.from_router(fault("inlet=+16C", seconds(300), {}));
  talk.pass(seconds(290), seconds(1));
  EXPECT_GT(one.row(1)[Metric::temperature], before_c + 5);
  EXPECT_TRUE(one.row(1).bits() & throttle_sw_thermal_slowdown);
  talk.pass(seconds(400), seconds(1));
  EXPECT_FALSE(one.row(1).bits() & throttle_sw_thermal_slowdown) << "cool again";
}

TEST(Faults, AWarmDeviceCoolsWhileItsHostIsAway) {
  Trainer one;
  one.talk.pass(seconds(20), seconds(1));
  const double warm_c = one.row(1)[Metric::temperature];
  const double counted_j = one.row(1)[Metric::energy];
  one.talk.from_router(fault("lose", seconds(60), {}));
  one.talk.pass(seconds(62));
  EXPECT_LT(one.row(1)[Metric::temperature], warm_c - 10);
  EXPECT_GT(one.row(1)[Metric::energy], counted_j) << "the counter is the device's own";
  EXPECT_EQ(one.row(1)[Metric::running], 0);
}

}  // namespace
}  // namespace drover::agents
