// `--filter` over devices: what each field of a device says, and what a person is told who is
// wrong.
#include <gtest/gtest.h>

#include "tests/commands/program.h"
#include "tests/commands/small_fleet.h"
#include "tui/tables/fleet_filter.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

constexpr Instant published_at{seconds(1'000)};

JobChanged running(std::uint64_t id, std::string model, std::string tenant, std::string target) {
  JobChanged changed;
  changed.job.id = {id, id};
  changed.job.work.model = std::move(model);
  changed.job.tenant = std::move(tenant);
  changed.state = JobState::running;
  changed.target = std::move(target);
  return changed;
}

/// Two hosts: "a" with two GPUs in two pools and two TPUs in none, and "b" with one GPU, lost.
class TwoHostFleet {
 public:
  TwoHostFleet() {
    HostChanged a;
    a.registration.host = "a";
    a.registration.rack = "left";
    a.registration.site = "north";
    a.registration.labels = {{"tier", "fast"}};
    a.registration.price_factor = 2;
    a.registration.specs = {
        {"h100-sxm", "class = \"gpu\"\n[thermal]\nslowdown_c = 90\n[price]\nusd_per_h = 1.5\n"},
        {"tpu-v5e", "class = \"tpu\"\n"}};
    a.registration.groups = {{0, 0, 2, "h100-sxm", "", 700}, {1, 2, 2, "tpu-v5e", "1x2", 0}};
    a.pools = {"fast", ""};
    a.further_pools = {{0, "spot"}};
    say(a);
    HostChanged b;
    b.registration.host = "b";
    b.registration.groups = {{0, 0, 1, "h100-sxm", "", 700}};
    b.health = Health::lost;
    say(b);
    sample("a", 0, 85, throttle_sw_power_cap);
    sample("a", 1, 40, 0);
    sample("b", 0, 99, 0);
  }

  void say(Message body) {
    model_.apply(published_at, {"router", 1, published_at, std::move(body)});
  }

  void sample(const std::string& host, std::uint16_t device, double celsius, double throttle) {
    Sample row;
    row.device = device;
    row[Metric::temperature] = celsius;
    row[Metric::throttle] = throttle;
    say(pack(host, std::vector{row}));
  }

  /// The ids of those that it holds for, when another message arrives so many seconds later.
  std::string found(std::string_view text, int later_s = 1) const {
    auto parsed = filter::Filter::parse(text, filter::devices);
    if (const auto* problem = std::get_if<filter::Problem>(&parsed)) return problem->message;
    const Instant later = published_at + seconds(later_s);
    tui::Model model = model_;
    model.apply(later, {"router", 2, later, Summary{}});
    tui::FleetFilter filter;
    filter.use(std::get<filter::Filter>(std::move(parsed)));
    filter.evaluate(model, later);
    std::string ids;
    for (tui::DeviceTable::Row row = 0; row < model.devices().rows(); ++row) {
      if (filter.shows(row)) ids += (ids.empty() ? "" : " ") + to_text(model.id_of(row));
    }
    return ids;
  }

 private:
  tui::Model model_{seconds(1)};
};

struct FilterCase {
  const char* text;
  const char* ids;
};

TEST(DeviceFilter, FindsDevicesByWhatTheyAre) {
  const TwoHostFleet fleet;
  const FilterCase cases[] = {
      {"", "a/0 a/1 a/2 a/3 b/0"},
      {"id==a/1", "a/1"},
      {"host==b", "b/0"},
      {"index==0", "a/0 b/0"},
      {"rack==left & site==north & index<2", "a/0 a/1"},
      {"rack==none", "b/0"},
      {"kind==tpu", "a/2 a/3"},
      {"kind==gpu", "a/0 a/1 b/0"},
      {"kind==h100-sxm & !host==b", "a/0 a/1"},
      {"pool==fast", "a/0 a/1"},
      {"pool==spot", "a/0 a/1"},
      {"pool==none", "a/2 a/3 b/0"},
      {"group==1", "a/2 a/3"},
      {"label==tier=fast & index==3", "a/3"},
      {"price==3", "a/0 a/1"},
      {"price==none", "a/2 a/3"},
      {"v5e", "a/2 a/3"},
      {"nowhere", ""},
  };
  for (const FilterCase& row : cases) EXPECT_EQ(fleet.found(row.text), row.ids) << row.text;
}

TEST(DeviceFilter, FindsDevicesByWhatTheyReport) {
  const TwoHostFleet fleet;
  const FilterCase cases[] = {
      {"temp>70", "a/0"},      {"temp==none", "a/2 a/3 b/0"},     {"headroom<6C", "a/0"},
      {"headroom==50", "a/1"}, {"headroom==none", "a/2 a/3 b/0"}, {"throttle==power", "a/0"},
      {"throttle==no", "a/1"}, {"age==1s & temp>0", "a/0 a/1"},
  };
  for (const FilterCase& row : cases) EXPECT_EQ(fleet.found(row.text), row.ids) << row.text;
}

TEST(DeviceFilter, FindsDevicesByTheirState) {
  TwoHostFleet fleet;
  EXPECT_EQ(fleet.found("state==ok"), "a/0 a/1");
  EXPECT_EQ(fleet.found("state==lost"), "b/0");
  EXPECT_EQ(fleet.found("state==stale", 6), "a/0 a/1 a/2 a/3");
  EXPECT_EQ(fleet.found("state==stale", 5), "a/2 a/3") << "they have never reported";
  fleet.say(DeviceChanged{"a", 0, false, published_at, "Xid 79", {"xid=79"}, false});
  fleet.say(DeviceChanged{"a", 1, true, published_at, "", {}, true});
  EXPECT_EQ(fleet.found("state==unusable"), "a/0");
  EXPECT_EQ(fleet.found("state==faulty & state==unusable"), "a/0");
  EXPECT_EQ(fleet.found("state==drained"), "a/1");
  EXPECT_EQ(fleet.found("state==ok"), "");
  fleet.say(DeviceChanged{"a", 1, true, published_at, "", {}, false});
  EXPECT_EQ(fleet.found("state==ok"), "a/1");
}

TEST(DeviceFilter, ValuesFromAStaleSampleAreUnknown) {
  const TwoHostFleet fleet;
  EXPECT_EQ(fleet.found("temp>70", 5), "a/0");
  EXPECT_EQ(fleet.found("temp>70", 6), "");
  EXPECT_EQ(fleet.found("temp==none & throttle==none", 6), "a/0 a/1 a/2 a/3 b/0");
  EXPECT_EQ(fleet.found("age==6s", 6), "a/0 a/1 b/0") << "each by its own last sample";
}

TEST(DeviceFilter, ThePolicySetsTheMaximumSampleAge) {
  TwoHostFleet fleet;
  PolicyChanged policy;
  policy.stale_after_s = 50;
  fleet.say(policy);
  EXPECT_EQ(fleet.found("temp>70", 50), "a/0");
  EXPECT_EQ(fleet.found("temp>70", 51), "");
}

TEST(DeviceFilter, ADepartedHostIsNeitherLostNorStaleAndAForgottenOneIsGone) {
  TwoHostFleet fleet;
  HostChanged left;
  left.registration.host = "c";
  left.registration.groups = {{0, 0, 1, "h100-sxm", "", 700}};
  left.health = Health::left;
  fleet.say(left);
  EXPECT_EQ(fleet.found("state==left"), "c/0");
  EXPECT_EQ(fleet.found("host==c & (state==stale | state==lost)"), "");
  fleet.say(HostForgotten{"c"});
  EXPECT_EQ(fleet.found("host==c"), "");
}

TEST(DeviceFilter, FindsDevicesWhoseWorkIsPaused) {
  TwoHostFleet fleet;
  Replica replica;
  replica.id = {"a", 0};
  replica.devices = {2, 3};
  replica.state = ReplicaState::ready;
  replica.pause = Pause::compiling;
  fleet.say(ReplicaChanged{replica, ""});
  JobChanged gang = running(3, "bert-large", "lab", "a/1");
  gang.pause = Pause::peer;
  fleet.say(gang);
  EXPECT_EQ(fleet.found("pause==compiling"), "a/2 a/3");
  EXPECT_EQ(fleet.found("pause==peer"), "a/1");
  EXPECT_EQ(fleet.found("pause==no"), "a/0");
}

TEST(DeviceFilter, FindsDevicesByTheWorkOnThem) {
  TwoHostFleet fleet;
  Replica replica;
  replica.id = {"a", 0};
  replica.model = "llama-3.1-8b";
  replica.devices = {0};
  replica.state = ReplicaState::ready;
  fleet.say(ReplicaChanged{replica, "fast"});
  fleet.say(running(1, "llama-3.1-8b", "shop", "a/r0"));
  fleet.say(running(2, "bert-large", "lab", "a/2-3 b/0"));
  EXPECT_EQ(fleet.found("job~llama"), "a/0");
  EXPECT_EQ(fleet.found("job~bert"), "a/2 a/3");  // nothing is known of a lost device
  EXPECT_EQ(fleet.found("tenant==shop"), "a/0");
  EXPECT_EQ(fleet.found("tenant==lab"), "a/2 a/3");
  EXPECT_EQ(fleet.found("model==bert-large | model==llama-3.1-8b"), "a/0 a/2 a/3");
  EXPECT_EQ(fleet.found("job==00000000000000020000000000000002"), "a/2 a/3");
  JobChanged over = running(2, "bert-large", "lab", "a/2-3 b/0");
  over.state = JobState::finished;
  fleet.say(over);
  EXPECT_EQ(fleet.found("job~bert"), "");
  EXPECT_EQ(fleet.found("job==none"), "a/1 a/2 a/3 b/0");
}

TEST(DeviceFilter, FindsDevicesThatAnAlertIsAbout) {
  TwoHostFleet fleet;
  Alert alert;
  alert.rule = "throttling";
  alert.subject = "a/0";
  fleet.say(alert);
  alert.rule = "host_lost";
  alert.subject = "b";
  fleet.say(alert);
  EXPECT_EQ(fleet.found("alert==throttling"), "a/0");
  EXPECT_EQ(fleet.found("alert!=none"), "a/0 b/0");
  alert.raised = false;
  fleet.say(alert);
  EXPECT_EQ(fleet.found("alert!=none"), "a/0");
}

TEST(FilterOption, MarksTheMistake) {
  const ProcessResult ran = run_drover({"devices", "--filter", "kind==tpu & tmp>70"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_EQ(ran.out, "");
  EXPECT_EQ(ran.err,
            "drover devices: --filter: unknown field tmp; did you mean temp?\n"
            "  kind==tpu & tmp>70\n"
            "              ^~~\n");
}

TEST(FilterOption, RejectsFieldsThatDevicesLack) {
  const ProcessResult ran = run_drover({"devices", "--filter", "progress>50%"});
  EXPECT_EQ(ran.exit_code, 2);
  EXPECT_NE(ran.err.find("devices have no progress"), std::string::npos) << ran.err;
}

TEST(FilterOption, NarrowsTheTableTheJsonAndTheStream) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const auto count = [&](const std::string& filter) {
    return Json::parse(fleet.ask({"devices", "--json", "--filter", filter}).out)->size();
  };
  EXPECT_EQ(count("id==h-1/1"), 1U);
  EXPECT_EQ(count("kind==l4 & temp>0"), 2U);
  EXPECT_EQ(count("kind==tpu"), 0U);
  const ProcessResult table = fleet.ask({"devices", "--filter", "h-1/1"});
  EXPECT_EQ(table.out.find("h-1/0"), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("h-1/1"), std::string::npos) << table.out;
  const ProcessResult stream =
      fleet.ask({"devices", "--follow", "--json", "--for", "2s", "--filter", "index==1"});
  EXPECT_EQ(stream.exit_code, 0) << stream.err;
  EXPECT_NE(stream.out.find("h-1/1"), std::string::npos) << stream.out;
  EXPECT_EQ(stream.out.find("h-1/0"), std::string::npos) << stream.out;
}

}  // namespace
}  // namespace drover::commands
