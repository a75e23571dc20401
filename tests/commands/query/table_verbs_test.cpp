// `drover hosts`, `pools`, `events` and `jobs` of a running fleet: what is listed, in which order,
// and in which form.
#include <algorithm>

#include <gtest/gtest.h>

#include "commands/query/job_listing.h"
#include "fleet/base/text.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

JobChanged job_at(int submitted_s, std::string tenant = "", JobState state = JobState::queued) {
  JobChanged job;
  job.job.id = {1, static_cast<std::uint64_t>(submitted_s)};
  job.job.tenant = std::move(tenant);
  job.job.work.model = "llama-3.1-8b";
  job.submitted = job.since = Instant(seconds(submitted_s));
  job.state = state;
  return job;
}

std::vector<int> order_of(const JobListing& listing) {
  std::vector<int> order;
  for (const JobChanged& job : listing.jobs) order.push_back(static_cast<int>(job.job.id.low));
  return order;
}

TEST(JobListing, StartsWithTheJobThatWasSubmittedLast) {
  JobListing listing{{job_at(3), job_at(9), job_at(5, "", JobState::finished), job_at(7)}};
  order_newest_first(listing, 0);
  EXPECT_EQ(order_of(listing), (std::vector<int>{9, 7, 5, 3}));
  EXPECT_EQ(listing.beyond_limit, 0U);
  order_newest_first(listing, 3);
  EXPECT_EQ(order_of(listing), (std::vector<int>{9, 7, 5}));
  EXPECT_EQ(listing.beyond_limit, 1U);
  EXPECT_NE(to_table(listing, "", Instant(seconds(10)))
                .find("1 more job: not shown because of --limit\n"),
            std::string::npos);
}

TEST(JobSelection, ContainsTheJobsOfATenantThatMatch) {
  const Instant now(seconds(100));
  const auto selection = [](const char* filter, std::string tenant) {
    return JobSelection{std::get<filter::Filter>(filter::Filter::parse(filter, filter::jobs)),
                        std::move(tenant)};
  };
  const JobChanged job = job_at(40, "red");
  EXPECT_TRUE(selection("", "").contains(job, now));
  EXPECT_TRUE(selection("", "").all());
  EXPECT_TRUE(selection("", "red").contains(job, now));
  EXPECT_FALSE(selection("", "re").contains(job, now));
  EXPECT_TRUE(selection("waited>59 & jobstate==queued", "red").contains(job, now));
  EXPECT_FALSE(selection("waited>61", "red").contains(job, now));
}

std::vector<std::string> texts_of(const Json& rows, std::string_view field) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < rows.size(); ++i) texts.emplace_back(rows[i][field].text());
  return texts;
}

TEST(TableVerbs, ListHostsAndPoolsForPeopleAndPrograms) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const ProcessResult hosts = fleet.ask({"hosts"});
  EXPECT_EQ(hosts.exit_code, 0) << hosts.err;
  EXPECT_TRUE(hosts.out.starts_with("HOST  RACK    STATE  DEVICES  UTIL  POWER (W)")) << hosts.out;
  EXPECT_NE(hosts.out.find("\nh-1   rack-1  ok     l4 x2 "), std::string::npos) << hosts.out;
  EXPECT_EQ(hosts.out.find('\x1b'), std::string::npos) << "no colour in a pipe";
  EXPECT_NE(fleet.ask({"hosts", "--colour", "always"}).out.find("\x1b[32mok\x1b[0m"),
            std::string::npos);
  const auto json = Json::parse(fleet.ask({"hosts", "--json"}).out);
  ASSERT_TRUE(json.ok());
  EXPECT_EQ(texts_of(*json, "host"), std::vector<std::string>{"h-1"});
  EXPECT_TRUE(fleet.ask({"hosts", "--csv"}).out.starts_with("host,rack,state,"));
  EXPECT_EQ(fleet.ask({"hosts", "--filter", "temp>500"}).out, "no hosts\n");

  const ProcessResult pools = fleet.ask({"pools"});
  EXPECT_EQ(pools.exit_code, 0) << pools.err;
  EXPECT_TRUE(pools.out.starts_with("POOL")) << pools.out;
  const auto rows = Json::parse(fleet.ask({"pools", "--json", "--limit", "1"}).out);
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->size(), 1U);
  EXPECT_EQ(fleet.ask({"pools", "--json", "--csv"}).exit_code, 2);
}

TEST(TableVerbs, WatchPrintsAgainUntilASignal) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  DroverProcess watching(fleet.with_connect({"hosts", "--watch=100ms", "--json"}));
  EXPECT_TRUE(eventually([&] {
    const std::string out = watching.out();
    return std::count(out.begin(), out.end(), '\n') >= 3;
  })) << watching.err();
  watching.signal(SIGINT);
  EXPECT_EQ(watching.wait().exit_code, 0);
  EXPECT_EQ(watching.out().find('\x1b'), std::string::npos) << "in place only on a terminal";
}

TEST(TableVerbs, EventsNameTheUserAndHostThatActed) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string who = shown_user();
  ASSERT_EQ(fleet.ask({"drain", "h-1/0"}).exit_code, 0);
  ASSERT_EQ(fleet.ask({"resume", "h-1/0"}).exit_code, 0);
  const ProcessResult events = fleet.ask({"events"});
  EXPECT_EQ(events.exit_code, 0) << events.err;
  const std::size_t drain = events.out.find(who + ": drain");
  const std::size_t resume = events.out.find(who + ": resume");
  ASSERT_NE(drain, std::string::npos) << events.out;
  ASSERT_NE(resume, std::string::npos) << events.out;
  EXPECT_LT(drain, resume) << "oldest first";
  const auto last = Json::parse(fleet.ask({"events", "--json", "--limit", "1"}).out);
  ASSERT_TRUE(last.ok());
  ASSERT_EQ(last->size(), 1U);
  EXPECT_EQ((*last)[0]["text"].text(),
            events.out.substr(resume, events.out.find('\n', resume) - resume));
  EXPECT_EQ(fleet.ask({"events", "--since", "2100-01-01T00:00:00Z"}).out, "no events\n");
  EXPECT_EQ(fleet.ask({"events", "--since", "yesterday"}).exit_code, 2);
}

TEST(TableVerbs, FollowedEventsAreEachPrintedOnce) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  DroverProcess following(fleet.with_connect({"events", "--follow"}));
  ASSERT_TRUE(following.says("joined") || following.says("EVENT")) << following.err();
  ASSERT_EQ(fleet.ask({"drain", "h-1/1"}).exit_code, 0);
  EXPECT_TRUE(following.says(": drain")) << following.out();
  ASSERT_EQ(fleet.ask({"resume", "h-1/1"}).exit_code, 0);
  EXPECT_TRUE(following.says(": resume")) << following.out();
  following.signal(SIGTERM);
  EXPECT_EQ(following.wait().exit_code, 0);
  const std::vector<std::string> lines = split(following.out(), '\n');
  EXPECT_EQ(std::ranges::count_if(
                lines, [](const auto& line) { return line.find(": drain") != std::string::npos; }),
            1)
      << following.out();
}

}  // namespace
}  // namespace drover::commands
