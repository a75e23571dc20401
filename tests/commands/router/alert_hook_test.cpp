// `--on-alert`: what a program is told, and what holds it in check.
#include "commands/router/alert_hook.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "tests/commands/alerted_fleet.h"

namespace drover::commands {
namespace {

std::string script(const TestFolder& folder, const std::string& name, const std::string& body) {
  const std::string path = folder.write(name, "#!/bin/sh\n" + body);
  std::filesystem::permissions(path, std::filesystem::perms::owner_all);
  return path;
}

bool is_alive(const std::string& pid_file) {
  const std::string pid = text_of(pid_file);
  return !pid.empty() && kill(std::stoi(pid), 0) == 0;
}

TEST(OnAlert, PassesEveryAlertToAProgramWithoutShellInterpretation) {
  const TestFolder folder;
  const std::string log = folder.file("log");
  const std::string program =
      script(folder, "hook",
             "read -r object\n"
             "printf '%s %s %s %s|%s|%s\\n' \"$DROVER_ALERT_EVENT\" \"$DROVER_ALERT_RULE\" "
             "\"$DROVER_ALERT_SUBJECT\" \"$DROVER_ALERT_SEVERITY\" \"$DROVER_ALERT_TEXT\" "
             "\"$object\" >> " +
                 log + "\n");
  AlertedFleet fleet({"--on-alert", program});
  ASSERT_TRUE(fleet.running.start()) << fleet.running.trouble();
  const auto says = [&](const std::string& text) {
    return eventually([&] { return text_of(log).find(text) != std::string::npos; });
  };
  ASSERT_EQ(fleet.running.ask({"drain", "h-1/1"}).exit_code, 0);
  EXPECT_TRUE(says("raised put_away h-1/1 info|$(touch owned) `touch owned`|{\"event\":\"raised\""))
      << text_of(log) << fleet.running.trouble();
  ASSERT_EQ(fleet.running.ask({"acknowledge", "--all"}).exit_code, 0);
  EXPECT_TRUE(says("acknowledged put_away h-1/1")) << text_of(log);
  EXPECT_TRUE(says("\"acknowledged_by\":\"" + shown_user() + "\""));
  ASSERT_EQ(fleet.running.ask({"resume", "h-1/1"}).exit_code, 0);
  EXPECT_TRUE(says("cleared put_away h-1/1")) << text_of(log);
  fleet.running.router().signal(SIGTERM);
  ASSERT_TRUE(fleet.running.router().ends());
  EXPECT_FALSE(std::filesystem::exists(folder.file("owned")));
  EXPECT_FALSE(std::filesystem::exists("owned"));
}

TEST(OnAlert, AProgramThatHangsDelaysNothingAndEndsWithTheRouter) {
  const TestFolder folder;
  const std::string pid_file = folder.file("pid");
  const std::string program =
      script(folder, "hook", "sleep 1000 & echo $! > " + pid_file + "\nwait\n");
  AlertedFleet fleet({"--on-alert", program});
  ASSERT_TRUE(fleet.running.start()) << fleet.running.trouble();
  ASSERT_EQ(fleet.running.ask({"drain", "h-1/1"}).exit_code, 0);
  ASSERT_TRUE(eventually([&] { return is_alive(pid_file); }));
  EXPECT_EQ(fleet.running.ask({"alerts"}).exit_code, 0) << "the router answers meanwhile";
  fleet.running.router().signal(SIGTERM);
  ASSERT_TRUE(fleet.running.router().ends());
  EXPECT_TRUE(eventually([&] { return !is_alive(pid_file); })) << "what it started is gone as well";
}

TEST(OnAlert, AProgramThatFailsIsReported) {
  const TestFolder folder;
  AlertedFleet fleet({"--on-alert", script(folder, "hook", "exit 3\n")});
  ASSERT_TRUE(fleet.running.start()) << fleet.running.trouble();
  ASSERT_EQ(fleet.running.ask({"drain", "h-1/1"}).exit_code, 0);
  EXPECT_TRUE(fleet.running.router().says("1 failed, most recently with exit code 3"))
      << fleet.running.trouble();
}

TEST(OnAlert, AProgramThatCannotRunIsReportedAtStartup) {
  const TestFolder folder;
  const std::string no_program = folder.write("plain", "text");
  for (const std::string& word : {no_program, std::string("no-such-program-anywhere")}) {
    const ProcessResult ran = run_drover({"router", "--listen", free_endpoint(), "--ledger",
                                          folder.file("ledger"), "--on-alert", word});
    EXPECT_EQ(ran.exit_code, 2);
    EXPECT_NE(ran.err.find("--on-alert: found"), std::string::npos) << ran.err;
  }
}

// ---- By itself ---------------------------------------------------------------------------------

using std::chrono::seconds;

Alert alert_of(std::size_t number) {
  Alert alert;
  alert.rule = "hot";
  alert.subject = "h1/" + std::to_string(number);
  return alert;
}

std::size_t lines_of(const std::string& path) {
  const std::string text = text_of(path);
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

TEST(AlertHook, LimitsRunningAndQueuedRunsAndReportsDroppedOnes) {
  const TestFolder folder;
  const std::string log = folder.file("log");
  AlertHook hook;
  ASSERT_TRUE(hook.open(script(folder, "hook", "echo x >> " + log + "\nexec sleep 1000\n")));
  WallTime now = wall_now();
  for (std::size_t n = 0; n < alert_queue_max + 6; ++n) hook.add(alert_of(n));
  hook.tick(now);
  ASSERT_TRUE(eventually([&] { return lines_of(log) == alert_runs_max; }));
  for (std::size_t n = 0; n < alert_runs_max + 3; ++n) hook.add(alert_of(n));
  hook.tick(now + alert_run_timeout - seconds(1));
  EXPECT_EQ(lines_of(log), alert_runs_max);
  const auto trouble = hook.take_problems(now);
  ASSERT_TRUE(trouble.has_value());
  EXPECT_NE(trouble->find("9 dropped: too many alerts are waiting"), std::string::npos) << *trouble;
  EXPECT_FALSE(hook.take_problems(now + alert_report_every).has_value()) << "nothing new";
}

TEST(AlertHook, ARunThatTimesOutIsKilledAndTheNextStarts) {
  const TestFolder folder;
  const std::string log = folder.file("log");
  AlertHook hook;
  ASSERT_TRUE(hook.open(script(folder, "hook", "echo x >> " + log + "\nexec sleep 1000\n")));
  const WallTime now = wall_now();
  for (std::size_t n = 0; n < alert_runs_max + 1; ++n) hook.add(alert_of(n));
  hook.tick(now);
  ASSERT_TRUE(eventually([&] { return lines_of(log) == alert_runs_max; }));
  const WallTime later = now + alert_run_timeout;
  ASSERT_TRUE(eventually([&] {
    hook.tick(later);
    return lines_of(log) == alert_runs_max + 1;
  }));
  const auto trouble = hook.take_problems(later);
  ASSERT_TRUE(trouble.has_value());
  EXPECT_NE(trouble->find("4 killed after 30 s"), std::string::npos) << *trouble;
}

TEST(AlertHook, RateLimitsItsProblemReports) {
  const TestFolder folder;
  AlertHook hook;
  ASSERT_TRUE(hook.open(script(folder, "hook", "exit 3\n")));
  const WallTime now = wall_now();
  std::vector<std::string> told;
  for (int second = 0; second < 25; ++second) {
    hook.add(alert_of(1));
    hook.tick(now + seconds(second));
    // Until the run has ended, so that it is counted in this second.
    ASSERT_TRUE(eventually([&] {
      hook.tick(now + seconds(second));
      return hook.idle();
    }));
    if (const auto trouble = hook.take_problems(now + seconds(second))) told.push_back(*trouble);
  }
  ASSERT_EQ(told.size(), 3U);
  EXPECT_NE(told[0].find(": 1 failed, most recently with exit code 3"), std::string::npos);
  EXPECT_NE(told[1].find(": 10 failed"), std::string::npos) << told[1];
}

}  // namespace
}  // namespace drover::commands
