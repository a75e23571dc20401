// The client of gRPC against a real server, and against servers that hang, end, lie and flood.
#include "agents/drivers/grpc_call.h"

#include <gtest/gtest.h>

#include "agents/drivers/tpu_metrics.h"
#include "tests/agents/drivers/grpc_servers.h"

namespace drover::agents {
namespace {

constexpr const char* method = "/tpu.monitoring.runtime.RuntimeMetricService/GetRuntimeMetric";

Result<std::vector<Result<std::string>>> ask(std::uint16_t port,
                                             const std::vector<std::string>& names = {"a"},
                                             const GrpcLimits& limits = {}) {
  std::vector<std::string> messages;
  for (const std::string& name : names)
    messages.push_back(tpu_metric_request("tpu.runtime." + name));
  return grpc_calls({"localhost", port}, method, messages, limits);
}

Error failure(std::uint16_t port, const GrpcLimits& limits = {}) {
  const auto answers = ask(port, {"a"}, limits);
  return answers ? Error{"there was an answer"} : answers.error();
}

TEST(GrpcCalls, AreAnsweredInTheOrderOfTheMessages) {
  DROVER_NEEDS_PYTHON_GRPC();
  const LibtpuServer server({"a=0:1", "b=0:2.5", "c=1:3,0:4"});
  const auto answers = ask(server.port(), {"c", "a", "b", "c"});
  ASSERT_TRUE(answers) << answers.error().message;
  ASSERT_EQ(answers->size(), 4u);
  std::vector<std::vector<TpuValue>> values;
  for (const auto& answer : *answers) values.push_back(*parse_tpu_metric_response(*answer));
  EXPECT_EQ(values[0], (std::vector<TpuValue>{{0, 4}, {1, 3}})) << "sorted by device";
  EXPECT_EQ(values[1], (std::vector<TpuValue>{{0, 1}}));
  EXPECT_EQ(values[2], (std::vector<TpuValue>{{0, 2.5}}));
  EXPECT_EQ(values[3], values[0]);
}

TEST(GrpcCalls, ThatTheServerRefusesAreErrorsOfTheirOwn) {
  DROVER_NEEDS_PYTHON_GRPC();
  const LibtpuServer server({"a=0:1"});
  const auto answers = ask(server.port(), {"a", "unknown"});
  ASSERT_TRUE(answers);
  EXPECT_TRUE((*answers)[0]);
  EXPECT_EQ((*answers)[1].error().message, "gRPC status 5: no metric tpu.runtime.unknown");
  EXPECT_EQ((*answers)[1].error().kind, ErrorKind::refused);
  const auto other = grpc_calls({"127.0.0.1", server.port()}, "/no.Service/Method", {""});
  ASSERT_TRUE(other);
  EXPECT_EQ((*other)[0].error().message, "gRPC status 12: Method not found!");
}

TEST(GrpcCalls, TakeNoLongerThanTheirLimitWhenARealServerHangs) {
  DROVER_NEEDS_PYTHON_GRPC();
  const LibtpuServer server({"a=0:1", "b=hang"});
  const double seconds = seconds_of([&] {
    const auto answers = ask(server.port(), {"a", "b"}, {.request_s = 0.5});
    ASSERT_FALSE(answers);
    EXPECT_EQ(answers.error().message, "no answer within 0.5 s");
    EXPECT_EQ(answers.error().kind, ErrorKind::lost);
  });
  EXPECT_GE(seconds, 0.5);
  EXPECT_LT(seconds, 1.5);
}

TEST(GrpcCalls, TakeNoMoreThanTheirLimitOfARealServer) {
  DROVER_NEEDS_PYTHON_GRPC();
  const LibtpuServer server({"a=huge"});
  const Error error = failure(server.port(), {.request_s = 60});
  EXPECT_EQ(error.message, "the answer has more than 1048576 bytes");
  EXPECT_EQ(error.kind, ErrorKind::io);
}

TEST(GrpcCalls, ToNobodyFailAtOnce) {
  std::uint16_t port = 0;
  { port = BadServer().port(); }
  const double seconds = seconds_of([&] { EXPECT_EQ(failure(port).kind, ErrorKind::not_found); });
  EXPECT_LT(seconds, 0.5);
}

TEST(GrpcCalls, ToAServerThatSaysNothingEndInTime) {
  const BadServer listens_only;
  const BadServer says_nothing(say_nothing);
  for (const std::uint16_t port : {listens_only.port(), says_nothing.port()}) {
    const double seconds = seconds_of([&] {
      const Error error = failure(port, {.request_s = 0.3});
      EXPECT_EQ(error.message, "no answer within 0.3 s");
      EXPECT_EQ(error.kind, ErrorKind::lost);
    });
    EXPECT_LT(seconds, 1.3);
  }
}

TEST(GrpcCalls, ToAServerThatEndsTheConnectionAreLost) {
  const BadServer ends([](int) {});
  EXPECT_EQ(failure(ends.port()).kind, ErrorKind::lost);
  const BadServer resets([](int client) {
    const linger at_once{1, 0};
    setsockopt(client, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  });
  EXPECT_EQ(failure(resets.port()).kind, ErrorKind::lost);
}

TEST(GrpcCalls, ToWhatDoesNotSpeakHttp2SaySo) {
  const BadServer old(
      [](int client) { flood(client, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"); });
  const BadServer noise([](int client) { flood(client, std::string(1 << 20, '\x5a')); });
  for (const std::uint16_t port : {old.port(), noise.port()}) {
    const Error error = failure(port);
    EXPECT_EQ(error.kind, ErrorKind::io) << error.message;
    EXPECT_NE(error.message.find("not an HTTP/2 server"), std::string::npos) << error.message;
  }
}

TEST(GrpcCalls, ToAFloodOfValidFramesEnd) {
  const std::string settings("\0\0\0\x04\0\0\0\0\0", 9);
  const std::string ping("\0\0\x08\x06\x01\0\0\0\0........", 17);  // each an answer to a ping
  std::string pings = settings;
  for (int count = 0; count < 10'000; ++count) pings += ping;
  const BadServer server([&](int client) { flood(client, pings); });
  const double seconds = seconds_of([&] {
    const Error error = failure(server.port(), {.request_s = 1});
    EXPECT_TRUE(error.kind == ErrorKind::io || error.kind == ErrorKind::lost) << error.message;
  });
  EXPECT_LT(seconds, 2);
}

TEST(GrpcCalls, GoOnlyToAddressesThatNeedNoResolver) {
  const auto answers = grpc_calls({"metadata.google.internal", 1}, method, {""});
  ASSERT_FALSE(answers);
  EXPECT_EQ(answers.error().message,
            "metadata.google.internal: expected an IP address or localhost");
}

}  // namespace
}  // namespace drover::agents
