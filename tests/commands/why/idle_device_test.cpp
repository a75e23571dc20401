// Why no job is on a device, from what a client knows of the fleet and what the router says of the
// waiting jobs.
#include "commands/why/idle_device.h"

#include <gtest/gtest.h>

#include "tui/explain/idle_device.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

constexpr Instant at{seconds(1'000)};

/// Host "h" with two GPUs in group 0 and two TPUs in group 1.
class IdleFleet {
 public:
  IdleFleet() {
    HostChanged host;
    host.registration.host = "h";
    host.registration.specs = {{"l4", "class = \"gpu\"\n"}, {"tpu-v5e", "class = \"tpu\"\n"}};
    host.registration.groups = {{0, 0, 2, "l4", "", 72}, {1, 2, 2, "tpu-v5e", "1x2", 0}};
    host.pools = {"gpus", "tpus"};
    say(host);
  }

  void say(Message body) { model.apply(at, {"router", 1, at, std::move(body)}); }

  JobChanged job(std::uint64_t number, JobState state, std::string model_name,
                 std::string target = "") {
    JobChanged changed;
    changed.job.id = {number << 32U, number};
    changed.job.work.model = std::move(model_name);
    changed.submitted = at - seconds(10 - static_cast<int>(number));
    changed.state = state;
    changed.target = std::move(target);
    if (state == JobState::queued) changed.reason = Reason::capacity;
    say(changed);
    return changed;
  }

  tui::DeviceTable::Row row(std::uint16_t index) const { return *model.find({"h", index}); }

  tui::Model model{seconds(1)};
};

WhyReply reply_on(const JobChanged& job, std::vector<CandidateStatus> candidates) {
  WhyReply reply;
  reply.job = job;
  reply.candidates = std::move(candidates);
  return reply;
}

TEST(IdleDevice, WithoutWaitingJobsHasNothingToDo) {
  const IdleFleet fleet;
  EXPECT_TRUE(tui::is_idle(fleet.model, fleet.row(0)));
  EXPECT_EQ(idle_text(fleet.model, fleet.row(0), {}), "no job is on it, and none waits\n");
  EXPECT_EQ(idle_json(fleet.model, fleet.row(0), {}).dump(), "{\"waiting\":0,\"jobs\":[]}");
}

TEST(IdleDevice, WithAJobIsNotIdle) {
  IdleFleet fleet;
  fleet.job(1, JobState::running, "bert-large", "h/0-1");
  EXPECT_FALSE(tui::is_idle(fleet.model, fleet.row(1)));
  EXPECT_EQ(idle_text(fleet.model, fleet.row(1), {}), "");
  EXPECT_TRUE(idle_json(fleet.model, fleet.row(1), {}).is_null());
  EXPECT_TRUE(tui::is_idle(fleet.model, fleet.row(2)));
}

TEST(IdleDevice, SaysOfEachKindOfWaitingJobWhyItDoesNotRunThere) {
  IdleFleet fleet;
  const JobChanged large = fleet.job(1, JobState::queued, "llama-3.1-70b");
  fleet.job(2, JobState::queued, "llama-3.1-70b");
  const JobChanged small = fleet.job(3, JobState::queued, "llama-3.1-8b");
  EXPECT_EQ(tui::waiting_jobs_to_ask(fleet.model),
            (std::vector<JobId>{large.job.id, small.job.id}));
  const std::vector<WhyReply> waiting = {
      reply_on(large, {{"h/g1", "tpus", "tpu-v5e", 0.5, {}},
                       {"h/g0 and 3 more", "gpus", "l4", {}, {Reason::memory, Reason::thermal}}}),
      reply_on(small, {{"h/g1", "tpus", "tpu-v5e", 0.5, {}}})};
  const std::string gpu = idle_text(fleet.model, fleet.row(0), waiting);
  EXPECT_TRUE(gpu.starts_with("no job is on it; 3 jobs wait for a device\n")) << gpu;
  EXPECT_NE(gpu.find("llama-3.1-70b 0+0 tokens\n    not here: memory: "), std::string::npos) << gpu;
  EXPECT_NE(gpu.find("\n    not here: thermal: "), std::string::npos) << gpu;
  EXPECT_NE(gpu.find("llama-3.1-8b 0+0 tokens\n"
                     "    none of its candidates is in a pool of this device\n"),
            std::string::npos)
      << gpu;
  const std::string tpu = idle_text(fleet.model, fleet.row(3), waiting);
  EXPECT_NE(tpu.find("    this device is a candidate for the next decision\n"), std::string::npos)
      << tpu;
  const Json json = idle_json(fleet.model, fleet.row(0), waiting);
  EXPECT_EQ(json["jobs"][0]["reasons"].dump(), "[\"memory\",\"thermal\"]");
  EXPECT_EQ(json["jobs"][0]["candidate"].text(), "h/g0 and 3 more");
  EXPECT_TRUE(json["jobs"][1]["candidate"].is_null());
}

}  // namespace
}  // namespace drover::commands
