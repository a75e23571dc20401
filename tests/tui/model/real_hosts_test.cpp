// What the model keeps of hosts whose devices are real, and for how long.
#include <gtest/gtest.h>

#include "tests/tui/sample_fleet.h"
#include "tui/model/board_table.h"
#include "tui/model/model.h"
#include "tui/tables/device_diagnosis.h"

namespace drover::tui {
namespace {

using std::chrono::seconds;
constexpr Instant first_reading = SampleFleet::start;

/// A host of real devices that is read once in `every`.
HostChanged real_host(const std::string& name, Duration every = seconds(1),
                      std::uint64_t life = 1) {
  HostChanged host;
  host.registration.host = name;
  host.registration.incarnation = {1, life};
  host.registration.sample_every = every;
  host.registration.specs = {{"l4", "class = \"gpu\"\nreal = true\n"}};
  host.registration.groups = {{0, 0, 2, "l4", "", 0}};
  return host;
}

Board board_of_uuid(std::uint16_t device, const std::string& uuid) {
  Board made;
  made.device = device;
  made.uuid = uuid;
  return made;
}

class ToldModel {
 public:
  explicit ToldModel(std::size_t boards_bytes = boards_bytes_max)
      : model(seconds(1), boards_bytes) {}
  void tell(Message body, Instant at = first_reading) {
    model.apply(at, {"router", ++sequence_, at, std::move(body)});
  }
  void sample(const std::string& host, Instant at, double utilization = 0.5) {
    std::vector<Sample> rows(2);
    rows[1].device = 1;
    for (Sample& row : rows) row[Metric::utilization] = utilization;
    model.apply(at, {host, ++batches_, at, pack(host, rows)});
  }
  DeviceTable::Row row(const std::string& host, std::uint16_t device = 0) const {
    return *model.find({host, device});
  }
  std::string uuid(const std::string& host, std::uint16_t device) const {
    const Board* const known = model.board_of(row(host, device));
    return known == nullptr ? "" : known->uuid;
  }
  Model model;

