// The published stream as programs read it: `drover devices --follow` and examples/subscribe.py.
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <map>

#include "tests/commands/program.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

constexpr const char* python = "/usr/bin/python3";

std::vector<Json> objects_of(const std::string& out) {
  std::vector<Json> objects;
  std::size_t begin = 0;
  for (std::size_t end = 0; (end = out.find('\n', begin)) != std::string::npos; begin = end + 1) {
    const auto json = Json::parse(out.substr(begin, end - begin));
    EXPECT_TRUE(json.ok()) << out.substr(begin, end - begin);
    if (json) objects.push_back(*json);
  }
  return objects;
}

TEST(Follow, PrintsOneObjectPerDeviceAndReport) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  DroverProcess follow(fleet.with_connect({"devices", "--follow", "--json"}));
  ASSERT_TRUE(eventually([&] { return objects_of(follow.out()).size() >= 6; })) << follow.err();
  follow.signal(SIGINT);
  const ProcessResult ran = follow.wait();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Json once = *Json::parse(fleet.ask({"devices", "--json"}).out);
  const auto said = objects_of(ran.out);
  std::map<std::string, std::string> last;  // time by device
  for (const Json& line : said) {
    EXPECT_EQ(line["host"].text(), "h-1");
    EXPECT_GT(line["time"].text(), last[line["id"].text()]) << ran.out;
    last[line["id"].text()] = line["time"].text();
    EXPECT_GT(line["temperature_c"].number(), 0);
    for (const std::string& key : once[0].keys()) EXPECT_TRUE(line.has(key)) << key;
  }
  EXPECT_EQ(last.size(), 2U) << ran.out;
}

TEST(Follow, ExtendsTheTableUntilTheTimeIsUp) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const ProcessResult ran = fleet.ask({"devices", "--follow", "--for", "3s"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.out.rfind("TIME", 0), 0U) << ran.out;
  EXPECT_EQ(ran.out.find("TIME", 1), std::string::npos) << ran.out;
  EXPECT_GE(std::count(ran.out.begin(), ran.out.end(), '\n'), 3) << ran.out;
}

TEST(Follow, ExitsWhenItsReaderExits) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const ProcessResult ran = run_shell("drover devices --follow --json --connect " +
                                      fleet.endpoint() + " | head -n 1; echo over");
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("over"), std::string::npos);
  EXPECT_EQ(ran.err, "");
}

TEST(SubscribeExample, PrintsTemperaturesFromThePublishedStream) {
  if (DroverProcess(python, {"-c", "import zmq, msgpack"}).wait().exit_code != 0) {
    GTEST_SKIP() << "python3-zmq or python3-msgpack is not installed: apt-get install both";
  }
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  DroverProcess subscribe(python, {DROVER_SOURCE_DIR "/examples/subscribe.py",
                                   fleet.publish_endpoint(), "--count", "4"});
  const ProcessResult ran = subscribe.wait();
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 4) << ran.out;
  for (const char* said : {"h-1/0 ", "h-1/1 ", " C\n"}) {
    EXPECT_NE(ran.out.find(said), std::string::npos) << ran.out;
  }
}

}  // namespace
}  // namespace drover::commands
