// `drover demo` as a user starts it.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include <fmt/format.h>

#include "tests/commands/program.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

/// The processes whose parent is, or was, this one: read from /proc while the parent lives.
std::set<pid_t> children_of(pid_t parent) {
  std::set<pid_t> children;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    if (name.find_first_not_of("0123456789") != std::string::npos) continue;
    std::ifstream status(entry.path() / "status");
    for (std::string line; std::getline(status, line);) {
      if (line.rfind("PPid:", 0) == 0 && std::stoi(line.substr(5)) == parent) {
        children.insert(std::stoi(name));
      }
    }
  }
  return children;
}

std::string command_line(pid_t pid) {
  std::ifstream file(fmt::format("/proc/{}/cmdline", pid));
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

bool alive(pid_t pid) {
  // A zombie that waits for init has no command line.
  return kill(pid, 0) == 0 && !command_line(pid).empty();
}

pid_t child_with(pid_t parent, const std::string& words) {
  for (const pid_t child : children_of(parent)) {
    if (command_line(child).find(words) != std::string::npos) return child;
  }
  return -1;
}

void expect_sums(const Json& said) {
  EXPECT_EQ(said["rows"].integer(), said["accepted"].integer() + said["refused"].integer());
  EXPECT_EQ(said["accepted"].integer(), said["finished"].integer() + said["failed"].integer());
  for (const char* key :
       {"skipped_rows", "input_tokens", "output_tokens", "energy_j", "cost_usd", "wall_s"}) {
    EXPECT_TRUE(said[key].is_number()) << key;
  }
  EXPECT_TRUE(said["fallbacks"].is_object());
  for (const char* key : {"count", "p50", "p90", "p99", "max"}) {
    EXPECT_TRUE(said["latency_s"][key].is_number()) << key;
  }
}

TEST(Demo, SummarizesItsRun) {
  const ProcessResult ran =
      run_drover({"demo", "--headless", "--json", "--for", "3s", "--speed", "60"}, seconds(90));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Json said = only_object(ran.out);
  ASSERT_TRUE(said.is_object()) << ran.out << ran.err;
  expect_sums(said);
  EXPECT_GT(said["finished"].integer(), 50) << ran.out;
  EXPECT_GT(said["energy_j"].number(), 0);
}

struct WrittenTrace {
  std::string path;
  std::int64_t rows = 0, input = 0, output = 0;
};

/// Four rows a second; a bad one on line 53.
WrittenTrace write_trace(const TestFolder& folder, int rows) {
  WrittenTrace trace;
  std::string text = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n";
  for (int i = 0; i < rows; ++i) {
    text += fmt::format("2023-11-16 18:{:02}:{:02}.{:07},{},{}\r\n", i / 240, i / 4 % 60,
                        i % 4 * 2'500'000, 300 + i % 100, 10 + i % 50);
    trace.input += 300 + i % 100;
    trace.output += 10 + i % 50;
    if (i == 50) text += "2023-11-16 18:00:12,none,5\r\n";
  }
  trace.rows = rows;
  trace.path = folder.write("t.csv", text);
  return trace;
}

void expect_trace(const Json& said, const WrittenTrace& trace) {
  EXPECT_EQ(said["rows"].integer(), trace.rows);
  EXPECT_EQ(said["skipped_rows"].integer(), 1);
  EXPECT_EQ(said["input_tokens"].integer(), trace.input);
  EXPECT_EQ(said["output_tokens"].integer(), trace.output);
}

TEST(Demo, FeedsEveryGoodRowOfATraceAndCountsTheOthers) {
  const TestFolder folder;
  const WrittenTrace trace = write_trace(folder, 120);
  const ProcessResult ran =
      run_drover({"demo", "--trace", trace.path, "--format", "azure", "--model", "llama-3.1-70b",
                  "--speed", "20", "--headless", "--json"},
                 seconds(90));
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  const Json said = only_object(ran.out);
  ASSERT_TRUE(said.is_object()) << ran.out << ran.err;
  expect_sums(said);
  expect_trace(said, trace);
  EXPECT_NE(ran.err.find("t.csv:53"), std::string::npos) << ran.err;
}

TEST(Demo, SurvivesALostAgentWithConsistentTotals) {
  const TestFolder folder;
  const WrittenTrace trace = write_trace(folder, 800);
  DroverProcess demo({"demo", "--trace", trace.path, "--format", "azure", "--model",
                      "llama-3.1-70b", "--speed", "60", "--headless", "--json"});
  ASSERT_TRUE(eventually([&] { return child_with(demo.pid(), "feed") > 0; })) << demo.err();
  const pid_t agent = child_with(demo.pid(), "h100-1");
  ASSERT_GT(agent, 0);
  kill(agent, SIGKILL);
  const ProcessResult ran = demo.wait(seconds(90));
  EXPECT_EQ(ran.exit_code, 3) << ran.err;
  EXPECT_NE(ran.err.find("h100-1 ended with signal 9"), std::string::npos) << ran.err;
  const Json said = only_object(ran.out);
  ASSERT_TRUE(said.is_object()) << ran.out;
  expect_sums(said);
  expect_trace(said, trace);
  EXPECT_GT(said["finished"].integer(), trace.rows / 2) << ran.out;
}

TEST(Demo, EndsWithItsRouter) {
  DroverProcess demo({"demo", "--headless", "--json", "--for", "60s"});
  ASSERT_TRUE(eventually([&] { return child_with(demo.pid(), "feed") > 0; })) << demo.err();
  const auto children = children_of(demo.pid());
  kill(child_with(demo.pid(), "ledger"), SIGKILL);
  const ProcessResult ran = demo.wait();
  EXPECT_EQ(ran.exit_code, 1);
  EXPECT_NE(ran.err.find("the router ended with signal 9"), std::string::npos) << ran.err;
  for (const pid_t child : children) EXPECT_FALSE(alive(child)) << command_line(child);
}

TEST(Demo, LeavesNoProcessBehindWhenItIsKilled) {
  DroverProcess demo({"demo", "--headless", "--for", "60s"});
  ASSERT_TRUE(eventually([&] { return children_of(demo.pid()).size() == 8; })) << demo.err();
  const auto children = children_of(demo.pid());
  demo.signal(SIGKILL);
  ASSERT_TRUE(demo.ends());
  EXPECT_TRUE(eventually([&] { return std::none_of(children.begin(), children.end(), alive); }));
}

TEST(Demo, ListensWhereOtherProgramsExpectIt) {
  const std::string endpoint = free_endpoint();
  DroverProcess demo({"demo", "--headless", "--for", "60s", "--listen", endpoint});
  ASSERT_TRUE(demo.says("router at " + endpoint)) << demo.err();
  EXPECT_TRUE(eventually([&] {
    const ProcessResult status = run_drover({"status", "--connect", endpoint, "--json"});
    return status.exit_code == 0 && only_object(status.out).is_object();
  }));
}

TEST(Demo, ListensBeyondThisMachineWithKeysThatItMakes) {
  const TestFolder folder;
  const std::string keys = folder.file("keys");
  const std::string endpoint = free_endpoint();
  const std::string port = endpoint.substr(endpoint.rfind(':'));
  DroverProcess demo(
      {"demo", "--headless", "--for", "60s", "--listen", "tcp://0.0.0.0" + port, "--keys", keys});
  ASSERT_TRUE(demo.says("router at " + endpoint)) << demo.err();
  const auto devices = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"devices", "--connect", endpoint, "--json"});
    return run_drover(words);
  };
  EXPECT_TRUE(eventually([&] {
    return devices({"--keys", keys, "--key", "demo"}).out.find("v5e-2/15") != std::string::npos;
  })) << demo.err();
  EXPECT_NE(devices({}).exit_code, 0) << "without a key";
}

