// The verbs that act on a fleet, as people use them.
#include <gtest/gtest.h>

#include "tests/commands/program.h"

namespace drover::commands {
namespace {

/// A router and one agent with four H100s.
struct Running {
  std::string endpoint = free_endpoint();
  DroverProcess router{{"router", "--listen", endpoint}};
  DroverProcess agent{{"agent", "--name", "h1", "--devices", "h100-sxm:4", "--connect", endpoint}};
  bool joined = eventually([&] {
    const ProcessResult ran = run_drover({"devices", "--json", "--connect", endpoint});
    return ran.out.find("h1") != std::string::npos;
  });
  ProcessResult run(std::vector<std::string> words) const {
    words.insert(words.end(), {"--connect", endpoint});
    return run_drover(words);
  }
};

TEST(ActionVerbs, ReportWhatTheyReachedOrWhyTheyFailed) {
  const Running fleet;
  ASSERT_TRUE(fleet.joined) << fleet.router.err() << fleet.agent.err();
  const ProcessResult one = fleet.run({"inject", "h1/2", "throttle=0.5", "--for", "5s"});
  EXPECT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.out,
            "h1/2: throttle=0.5 for 5.0s: work there slows down; nothing runs there now\n");
  const ProcessResult drawn =
      fleet.run({"inject", "host:h1", "hang", "--any", "2", "--seed", "7", "--json"});
  EXPECT_EQ(drawn.exit_code, 0) << drawn.err;
  EXPECT_NE(drawn.out.find("\"applied\":true"), std::string::npos) << drawn.out;
  const ProcessResult again =
      fleet.run({"inject", "host:h1", "hang", "--any", "2", "--seed", "7", "--json"});
  EXPECT_EQ(again.out, drawn.out) << "the same seed draws the same devices";
  const ProcessResult nobody = fleet.run({"inject", "h2/0", "hang"});
  EXPECT_EQ(nobody.exit_code, 1);
  EXPECT_NE(nobody.err.find("no host \"h2\"; did you mean h1?"), std::string::npos) << nobody.err;
  EXPECT_EQ(nobody.out, "");
  const ProcessResult cap = fleet.run({"cap", "site", "20kW", "--for", "10m"});
  EXPECT_EQ(cap.exit_code, 0) << cap.err;
  EXPECT_TRUE(cap.out.starts_with("the site: capped at 20.0kW, ")) << cap.out;
  EXPECT_EQ(
      fleet.run({"cap", "pool:h100", "none"}).out,
      "pool h100: no cap was set, no limit of its own applies, but 20.0kW applies to the site\n");
  const ProcessResult tiny = fleet.run({"cap", "site", "5W"});
  EXPECT_EQ(tiny.exit_code, 1);
  EXPECT_EQ(tiny.err,
            "drover cap: 5W is below what 4 devices of the site draw idle, 287W: no work would "
            "start there; use --yes to do it anyway\n");
  EXPECT_EQ(fleet.run({"cap", "site", "5W", "--yes"}).exit_code, 0);
  const ProcessResult host = fleet.run({"cap", "host:h1", "1kW", "--json"});
  EXPECT_EQ(host.exit_code, 1);
  EXPECT_NE(host.out.find("\"applied\":false"), std::string::npos) << host.out;
}

TEST(ActionVerbs, TakeWallTimeDurationsAndReportBothTimes) {
  const std::string endpoint = free_endpoint();
  DroverProcess router({"router", "--listen", endpoint, "--speed", "10"});
  const auto run = [&](std::vector<std::string> words) {
    words.insert(words.end(), {"--connect", endpoint});
    return run_drover(words);
  };
  ASSERT_TRUE(eventually([&] { return run({"status"}).exit_code == 0; })) << router.err();
  DroverProcess agent({"agent", "--name", "h1", "--devices", "h100-sxm:4", "--connect", endpoint});
  ASSERT_TRUE(eventually([&] { return run({"devices"}).out.find("h1/3") != std::string::npos; }));
  EXPECT_NE(run({"inject", "h1/2", "hang", "--for", "60s"})
                .out.find("hang for 10m of fleet time, 60s here"),
            std::string::npos);
  EXPECT_NE(run({"inject", "h1/2", "hang", "--for", "60s fleet"})
                .out.find("hang for 60s of fleet time, 6.0s here"),
            std::string::npos);
  EXPECT_NE(
      run({"cap", "site", "20kw", "--for", "60s"}).out.find("for 10m of fleet time, 60s here"),
      std::string::npos);
  EXPECT_TRUE(run({"status"}).out.starts_with("fleet time ")) << run({"status"}).out;
}

TEST(ActionVerbs, RejectBadArgumentsBeforeContactingTheRouter) {
  struct Case {
    std::vector<std::string> words;
    std::string said;
  };
  const Case cases[] = {{{"inject", "h1/2"}, "TARGET and FAULT are required"},
                        {{"inject", "h1/2", "trottle"}, "throttle"},
                        {{"inject", "moon", "hang"}, "target \"moon\": expected"},
                        {{"inject", "h1/2", "hang", "--for", "soon"}, "--for"},
                        {{"inject", "h1/2", "hang", "--any", "0"}, "--any"},
                        {{"cap", "site"}, "TARGET and WATTS are required"},
                        {{"cap", "site", "lots"}, "WATTS"},
                        {{"cap", "site", "5"}, "a power with its unit (W kW MW)"},
                        {{"cap", "site", "0W"}, "more than 0, or \"none\""},
                        {{"drain", "h1/2", "--deadline", "soon"}, "--deadline"}};
  for (const Case& each : cases) {
    const ProcessResult ran = run_drover(each.words);
    EXPECT_EQ(ran.exit_code, 2) << each.said;
    EXPECT_NE(ran.err.find(each.said), std::string::npos) << ran.err;
    EXPECT_EQ(ran.out, "");
  }
}

}  // namespace
}  // namespace drover::commands
