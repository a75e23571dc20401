// `drover why HOST/N`: why a device may be slow, of a real router with one agent.
#include <gtest/gtest.h>

#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(WhyDevice, ListsCausesWithTheReadingsThatShowThem) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const ProcessResult quiet = fleet.ask({"why", "h-1/1"});
  EXPECT_EQ(quiet.exit_code, 0) << quiet.err;
  EXPECT_EQ(quiet.out,
            "h-1/1: l4, emulated, ok\nno reading says that it is slow\n"
            "no job is on it, and none waits\n");

  const ProcessResult injected = fleet.ask({"inject", "h-1/0", "throttle=0.5", "--for", "60s"});
  ASSERT_EQ(injected.exit_code, 0) << injected.err;
  ProcessResult slow;
  ASSERT_TRUE(eventually([&] {
    slow = fleet.ask({"why", "h-1/0"});
    return has(slow.out, "power brake: ");
  })) << slow.out;
  EXPECT_TRUE(has(slow.out, "h-1/0: l4, emulated, faulty\n")) << slow.out;
  EXPECT_TRUE(has(slow.out, "  critical  power brake: ")) << slow.out;
  EXPECT_TRUE(has(slow.out, "            signal: throttle reason power brake, clock ")) << slow.out;
  EXPECT_TRUE(has(slow.out, "  warning   injected fault: ")) << slow.out;

  const Json told = only_object(fleet.ask({"why", "h-1/0", "--json"}).out);
  EXPECT_EQ(told["device"].text(), "h-1/0");
  EXPECT_EQ(told["real"].dump(), "false");
  EXPECT_EQ(told["causes"][0]["cause"].text(), "power brake");
  EXPECT_EQ(told["causes"][0]["severity"].text(), "critical");
}

TEST(WhyDevice, NamesADeviceThatIsNotThere) {
  SmallFleet fleet;
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const ProcessResult unknown = fleet.ask({"why", "h-1/9"});
  EXPECT_EQ(unknown.exit_code, 1);
  EXPECT_TRUE(has(unknown.err, "no device h-1/9: h-1 has devices 0 to 1")) << unknown.err;
  const ProcessResult mistyped = fleet.ask({"why", "h-2/0"});
  EXPECT_TRUE(has(mistyped.err, "no host \"h-2\"; did you mean h-1?")) << mistyped.err;
  const ProcessResult bad = fleet.ask({"why", "h-1/r0"});
  EXPECT_EQ(bad.exit_code, 2) << bad.err;
}

TEST(WhyDevice, IsNotAnsweredFromAJournal) {
  const ProcessResult asked = run_drover({"why", "h-1/0", "--replay", "router.journal"});
  EXPECT_EQ(asked.exit_code, 2);
  EXPECT_TRUE(has(asked.err, "--replay explains jobs, and h-1/0 is a device")) << asked.err;
}

}  // namespace
}  // namespace drover::commands