TEST(Demo, RefusesToListenWhereItCannotOrMayNot) {
  const ProcessResult open = run_drover({"demo", "--headless", "--listen", "tcp://0.0.0.0:9000"});
  EXPECT_EQ(open.exit_code, 2) << open.err;
  EXPECT_NE(open.err.find("--listen tcp://0.0.0.0:9000: is not loopback"), std::string::npos)
      << open.err;
  // Without --listen, the demo would take other ports.
  const std::string endpoint = free_endpoint();
  DroverProcess first({"demo", "--headless", "--for", "60s", "--listen", endpoint});
  ASSERT_TRUE(first.says("router at " + endpoint)) << first.err();
  const ProcessResult second =
      run_drover({"demo", "--headless", "--for", "1s", "--listen", endpoint});
  EXPECT_EQ(second.exit_code, 1) << second.err;
  EXPECT_NE(second.err.find("in use"), std::string::npos) << second.err;
}

TEST(Demo, ShowsOneFrameOfABusyFleet) {
  const ProcessResult ran =
      run_drover({"demo", "--once", "--speed", "10", "--size", "120x40", "--ascii"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 40) << ran.out;
  for (const char* host : {"h100-1", "a100-1", "a100-2", "v5e-1", "v5e-2"}) {
    EXPECT_NE(ran.out.find(host), std::string::npos) << ran.out;
  }
}

}  // namespace
}  // namespace drover::commands
