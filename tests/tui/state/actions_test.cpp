// What a person can change from the dashboard: asked before it is done, and told what came of it.
#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/dashboard.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;

struct Controlled {
  explicit Controlled(const std::string& view, bool control = true, double speed = 1) {
    DashboardOptions options;
    options.settings.start.view = view;
    options.control = control;
    options.speed = speed;
    dashboard = std::make_unique<Dashboard>(options, Size{120, 40}, SampleFleet::start);
    feed_snapshot(*dashboard, fleet, SampleFleet::start);
    for (const Envelope& batch : fleet.samples(1)) {
      dashboard->receive(SampleFleet::start, publish_peer, batch);
    }
    dashboard->take_effects();
    dashboard->draw(SampleFleet::after_3s);
  }
  void press(const std::vector<std::string>& keys) {
    for (const std::string& key : keys) dashboard->press(SampleFleet::after_3s, {key});
  }
  /// ":" and a line and Enter.
  void run(const std::string& line) {
    press({":"});
    for (const char letter : line) press({letter == ' ' ? "Space" : std::string(1, letter)});
    press({"Enter"});
  }
  std::string text() { return dashboard->draw(SampleFleet::after_3s).to_text(); }
  bool shows(const std::string& words) { return text().find(words) != std::string::npos; }
  std::vector<Message> sent() {
    std::vector<Message> bodies;
    for (const Send& send : take<Send>(*dashboard)) bodies.push_back(send.envelope.body);
    return bodies;
  }

  SampleFleet fleet;
  std::unique_ptr<Dashboard> dashboard;
};

TEST(Actions, OnAPoolReachDevicesThatAreAlsoInOtherPools) {
  Controlled fleet("devices");
  HostChanged host = fleet.fleet.hosts[0];
  host.further_pools = {{0, "spot"}};
  fleet.dashboard->receive(SampleFleet::after_3s, publish_peer, fleet.fleet.published(host));
  fleet.run("drain pool:spot");
  EXPECT_TRUE(fleet.shows("Drain pool:spot (8 devices,")) << fleet.text();
}

TEST(Actions, DescribeTheirEffectAndRunOnlyAfterConfirmation) {
  struct Case {
    const char* view;
    std::string line;
    const char* question;
    Message request;
  };
  SetPowerCap cap;
  cap.target = "pool:hopper";
  cap.watts = 4500;
  cap.duration = seconds(600);
  const std::vector<Case> cases = {
      {"devices", "drain gpu-a/3", "Drain device:gpu-a/3 (1 device,",
       SetDrain{"device:gpu-a/3", true, Duration{0}}},
      {"devices", "drain gpu-a/3 within 10m", "after 10m running work is requeued",
       SetDrain{"device:gpu-a/3", true, seconds(600)}},
      {"devices", "resume host:gpu-a", "Resume host:gpu-a (8 devices,",
       SetDrain{"host:gpu-a", false, Duration{0}}},
      {"power", "cap pool:hopper 4.5kW for 10m", "Cap pool:hopper", cap},
      {"devices", "inject gpu-a/3 xid=79 for 30s", "Inject xid=79 into device:gpu-a/3",
       InjectFault{"device:gpu-a/3", {FaultKind::xid, 79, 0, seconds(30)}, 0, 1}},
      {"jobs", "cancel abcdef12", "Cancel abcdef12", CancelJobs{{"abcdef12"}}},
      {"fleet", "acknowledge hot gpu-a/6",
       "Acknowledge hot of gpu-a/6:", AcknowledgeAlert{"hot", "gpu-a/6"}},
      {"fleet", "acknowledge all", "Acknowledge host_lost of edge-1, hot of gpu-a/6, throttling",
       AcknowledgeAlert{}},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.line);
    Controlled fleet(c.view);
    fleet.run(c.line);
    EXPECT_TRUE(fleet.shows(c.question)) << fleet.text();
    EXPECT_TRUE(fleet.sent().empty()) << "nothing before a yes";
    fleet.press({"n"});
    EXPECT_TRUE(fleet.sent().empty()) << "nothing after a no";
    EXPECT_TRUE(fleet.shows("nothing was done"));
    fleet.run(c.line);
    fleet.press({"y"});
    const std::vector<Message> sent = fleet.sent();
    ASSERT_EQ(sent.size(), 1u);
    EXPECT_TRUE(sent.front() == c.request);
  }
}

TEST(Actions, ReachAllTaggedDevices) {
  Controlled fleet("devices");
  fleet.press({"g", "T", "T", "T", "d", "y"});
  const std::vector<Message> sent = fleet.sent();
  ASSERT_EQ(sent.size(), 3u);
  for (const Message& body : sent) EXPECT_TRUE(std::holds_alternative<SetDrain>(body));
  fleet.press({"U", "d", "y"});
  EXPECT_EQ(fleet.sent().size(), 1u) << "what is selected";
}

