// Fleet time that leaps: routers that are restored, or begin anew, with agents and dashboards that
// live on. Real processes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <thread>

#include "commands/connection/fleet_time_bounds.h"
#include "commands/router/ledger_clock.h"
#include "commands/shell/clock.h"
#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

using std::chrono::hours;
using std::chrono::seconds;

/// What the process has of the machine's memory, in MiB; 0: it is not there.
std::size_t resident_mib(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  std::string word;
  while (file >> word) {
    std::size_t kib = 0;
    if (word == "VmRSS:" && file >> kib) return kib / 1024;
  }
  return 0;
}

/// A router whose ledger and clock are changed between its lives, and one agent that stays.
class ClockJumps : public testing::Test {
 protected:
  void begin_router(const std::string& speed, const std::string& ledger = "ledger.sqlite") {
    router = std::make_unique<DroverProcess>(std::vector<std::string>{
        "router", "--listen", endpoint, "--ledger", folder.file(ledger), "--speed", speed});
    ASSERT_TRUE(router->says("router ready")) << router->err();
  }
  void end_router() {
    router->signal(SIGTERM);
    ASSERT_EQ(router->wait().exit_code, 0) << router->err();
  }
  void begin_agent() {
    agent = std::make_unique<DroverProcess>(
        std::vector<std::string>{"agent", "--connect", endpoint, "--name", "h-1", "--devices",
                                 "h100-sxm:2", "--replicas", "llama-3.1-8b:0"});
    ASSERT_TRUE(shows_fresh_devices()) << agent->err();
  }
  void write_clock(const std::string& text) const {
    std::ofstream(folder.file("ledger.sqlite.clock"), std::ios::trunc) << text;
  }
  void move_clock(Duration span) const {
    const std::string path = folder.file("ledger.sqlite.clock");
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    auto clock = parse_ledger_clock(text.str());
    ASSERT_TRUE(clock) << text.str();
    clock->fleet += span;
    write_clock(to_text(*clock));
  }
  ProcessResult ask(std::vector<std::string> words) const {
    words.insert(words.end(), {"--connect", endpoint});
    return run_drover(words);
  }
  /// Both devices are there with a sample of now. An agent that lives through a gap sends samples
  /// of its beginning.
  bool shows_fresh_devices() const {
    return eventually([&] {
      const auto devices = Json::parse(ask({"devices", "--json"}).out);
      if (!devices || devices->size() != 2) return false;
      for (std::size_t i = 0; i < 2; ++i) {
        const Json& device = (*devices)[i];
        if (device["health"].text() != "ok" || !device["temperature_c"].is_number()) return false;
        if (std::abs(device["age_s"].number()) > 100) return false;
      }
      return true;
    });
  }
  ProcessResult submit_and_wait() const {
    return ask({"submit", "--model", "llama-3.1-8b", "--input", "100", "--output", "10", "--wait"});
  }
  std::string devices() const { return ask({"devices", "--json"}).out + agent->err(); }

  TestFolder folder;
  const std::string endpoint = free_endpoint();
  std::unique_ptr<DroverProcess> router, agent;
};

TEST_F(ClockJumps, AnAgentStartsANewIncarnationAfterAForwardJump) {
  begin_router("20");
  begin_agent();
  const std::size_t before_mib = resident_mib(agent->pid());
  end_router();
  move_clock(hours(30 * 24));
  begin_router("20");
  EXPECT_TRUE(agent->says("h-1 restarts at the new time, and its running work is dropped"))
      << agent->err();
  EXPECT_TRUE(shows_fresh_devices()) << devices();
  const ProcessResult submitted = submit_and_wait();
  EXPECT_EQ(submitted.exit_code, 0) << submitted.out << submitted.err;
  EXPECT_NE(submitted.out.find("finished"), std::string::npos) << submitted.out;
  EXPECT_LT(resident_mib(agent->pid()), before_mib + 128);
  EXPECT_FALSE(agent->ends(seconds(0))) << agent->err();
}

TEST_F(ClockJumps, AnAgentStartsOverWhenFleetTimeStepsBack) {
  begin_router("20");
  begin_agent();
  end_router();
  move_clock(hours(30 * 24));
  begin_router("60");
  ASSERT_TRUE(agent->says("forward to")) << agent->err();
  ASSERT_TRUE(shows_fresh_devices()) << devices();
  end_router();
  begin_router("5", "another.sqlite");  // a fresh ledger: the system's time
  EXPECT_TRUE(agent->says("back to")) << agent->err();
  EXPECT_TRUE(shows_fresh_devices()) << devices();
  const ProcessResult submitted = submit_and_wait();
  EXPECT_EQ(submitted.exit_code, 0) << submitted.out << submitted.err;
  EXPECT_FALSE(agent->ends(seconds(0))) << agent->err();
}

