// Who uses the fleet: jobs count for their tenants, processes for their users, and a device that
// several use is divided among them.
#include "tui/usage/user_totals.h"

#include <cmath>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/tui/sample_session.h"
#include "tui/groups/user_list.h"

namespace drover::tui {
namespace {

constexpr double gib = 1024.0 * 1024.0 * 1024.0;
constexpr Instant at_2s = SampleFleet::after_2s;

JobChanged job_of(const char* tenant, JobState state, const char* target, int age_s) {
  static RandomStream random(3);
  JobChanged job;
  job.job.id = generate_job_id(random);
  job.job.tenant = tenant;
  job.state = state;
  job.target = target;
  job.submitted = at_2s - std::chrono::seconds(age_s);
  return job;
}

/// Two hosts of four devices, each with 400 W and 10 GiB; those of host-0001 are real.
struct TwoHosts {
  TwoHosts() {
    for (Envelope& envelope : plain_hosts(2, 4)) {
      HostChanged host = std::get<HostChanged>(envelope.body);
      if (host.registration.host == "host-0001") {
        host.registration.specs = {
            {host.registration.groups.front().device,
             "class = \"gpu\"\nreal = true\nname = \"A\"\n[price]\nusd_per_h = 2\n"}};
      }
      apply(host);
    }
    for (const char* host : {"host-0000", "host-0001"}) {
      std::vector<Sample> samples(4);
      for (std::uint16_t i = 0; i < 4; ++i) {
        samples[i].device = i;
        samples[i][Metric::power] = 400;
        samples[i][Metric::memory_used] = 10 * gib;
        samples[i][Metric::memory_total] = 80 * gib;
      }
      model.apply(at_2s, {host, 1, at_2s, pack(host, samples)});
    }
  }
  void apply(Message body) { model.apply(at_2s, {"router", ++sequence, at_2s, std::move(body)}); }
  void add_processes(std::uint16_t device, std::vector<DeviceProcess> processes) {
    Board board;
    board.device = device;
    board.processes = std::move(processes);
    board.processes_known = true;
    apply(BoardChanged{"host-0001", board});
  }
  UserTotals of(const char* tenant, const char* user = "") const {
    for (const UserTotals& totals : usage_of(model, at_2s).users) {
      if (totals.is(tenant, user)) return totals;
    }
    ADD_FAILURE() << "nobody is " << tenant << "/" << user;
    return {};
  }

