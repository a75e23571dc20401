// What is counted of hosts goes on over lives of agents and of the router, and is on disk before
// anybody sees it.
#include "router/fleet_state/host_counters.h"

#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/router/router_fixture.h"

namespace drover::router {
namespace {

constexpr Incarnation one{0, 1}, two{0, 2};

struct Book : HostCounterTable {
  HostCounts counted(std::uint64_t sample_gaps = 0) {
    return count_gaps("h1", sample_gaps).counted;
  }
};

TEST(HostCounterTable, SumsTheCountsOfEachAgentIncarnation) {
  Book book;
  book.update("h1", one, 10, 1);
  book.update("h1", one, 25, 1);
  EXPECT_EQ(book.counted(), (HostCounts{0, 25, 1}));
  book.update("h1", two, 0, 0);
  EXPECT_EQ(book.counted(), (HostCounts{0, 25, 1}));
  book.update("h1", two, 5, 2);
  EXPECT_EQ(book.counted(), (HostCounts{0, 30, 3}));
  EXPECT_EQ(book.count_gaps("h2", 0).counted, HostCounts{});
}

TEST(HostCounterTable, ContinuesFromTheCountsOfAnEarlierRouterRun) {
  struct Case {
    const char* what;
    Incarnation agent;
    std::uint64_t read, thinned;
  };
  const Case cases[] = {
      {"the only life of the agent has counted on", one, 110, 110},
      {"an earlier one had counted 60 of the hundred", one, 40, 100},
      {"another life begins", two, 3, 103},
  };
  for (const Case& c : cases) {
    Book book;
    book.restore("h1", one, {7, 100, 0});
    EXPECT_EQ(book.shown("h1"), (HostCounts{7, 100, 0})) << c.what;
    book.update("h1", c.agent, c.read, 0);
    EXPECT_EQ(book.counted(2), (HostCounts{9, c.thinned, 0})) << c.what;
    book.update("h1", c.agent, c.read + 1, 0);
    EXPECT_EQ(book.counted(3), (HostCounts{10, c.thinned + 1, 0})) << c.what;
  }
}

TEST(HostCounterTable, NoCountDecreasesWhateverAnAgentReports) {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  Book book;
  book.update("h1", one, 50, 5);
  book.update("h1", one, 20, 0);
  EXPECT_EQ(book.counted(), (HostCounts{0, 50, 5}));
  book.update("h1", two, most, most);
  EXPECT_EQ(book.counted(), (HostCounts{0, most, most}));
}

// ---- In the router -----------------------------------------------------------------------------

struct Counted : RouterHarness {
  Counted() { join(); }
  void join(std::uint64_t life = 1) {
    agent = {1, life};
    add_host(1, "h1", life);
    sequence = ++joined;
    commit();
  }
  /// A second in which the agent tells its count, and `lost` batches are missing before the next.
  void second(std::uint64_t thinned, std::uint64_t lost) {
    Heartbeat heartbeat;
    heartbeat.incarnation = agent;
    heartbeat.samples_thinned = thinned;
    receive(1, heartbeat);
    sequence += lost + 1;
    receive_samples("h1", sequence, idle_samples(8));
    wait(std::chrono::seconds(1));
  }
  /// Until the next counts may be noted, and those are shown.
  void ten_seconds(std::uint64_t thinned) {
    for (int i = 0; i < 11; ++i) {
      second(thinned, 0);
      commit();
    }
    second(thinned, 0);
  }
  /// What a snapshot taken now says.
  HostCounts asked() {
    forget();
    receive(9, SnapshotRequest{});
    HostCounts counts;
    for (const SnapshotPart& part : told<SnapshotPart>(9)) {
      for (const std::string& bytes : part.messages) {
        const auto envelope = decode(bytes);
        if (!envelope) continue;
        if (const auto* host = std::get_if<HostChanged>(&envelope->body)) {
          counts = {host->sample_gaps, host->samples_thinned, host->undecodable};
        }
      }
    }
    return counts;
  }
  Incarnation agent;
  std::uint64_t sequence = 0;
  std::uint64_t joined = 0;
};

TEST(HostCounts, AreOnDiskBeforeTheyAreShown) {
  Counted stage;
  stage.second(3, 2);
  EXPECT_EQ(stage.asked(), HostCounts{}) << "noted, not yet on disk";
  stage.second(3, 0);
  EXPECT_EQ(stage.asked(), HostCounts{});
  stage.commit();
  stage.second(3, 0);
  EXPECT_EQ(stage.asked(), (HostCounts{2, 3, 0}));
}

TEST(HostCounts, ThatGrowWithEachHeartbeatTakeOneRowPerTen) {
  Counted stage;
  for (std::uint64_t thinned = 1; thinned <= 40; ++thinned) {
    stage.second(thinned, 0);
    stage.commit();
  }
  std::size_t rows = 0;
  for (const LedgerRow& row : stage.disk) {
    if (row.transition != Transition::counters) continue;
    const auto envelope = decode(row.payload);
    ASSERT_TRUE(envelope);
    rows += std::holds_alternative<HostChanged>(envelope->body) ? 1 : 0;
  }
  EXPECT_EQ(rows, 4u);
  EXPECT_GE(stage.asked().samples_thinned, 30u);
}

TEST(HostCounts, ContinueAfterARouterIsKilledAndAfterAHostIsForgotten) {
  Counted stage;
  stage.second(3, 2);
  stage.commit();
  stage.second(4, 1);
  ASSERT_EQ(stage.asked(), (HostCounts{2, 3, 0}));
  ASSERT_TRUE(stage.restart()) << "of what was counted later nothing is noted";
  stage.join();
  EXPECT_EQ(stage.asked(), (HostCounts{2, 3, 0})) << "before the agent has said anything";
  stage.second(4, 5);
  stage.commit();
  stage.ten_seconds(4);
  EXPECT_EQ(stage.asked(), (HostCounts{7, 4, 0}));
  stage.receive(1, Leave{"SIGTERM", 0});
  stage.receive(9, Join{Role::client, "ann", "drover test"});
  stage.receive(9, ForgetHost{"host:h1"});
  stage.join(2);
  stage.second(6, 0);
  stage.ten_seconds(6);
  EXPECT_EQ(stage.asked(), (HostCounts{7, 10, 0}));
}

}  // namespace
}  // namespace drover::router
