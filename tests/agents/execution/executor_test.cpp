// Physics meets work: pace, heat, memory, energy.
#include "agents/execution/executor.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "devices/training/training.h"
#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

class Host {
 public:
  Host(const std::string& device, std::uint16_t count, double inlet_c = 22)
      : executor("node1", std::vector<Executor::Device>(count, {&device_spec(device), 0}),
                 devices::Ambient{inlet_c}, RandomStream(7), beginning()) {}

  void pass_until(Instant end) {
    for (Instant due = executor.next_event(); due <= end; due = executor.next_event()) {
      executor.advance(due);
      take(due);
    }
    executor.advance(end);
    take(end);
    now = end;
  }
  void take(Instant at) {
    for (Executor::Change& change : executor.take_changes()) {
      if (auto* one = std::get_if<EndedAttempt>(&change)) {
        EXPECT_EQ(one->at, at);
        ended.push_back(*one);
      } else if (auto* replica = std::get_if<Replica>(&change)) {
        replicas.push_back(*replica);
      } else {
        reports.push_back(std::get<DeviceReport>(change));
      }
    }
  }
  double energy_j() const {
    double sum = 0;
    for (std::size_t at = 0; at < executor.chassis().size(); ++at) {
      sum += executor.chassis().energy_j(now, at);
    }
    return sum;
  }
  void train(std::uint64_t number, std::uint32_t steps, const std::vector<std::uint16_t>& devices) {
    const auto count = static_cast<std::uint16_t>(devices.size());
    const auto refusal = executor.train(
        now, to_devices(train_job(number, "bert-large", steps, 64, 512, count), devices),
        model_spec("bert-large"));
    ASSERT_FALSE(refusal) << refusal->detail;
  }

  Executor executor;
  Instant now = beginning();
  std::vector<EndedAttempt> ended;
  std::vector<Replica> replicas;
  std::vector<DeviceReport> reports;
};

double step_seconds(const std::string& device, int devices, double pace) {
  const devices::Placement placement{&device_spec(device), devices, Precision::bf16};
  return devices::training_step(placement, model_spec("bert-large"), {64, 512}, pace).seconds;
}

TEST(Executor, AGangRunsAtTheSpeedOfItsSlowestDevice) {
  Host host("h100-sxm", 4);
  host.train(1, 1, {0, 1, 2, 3});
  double slowest = 10, fastest = 0;
  for (std::size_t at = 0; at < 4; ++at) {
    slowest = std::min(slowest, host.executor.chassis().pace(at));
    fastest = std::max(fastest, host.executor.chassis().pace(at));
  }
  EXPECT_LT(slowest, fastest);
  host.pass_until(beginning() + seconds(60));
  ASSERT_EQ(host.ended.size(), 1u);
  const double expected = step_seconds("h100-sxm", 4, slowest);
  EXPECT_NEAR(host.ended[0].outcome.run_s, expected, 2e-9);
  EXPECT_EQ(host.ended[0].outcome.steps, 1u);
}

TEST(Executor, ALowerMeasuredThroughputReplacesTheModelAndUsesLessPower) {
  Host modelled("h100-sxm", 1), measured("h100-sxm", 1);
  modelled.train(1, 100, {0});
  Assign assign = to_devices(train_job(1, "bert-large", 100, 64, 512, 1), {0});
  const double half = 0.5 / step_seconds("h100-sxm", 1, 1);
  assign.job.work.throughputs = {
      {"a100-sxm-80gb", 1, 1}, {"h100-sxm", 2, 1}, {"h100-sxm", 1, half}};
  ASSERT_FALSE(measured.executor.train(measured.now, assign, model_spec("bert-large")));
  for (Host* host : {&modelled, &measured}) {
    while (host->ended.empty()) host->pass_until(host->executor.next_event());
  }
  const double of_model_s = modelled.ended[0].outcome.run_s;
  EXPECT_NEAR(measured.ended[0].outcome.run_s, 2 * of_model_s, 0.02 * of_model_s)
      << "but for a cooler device's clock";
  EXPECT_LT(measured.ended[0].usage.energy_j / measured.ended[0].outcome.run_s,
            modelled.ended[0].usage.energy_j / of_model_s);
}