TEST_F(ClockJumps, WorkOfThePreviousIncarnationIsRunAgain) {
  begin_router("5");
  begin_agent();
  const ProcessResult submitted = ask({"submit", "--model", "llama-3.1-8b", "--kind", "batch",
                                       "--items", "100000", "--input", "500", "--output", "200"});
  ASSERT_EQ(submitted.exit_code, 0) << submitted.err;
  const auto job = [&] {
    const auto all = Json::parse(ask({"jobs", "--json"}).out);
    return all && (*all)["jobs"].size() == 1 ? (*all)["jobs"][0] : Json();
  };
  ASSERT_TRUE(eventually([&] { return job()["state"].text() == "running"; })) << job().dump();
  end_router();
  move_clock(hours(2));
  begin_router("5");
  EXPECT_TRUE(eventually([&] {
    return job()["state"].text() == "running" && job()["attempt"].integer() == 2;
  })) << job().dump();
}

TEST_F(ClockJumps, AnAgentSurvivesTheSmallTimeStepOfARouterRestart) {
  begin_router("20");
  begin_agent();
  end_router();
  begin_router("20");
  EXPECT_TRUE(shows_fresh_devices()) << devices();
  EXPECT_EQ(agent->err().find("restarts at the new time"), std::string::npos) << agent->err();
}

TEST_F(ClockJumps, AnAgentThatWasSuspendedForLongStartsOver) {
  begin_router("10000");
  begin_agent();
  agent->signal(SIGSTOP);
  std::this_thread::sleep_for(seconds(62));  // more than six leases, a week of fleet time
  agent->signal(SIGCONT);
  EXPECT_TRUE(agent->says("restarts at the new time")) << agent->err();
  EXPECT_TRUE(eventually([&] {
    const auto all = Json::parse(ask({"devices", "--json"}).out);
    return all && all->size() == 2 && (*all)[0]["health"].text() == "ok";
  })) << devices();
}

TEST_F(ClockJumps, ADashboardShowsTheNewTimeAndStaysInItsView) {
  begin_router("20");
  begin_agent();
  PseudoTerminal terminal({"top", "--connect", endpoint}, 120, 40);
  ASSERT_TRUE(terminal.shows("h-1"));
  terminal.type("2");
  ASSERT_TRUE(terminal.shows("DEVICE▲"));
  end_router();
  move_clock(hours(30 * 24));
  begin_router("20");
  EXPECT_TRUE(terminal.shows("forward to"));
  EXPECT_TRUE(terminal.shows("DEVICE▲"));
  ASSERT_TRUE(shows_fresh_devices()) << devices();
  end_router();
  begin_router("5", "another.sqlite");
  EXPECT_TRUE(terminal.shows("back to"));
  EXPECT_TRUE(terminal.shows("DEVICE▲"));
}

TEST_F(ClockJumps, ARecordingContinuesAcrossAForwardJumpAndEndsAtABackwardStep) {
  begin_router("20");
  begin_agent();
  DroverProcess record({"record", "-o", folder.file("leap.mcap"), "--connect", endpoint});
  ASSERT_TRUE(record.says("recording to")) << record.err();
  rest();
  end_router();
  move_clock(hours(30 * 24));
  begin_router("20");
  EXPECT_TRUE(record.says("forward to")) << record.err();
  ASSERT_TRUE(shows_fresh_devices()) << devices();
  EXPECT_FALSE(record.ends(seconds(0))) << record.err();
  end_router();
  begin_router("20", "another.sqlite");
  const ProcessResult ran = record.wait();
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.err.find("the recording ends here"), std::string::npos) << ran.err;
  const ProcessResult verified = run_drover({"recording", "verify", folder.file("leap.mcap")});
  EXPECT_EQ(verified.exit_code, 0) << verified.out << verified.err;
}

// ---- Times that cannot be ----------------------------------------------------------------------

constexpr std::int64_t day_ns = 86'400'000'000'000;

TEST_F(ClockJumps, ARouterRefusesAClockFileWithAnInvalidTimeOrSpeed) {
  begin_router("10000");
  end_router();
  const std::int64_t now_ns = system_now().time_since_epoch().count();
  struct Case {
    std::string text;
    const char* said;
  };
  const Case cases[] = {
      {fmt::format("{} {} 10000", now_ns, now_ns - 10 * day_ns), "at speed 10000"},
      {fmt::format("{} {} 10000", INT64_MAX, now_ns),
       "fleet time: found the largest representable time"},
      {fmt::format("{} {} 1", -day_ns, now_ns), "fleet time: found 1969-12-31"},
      {fmt::format("{} {} 1e300", now_ns, now_ns), "the speed: found 1e+300"},
      {fmt::format("{} {} 1", now_ns, -day_ns), "the system's time: found 1969-12-31"},
  };
  for (const Case& expected : cases) {
    write_clock(expected.text);
    const ProcessResult ran = run_drover({"router", "--listen", endpoint, "--ledger",
                                          folder.file("ledger.sqlite"), "--speed", "10000"});
    EXPECT_EQ(ran.exit_code, 1) << expected.text;
    EXPECT_NE(ran.err.find(folder.file("ledger.sqlite.clock") + ": "), std::string::npos)
        << ran.err;
    EXPECT_NE(ran.err.find(expected.said), std::string::npos) << ran.err;
    EXPECT_NE(ran.err.find("remove the file"), std::string::npos) << ran.err;
  }
  std::filesystem::remove(folder.file("ledger.sqlite.clock"));
  begin_router("1");
}

