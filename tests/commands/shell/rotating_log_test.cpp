// The log of an agent that nobody watches stays short.
#include <string>

#include <gtest/gtest.h>

#include "tests/commands/program.h"

namespace drover::commands {
namespace {

TEST(RotatingLog, RotatesAtOneMebibyteAndKeepsOneOlderFile) {
  constexpr std::size_t most = 1 << 20;
  const TestFolder folder;
  const std::string long_log(most + 1, 'x');
  const std::string path = folder.write("log", long_log);
  folder.write("log.1", "older still");
  DroverProcess agent(
      {"agent", "--connect", free_endpoint(), "--name", "h-1", "--devices", "l4:1", "--log", path});
  ASSERT_TRUE(eventually([&] { return folder.read("log.1").size() > most; })) << agent.err();
  EXPECT_TRUE(folder.read("log.1").starts_with(long_log))
      << "what stood there, and no more is lost";
  EXPECT_TRUE(eventually([&] { return folder.read("log").size() < most; }));
  EXPECT_FALSE(agent.ends(std::chrono::seconds(0)));
}

}  // namespace
}  // namespace drover::commands