TEST(Executor, RefusesAJobMeasuredNotToRunOnSuchDevices) {
  Host host("h100-sxm", 1);
  Assign assign = to_devices(train_job(1, "bert-large", 100, 64, 512, 1), {0});
  assign.job.work.throughputs = {{"h100-sxm", 2, 0}, {"h100-sxm", 1, 0}};
  const auto refusal = host.executor.train(host.now, assign, model_spec("bert-large"));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, Reason::memory);
  EXPECT_EQ(refusal->detail, "a measured throughput says that it does not run on 1 h100-sxm");
  assign.job.work.throughputs.pop_back();
  EXPECT_FALSE(host.executor.train(host.now, assign, model_spec("bert-large")));
}

TEST(Executor, OneCappedDeviceSlowsItsWholeGang) {
  Host free("h100-sxm", 2), capped("h100-sxm", 2);
  capped.executor.set_power_cap(beginning(), 1, device_spec("h100-sxm").power.cap_min_w);
  for (Host* host : {&free, &capped}) {
    host->train(1, 400, {0, 1});
    host->pass_until(beginning() + seconds(600));
    ASSERT_EQ(host->ended.size(), 1u);
  }
  EXPECT_GT(capped.ended[0].outcome.run_s, free.ended[0].outcome.run_s * 1.05);
}

TEST(Executor, OneTrainingJobIsChargedItsDevicesEnergyOverItsTime) {
  for (const double inlet_c : {22.0, 45.0}) {  // the warmer one throttles on the way
    Host host("h100-sxm", 8, inlet_c);
    host.pass_until(beginning() + seconds(13));
    const double before_j = host.energy_j();
    host.train(1, 5000, {0, 1, 2, 3, 4, 5, 6, 7});
    while (host.ended.empty()) host.pass_until(host.executor.next_event());
    const double drawn_j = host.energy_j() - before_j;
    EXPECT_NEAR(host.ended[0].usage.energy_j, drawn_j, 1e-6 * drawn_j);
    EXPECT_NEAR(host.ended[0].usage.device_s, 8 * host.ended[0].outcome.run_s, 1e-6);
  }
}

