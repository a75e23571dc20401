// What a peer does about its router, second by second: when it sends Join, when it replaces the
// connection, and what a JoinAccepted does to its clock.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "commands/connection/router_connection.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;

const Instant noon{seconds(1'700'000'000)};
constexpr WallTime begin{seconds(1000)};

/// What happens at a time: an input, or nothing but time.
enum class Input {
  time_passes,
  request_sent,
  message_received,
  first_connection,
  second_connection,
  accepted,
  rejected_for_now,
  forgotten,
  clock_paused
};

struct TimedStep {
  double at_s = 0;
  Input input = Input::time_passes;
  std::string expected{};  // "join", "replace", "join replace"; empty: nothing is due
};

struct ConnectionCase {
  std::string name;
  RouterConnection connection;
  std::vector<TimedStep> steps;
};

JoinAccepted welcome_at(Instant fleet_time, double speed = 1) {
  JoinAccepted welcome;
  welcome.fleet_time = fleet_time;
  welcome.speed = speed;
  return welcome;
}

RouterConnection client() { return RouterConnection(client_connection_timeout); }

RouterConnection agent() {
  RouterConnection connection(agent_connection_timeout);
  connection.expect_messages(begin);
  return connection;
}

RouterConnection without_keys() { return RouterConnection(); }

void take(RouterConnection& connection, WallTime now, Input input) {
  switch (input) {
    case Input::time_passes:
      return;
    case Input::request_sent:
      return connection.sent(now);
    case Input::message_received:
      return connection.received(now);
    case Input::first_connection:
      return void(connection.established(1));
    case Input::second_connection:
      return void(connection.established(2));
    case Input::accepted:
      connection.received(now);
      return void(connection.accepted(welcome_at(noon), noon));
    case Input::rejected_for_now:
      connection.received(now);
      return connection.rejected_for_now(now);
    case Input::forgotten:
      connection.received(now);
      return connection.forgotten();
    case Input::clock_paused:
      return connection.restart();
  }
}

std::string due(RouterConnection& connection, WallTime now) {
  std::string text = connection.take_join(now) ? "join" : "";
  if (connection.take_replacement(now)) text += text.empty() ? "replace" : " replace";
  return text;
}

TEST(RouterConnection, JoinsAndReplacesTheConnectionWhenItIsTime) {
  const std::vector<ConnectionCase> cases = {
      {"is accepted at once",
       client(),
       {{0, Input::time_passes, "join"},
        {0.1, Input::first_connection},
        {0.2, Input::accepted},
        {60}}},
      {"asks every second until a router is there",
       client(),
       {{0, Input::time_passes, "join"},
        {0.9},
        {1, Input::time_passes, "join"},
        {2, Input::time_passes, "join"},
        {2.5, Input::accepted},
        {60}}},
      {"joins again at once on a new connection",
       client(),
       {{0, Input::time_passes, "join"},
        {0.1, Input::first_connection},
        {0.2, Input::accepted},
        {0.3, Input::second_connection, "join"},
        {0.4, Input::accepted},
        {60}}},
      {"awaits no answer on a new connection to what it sent on the old one",
       client(),
       {{0, Input::accepted},
        {1, Input::request_sent},
        {2, Input::second_connection, "join"},
        {2.1, Input::accepted},
        {60}}},
      {"a client that waits for nothing does not mind a silent router",
       client(),
       {{0, Input::accepted}, {60}, {600}}},
      {"joins when an answer is late, and stops when it comes",
       client(),
       {{0, Input::accepted},
        {10, Input::request_sent},
        {11, Input::request_sent},
        {12.9},
        {13, Input::time_passes, "join"},
        {13.9},
        {14, Input::time_passes, "join"},
        {14.5, Input::message_received},
        {60}}},
      {"replaces a connection with keys that stays silent, again and again",
       client(),
       {{0, Input::accepted},
        {10, Input::request_sent},
        {13, Input::time_passes, "join"},
        {15, Input::time_passes, "join replace"},
        {16, Input::time_passes, "join"},
        {19.9, Input::time_passes, "join"},
        {20, Input::time_passes, "replace"}}},
      {"never replaces a connection without keys",
       without_keys(),
       {{0, Input::accepted},
        {10, Input::request_sent},
        {13, Input::time_passes, "join"},
        {600, Input::time_passes, "join"}}},
      {"an agent expects messages all the time",
       agent(),
       {{0, Input::accepted},
        {2.9},
        {3, Input::time_passes, "join"},
        {3.5, Input::message_received},
        {6.4},
        {6.5, Input::time_passes, "join"},
        {7.5, Input::time_passes, "join"},
        {11.5, Input::time_passes, "join replace"}}},
      {"waits longer for a router that has no room",
       agent(),
       {{0, Input::time_passes, "join"},
        {0.5, Input::rejected_for_now},
        {5.4},
        {5.5, Input::time_passes, "join"},
        {6, Input::rejected_for_now},
        {11, Input::time_passes, "join"},
        {11.1, Input::accepted},
        {14}}},
      {"joins a router that does not know it, at most once a second",
       agent(),
       {{0, Input::time_passes, "join"},
        {0.1, Input::accepted},
        {0.2, Input::forgotten},
        {1, Input::time_passes, "join"},
        {1.1, Input::accepted},
        {3, Input::forgotten, "join"},
        {3.1, Input::accepted},
        {6}}},
      {"joins at once after a pause of its own clock",
       agent(),
       {{0, Input::time_passes, "join"},
        {0.1, Input::accepted},
        {0.2, Input::clock_paused, "join"},
        {0.3, Input::accepted},
        {3.2}}},
  };
  for (ConnectionCase one : cases) {
    for (const TimedStep& step : one.steps) {
      const WallTime now =
          begin + std::chrono::duration_cast<WallSpan>(std::chrono::duration<double>(step.at_s));
      take(one.connection, now, step.input);
      const bool passed = one.connection.next_deadline() <= now;
      EXPECT_EQ(passed, !step.expected.empty()) << one.name << " at " << step.at_s;
      EXPECT_EQ(due(one.connection, now), step.expected) << one.name << " at " << step.at_s;
      EXPECT_GT(one.connection.next_deadline(), now) << one.name << " at " << step.at_s;
    }
  }
}

TEST(RouterConnection, IsSilentOnlyWhileAMessageIsExpected) {
  RouterConnection connection = client();
  EXPECT_EQ(connection.silence(begin + seconds(60)), seconds(0));
  connection.sent(begin);
  EXPECT_FALSE(connection.silent(begin + std::chrono::milliseconds(2999)));
  EXPECT_TRUE(connection.silent(begin + seconds(3)));
  connection.received(begin + seconds(4));
  EXPECT_FALSE(connection.silent(begin + seconds(60)));
  connection.expect_messages(begin + seconds(60));
  EXPECT_EQ(connection.silence(begin + seconds(65)), seconds(5));
}

TEST(RouterConnection, TheFirstWelcomeStartsTheClockAndLaterOnesCorrectIt) {
  RouterConnection connection = client();
  const auto joined = [&](Instant fleet_time, double speed = 1) {
    return connection.accepted(welcome_at(fleet_time, speed), noon);
  };
  EXPECT_TRUE(joined(noon - std::chrono::hours(5)).starts_clock);
  EXPECT_FALSE(joined(noon + seconds(20)).starts_clock) << "two leases ahead are simulated";
  EXPECT_FALSE(joined(noon, 60).starts_clock) << "a router may run at another speed";
}

TEST(RouterConnection, ARouterWithAnotherFleetTimeStartsTheClockAgain) {
  for (const Instant there : {noon - std::chrono::hours(1), noon + std::chrono::hours(1)}) {
    RouterConnection connection = client();
    connection.accepted(welcome_at(noon), noon);
    const RouterConnection::Joined joined = connection.accepted(welcome_at(there), noon);
    EXPECT_TRUE(joined.starts_clock);
    ASSERT_TRUE(joined.clock_jump);
    EXPECT_EQ(joined.clock_jump->from, noon);
    EXPECT_EQ(joined.clock_jump->to, there);
  }
}

TEST(RouterConnection, AfterAPauseOfItsOwnTheNextWelcomeIsNoJump) {
  RouterConnection connection = agent();
  connection.accepted(welcome_at(noon), noon);
  connection.restart();
  const RouterConnection::Joined joined =
      connection.accepted(welcome_at(noon + std::chrono::hours(1)), noon);
  EXPECT_TRUE(joined.starts_clock);
  EXPECT_FALSE(joined.clock_jump);
}

}  // namespace
}  // namespace drover::commands