 private:
  std::uint64_t sequence_ = 0;
  std::uint64_t batches_ = 0;
};

// ---- Staleness ---------------------------------------------------------------------------------

TEST(RealHosts, AreStaleAfterTwoAndAHalfOfTheirOwnIntervals) {
  ToldModel told;
  told.tell(real_host("often"));
  told.tell(real_host("rarely", seconds(15)));
  for (const char* host : {"often", "rarely"}) told.sample(host, first_reading);
  const auto is_stale = [&](const char* host, int after_s) {
    return told.model.is_stale(first_reading + seconds(after_s), told.row(host));
  };
  EXPECT_FALSE(is_stale("often", 5));
  EXPECT_TRUE(is_stale("often", 6));
  EXPECT_FALSE(is_stale("rarely", 37));
  EXPECT_TRUE(is_stale("rarely", 38));
  const HostRow& rarely = *told.model.find_host("rarely");
  EXPECT_FALSE(told.model.is_stale(first_reading + seconds(37), rarely));
  EXPECT_TRUE(told.model.is_stale(first_reading + seconds(38), rarely));
}

TEST(RealHosts, KeepTheirReadingUntilItIsStale) {
  ToldModel told;
  told.tell(real_host("rarely", seconds(15)));
  told.sample("rarely", first_reading);
  told.tell(Caption{}, first_reading + seconds(37));
  EXPECT_EQ(told.model.reading(told.row("rarely"), Metric::utilization), 0.5);
  told.tell(Caption{}, first_reading + seconds(38));
  EXPECT_TRUE(std::isnan(told.model.reading(told.row("rarely"), Metric::utilization)));
}

// ---- Why there is no value ---------------------------------------------------------------------

TEST(WhyMissing, NamesTheLatestReasonThatApplies) {
  ToldModel told(sizeof(Board) + 600);  // room for one
  told.tell(real_host("node"));
  const DeviceTable::Row first = told.row("node", 0), second = told.row("node", 1);
  const auto why = [&](DeviceTable::Row row, Metric metric = Metric::fan) {
    return why_missing(told.model, row, metric);
  };
  EXPECT_EQ(why(first), "no sample has arrived yet");
  told.sample("node", first_reading);
  EXPECT_EQ(why(first), "its driver does not report it");
  Board said = board_of_uuid(0, "a");
  said.read_by = "NVML";
  said.missing = {{static_cast<std::uint8_t>(Metric::fan), "the driver answers: not supported"}};
  told.tell(BoardChanged{"node", said});
  EXPECT_EQ(why(first), "the driver answers: not supported");
  EXPECT_EQ(why(first, Metric::power), "NVML does not report it");
  said.device = 1;
  told.tell(BoardChanged{"node", said});
  EXPECT_EQ(why(second), "too many real devices: its description is not kept");
  told.tell(Caption{}, first_reading + seconds(20));
  EXPECT_EQ(why(first), "its last sample is too old");
  EXPECT_EQ(why(first, Metric::utilization), "its last sample is too old");
  HostChanged lost = real_host("node");
  lost.health = Health::lost;
  told.tell(lost, first_reading + seconds(20));
  EXPECT_EQ(why(first), "its host is gone");
}

TEST(DeviceEvidenceOf, OnlyNvidiasBoardsTellThatTheyAreIdle) {
  for (const auto& [vendor, tells_idle] : std::initializer_list<std::pair<const char*, bool>>{
           {"nvidia", true}, {"amd", false}, {"intel", false}, {"", false}}) {
    ToldModel told;
    HostChanged host = real_host("node");
    host.registration.specs[0].text += fmt::format("vendor = \"{}\"\n", vendor);
    told.tell(host);
    told.sample("node", first_reading);
    EXPECT_EQ(evidence_about(told.model, first_reading, told.row("node"), {}).tells_idle,
              tells_idle)
        << vendor;
  }
}

// ---- Boards ------------------------------------------------------------------------------------

TEST(RealHosts, LoseTheirBoardsWithTheLifeOfTheirAgent) {
  ToldModel told;
  for (const char* host : {"a", "b", "c"}) {
    told.tell(real_host(host));
    for (const std::uint16_t device : {0, 1})
      told.tell(BoardChanged{host, board_of_uuid(device, "old")});
  }
  told.tell(real_host("b"));
  EXPECT_EQ(told.uuid("b", 1), "old") << "the same agent";
  told.tell(real_host("b", seconds(1), 2));
  EXPECT_EQ(told.uuid("b", 0), "");
  EXPECT_EQ(told.uuid("b", 1), "");
  EXPECT_EQ(told.uuid("a", 1), "old");
  EXPECT_EQ(told.uuid("c", 0), "old");
  told.tell(BoardChanged{"b", board_of_uuid(1, "new")});
  EXPECT_EQ(told.uuid("b", 1), "new");
}

TEST(RealHosts, LoseBoardsThatASnapshotDoesNotName) {
  ToldModel told;
  told.tell(real_host("a"));
  told.tell(BoardChanged{"a", board_of_uuid(0, "gone")});
  told.tell(BoardChanged{"a", board_of_uuid(1, "kept")});
  told.model.begin_snapshot();
  told.tell(real_host("a"));
  told.tell(BoardChanged{"a", board_of_uuid(1, "kept")});
  told.model.end_snapshot(first_reading);
  EXPECT_EQ(told.uuid("a", 0), "");
  EXPECT_EQ(told.uuid("a", 1), "kept");
}

TEST(BoardTable, KeepsNoMoreThanItsBytesAndFreesThem) {
  Board large = board_of_uuid(0, std::string(5'000, 'x'));
  BoardTable boards(14'000);
  EXPECT_TRUE(boards.take({"a", 0}, large, 1));
  EXPECT_TRUE(boards.take({"a", 0}, large, 1)) << "in its own place";
  EXPECT_TRUE(boards.take({"b", 0}, large, 1));
  EXPECT_FALSE(boards.is_full());
  EXPECT_FALSE(boards.take({"c", 0}, large, 2));
  EXPECT_TRUE(boards.is_full());
  EXPECT_EQ(boards.find({"c", 0}), nullptr);
  EXPECT_GT(boards.bytes(), 10'000U);
  EXPECT_LE(boards.bytes(), 14'000U);
  boards.forget("a");
  EXPECT_FALSE(boards.is_full());
  EXPECT_TRUE(boards.take({"c", 0}, large, 2));
  boards.forget_before(2);
  EXPECT_EQ(boards.find({"b", 0}), nullptr);
  EXPECT_NE(boards.find({"c", 0}), nullptr);
  boards.forget("c");
  EXPECT_EQ(boards.bytes(), 0U);
}

TEST(BoardTable, CountsWhatABoardHolds) {
  const auto bytes = [](const Board& each) {
    BoardTable boards;
    boards.take({"a", 0}, each, 1);
    return boards.bytes();
  };
  const Board plain = board_of_uuid(0, "");
  const std::string text(1'000, 'x');
  for (const auto& add : std::initializer_list<void (*)(Board&, const std::string&)>{
           [](Board&it, const std::string&words) { it.name = words; },
           [](Board&it, const std::string&words) {
             it.missing = {{0, words}};
           },
           [](Board&it, const std::string&words) {
             it.processes = {{1, words, "", "", {}, {}}};
           },
           [](Board&it, const std::string&words) {
             it.partitions = {{1, words, "", {}, {}, {}}};
           },
       }) {
    Board more = plain;
    add(more, text);
    EXPECT_GE(bytes(more), bytes(plain) + 1'000);
  }
}

}  // namespace
}  // namespace drover::tui
