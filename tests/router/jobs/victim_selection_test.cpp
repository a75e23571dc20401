// Who must make room, by table: the fewest, then the least important, then those that lose least,
// then the newest.
#include "router/jobs/victim_selection.h"

#include <gtest/gtest.h>

#include "tests/router/decision_fixture.h"

namespace drover::router {
namespace {

using Numbers = std::vector<std::uint16_t>;

/// A gang that runs on devices of one host.
struct RunningGang {
  int host;
  Numbers devices;
  int priority;
  double lost_device_s = 0;
  int since_s = 0;
};

struct VictimCase {
  const char* name;
  const char* device;
  int wanted;
  std::vector<RunningGang> running;  // job 1, 2, ..
  std::vector<std::uint64_t> gone;
  std::string host;  // where they make room
  Numbers devices;
};

class Preempting : public ::testing::TestWithParam<VictimCase> {};

TEST_P(Preempting, ChoosesThePlacementThatCostsLeast) {
  const VictimCase& one = GetParam();
  DecisionFixture fleet("[pool.all]\nmatch = {}\n[[rule]]\nname = \"all\"\n");
  const bool tpu = std::string_view(one.device).starts_with("tpu");
  for (const char* name : {"a", "b"}) fleet.add_host(name, one.device, 8, tpu ? "2x4" : "");
  std::vector<PreemptionVictim> holders;
  std::uint64_t number = 0;
  for (const RunningGang& gang : one.running) {
    const HostEntry& host = fleet.fleet_state.hosts()[static_cast<std::size_t>(gang.host)];
    PreemptionVictim holder;
    holder.number = ++number;
    holder.job = {0, holder.number};
    holder.priority = gang.priority;
    holder.lost_device_s = gang.lost_device_s;
    holder.since = fleet.now + std::chrono::seconds(gang.since_s);
    for (const std::uint16_t at : gang.devices) {
      holder.devices.push_back(host.devices[at]);
    }
    fleet.fleet_state.reserve_gang(fleet.now, holder.job, static_cast<HostIndex>(gang.host),
                                   gang.devices, fleet.now, 100);
    if (gang.priority < 100) holders.push_back(std::move(holder));  // others may not go
  }
  const std::vector<GroupSet> groups{{0}, {1}};
  const auto found = cheapest_preemption(fleet.fleet_state, groups, one.wanted, holders);
  std::vector<std::uint64_t> gone;
  if (found) {
    for (const JobId& job : found->jobs) gone.push_back(job.low);
    std::sort(gone.begin(), gone.end());
    ASSERT_EQ(found->parts.size(), 1u);
    const HostIndex host = fleet.fleet_state.groups()[found->parts[0].group].host;
    EXPECT_EQ(fleet.fleet_state.hosts()[host].registration.host, one.host);
    EXPECT_EQ(found->parts[0].devices, one.devices);
  }
  EXPECT_EQ(gone, one.gone);
}

const Numbers all{0, 1, 2, 3, 4, 5, 6, 7};

INSTANTIATE_TEST_SUITE_P(
    Table, Preempting,
    ::testing::Values(
        VictimCase{"nobody may go", "h100-sxm", 4, {{0, all, 100}, {1, all, 100}}, {}, "", {}},
        VictimCase{"not enough would come free",
                   "h100-sxm",
                   8,
                   {{0, {0, 1, 2, 3}, 0}, {0, {4, 5, 6, 7}, 100}, {1, all, 100}},
                   {},
                   "",
                   {}},
        VictimCase{"the fewest",
                   "h100-sxm",
                   4,
                   {{0, {0, 1}, 0}, {0, {2, 3}, 0}, {0, {4, 5, 6, 7}, 100}, {1, all, 5}},
                   {4},
                   "b",
                   {0, 1, 2, 3}},
        VictimCase{"of as many the least important",
                   "h100-sxm",
                   4,
                   {{0, {0, 1, 2, 3}, 3}, {0, {4, 5, 6, 7}, 1}, {1, all, 2}},
                   {2},
                   "a",
                   {4, 5, 6, 7}},
        VictimCase{"then who loses least",
                   "h100-sxm",
                   8,
                   {{0, all, 0, 500}, {1, all, 0, 300}},
                   {2},
                   "b",
                   all},
        VictimCase{"then the newest",
                   "h100-sxm",
                   8,
                   {{0, all, 0, 300, 60}, {1, all, 0, 300, 10}},
                   {1},
                   "a",
                   all},
        VictimCase{"who is free need not be freed",
                   "h100-sxm",
                   4,
                   {{0, {0, 1, 2}, 0}, {0, {3, 4}, 0}, {1, all, 100}},
                   {2},
                   "a",
                   {4, 5, 6, 7}},
        VictimCase{"a large one where the unimportant are too small",
                   "h100-sxm",
                   4,
                   {{0, {0}, 0}, {0, {1, 2, 3, 4}, 5}, {0, {5, 6, 7}, 100}, {1, all, 100}},
                   {2},
                   "a",
                   {1, 2, 3, 4}},
        VictimCase{"the unimportant one among those that complete it",
                   "h100-sxm",
                   8,
                   {{0, {0, 1}, 0}, {0, {2, 3, 4, 5}, 5}, {1, all, 100}},
                   {1, 2},
                   "a",
                   all},
        VictimCase{"a slice is whole and aligned",
                   "tpu-v5e",
                   4,
                   {{0, {0}, 0}, {0, {4}, 0}, {0, {5}, 0}, {1, all, 100}},
                   {1},
                   "a",
                   {0, 1, 2, 3}},
        VictimCase{"a slice is not made of what lies between two",
                   "tpu-v5e",
                   4,
                   {{0, {1}, 100}, {0, {2, 3, 4, 5}, 0}, {0, {6}, 100}, {1, all, 100}},
                   {},
                   "",
                   {}}),
    [](const auto& named) {
      std::string name = named.param.name;
      std::replace(name.begin(), name.end(), ' ', '_');
      return name;
    });

// ---- Who may be sent away ----------------------------------------------------------------------

JobRecord running_gang() {
  JobRecord record;
  record.job.work.kind = WorkKind::train;
  record.job.work.steps = 1000;
  record.state = JobState::running;
  record.attempt = 1;
  record.lease.members = {Member("h1", {0, 1})};
  record.work_class = "research";
  return record;
}

TEST(Preemption, StopsOnlyRunningLowerPriorityGangsWithAnAttemptLeft) {
  struct Change {
    const char* what;
    void (*apply)(JobRecord&, Preempt&);
    bool may;
  };
  const std::vector<Change> changes{
      {"nothing", [](JobRecord&, Preempt&) {}, true},
      {"equal priority", [](JobRecord& record, Preempt&) { record.job.priority = 5; }, false},
      {"not begun", [](JobRecord& record, Preempt&) { record.state = JobState::leased; }, false},
      {"on a replica", [](JobRecord& record, Preempt&) { record.lease.members = {Member("h1")}; },
       false},
      {"cancelled", [](JobRecord& record, Preempt&) { record.cancelled = "by ann"; }, false},
      {"its last attempt", [](JobRecord& record, Preempt&) { record.attempt = 3; }, false},
      {"excused ones do not count",
       [](JobRecord& record, Preempt&) {
         record.attempt = 3;
         record.excused = 1;
       },
       true},
      {"made room too often", [](JobRecord& record, Preempt&) { record.preempted = preempted_max; },
       false},
      {"of a class that may",
       [](JobRecord&, Preempt& preempt) {
         preempt.trainings = false;
         preempt.classes = {"other", "research"};
       },
       true},
      {"of another class",
       [](JobRecord&, Preempt& preempt) {
         preempt.trainings = false;
         preempt.classes = {"other"};
       },
       false},
  };
  for (const Change& change : changes) {
    JobRecord record = running_gang();
    Preempt preempt;
    preempt.trainings = true;
    change.apply(record, preempt);
    EXPECT_EQ(may_be_preempted(record, preempt, 5, 3), change.may) << change.what;
  }
}

TEST(Preemption, CountsTheWorkSinceTheLastCheckpointAsLost) {
  const Instant now = Instant{} + std::chrono::hours(1);
  JobRecord record = running_gang();
  record.since = now - std::chrono::seconds(100);
  EXPECT_DOUBLE_EQ(lost_device_s(record, now), 200) << "all, before anything was told";
  record.progress = 0.5;
  EXPECT_DOUBLE_EQ(lost_device_s(record, now), 200);
  record.steps_saved = 400;
  EXPECT_DOUBLE_EQ(lost_device_s(record, now), 40);
  record.lease.from_step = 300;
  EXPECT_DOUBLE_EQ(lost_device_s(record, now), 100) << "half of this attempt's";
}

}  // namespace
}  // namespace drover::router
