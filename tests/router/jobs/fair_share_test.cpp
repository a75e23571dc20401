#include "router/jobs/fair_share.h"

#include <gtest/gtest.h>

#include <map>
#include <memory>

#include "router/jobs/queue.h"
#include "router/lint/policy_file.h"
#include "tests/router/decision_fixture.h"
#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

TEST(Tenants, GetDeviceSecondsInProportionToTheirShares) {
  FairShare book;
  book.set({{"research", {0.25, true}}, {"product", {0.75, true}}});
  JobQueue queue;
  std::vector<std::unique_ptr<JobRecord>> records;
  for (std::uint64_t number = 1; number <= 400; ++number) {
    records.push_back(std::make_unique<JobRecord>());
    records.back()->number = number;
    records.back()->job = serve_job(number);
    // Research asks first, for everything.
    records.back()->job.tenant = number <= 200 ? "research" : "product";
    queue.push(*records.back());
  }
  std::map<std::string, int> served;
  for (int turn = 0; turn < 100; ++turn) {
    JobRecord* next = queue.next(book);
    ASSERT_NE(next, nullptr);
    book.placed(next->job.tenant, 1, 10);
    ++served[next->job.tenant];
    queue.erase(*next);
  }
  EXPECT_NEAR(served["research"], 25, 1);
  EXPECT_NEAR(served["product"], 75, 1);
}

TEST(Tenants, AccumulateNoCreditWhileIdle) {
  FairShare book;
  book.set({{"a", {1, true}}, {"b", {1, true}}});
  for (int turn = 0; turn < 50; ++turn) book.placed("a", 1, 10);
  // b comes late: it is not 500 device-seconds ahead, but one turn.
  book.add_waiting("b");
  EXPECT_GT(book.virtual_time("b"), 400);
  book.placed("b", 1, 10);
  book.placed("b", 1, 10);
  EXPECT_GE(book.virtual_time("b"), book.virtual_time("a"));
}

TEST(Tenants, WhoseWorkWaitsForRoomKeepTheirCredit) {
  FairShare book;
  book.set({{"a", {1, true}}, {"b", {3, true}}});
  book.add_waiting("a");
  book.add_waiting("b");
  for (int turn = 0; turn < 10; ++turn) book.placed("a", 1, 10);
  EXPECT_EQ(book.virtual_time("b"), 0);
  EXPECT_DOUBLE_EQ(book.deficit_device_s("b"), 300) << "three times what a was given";
  EXPECT_EQ(book.deficit_device_s("a"), 0);
  book.placed("b", 1, 100);
  EXPECT_DOUBLE_EQ(book.deficit_device_s("b"), 200);
  book.remove_waiting("b");
  EXPECT_EQ(book.virtual_time("b"), 90) << "that of the last turn: nobody saves up";
}

TEST(Tenants, NamesThatAreUsedOnceAreNotKeptForEver) {
  FairShare book;
  book.set({{"named", {0.5, true}}, {"other", {0.5, true}}});
  book.placed("named", 1, 100);
  book.ended("named", 1);
  book.placed("busy", 2.5, 100);
  book.add_waiting("waiting");
  for (std::size_t number = 0; number < 3 * tenant_accounts_max; ++number) {
    const std::string tenant = "t" + std::to_string(number);
    book.add_waiting(tenant);
    book.placed(tenant, 0.1, 10);
    book.remove_waiting(tenant);
    book.ended(tenant, 0.1);
  }
  EXPECT_LE(book.account_count(), tenant_accounts_max);
  EXPECT_EQ(book.virtual_time("named"), 200) << "one that the policy names keeps what it had";
  EXPECT_EQ(book.held("busy"), 2.5);
  // Given more than a turn of others, one that waits is ahead of them all the same.
  EXPECT_LT(book.virtual_time("waiting"), 200);
}

TEST(Tenants, PriorityGoesBeforeShares) {
  FairShare book;
  book.set({{"a", {1, true}}, {"b", {1, true}}});
  book.placed("a", 1, 1000);
  JobQueue queue;
  JobRecord low;
  low.number = 1;
  low.job = serve_job(1);
  low.job.tenant = "b";
  JobRecord high;
  high.number = 2;
  high.job = serve_job(2);
  high.job.tenant = "a";
  high.job.priority = 5;
  queue.push(low);
  queue.push(high);
  EXPECT_EQ(queue.next(book), &high);
}

constexpr const char* shares = R"([pool.any]
match = {}
[[rule]]
name = "all"
pools = ["any"]
[limits]
per_tenant = { guest = { share = 0.25, borrow = false }, home = { share = 0.75 } }
)";

TEST(Tenants, WithoutBorrowingATenantHoldsItsShareOfTheFleet) {
  DecisionFixture fleet(shares);
  fleet.add_host("h", "h100-sxm", 8);
  FairShare book;
  book.set(fleet.policy.limits.tenants);
  EXPECT_EQ(book.held_max("guest", 8), 2);
  EXPECT_EQ(book.held_max("home", 8), 0) << "may borrow";
  EXPECT_EQ(book.held_max("stranger", 8), 0);

  const Job job = fleet.training(2);
  PlacementRequest ask = fleet.ask(job);
  ask.tenant_devices_max = book.held_max("guest", 8);
  EXPECT_EQ(fleet.decide(ask).decision.action, Action::assign);
  ask.tenant_devices = 1;
  const Decision over = fleet.decide(ask).decision;
  EXPECT_EQ(over.action, Action::queue);
  EXPECT_EQ(over.fallback_reason, Reason::tenancy);
}

TEST(Tenants, AreNotChargedForRequestsOnAReplicaThatIsGone) {
  Policy policy = builtin_policy();
  policy.retry.attempts_max = 1;
  policy.replicas.manage = false;
  policy.limits.tenants = {{"guest", {0.125, false}}, {"home", {0.875, true}}};
  RouterHarness stage({}, policy);
  stage.add_host(1, "h1");
  std::uint64_t jobs = 0;
  for (std::uint32_t round = 0; round < 40; ++round) {
    Replica replica = RouterHarness::replica("h1", round);
    stage.receive(1, ReplicaReport{replica});
    stage.forget();
    for (int n = 0; n < 8; ++n) {
      Job job = serve_job(++jobs);
      job.tenant = "guest";
      stage.receive(9, Submit{{job}});
    }
    stage.tick();
    stage.commit();
    const auto assigned = stage.told<Assign>(1);
    ASSERT_FALSE(assigned.empty()) << "round " << round;
    replica.state = ReplicaState::gone;
    stage.receive(1, ReplicaReport{replica});
    for (const Assign& assign : assigned) {
      Failed failed;
      failed.job = assign.job.id;
      failed.attempt = assign.attempt;
      failed.reason = Reason::unhealthy;
      stage.receive(1, failed);
    }
    stage.tick();
    stage.commit();
  }
}

}  // namespace
}  // namespace drover::router
