// What the page of an idle device says of a waiting job, and how often it looks for waiting jobs.
#include "tui/explain/idle_device.h"

#include <gtest/gtest.h>

namespace drover::tui {
namespace {

constexpr Instant idle_at{std::chrono::seconds(1'000)};
constexpr Duration idle_second = std::chrono::seconds(1);

/// Host "h" with two GPUs in pool "gpus", and one job that waits.
struct IdleHost {
  IdleHost() {
    HostChanged host;
    host.registration.host = "h";
    host.registration.specs = {{"l4", "class = \"gpu\"\n"}};
    host.registration.groups = {{0, 0, 2, "l4", "", 72}};
    host.pools = {"gpus"};
    apply(host);
    apply(waiting_job(1));
  }

  void apply(Message body) { model.apply(idle_at, {"router", 1, idle_at, std::move(body)}); }

  static JobChanged waiting_job(std::uint64_t number) {
    JobChanged job;
    job.job.id = {number << 32U, number};
    job.job.work.model = "llama-3.1-8b";
    job.state = JobState::queued;
    job.reason = Reason::capacity;
    return job;
  }

  /// The last line about the waiting job, if the router names these candidates.
  std::string said_of(std::vector<CandidateStatus> candidates,
                      std::vector<Decision> decisions = {}) const {
    WhyReply reply;
    reply.job = waiting_job(1);
    reply.candidates = std::move(candidates);
    reply.decisions = std::move(decisions);
    return idle_lines(model, *model.find({"h", 0}), std::vector{reply}).back().text;
  }

  Model model{idle_second};
};

TEST(IdleDevicePage, SaysOnlyWhatIsKnownOfADeviceThatNoCandidateNames) {
  IdleHost idle;
  EXPECT_EQ(idle.said_of({{"t/g0", "tpus", "tpu-v5e", 0.5, {}}}),
            "none of its candidates is in a pool of this device");
  EXPECT_EQ(idle.said_of({{"k/r0", "gpus", "l4", {}, {Reason::capacity}},
                          {"t/g0", "tpus", "tpu-v5e", 0.5, {}}}),
            "its candidates are replicas, and no replica is on this device");
  // The device may be one of the other hosts.
  EXPECT_EQ(idle.said_of({{"k/g0 and 3 more", "gpus", "l4", 0.5, {}}}),
            "none of its candidates names this device");
  EXPECT_EQ(idle.said_of({{"h/g0", "gpus", "l4", 0.5, {}}}),
            "this device is a candidate for the next decision");
  EXPECT_EQ(idle.said_of({}), "no decision on it is known");
  EXPECT_EQ(idle.said_of({}, {Decision{}}),
            "its last decision says nothing of this kind of device");
  ReplicaChanged replica;
  replica.replica.id = {"h", 4};
  replica.replica.devices = {0};
  idle.apply(replica);
  EXPECT_EQ(idle.said_of({{"k/r0", "gpus", "l4", {}, {Reason::capacity}}}),
            "none of its candidates names this device");
}

TEST(IdleDevicePage, LooksForWaitingJobsOnceASecond) {
  IdleHost idle;
  IdleSubjects subjects;
  const auto count = [&](Instant now, std::uint16_t device) {
    return subjects.follow(idle.model, {"h", device}, now, idle_second).size();
  };
  EXPECT_EQ(count(idle_at, 0), 1U);
  JobChanged other = IdleHost::waiting_job(2);
  other.job.work.model = "bert-large";
  idle.apply(other);
  EXPECT_EQ(count(idle_at + idle_second / 2, 0), 1U) << "as found before";
  EXPECT_EQ(count(idle_at + idle_second / 2, 1), 2U) << "another device";
  EXPECT_EQ(count(idle_at + 2 * idle_second, 1), 2U);
  JobChanged placed = IdleHost::waiting_job(1);
  placed.state = JobState::running;
  placed.target = "h/0-1";
  idle.apply(placed);
  EXPECT_EQ(count(idle_at + 3 * idle_second, 1), 0U) << "not idle any more";
  EXPECT_EQ(count(idle_at, 1), 0U) << "an earlier moment";
}

}  // namespace
}  // namespace drover::tui