TEST(Executor, HotAirSlowsTrainingDown) {
  Host cool("h100-sxm", 1, 20), hot("h100-sxm", 1, 60);
  for (Host* host : {&cool, &hot}) {
    host->train(1, 20'000, {0});
    while (host->ended.empty()) host->pass_until(host->executor.next_event());
  }
  EXPECT_GT(hot.ended[0].outcome.run_s, cool.ended[0].outcome.run_s * 1.02);
}

TEST(Executor, AThermalShutdownFailsTheWorkOfTheDevice) {
  Host host("h100-sxm", 3, 120);
  StartReplica start;
  start.model = "llama-3.1-8b";
  start.devices = {2};
  host.executor.start_replica(host.now, start, model_spec("llama-3.1-8b"), true);
  ASSERT_FALSE(
      host.executor.serve(host.now, to_replica(serve_job(2, "llama-3.1-8b", 100, 90'000), 0)));
  host.train(1, 1'000'000, {0, 1});
  host.pass_until(beginning() + seconds(100));
  ASSERT_EQ(host.ended.size(), 2u);
  for (const EndedAttempt& ended : host.ended) {
    EXPECT_EQ(ended.failure, Reason::thermal);
    EXPECT_NE(ended.detail.find("thermal shutdown"), std::string::npos);
  }
  EXPECT_EQ(host.replicas.back().state, ReplicaState::gone);
  ASSERT_EQ(host.reports.size(), 3u) << "each device says once that it is off";
  for (const DeviceReport& report : host.reports) {
    EXPECT_FALSE(report.usable);
    EXPECT_EQ(report.detail, "thermal shutdown");
  }
  const auto refusal =
      host.executor.train(host.now, to_devices(train_job(3, "bert-large", 1, 64, 128, 1), {0}),
                          model_spec("bert-large"));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, Reason::thermal);
}

struct RefusalCase {
  const char* name;
  Assign assign;
  Reason reason;
};

Assign served(std::uint32_t input, std::uint32_t output, const char* model = "llama-3.1-8b") {
  return to_replica(serve_job(1, model, input, output), 0);
}

Assign trained(const char* model, std::vector<std::uint16_t> devices, std::uint32_t sequence = 128,
               std::uint32_t batch = 64) {
  const auto count = static_cast<std::uint16_t>(devices.size());
  return to_devices(train_job(1, model, 10, batch, sequence, count), std::move(devices));
}

std::vector<RefusalCase> refusals() {
  std::vector<RefusalCase> cases;
  const auto add = [&](const char* name, Assign assign, Reason reason) -> Assign& {
    cases.push_back({name, std::move(assign), reason});
    return cases.back().assign;
  };
  add("replica unknown", served(10, 10), Reason::drain).replica = 9;
  add("no replica named", served(10, 10), Reason::drain).replica.reset();
  add("other model", served(10, 10, "llama-2-7b"), Reason::invalid);
  add("no input", served(0, 10), Reason::invalid);
  add("longer than the context", served(131'000, 1000), Reason::context);
  Assign& precise = add("precision", served(10, 10), Reason::precision);
  precise.job.work.precisions = {Precision::fp32};
  precise.precision = Precision::fp32;
  add("framework", served(10, 10), Reason::framework).job.work.framework = "fortran";
  add("taken", trained("bert-large", {0, 1}), Reason::capacity);
  add("no devices", trained("bert-large", {}), Reason::invalid);
  add("device unknown", trained("bert-large", {7}), Reason::invalid);
  add("device twice", trained("bert-large", {1, 1}), Reason::invalid);
  add("over groups", trained("bert-large", {1, 2}), Reason::topology);
  add("too large", trained("llama-3.1-70b", {1}), Reason::memory);
  add("sequence", trained("bert-large", {1}, 100'000), Reason::context);
  add("no steps", trained("bert-large", {1}), Reason::invalid).job.work.steps = 0;
  add("slice", trained("bert-large", {2, 3, 4}), Reason::topology);
  add("precision of training", trained("bert-large", {2}), Reason::precision).precision =
      Precision::fp8;
  add("operation", trained("bert-large", {2}), Reason::op_unsupported).job.work.ops = {
      "custom_cuda"};
  return cases;
}

TEST(Executor, RefusesWithTheReasonThatApplies) {
  std::vector<Executor::Device> mixed(2, {&device_spec("h100-sxm"), 0});
  mixed.insert(mixed.end(), 4, {&device_spec("tpu-v5e"), 1});
  Executor executor("node1", mixed, devices::Ambient{}, RandomStream(7), beginning());
  StartReplica start;
  start.model = "llama-3.1-8b";
  start.devices = {0};
  executor.start_replica(beginning(), start, model_spec("llama-3.1-8b"), true);
  for (const RefusalCase& one : refusals()) {
    const auto refusal =
        one.assign.job.work.kind == WorkKind::serve
            ? executor.serve(beginning(), one.assign)
            : executor.train(beginning(), one.assign, model_spec(one.assign.job.work.model));
    ASSERT_TRUE(refusal) << one.name;
    EXPECT_EQ(refusal->reason, one.reason) << one.name << ": " << refusal->detail;
    EXPECT_FALSE(refusal->detail.empty()) << one.name;
    EXPECT_TRUE(executor.held().empty()) << one.name;
  }
}

TEST(Executor, RefusesARequestThatItsCacheCanNeverHold) {
  Host host("l4", 1);
  StartReplica start;
  start.model = "llama-3.1-8b";
  start.devices = {0};
  host.executor.start_replica(host.now, start, model_spec("llama-3.1-8b"), true);
  const auto refusal =
      host.executor.serve(host.now, to_replica(serve_job(1, "llama-3.1-8b", 100'000, 10), 0));
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, Reason::memory);
}

TEST(Executor, TheQueueOfAReplicaIsBounded) {
  Host host("h100-sxm", 1);
  StartReplica start;
  start.model = "llama-3.1-8b";
  start.devices = {0};
  host.executor.start_replica(host.now, start, model_spec("llama-3.1-8b"), true);
  std::uint64_t accepted = 0;
  std::optional<Refusal> refusal;
  while (!refusal && accepted < 10'000) {
    refusal =
        host.executor.serve(host.now, to_replica(serve_job(++accepted, "llama-3.1-8b", 9, 9), 0));
  }
  ASSERT_TRUE(refusal);
  EXPECT_EQ(refusal->reason, Reason::capacity);
  EXPECT_EQ(accepted - 1, replica_batch_max + replica_queue_max);
  const Sample sample = host.executor.reading(host.now, 0);
  EXPECT_EQ(sample[Metric::queue], static_cast<double>(replica_queue_max));
  EXPECT_EQ(sample[Metric::running], static_cast<double>(replica_batch_max));
}

TEST(Executor, AReplicaReportsWhichTenantsHoldItsMemory) {
  Host host("h100-sxm", 2);
  StartReplica start;
  start.model = "llama-3.1-8b";
  start.devices = {0, 1};
  host.executor.start_replica(host.now, start, model_spec("llama-3.1-8b"), true);
  std::uint64_t number = 0;
  const auto ask = [&](const std::string& tenant, std::uint32_t tokens) {
    Job job = serve_job(++number, "llama-3.1-8b", tokens - 10, 10);
    job.tenant = tenant;
    ASSERT_FALSE(host.executor.serve(host.now, to_replica(job, 0)));
  };
  ask("chat", 300);
  ask("research", 100);
  ask("chat", 200);
  const std::vector<TenantShare> two = {{"chat", 2, 500}, {"research", 1, 100}};
  const Replica replica = *host.executor.replica(0);
  EXPECT_EQ(replica.tenants, two);
  EXPECT_EQ(replica.kv_used_tokens, 600u);
  // 8.03e9 parameters of two bytes over two devices; of each token two vectors of 128 numbers for
  // four of eight key-value heads in 32 layers.
  EXPECT_NEAR(static_cast<double>(replica.weights_bytes), 8.03e9, 0.01e9);
  EXPECT_EQ(replica.kv_token_bytes, 2u * 32 * 4 * 128 * 2);
  EXPECT_LE(static_cast<double>(replica.weights_bytes +
                                replica.kv_token_bytes * replica.kv_capacity_tokens),
            host.executor.reading(host.now, 0)[Metric::memory_used] + 1);
  // Of more tenants than are told, those who hold most.
  for (std::uint32_t i = 0; i < tenant_shares_max; ++i) ask(fmt::format("t{:02}", i), 101 + i);
  const std::vector<TenantShare> told = host.executor.replica(0)->tenants;
  ASSERT_EQ(told.size(), tenant_shares_max);
  EXPECT_EQ(told[0], two[0]);
  EXPECT_EQ(told[1].tenant, "t01") << "neither research nor t00, who hold least";
  // What is done holds nothing.
  while (host.ended.size() < number) host.pass_until(host.executor.next_event());
  EXPECT_TRUE(host.executor.replica(0)->tenants.empty());
}

TEST(Executor, ChatOvertakesABatchJobInTheQueue) {
  Host host("l4", 1);
  StartReplica start;
  start.model = "llama-3.1-8b";
  start.devices = {0};
  host.executor.start_replica(host.now, start, model_spec("llama-3.1-8b"), true);
  Job batch = serve_job(1, "llama-3.1-8b", 900, 100);
  batch.work.kind = WorkKind::batch;
  batch.work.items = 500;
  ASSERT_FALSE(host.executor.serve(host.now, to_replica(batch, 0)));
  host.pass_until(beginning() + seconds(5));
  Job chat = serve_job(2, "llama-3.1-8b", 200, 20);
  chat.priority = 10;
  ASSERT_FALSE(host.executor.serve(host.now, to_replica(chat, 0)));
  while (host.ended.size() < 2) host.pass_until(host.executor.next_event());
  EXPECT_EQ(host.ended[0].key.job, job_id(2));
  EXPECT_LT(host.ended[0].outcome.run_s * 3, host.ended[1].outcome.run_s);
}

TEST(Executor, DevicesAreFreeAgainAfterTheirWork) {
  Host host("h100-sxm", 2);
  const double idle_w = host.executor.reading(host.now, 0)[Metric::power];
  host.train(1, 20, {0, 1});
  EXPECT_GT(host.executor.reading(host.now, 0)[Metric::power], 2 * idle_w);
  EXPECT_GT(host.executor.reading(host.now, 0)[Metric::memory_used], 1e9);
  EXPECT_EQ(host.executor.reading(host.now, 1)[Metric::running], 1);
  host.pass_until(beginning() + seconds(60));
  const Sample after = host.executor.reading(host.now, 0);
  EXPECT_DOUBLE_EQ(after[Metric::power], idle_w);
  EXPECT_EQ(after[Metric::running], 0);
  host.train(2, 20, {0, 1});
}

}  // namespace
}  // namespace drover::agents