TEST_F(ClockJumps, ARouterAtTheEndOfFleetTimeExitsGracefullyAndKeepsItsLedger) {
  begin_router("10000");
  end_router();
  const std::int64_t now_ns = system_now().time_since_epoch().count();
  const Instant late = fleet_time_end - hours(24);
  write_clock(fmt::format("{} {} 1", late.time_since_epoch().count(), now_ns));
  begin_router("10000");
  const ProcessResult ran = router->wait();
  EXPECT_EQ(ran.exit_code, 1) << ran.err;
  EXPECT_NE(ran.err.find("fleet time has reached 2200-01-01"), std::string::npos) << ran.err;
  EXPECT_NE(ran.err.find("ledger.sqlite is kept"), std::string::npos) << ran.err;
  const ProcessResult again =
      run_drover({"router", "--listen", endpoint, "--ledger", folder.file("ledger.sqlite")});
  EXPECT_EQ(again.exit_code, 1);
  EXPECT_NE(again.err.find("expected a time in the years 1970 to 2199"), std::string::npos)
      << again.err;
}

TEST_F(ClockJumps, ARouterEndsOnASignalAtTheHighestSpeed) {
  begin_router("10000");
  begin_agent();
  end_router();
}

TEST_F(ClockJumps, FollowedDevicesContinueAtTheNewTime) {
  begin_router("20");
  begin_agent();
  DroverProcess follow({"devices", "--follow", "--json", "--connect", endpoint});
  const auto last_year = [&] {
    const std::string word = "\"time\":\"";
    const std::string out = follow.out();
    const std::size_t place = out.rfind(word);
    return place == std::string::npos ? std::string() : out.substr(place + word.size(), 4);
  };
  ASSERT_TRUE(eventually([&] { return last_year().size() == 4; })) << follow.err();
  const std::string before = last_year();
  end_router();
  move_clock(hours(400 * 24));
  begin_router("20");
  EXPECT_TRUE(eventually([&] { return last_year().size() == 4 && last_year() != before; }))
      << follow.err();
  EXPECT_FALSE(follow.ends(seconds(0))) << follow.err();
}

TEST_F(ClockJumps, TheArrivalsOfATraceKeepTheirIntervals) {
  begin_router("20");
  begin_agent();
  const std::string trace = folder.write("a.csv", "at,in,out\n0,100,10\n600,100,10\n");
  DroverProcess feed({"submit", "--connect", endpoint, "--trace", trace, "--format", "csv",
                      "--columns", "arrival=at:s,input=in,output=out,model='llama-3.1-8b'",
                      "--json"});
  const auto submitted = [&] {
    std::vector<double> times_s;
    const Json jobs = only_object(ask({"jobs", "--json"}).out)["jobs"];
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      std::tm at{};
      if (strptime(jobs[i]["submitted"].text().c_str(), "%Y-%m-%dT%H:%M:%S", &at) != nullptr) {
        times_s.push_back(static_cast<double>(timegm(&at)));
      }
    }
    std::sort(times_s.begin(), times_s.end());
    return times_s;
  };
  ASSERT_TRUE(eventually([&] { return submitted().size() == 1; })) << feed.err();
  end_router();
  move_clock(hours(30 * 24));
  begin_router("20");
  EXPECT_TRUE(eventually([&] { return submitted().size() == 2; }, seconds(120))) << feed.err();
  const std::vector<double> times_s = submitted();
  ASSERT_EQ(times_s.size(), 2u);
  // Without the leap in its arrivals the second would be long due, and come at once.
  EXPECT_GT(times_s[1] - times_s[0], 30 * 86'400 + 500);
  EXPECT_EQ(feed.wait().exit_code, 0) << feed.err();
}

TEST_F(ClockJumps, AStoryEndsAtAClockJump) {
  begin_router("20");
  begin_agent();
  DroverProcess story({"story", "--connect", endpoint});
  // This fleet lacks what the story acts on, so it has begun once it says so.
  ASSERT_TRUE(story.says("known: h-1")) << story.err();
  end_router();
  move_clock(hours(30 * 24));
  begin_router("20");
  EXPECT_TRUE(story.says(": the story ends")) << story.err();
  EXPECT_EQ(story.wait().exit_code, 0) << story.err();
}

}  // namespace
}  // namespace drover::commands