TEST(Actions, ReportTheirResult) {
  Controlled fleet("devices");
  fleet.press({"g", "T", "T", "d", "y"});
  EXPECT_TRUE(fleet.shows("request sent, waiting for the router"));
  const auto answer = [&](const ActionReply& reply) {
    fleet.dashboard->receive(SampleFleet::after_3s, router_peer,
                             {"router", 1, SampleFleet::after_3s, reply});
  };
  answer({true, {"gpu-a/0"}, ""});
  answer({false, {}, "no such device"});
  EXPECT_TRUE(fleet.shows("1 of 2 done: gpu-a/0; not done: no such device")) << fleet.text();
  Controlled one("devices");
  one.run("drain host:gpu-a");
  one.press({"y"});
  const std::string summary = "gpu-a: draining 8 devices; 2 jobs still run and will finish";
  one.dashboard->receive(
      SampleFleet::after_3s, router_peer,
      {"router", 1, SampleFleet::after_3s, ActionReply{true, {"gpu-a/0"}, "", summary}});
  EXPECT_TRUE(one.shows(summary)) << one.text();
  EXPECT_FALSE(one.shows("done: " + summary));
}

TEST(Actions, TakeWallTimeDurationsAndThePromptShowsBothTimes) {
  Controlled fleet("power", true, 10);
  fleet.run("cap pool:hopper 4.5KW for 60s");
  EXPECT_TRUE(fleet.shows("for 10m of fleet time, 60s here")) << fleet.text();
  fleet.press({"y"});
  std::vector<Message> sent = fleet.sent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_EQ(std::get<SetPowerCap>(sent.front()).duration, seconds(600));
  fleet.run("cap pool:hopper 4.5kW admission-only for 60s fleet anyway");
  fleet.press({"y"});
  sent = fleet.sent();
  ASSERT_EQ(sent.size(), 1u);
  EXPECT_TRUE(sent.front() == Message(SetPowerCap{"pool:hopper", 4500, seconds(60), true, true}));
  EXPECT_TRUE(fleet.shows("10x fleet time")) << fleet.text();
}

TEST(Actions, ReportAnUnknownResultWithoutAnAnswer) {
  Controlled fleet("devices");
  fleet.press({"g", "d", "y"});
  EXPECT_LE(fleet.dashboard->next_deadline(), SampleFleet::after_3s + seconds(10));
  fleet.dashboard->tick(SampleFleet::after_3s + seconds(11));
  EXPECT_NE(fleet.dashboard->draw(SampleFleet::after_3s + seconds(11))
                .to_text()
                .find("the result is unknown"),
            std::string::npos);
}

TEST(Actions, AreRefusedWithAHintWithoutControlOrInThePast) {
  Controlled looks("devices", false);
  looks.press({"j", "d"});
  EXPECT_TRUE(looks.shows("--control")) << looks.text();
  looks.run("cap site 5kW");
  EXPECT_TRUE(looks.shows("--control"));
  EXPECT_TRUE(looks.sent().empty());
  Controlled past("devices");
  past.press({"j", "Space", "d"});
  EXPECT_TRUE(past.shows("not live: press L first")) << past.text();
  EXPECT_TRUE(past.sent().empty());
}

TEST(Actions, InvalidArgumentsAreNamedAndTheLineStays) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"cap host:gpu-a 5kW", "expected site or pool:NAME"},
      {"cap site -5W", "found"},
      {"cap site 5", "a power with its unit"},
      {"cap site", "expected a target and watts"},
      {"inject gpu-a/3 melt", "melt"},
      {"drain no/such/thing", "no/such/thing"},
      {"policy", "expected a policy file"},
      {"dran", "did you mean drain"},
      {"quit now", "takes no 'now'"},
      {"device gpu-z/9", "no device gpu-z/9"},
  };
  for (const auto& [line, problem] : cases) {
    Controlled fleet("devices");
    fleet.run(line);
    EXPECT_TRUE(fleet.shows(problem)) << line << "\n" << fleet.text();
    EXPECT_TRUE(fleet.shows(":" + line)) << fleet.text();
    EXPECT_TRUE(fleet.sent().empty());
  }
}

TEST(Actions, APromptIsDroppedWhenTheScreenBecomesTooSmall) {
  Controlled fleet("devices");
  fleet.run("drain gpu-a/3");
  fleet.dashboard->resize(SampleFleet::after_3s, {10, 2});
  fleet.dashboard->resize(SampleFleet::after_3s, {120, 40});
  fleet.run("jobs");
  EXPECT_FALSE(fleet.shows("Drain device:gpu-a/3")) << fleet.text();
  fleet.press({"y"});
  EXPECT_TRUE(fleet.sent().empty());
}

TEST(Actions, AConfirmedPolicyFileIsHandedToTheShell) {
  Controlled fleet("routing");
  fleet.run("policy new.toml");
  EXPECT_FALSE(takes<ReadPolicy>(*fleet.dashboard));
  fleet.press({"y"});
  const auto asked = take<ReadPolicy>(*fleet.dashboard);
  ASSERT_EQ(asked.size(), 1);
  EXPECT_EQ(asked[0].file, "new.toml");
  EXPECT_FALSE(takes<ReadPolicy>(*fleet.dashboard));
}

TEST(Actions, ThatTheKeyForbidsAreReportedEachTime) {
  Controlled fleet("devices");
  for (int time = 0; time < 2; ++time) {
    fleet.run("drain gpu-a/3");
    fleet.press({"y"});
    ASSERT_EQ(fleet.sent().size(), 1U) << time;
    fleet.dashboard->receive(
        SampleFleet::after_3s, router_peer,
        fleet.fleet.published(RequestError{"the key eve (role view) may not send SetDrain"}));
    EXPECT_TRUE(fleet.shows("may not send SetDrain")) << fleet.text();
    EXPECT_FALSE(fleet.shows("did not answer")) << fleet.text();
    fleet.press({"2"});
  }
}

}  // namespace
}  // namespace drover::tui
