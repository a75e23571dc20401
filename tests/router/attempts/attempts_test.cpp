#include "router/attempts/attempts.h"

#include <gtest/gtest.h>

#include "tests/router/table_fixture.h"

namespace drover::router {
namespace {

using std::chrono::seconds;

TEST(Attempts, RunOnceTheirHostHasAccepted) {
  RouterTables tables;
  tables.add_host("h1");
  JobRecord& record = tables.add_attempt(1, "h1");
  tables.attempts.handle(tables.now, tables.caller("h2"), Accepted{record.job.id, 1});
  EXPECT_EQ(record.state, JobState::leased) << "another host's message";
  EXPECT_EQ(tables.take<Cancel>().size(), 1u);
  tables.attempts.handle(tables.now, tables.caller("h1"), Accepted{record.job.id, 1});
  EXPECT_EQ(record.state, JobState::running);
  const Outbox said = tables.outbox.take();
  ASSERT_EQ(said.writes.size(), 1u);
  EXPECT_EQ(said.writes[0].row.transition, Transition::running);
}

TEST(Attempts, EndWithTheirHost) {
  RouterTables tables;
  const HostIndex host = tables.add_host("h1");
  JobRecord& record = tables.add_attempt(1, "h1");
  tables.attempts.lose_host(tables.now, tables.fleet_state.hosts()[host].registration, "was lost",
                            tables.now);
  EXPECT_EQ(record.state, JobState::queued);
  EXPECT_EQ(record.detail, "host h1 was lost");
  EXPECT_TRUE(tables.jobs.on_host("h1").empty());
}

TEST(Attempts, OnADrainedDeviceAreCancelledAtTheDeadlineAndEachHeartbeatAfterIt) {
  RouterTables tables;
  tables.add_host("h1");
  tables.add_attempt(1, "h1");
  tables.drains.apply(tables.now, {"host:h1", true, seconds(10)});
  tables.attempts.check_cancels_at(tables.drains.next_deadline());
  tables.attempts.cancel_due(tables.now + seconds(9));
  EXPECT_TRUE(tables.take<Cancel>().empty());
  for (const int after_s : {10, 11}) {
    tables.attempts.cancel_due(tables.now + seconds(after_s));
    const auto cancelled = tables.take<Cancel>();
    ASSERT_EQ(cancelled.size(), 1u);
    EXPECT_EQ(cancelled[0].reason, Reason::drain);
  }
}

TEST(JobEnds, FailAJobThatHasWaitedUntilItsDeadline) {
  RouterTables tables;
  Job job = serve_job(1);
  job.deadline = seconds(10);
  JobRecord& record = tables.jobs.add(job, tables.now);
  tables.waiting.watch_deadline(record);
  tables.waiting.add(record);
  tables.ends.expire(tables.now + seconds(10));
  EXPECT_EQ(record.state, JobState::failed);
  EXPECT_EQ(record.reason, Reason::deadline);
  EXPECT_EQ(tables.queue.size(), 0u);
  const Outbox said = tables.outbox.take();
  ASSERT_EQ(said.writes.size(), 1u);
  EXPECT_EQ(said.writes[0].sequence, record.end_write);
}

}  // namespace
}  // namespace drover::router