  Model model{std::chrono::seconds(1)};
  std::uint64_t sequence = 0;
};

/// "hosts devices GiB W run wait processes"; unknown values "?".
std::string text_of(const UserTotals& user) {
  const auto sum = [](const KnownSum& value, double unit) {
    return std::isnan(value.sum) ? std::string("?")
                                 : fmt::format("{:g}{}", std::round(10 * value.sum / unit) / 10,
                                               value.missing > 0 ? "+?" : "");
  };
  return fmt::format("{} {} {} {} {} {} {}", user.hosts, user.devices, sum(user.memory_bytes, gib),
                     sum(user.power_w, 1), user.running, user.waiting, user.processes);
}

TEST(UserTotals, AJobsDevicesCountForItsTenant) {
  TwoHosts fleet;
  fleet.apply(job_of("acme", JobState::running, "host-0000/0-2 host-0001/0", 90));
  fleet.apply(job_of("acme", JobState::queued, "", 300));
  fleet.apply(job_of("acme", JobState::finished, "host-0000/3", 900));
  fleet.apply(job_of("idle", JobState::queued, "", 5));
  const UserTotals acme = fleet.of("acme");
  EXPECT_EQ(text_of(acme), "2 4 40 1600 1 1 0");
  EXPECT_EQ(at_2s - acme.oldest_at, std::chrono::seconds(300)) << "since it was submitted";
  EXPECT_EQ(text_of(fleet.of("idle")), "0 0 ? ? 0 1 0");
}

TEST(UserTotals, ADeviceIsDividedAmongTheJobsOnIt) {
  TwoHosts fleet;
  fleet.apply(job_of("a", JobState::running, "host-0000/0", 1));
  fleet.apply(job_of("a", JobState::running, "host-0000/0", 1));
  fleet.apply(job_of("a", JobState::running, "host-0000/0", 1));
  fleet.apply(job_of("b", JobState::running, "host-0000/0-1", 1));
  EXPECT_EQ(text_of(fleet.of("a")), "1 1 7.5 300 3 0 0");
  EXPECT_EQ(text_of(fleet.of("b")), "1 2 12.5 500 1 0 0");
  const Usage usage = usage_of(fleet.model, at_2s);
  EXPECT_EQ(usage.used, 2u);
  EXPECT_EQ(usage.devices, 8u);
  EXPECT_EQ(usage.power_w, 3'200);
}

TEST(UserTotals, ProcessesCountForTheirUsersByShareOfTimeAndWithTheirOwnMemory) {
  TwoHosts fleet;
  fleet.add_processes(0, {{1, "ann", "python", "ann", 6 * gib, 0.3},
                          {2, "bob", "python", "bob", 2 * gib, 0.1},
                          {3, "ann", "python", "ann", 1 * gib, 0.0}});
  fleet.add_processes(1, {{4, "ann", "python", "ann", {}, {}}, {5, "", "", "lab", 1 * gib, 0.5}});
  EXPECT_EQ(text_of(fleet.of("ann", "ann")), "1 2 7+? 500 0 0 3");
  EXPECT_EQ(text_of(fleet.of("bob", "bob")), "1 1 2 100 0 0 1");
  EXPECT_EQ(text_of(fleet.of("lab")), "1 1 1 200 0 0 1") << "no share of the other is known";
  EXPECT_FALSE(fleet.of("ann", "ann").oldest) << "processes do not tell when they began";
  EXPECT_NEAR(fleet.of("bob", "bob").usd_per_h.sum, 0.5, 1e-9);
  EXPECT_EQ(usage_of(fleet.model, at_2s).unlisted, 2u) << "of four real devices";
}

TEST(UserTotals, AreLowerBoundsIfTheRouterCountsMoreOpenJobsThanAreKnown) {
  TwoHosts fleet;
  fleet.apply(job_of("acme", JobState::running, "host-0000/0-2", 90));
  fleet.apply(job_of("acme", JobState::queued, "", 300));
  fleet.apply(job_of("acme", JobState::finished, "host-0000/3", 900));
  Summary summary;
  summary.running = 1;
  summary.queued = 1;
  fleet.apply(summary);
  EXPECT_EQ(usage_of(fleet.model, at_2s).unknown_jobs, 0u);
  EXPECT_FALSE(fleet.of("acme").is_lower_bound);
  summary.queued = 4;
  summary.finished = 1;
  fleet.apply(summary);
  EXPECT_EQ(usage_of(fleet.model, at_2s).unknown_jobs, 3u);
  EXPECT_TRUE(fleet.of("acme").is_lower_bound);
  // What ends after the router has counted is no job that is not known.
  summary.queued = 1;
  fleet.apply(summary);
  JobChanged ends = fleet.model.jobs().begin()->second.reported;
  for (const auto& [id, job] : fleet.model.jobs()) {
    if (job.reported.state == JobState::running) ends = job.reported;
  }
  ends.state = JobState::finished;
  fleet.apply(ends);
  EXPECT_EQ(usage_of(fleet.model, at_2s).unknown_jobs, 0u);
}

TEST(UserTotals, TheViewMarksLowerBoundsAndSaysWhy) {
  SampleSession session("users");
  EXPECT_FALSE(session.shows("known only to the router")) << session.text();
  Summary summary = session.fleet.summary;
  summary.queued += 1'200;
  session.dashboard->receive(SampleFleet::after_40s, publish_peer,
                             session.fleet.published(summary, SampleFleet::after_40s));
  session.dashboard->press(SampleFleet::after_40s, {"r"});  // counts again
  EXPECT_TRUE(session.shows("Who uses it: >2 tenants on >17 of 32 devices")) << session.text();
  EXPECT_TRUE(session.shows(">14 ")) << session.text();
  EXPECT_TRUE(session.shows("1.20k open jobs are known only to the router")) << session.text();
  UserTotals many;
  many.is_lower_bound = true;
  many.hosts = many.devices = many.running = many.waiting = 1'999'999;
  for (const UserColumn& column : user_columns()) {
    const bool counts = column.title == "HOSTS" || column.title == "DEVICES" ||
                        column.title == "RUN" || column.title == "WAIT";
    if (!counts) continue;
    EXPECT_TRUE(column.text(many, at_2s).starts_with(">")) << column.title;
    EXPECT_LE(std::ssize(column.text(many, at_2s)), column.width) << column.title;
  }
}

TEST(UserTotals, OfAFilterAreOfTheDevicesAndJobsThatCount) {
  TwoHosts fleet;
  fleet.apply(job_of("acme", JobState::running, "host-0000/0-3", 1));
  fleet.apply(job_of("other", JobState::queued, "", 1));
  const Usage usage = usage_of(
      fleet.model, at_2s,
      [&](DeviceTable::Row row) { return fleet.model.devices().index(row) > 0; },
      [](const JobChanged& job) { return job.job.tenant == "acme"; });
  ASSERT_EQ(usage.users.size(), 1u);
  EXPECT_EQ(usage.users.front().devices, 3u);
  EXPECT_EQ(usage.devices, 6u);
}

}  // namespace
}  // namespace drover::tui
