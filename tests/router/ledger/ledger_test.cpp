#include "router/ledger/ledger.h"

#include <limits>

#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

constexpr Instant at = Instant{} + std::chrono::hours(1);

struct Replay {
  JobTable book{1000};
  Accounting accounting{at};
  ledger::Reader reader{book, accounting};

  std::string read(const LedgerRow& row) {
    const Status status = reader.read(row);
    return status ? "" : status.error().message;
  }
};

LedgerRow lease_row(std::uint64_t number, std::uint32_t attempt, Lease lease) {
  JobRecord record;
  record.job = serve_job(number);
  record.attempt = attempt;
  record.lease = std::move(lease);
  return ledger::leased(at, record);
}

Lease on_replica(std::uint32_t replica) {
  Lease lease;
  lease.members = {Member("h1")};
  lease.replica = replica;
  lease.target = "h1/r3";
  lease.pool = "h100";
  lease.fallback = Reason::capacity;
  lease.predicted_s = 2.5;
  return lease;
}

TEST(Ledger, ALeaseRoundTrips) {
  Lease gang, over_hosts;
  gang.members = {Member("h2", {0, 2, 7})};
  gang.target = "h2/0,2,7";
  over_hosts.members = {Member("h:1", {0, 1}), Member("h-2", {3})};
  over_hosts.target = "h:1/0-1 h-2/3";
  for (const Lease& lease : {on_replica(3), gang, over_hosts}) {
    const auto read = ledger::read_lease(*decode(lease_row(1, 1, lease).payload));
    ASSERT_TRUE(read) << read.error().message;
    ASSERT_EQ(read->members.size(), lease.members.size());
    for (std::size_t each = 0; each < lease.members.size(); ++each) {
      EXPECT_EQ(read->members[each].host, lease.members[each].host);
      EXPECT_EQ(read->members[each].devices, lease.members[each].devices);
    }
    EXPECT_EQ(read->replica, lease.replica);
    EXPECT_EQ(read->target, lease.target);
    EXPECT_EQ(read->pool, lease.pool);
    EXPECT_EQ(read->fallback, lease.fallback);
    EXPECT_DOUBLE_EQ(read->predicted_s, lease.predicted_s);
  }
}

LedgerRow with_place(const std::string& text) {
  LedgerRow row = lease_row(1, 1, on_replica(3));
  Envelope payload = *decode(row.payload);
  std::get<JobChanged>(payload.body).detail = text;
  row.payload = encode(payload);
  return row;
}

TEST(Ledger, AnInvalidPlacementIsRefused) {
  for (const char* text :
       {"devices", "devices 3-1", "devices 0-70000", "devices 0-4096", "devices a", "devices 0 1 5",
        "gang h1/0", "gang h1/0 h2", "replica 1 2", "rooms 1"}) {
    EXPECT_FALSE(ledger::read_lease(*decode(with_place(text).payload))) << text;
  }
}

TEST(Ledger, TheLargestGangIsWrittenWhole) {
  Lease lease;
  for (int host = 0; host < 64; ++host) {
    std::vector<std::uint16_t> devices;
    for (std::uint16_t device = 0; device < 8; ++device) devices.push_back(device);
    lease.members.emplace_back(fmt::format("host-{:05}", host), devices);
  }
  const auto read = ledger::read_lease(*decode(lease_row(1, 1, lease).payload));
  ASSERT_TRUE(read) << read.error().message;
  ASSERT_EQ(read->members.size(), 64U);
  EXPECT_EQ(read->members.back().devices.size(), 8U);
}

