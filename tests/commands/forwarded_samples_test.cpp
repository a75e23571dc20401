// What a router publishes of samples is what the agent sent, to the byte: a tool that reads more of
// a batch than the router does loses nothing on the way.
#include <set>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "devices/catalogue/catalogue.h"
#include "fleet/codec/codec.h"
#include "fleet/sample/sample.h"
#include "fleet/socket/socket.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

/// An agent of another make, which writes its version in two bytes where one would do.
std::string batch_bytes(std::uint64_t sequence) {
  Sample row;
  row[Metric::power] = 300 + static_cast<double>(sequence);
  std::string bytes = encode({"h-1", sequence, Instant{}, pack("h-1", {&row, 1})});
  bytes.replace(1, 1, "\xcc\x01");
  return bytes;
}

TEST(ForwardedSamples, AreTheBytesThatTheAgentSent) {
  const TestFolder folder;
  const std::string endpoint = free_endpoint();
  DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("l.sqlite")});
  ASSERT_TRUE(router.says("router ready")) << router.err();
  const auto door = [&](int number) {
    Endpoint other = *parse_endpoint(endpoint, "");
    other.port = static_cast<std::uint16_t>(other.port + number);
    return other.to_text();
  };
  Sockets agent, viewer;
  ASSERT_TRUE(agent.connect_control(endpoint));
  ASSERT_TRUE(agent.connect_samples(door(1)));
  ASSERT_TRUE(viewer.connect_publish(door(2)));
  Register registration;
  registration.host = "h-1";
  registration.incarnation = {7, 7};
  registration.specs.push_back({"l4", devices::Catalogue::embedded().device("l4").value()->text});
  registration.groups.push_back({0, 0, 1, "l4", "", 0});
  agent.send(router_peer, encode({"h-1", 1, {}, Join{Role::agent, "h-1", "test"}}));
  agent.send(router_peer, encode({"h-1", 2, {}, registration}));
  std::set<std::string> sent;
  std::size_t published = 0;
  EXPECT_TRUE(eventually([&] {
    const std::string bytes = batch_bytes(sent.size() + 1);
    sent.insert(bytes);
    agent.send(samples_peer, bytes);
    (void)agent.wait(std::chrono::milliseconds(20));
    for (const Incoming& one : viewer.wait(std::chrono::milliseconds(20)).messages) {
      const auto envelope = decode(one.bytes);
      if (!envelope || !std::holds_alternative<SampleBatch>(envelope->body)) continue;
      ++published;
      EXPECT_TRUE(sent.contains(one.bytes)) << "made anew";
    }
    return published > 2;
  })) << router.err();
}

}  // namespace
}  // namespace drover::commands
