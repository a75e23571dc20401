// A peer that is let in floods the router: others are answered, leases hold, and memory is bounded.
#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include <gtest/gtest.h>
#include <zmq.hpp>

#include "commands/connection/session.h"
#include "fleet/codec/codec.h"
#include "tests/commands/program.h"

namespace drover::commands {
namespace {

/// Sends what it likes, and reads nothing until it is told to.
struct Flooder {
  zmq::context_t context;
  zmq::socket_t socket{context, zmq::socket_type::dealer};
  std::uint64_t answered = 0;
  std::uint64_t turned_away = 0;  // for now, with a reason

  explicit Flooder(const std::string& endpoint) {
    socket.set(zmq::sockopt::rcvhwm, 1);
    socket.set(zmq::sockopt::sndhwm, 100'000);
    socket.set(zmq::sockopt::linger, 0);
    socket.connect(endpoint);
    send(encode({"flood", 1, {}, Join{Role::client, "flood", "test"}}), 1);
    zmq::message_t welcome;
    EXPECT_TRUE(socket.recv(welcome));
  }
  void send(const std::string& bytes, int times) {
    for (int count = 0; count < times; ++count) {
      ASSERT_TRUE(socket.send(zmq::buffer(bytes), zmq::send_flags::dontwait));
    }
  }
  /// Reads until so many answers of this kind, or problems, have come.
  template <typename Answer>
  bool reads(std::uint64_t wanted) {
    return eventually([&] {
      for (zmq::message_t message; socket.recv(message, zmq::recv_flags::dontwait);) {
        const auto envelope = decode(message.to_string_view());
        if (!envelope) continue;
        const auto* problem = std::get_if<RequestError>(&envelope->body);
        answered += std::holds_alternative<Answer>(envelope->body) ? 1 : 0;
        turned_away += problem != nullptr && problem->retryable ? 1 : 0;
      }
      return answered + turned_away >= wanted;
    });
  }
};

/// A valid message of this kind and size: a receiver skips fields that it does not know.
std::string padded(const Message& message, std::size_t bytes) {
  std::string text = encode({"flood", 1, {}, message});
  EXPECT_EQ(text.back(), '\x80') << "an empty body ends with an empty map";
  text.pop_back();
  text += "\x81\xa3pad\xc6";
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(bytes >> shift & 0xff);
  return text + std::string(bytes, 'x');
}

struct FloodedRouter : testing::Test {
  static constexpr std::size_t open_jobs = 500;
  TestFolder folder;
  const std::string endpoint = free_endpoint();
  std::unique_ptr<DroverProcess> router = std::make_unique<DroverProcess>(std::vector<std::string>{
      "router", "--listen", endpoint, "--ledger", folder.file("ledger.sqlite")});
  std::unique_ptr<DroverProcess> agent;
  std::unique_ptr<Session> session;

  void SetUp() override {
    ASSERT_TRUE(router->says("router ready")) << router->err();
    agent = std::make_unique<DroverProcess>(std::vector<std::string>{
        "agent", "--connect", endpoint, "--name", "h1", "--devices", "a100-sxm-80gb:8"});
    ASSERT_TRUE(agent->says("connected")) << agent->err();
    auto opened = Session::open({RouterAddress{endpoint}, Role::client, "bystander"});
    ASSERT_TRUE(opened) << opened.error().message;
    session = std::move(*opened);
  }
  /// Jobs that find no place, so that lists of them are long.
  void fill() {
    Submit submit;
    for (std::uint64_t number = 1; number <= open_jobs; ++number) {
      Job job;
      job.id = {7, number};
      job.work.kind = WorkKind::train;
      job.work.model = "llama-3.1-70b";
      job.work.devices = 4096;
      job.work.steps = 1000;
      job.work.batch = 4096;
      job.work.sequence = 1;
      submit.jobs.push_back(std::move(job));
      if (submit.jobs.size() < 250) continue;
      const auto reply = session->ask<SubmitReply>(submit, default_timeout);
      ASSERT_TRUE(reply) << reply.error().message;
      for (const SubmitResult& result : reply->results) {
        ASSERT_EQ(result.status, SubmitStatus::accepted) << result.detail;
      }
      submit.jobs.clear();
    }
  }
  std::string events() const {
    const ProcessResult ran =
        run_drover({"frame", "--connect", endpoint, "--table", "events", "--json"});
    EXPECT_EQ(ran.exit_code, 0) << ran.err;
    return ran.out;
  }
};

TEST_F(FloodedRouter, RejectsRequestsWhoseRepliesAreNotReadAndAnswersOthers) {
  fill();
  constexpr int questions = 3'000;
  Flooder flooder(endpoint);
  flooder.send(encode({"flood", 2, {}, JobsRequest{}}), questions);
  for (int asked = 0; asked < 20; ++asked) {
    const auto sums = session->ask<Summary>(SummaryRequest{}, default_timeout);
    ASSERT_TRUE(sums) << sums.error().message;
  }
  ASSERT_TRUE(flooder.reads<JobsReply>(questions)) << "each question has its answer";
  EXPECT_GT(flooder.answered, 0U);
  EXPECT_GT(flooder.turned_away, questions / 2U) << "what is not read is not made";
  const std::string events_now = events();
  EXPECT_EQ(events_now.find("suspect"), std::string::npos) << "the agent's lease was renewed";
  EXPECT_NE(events_now.find("rejected for now, "), std::string::npos);
}

TEST_F(FloodedRouter, RejectsLargeMessagesBeyondTheBudgetAndAnswersOthers) {
  constexpr int messages = 300;
  Flooder flooder(endpoint);
  flooder.send(padded(Submit{}, 1'000'000), messages);
  for (int asked = 0; asked < 20; ++asked) {
    const auto sums = session->ask<Summary>(SummaryRequest{}, default_timeout);
    ASSERT_TRUE(sums) << sums.error().message;
  }
  ASSERT_TRUE(flooder.reads<SubmitReply>(messages)) << "each message has its answer";
  EXPECT_GT(flooder.answered, 0U);
  EXPECT_EQ(events().find("suspect"), std::string::npos) << "the agent's lease was renewed";
}

}  // namespace
}  // namespace drover::commands