TEST(Ledger, ReplaysAJobToItsEnd) {
  Replay replay;
  EXPECT_EQ(replay.read(ledger::started(at, 1, "test")), "");
  EXPECT_EQ(replay.read(ledger::accepted(at, serve_job(1))), "");
  EXPECT_EQ(replay.read(lease_row(1, 1, on_replica(3))), "");
  EXPECT_EQ(replay.book.active_attempts(), 1u);
  Finished finished;
  finished.job = job_id(1);
  finished.attempt = 1;
  finished.usage = {1, 2, 3};
  EXPECT_EQ(
      replay.read(ledger::ended(Transition::finished, at + std::chrono::seconds(4), finished)), "");
  const JobRecord* record = replay.book.find(job_id(1));
  ASSERT_NE(record, nullptr);
  EXPECT_EQ(record->state, JobState::finished);
  EXPECT_DOUBLE_EQ(record->latency_s, 4);
  EXPECT_EQ(replay.book.active_attempts(), 0u);
  const Summary summary = replay.accounting.summary(at);
  EXPECT_EQ(summary.finished, 1u);
  EXPECT_EQ(summary.charged, (Usage{1, 2, 3}));
  EXPECT_EQ(summary.fallbacks.at(Reason::capacity), 1u);
}

TEST(Ledger, NamesAnInconsistentRow) {
  Replay replay;
  ASSERT_EQ(replay.read(ledger::accepted(at, serve_job(1))), "");
  EXPECT_NE(replay.read(lease_row(2, 1, on_replica(0))).find("ledger row 2 (leased): job"),
            std::string::npos);
  EXPECT_NE(replay.read(ledger::accepted(at, serve_job(1))).find("was accepted before"),
            std::string::npos);
  EXPECT_NE(replay.read(lease_row(1, 5, on_replica(0))).find("attempt 5 follows attempt 0"),
            std::string::npos);
  LedgerRow torn = ledger::accepted(at, serve_job(3));
  torn.payload.pop_back();
  EXPECT_NE(replay.read(torn).find("ledger row 5 (accepted)"), std::string::npos);
}

