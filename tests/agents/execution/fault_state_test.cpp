// The book of faults in force, and the table of Xids.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>

#include "agents/execution/fault_state.h"
#include "fleet/xid.h"
#include "tests/agents/agent_harness.h"

namespace drover::agents {
namespace {

FaultState book_of(std::size_t gpus, std::size_t tpus) {
  std::vector<FaultState::Device> devices(gpus, {0, DeviceClass::gpu});
  devices.insert(devices.end(), tpus, {1, DeviceClass::tpu});
  return FaultState(devices);
}

TEST(FaultState, EndsEachFaultAtItsExactInstant) {
  FaultState book = book_of(2, 0);
  EXPECT_EQ(book.next_end(), never);
  book.apply(beginning(), fault("throttle=0.5", milliseconds(7500), {0}));
  book.apply(beginning(), fault("hang", seconds(3), {0}));
  EXPECT_EQ(book.next_end(), beginning() + seconds(3));
  book.end(beginning() + seconds(3) - Duration(1));
  EXPECT_TRUE(book.effect_on(0).hung);
  book.end(beginning() + seconds(3));
  EXPECT_FALSE(book.effect_on(0).hung);
  EXPECT_EQ(book.effect_on(0).clock_limit, 0.5) << "the other one goes on";
  EXPECT_EQ(book.next_end(), beginning() + milliseconds(7500));
  book.end(book.next_end());
  EXPECT_EQ(book.effect_on(0), FaultEffect{});
  EXPECT_EQ(book.next_end(), never);
}

TEST(FaultState, ReportsRequestedFaultsButNotSpontaneousOnes) {
  FaultState book = book_of(3, 0);
  book.apply(beginning(), fault("hang", seconds(9), {0, 2}));
  book.apply(beginning(), fault("ecc", seconds(9), {1}), FaultOrigin::spontaneous);
  book.apply(beginning() + seconds(1), fault("inlet=+10C", seconds(9), {}));
  const std::vector<ActiveFault> expected = {
      {false, {0, 2}, fault("hang", seconds(9), {}).fault, beginning() + seconds(9)},
      {true, {}, fault("inlet=+10C", seconds(9), {}).fault, beginning() + seconds(10)}};
  EXPECT_EQ(book.requested(), expected);
}

TEST(FaultState, TheSameKindAgainReplacesTheEarlierOne) {
  FaultState book = book_of(2, 0);
  book.apply(beginning(), fault("throttle=0.3", seconds(60), {0, 1}));
  book.apply(beginning() + seconds(1), fault("throttle=0.7", seconds(10), {0}));
  EXPECT_EQ(book.effect_on(0).clock_limit, 0.7);
  EXPECT_EQ(book.effect_on(1).clock_limit, 0.3);
  EXPECT_EQ(book.next_end(), beginning() + seconds(11));
}

TEST(FaultState, AMomentaryXidLeavesALastingOneInForce) {
  FaultState book = book_of(1, 0);
  book.apply(beginning(), fault("xid=79", seconds(60), {0}));
  EXPECT_EQ(book.apply(beginning(), fault("xid=31", seconds(1), {0})).size(), 1u);
  EXPECT_TRUE(book.effect_on(0).off_bus);
  EXPECT_EQ(book.next_end(), beginning() + seconds(60));
}

TEST(FaultState, ReachesTheWholeGroupWhenThePartIsShared) {
  FaultState book = book_of(2, 4);
  book.apply(beginning(), fault("slow-link=0.2", seconds(9), {0}));
  EXPECT_EQ(book.effect_on(1).link_share, 0.2);
  EXPECT_EQ(book.effect_on(2).link_share, 1);
  book.apply(beginning(), fault("lose", seconds(9), {1, 3}));
  EXPECT_TRUE(book.effect_on(0).unusable.empty()) << "a GPU is lost alone";
  EXPECT_EQ(book.effect_on(1).unusable, "Xid 79: GPU has fallen off the bus");
  for (std::uint16_t chip = 2; chip < 6; ++chip) {
    EXPECT_EQ(book.effect_on(chip).unusable, "TPU slice lost") << "a slice is lost whole";
  }
}

TEST(FaultState, IgnoresInvalidFaults) {
  FaultState book = book_of(1, 1);
  ApplyFault wild = fault("throttle=0.5", seconds(9), {0});
  for (const double amount : {0.0, -1.0, 7.0, std::numeric_limits<double>::quiet_NaN()}) {
    wild.fault.amount = amount;
    book.apply(beginning(), wild);
  }
  book.apply(beginning(), fault("hang", seconds(9), {7}));
  book.apply(beginning(), fault("hang", seconds(-9), {0}));
  book.apply(beginning(), fault("hang", seconds(9), {}));  // of a host
  EXPECT_TRUE(book.apply(beginning(), fault("xid=79", seconds(9), {1})).empty()) << "of a TPU";
  EXPECT_EQ(book.next_end(), never);
}

TEST(Xid, SaysWhatTheDriverSays) {
  EXPECT_EQ(effect_of_xid(79), XidEffect::off_bus);
  EXPECT_EQ(xid_text(79), "Xid 79: GPU has fallen off the bus");
  EXPECT_EQ(effect_of_xid(999), XidEffect::none);
  EXPECT_EQ(xid_text(999), "Xid 999: not in the catalogue");
}

TEST(Xid, TableMatchesTheDocument) {
  static constexpr const char* effects[] = {"none", "work fails", "unusable",
                                            "unusable, off the bus"};
  std::ifstream file(std::filesystem::path(DROVER_SOURCE_DIR) / "docs" / "faults.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::string table;
  for (std::uint32_t number = 1; number <= 999; ++number) {
    const std::string prefix = fmt::format("Xid {}: ", number);
    const std::string meaning = xid_text(number).substr(prefix.size());
    if (meaning == "not in the catalogue") continue;
    table += fmt::format("| {} | {} | {} |\n", number, meaning,
                         effects[static_cast<int>(effect_of_xid(number))]);
  }
  EXPECT_NE(text.find("|---|---|---|\n" + table), std::string::npos);
}

}  // namespace
}  // namespace drover::agents
