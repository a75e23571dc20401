// Faults that come by themselves, at published rates.
#include <cmath>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "agents/execution/fault_rates.h"
#include "fleet/fault.h"
#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

using std::chrono::hours;

std::vector<FaultState::Device> gpus(std::size_t count) {
  return std::vector<FaultState::Device>(count, {0, DeviceClass::gpu});
}

struct Happening {
  Instant at;
  ApplyFault apply;
};

std::vector<Happening> all_until(FaultStream& stream, Instant end) {
  std::vector<Happening> all;
  while (stream.next() <= end) {
    const Instant at = stream.next();
    for (ApplyFault& apply : stream.take(at)) all.push_back({at, std::move(apply)});
  }
  return all;
}

TEST(FaultRates, AreForInjectableFaultsAndNameTheirSources) {
  std::set<std::string_view> names;
  for (const FaultRate& rate : published_fault_rates()) {
    EXPECT_TRUE(parse_fault(rate.fault).ok()) << rate.name;
    EXPECT_TRUE(names.insert(rate.name).second) << rate.name << " would share a stream";
    EXPECT_GT(rate.per_hour, 0) << rate.name;
    EXPECT_GT(rate.lasts_s, 0) << rate.name;
    const bool tagged = rate.source.starts_with("published:") ||
                        rate.source.starts_with("derived:") || rate.source.starts_with("assumed:");
    EXPECT_TRUE(tagged) << rate.name;
  }
}

// Llama 3 (arXiv:2407.21783): 268 of 419 unexpected interruptions were of the GPU class, on 16,384
// H100 in 54 days: 1.26e-5 per GPU-hour, and 1.97e-5 in all.
TEST(FaultRates, AddUpToWhatLlama3Reported) {
  double device = 0, host = 0;
  for (const FaultRate& rate : published_fault_rates()) {
    if (!rate.source.starts_with("published:")) continue;
    (rate.subject == FaultSubject::host ? host : device) += rate.per_hour;
  }
  EXPECT_NEAR(device, 1.45e-5, 0.1e-5) << "with links and watchdog, without software and SDC";
  EXPECT_NEAR(device + host / 8, 1.7e-5, 0.1e-5);
}

TEST(FaultStream, MatchesItsRate) {
  const double multiple = 1e3;
  FaultStream stream(gpus(64), multiple, RandomStream(3), beginning());
  const Instant end = beginning() + hours(400);
  std::map<std::string, double> counts;
  for (const Happening& one : all_until(stream, end)) ++counts[to_text(one.apply.fault)];
  for (const FaultRate& rate : published_fault_rates()) {
    if (rate.subject == FaultSubject::tpu) continue;
    const std::string text = to_text(*parse_fault(rate.fault));
    double expected = 0;  // of all rows with that fault
    for (const FaultRate& other : published_fault_rates()) {
      if (to_text(*parse_fault(other.fault)) != text || other.subject == FaultSubject::tpu) {
        continue;
      }
      const double subjects = other.subject == FaultSubject::host ? 1 : 64;
      expected += other.per_hour * multiple * 400 * subjects;
    }
    EXPECT_NEAR(counts[text], expected, 4 * std::sqrt(expected) + 1) << rate.name;
  }
}

TEST(FaultStream, IsEmptyAtRateZero) {
  EXPECT_EQ(FaultStream(gpus(8), 0, RandomStream(1), beginning()).next(), never);
}

TEST(FaultStream, AnExtraDeviceDoesNotShiftTheFaultsOfOthers) {
  FaultStream three(gpus(3), 1e4, RandomStream(7), beginning());
  FaultStream four(gpus(4), 1e4, RandomStream(7), beginning());
  const Instant end = beginning() + hours(200);
  const auto of_first_three = [](const std::vector<Happening>& all) {
    std::multimap<Instant, std::string> kept;
    for (const Happening& one : all) {
      if (one.apply.host || one.apply.devices.size() > 1 || one.apply.devices.front() > 2) continue;
      kept.emplace(one.at,
                   fmt::format("{} {}", one.apply.devices.front(), to_text(one.apply.fault)));
    }
    return kept;
  };
  const auto expected = of_first_three(all_until(three, end));
  EXPECT_GT(expected.size(), 20u);
  EXPECT_EQ(of_first_three(all_until(four, end)), expected);
}

TEST(FaultStream, ATpuHasNoXids) {
  FaultStream stream(std::vector<FaultState::Device>(8, {0, DeviceClass::tpu}), 1e4,
                     RandomStream(2), beginning());
  const auto all = all_until(stream, beginning() + hours(100));
  EXPECT_FALSE(all.empty());
  for (const Happening& one : all) EXPECT_NE(one.apply.fault.kind, FaultKind::xid);
}

TEST(AgentFaults, OccurSpontaneouslyAndAreReported) {
  AgentSettings settings = settings_of("h100-sxm:8", "");
  settings.fault_rate = 1e6;
  AgentDialogue faulty(settings);
  settings.fault_rate = 0;
  AgentDialogue calm(settings);
  for (AgentDialogue* talk : {&faulty, &calm}) {
    talk->welcome(seconds(1), seconds(10));
    talk->pass(seconds(1200), seconds(1));
  }
  std::set<std::uint32_t> xids;
  for (const DeviceReport& report : faulty.all<DeviceReport>()) xids.insert(report.xid);
  EXPECT_GE(xids.size(), 2u) << "those that a lost GPU cannot have any more are missing";
  EXPECT_TRUE(calm.all<DeviceReport>().empty());
}

TEST(AgentSamples, MayBeLostOrArriveLate) {
  AgentSettings settings = settings_of("h100-sxm:8", "");
  AgentDialogue whole(settings);
  settings.sample_loss = 0.25;
  AgentDialogue lossy(settings);
  settings.sample_loss = 0;
  settings.sample_delay = milliseconds(700);
  AgentDialogue late(settings);
  for (AgentDialogue* talk : {&whole, &lossy, &late}) {
    talk->welcome(seconds(1), seconds(10));
    talk->pass(seconds(100), seconds(1));
  }
  const auto rows = [](const AgentDialogue& talk) {
    std::size_t sum = 0;
    for (const SampleBatch& batch : talk.all<SampleBatch>()) sum += batch.devices.size();
    return static_cast<double>(sum);
  };
  EXPECT_NEAR(rows(lossy) / rows(whole), 0.75, 0.06);
  EXPECT_NEAR(rows(late), rows(whole), 8);
  const auto first = whole.all<SampleBatch>().front(), delayed = late.all<SampleBatch>().front();
  EXPECT_EQ(first, delayed) << "the same values, and the same stamp, only later";
}

}  // namespace
}  // namespace drover::agents