TEST(Histogram, IsAccurateWithinOnePercent) {
  Histogram histogram;
  for (int number = 1; number <= 10'000; ++number) histogram.add(number * 0.001);
  EXPECT_NEAR(histogram.quantile(0.5), 5.0, 0.05);
  EXPECT_NEAR(histogram.quantile(0.9), 9.0, 0.09);
  EXPECT_NEAR(histogram.quantile(0.99), 9.9, 0.099);
  EXPECT_DOUBLE_EQ(histogram.percentiles().max, 10.0);
  EXPECT_EQ(histogram.percentiles().count, 10'000u);
}

TEST(Histogram, AcceptsAnyNumber) {
  Histogram histogram;
  for (const double value : {0.0, -1.0, 1e300, 1e-300}) histogram.add(value);
  EXPECT_EQ(histogram.percentiles().count, 4u);
  EXPECT_DOUBLE_EQ(Histogram().quantile(0.5), 0);
}

TEST(LedgerBackpressure, AStalledLedgerGetsNoNewJobsAndNoNewRows) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.commit();
  stage.receive(9, Submit{{serve_job(1)}});
  for (int second = 0; second < 4; ++second) {
    stage.beat(1, "h1");
    stage.wait(std::chrono::seconds(1));
  }
  EXPECT_TRUE(stage.told<SubmitReply>(9).empty()) << "acknowledged what is not on disk";
  const std::size_t waiting = stage.uncommitted();
  stage.receive(9, Submit{{serve_job(2)}});
  EXPECT_EQ(stage.uncommitted(), waiting);
  ASSERT_EQ(stage.told<SubmitReply>(9).size(), 1u) << "told at once, not when the disk goes on";
  const SubmitResult refused = stage.told<SubmitReply>(9)[0].results.at(0);
  EXPECT_EQ(refused.status, SubmitStatus::refused);
  EXPECT_EQ(refused.reason, Reason::capacity);
  EXPECT_NE(refused.detail.find("disk"), std::string::npos) << refused.detail;

  stage.commit();
  EXPECT_EQ(stage.told<SubmitReply>(9).at(1).results.at(0).status, SubmitStatus::accepted);
  EXPECT_EQ(stage.told<Assign>(1).size(), 1u);
  stage.forget();
  stage.receive(9, Submit{{serve_job(2)}});
  stage.commit();
  EXPECT_EQ(stage.told<SubmitReply>(9).at(0).results.at(0).status, SubmitStatus::accepted);
}

TEST(LedgerBackpressure, RefusalsWriteNothingAndAreAnsweredAtOnce) {
  RouterHarness stage;
  stage.tick();  // the row of the start
  stage.commit();
  Job unknown = serve_job(1, "no-such-model");
  for (std::uint64_t number = 1; number <= 1'000; ++number) {
    unknown.id = job_id(number);
    stage.receive(9, Submit{{unknown}});
  }
  EXPECT_EQ(stage.uncommitted(), 0u);
  EXPECT_EQ(stage.told<SubmitReply>(9).size(), 1'000u);
  EXPECT_EQ(stage.router->summary(stage.now).refused, 1'000u);
  stage.wait(std::chrono::seconds(2));
  stage.commit();
  EXPECT_LT(stage.disk.size(), 10u);
  ASSERT_TRUE(stage.restart());
  EXPECT_EQ(stage.router->summary(stage.now).refused, 1'000u) << "as shown before";
}

TEST(LedgerBackpressure, UnknownModelNamesTriggerOnlyAFewSearches) {
  RouterHarness stage;
  Submit submit;
  for (std::uint64_t number = 1; number <= 100; ++number) {
    submit.jobs.push_back(serve_job(number, "llama-3.1-8c"));
  }
  stage.tick();
  stage.receive(9, submit);
  int suggested = 0;
  const auto replies = stage.told<SubmitReply>(9);
  for (const SubmitResult& result : replies.at(0).results) {
    EXPECT_NE(result.detail.find("unknown model \"llama-3.1-8c\""), std::string::npos);
    suggested += result.detail.find("llama-3.1-8b") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(suggested, 0);
  EXPECT_LE(suggested, 8);
}

TEST(LedgerBackpressure, ALongStallAccumulatesNoRowsAndLosesNoJob) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.commit();
  stage.receive(9, Submit{{serve_job(1)}});
  const auto stand_still = [&](int seconds) {
    for (int second = 0; second < seconds; ++second) {
      stage.beat(1, "h1");
      stage.receive(9, SetDrain{"h1"});
      stage.receive(9, SummaryRequest{});
      stage.wait(std::chrono::seconds(1));
    }
  };
  stand_still(5);
  const std::size_t waiting = stage.uncommitted();
  stage.forget();
  stand_still(120);
  EXPECT_EQ(stage.uncommitted(), waiting) << "beats, people and jobs write nothing";
  EXPECT_EQ(stage.told<Heartbeat>(1).size(), 120u) << "agents are answered";
  const auto problems = stage.told<RequestError>(9);
  ASSERT_EQ(problems.size(), 120u);
  EXPECT_TRUE(problems[0].retryable);
  stage.commit();
  const auto assigned = stage.told<Assign>(1);
  ASSERT_EQ(assigned.size(), 1u);
  EXPECT_EQ(assigned[0].attempt, 1u) << "no attempt was spent on the disk";
  stage.live(1, {{1, "h1"}});
  stage.receive(1, Accepted{job_id(1), 1});
  stage.receive(1, finished_of(assigned[0]));
  stage.commit();
  EXPECT_EQ(stage.router->summary(stage.now).finished, 1u);
}

// ---- Figures -----------------------------------------------------------------------------------

TEST(Figures, ThatAreImpossibleAreClampedAndReported) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive(9, Submit{{serve_job(1), serve_job(2)}});
  stage.tick();
  stage.commit();
  const auto assigned = stage.told<Assign>(1);
  ASSERT_EQ(assigned.size(), 2u);
  for (const Assign& assign : assigned) {
    stage.receive(1, Accepted{assign.job.id, assign.attempt});
    Finished finished = finished_of(assign);
    finished.usage = {1.7e308, 1.7e308, 1.7e308};
    finished.outcome.run_s = 1.7e308;
    finished.outcome.output_tokens = UINT64_MAX;
    stage.receive(1, finished);
  }
  stage.commit();
  const Summary summary = stage.router->summary(stage.now);
  EXPECT_EQ(summary.finished, 2u);
  EXPECT_LT(summary.charged.device_s, 1e3);
  EXPECT_LT(summary.charged.energy_j, 1e6);
  EXPECT_LT(summary.charged.cost_usd, 1e6);
  EXPECT_EQ(summary.tokens_work.units, 2u * (512 + 128));
  bool told = false;
  for (const Event& event : stage.published<Event>()) {
    told = told || event.text.find("implausible figures") != std::string::npos;
  }
  EXPECT_TRUE(told);
  ASSERT_TRUE(stage.restart());
  EXPECT_EQ(stage.router->summary(stage.now).charged, summary.charged);
}

TEST(Figures, AlreadyInALedgerDoNotCorruptItsTotals) {
  Replay replay;
  Finished absurd;
  absurd.job = job_id(1);
  absurd.attempt = 1;
  absurd.usage = {1.7e308, std::numeric_limits<double>::infinity(), 3};
  ASSERT_EQ(replay.read(ledger::accepted(at, serve_job(1))), "");
  ASSERT_EQ(replay.read(lease_row(1, 1, on_replica(0))), "");
  ASSERT_EQ(replay.read(ledger::ended(Transition::finished, at, absurd)), "");
  EXPECT_EQ(replay.accounting.summary(at).charged, (Usage{0, 0, 3}));
  std::string sums = replay.accounting.job_sums();
  const std::string charged = "\"charged\":[";
  const std::size_t begin = sums.find(charged) + charged.size();
  sums.replace(begin, sums.find(']', begin) - begin, "null,1e300,3");
  Accounting again{Instant{}};
  ASSERT_TRUE(again.restore_job_sums(sums));
  EXPECT_EQ(again.summary(at).charged, (Usage{0, 0, 3}));
}

TEST(Figures, AJumpingEnergyCounterCountsOnlyWhatItsDeviceCouldUse) {
  RouterHarness stage;
  stage.add_host(1, "h1");
  stage.receive_samples("h1", 100, RouterHarness::idle_samples(8, 1'000));
  const double before = stage.router->summary(stage.now).fleet_energy_j;
  stage.now += std::chrono::seconds(1);
  stage.receive_samples("h1", 101, RouterHarness::idle_samples(8, 1e14));
  const double grown = stage.router->summary(stage.now).fleet_energy_j - before;
  EXPECT_GT(grown, 0);
  EXPECT_LT(grown, 8 * 2 * 1'000.0 * 300) << "eight boards in five minutes";
}

// ---- Counters ----------------------------------------------------------------------------------

void report_energy(RouterHarness& stage, std::uint64_t sequence, double energy_j) {
  stage.receive_samples("h1", sequence, RouterHarness::idle_samples(8, energy_j));
}

TEST(LedgerCounters, EnergyAndCostContinueAcrossARestart) {
  RouterHarness stage;
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, stage.registration("h1"));
  report_energy(stage, 1, 1000);
  for (int second = 0; second < 10; ++second) {
    stage.wait(std::chrono::seconds(1));
    stage.commit();
  }
  const Summary before = stage.router->summary(stage.now);
  EXPECT_DOUBLE_EQ(before.fleet_energy_j, 8 * 1000);
  EXPECT_GT(before.fleet_cost_usd, 0);

  ASSERT_TRUE(stage.restart());
  Summary after = stage.router->summary(stage.now);
  EXPECT_DOUBLE_EQ(after.fleet_energy_j, 8 * 1000);
  EXPECT_DOUBLE_EQ(after.fleet_cost_usd, before.fleet_cost_usd);

  // The agent lived on: its counters hold what was counted before. It also says what it has nothing
  // of yet.
  stage.receive(1, stage.registration("h1"));
  report_energy(stage, 2, absent);
  report_energy(stage, 3, 1250);
  after = stage.router->summary(stage.now);
  EXPECT_DOUBLE_EQ(after.fleet_energy_j, 8 * 1250);

  // A new agent counts from zero.
  report_energy(stage, 4, 40);
  after = stage.router->summary(stage.now);
  EXPECT_DOUBLE_EQ(after.fleet_energy_j, 8 * 1290);
}

TEST(LedgerCounters, AreWrittenAtTheEndOfTheRun) {
  RouterHarness stage;
  stage.receive(1, Join{Role::agent, "h1", "drover test"});
  stage.receive(1, stage.registration("h1"));
  report_energy(stage, 1, 1000);
  stage.receive(9, EndRunRequest{});
  stage.commit();
  ASSERT_TRUE(stage.restart());
  EXPECT_DOUBLE_EQ(stage.router->summary(stage.now).fleet_energy_j, 8 * 1000);
}

TEST(LedgerCounters, NoShownSumDecreasesAcrossAKill) {
  for (const int seconds_alive : {1, 4, 9, 11, 17}) {
    RouterHarness stage;
    stage.receive(1, Join{Role::agent, "h1", "drover test"});
    stage.receive(1, stage.registration("h1"));
    double energy_j = 0, cost_usd = 0;
    std::uint64_t sequence = 0;
    for (int life = 0; life < 5; ++life) {
      for (int second = 0; second < seconds_alive; ++second) {
        ++sequence;
        report_energy(stage, sequence, 700.0 * static_cast<double>(sequence));
        stage.wait(std::chrono::seconds(1));
        stage.commit();
      }
      ++sequence;
      report_energy(stage, sequence, 700.0 * static_cast<double>(sequence));
      stage.wait(std::chrono::seconds(1));  // the last beat is not on disk: nobody may see it
      for (const Summary& summary : stage.published<Summary>()) {
        EXPECT_GE(summary.fleet_energy_j, energy_j) << life << ' ' << seconds_alive;
        EXPECT_GE(summary.fleet_cost_usd, cost_usd) << life << ' ' << seconds_alive;
        energy_j = summary.fleet_energy_j;
        cost_usd = summary.fleet_cost_usd;
      }
      EXPECT_GT(cost_usd, 0);
      ASSERT_TRUE(stage.restart());
      EXPECT_GE(stage.router->summary(stage.now).fleet_cost_usd, cost_usd);
      EXPECT_GE(stage.router->summary(stage.now).fleet_energy_j, energy_j);
      stage.receive(1, stage.registration("h1"));
    }
  }
}

TEST(LedgerCounters, EverythingShownIsOnDiskIncludingJobs) {
  Assigned stage;
  stage.wait(std::chrono::seconds(1));
  stage.commit();
  stage.forget();
  stage.receive(1, Accepted{stage.assign.job.id, 1});
  stage.receive(1, finished_of(stage.assign));
  stage.wait(std::chrono::seconds(1));
  for (const Summary& summary : stage.published<Summary>()) EXPECT_EQ(summary.finished, 0u);
  stage.receive(8, SummaryRequest{});
  EXPECT_TRUE(stage.told<Summary>(8).empty());
  stage.commit();
  ASSERT_FALSE(stage.published<Summary>().empty());
  EXPECT_EQ(stage.published<Summary>().back().finished, 1u);
  ASSERT_EQ(stage.told<Summary>(8).size(), 1u);
  EXPECT_EQ(stage.told<Summary>(8)[0].finished, 1u);
}

TEST(LedgerCounters, CountersWithoutSumsCountNothingTwice) {
  Replay replay;
  const SampleBatch batch = pack("h1", RouterHarness::idle_samples(8, 5000));
  EXPECT_EQ(replay.read(ledger::counters(at, batch)), "");
  EXPECT_DOUBLE_EQ(replay.accounting.fleet_energy_j(), 0);
  EXPECT_EQ(replay.read(ledger::counters(at, 40'000, 2)), "");
  EXPECT_DOUBLE_EQ(replay.accounting.fleet_energy_j(), 40'000);
  EXPECT_DOUBLE_EQ(replay.accounting.fleet_cost_usd(), 2);
}

}  // namespace
}  // namespace drover::router
