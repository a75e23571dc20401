// The demo's story as a pure thing: the same for the same seed, in order, pausable, endless.
#include "commands/demo/story.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "commands/demo/fleet.h"
#include "fleet/codec/codec.h"
#include "tui/keymap.h"
#include "tui/map/map_metric.h"

namespace drover::commands {
namespace {

constexpr Instant story_start{std::chrono::hours(24 * 365 * 56)};

Instant at(double seconds) { return saturating_add(story_start, from_seconds(seconds)); }

Summary drawing(double watts) {
  Summary summary;
  summary.power_w = watts;
  return summary;
}

/// Everything that a story does up to an end, as bytes with the second it is done in.
std::vector<std::string> told(Story& story, double from_s, double to_s) {
  std::vector<std::string> lines;
  for (double second = from_s; second <= to_s; ++second) {
    Story::StoryActions actions = story.due(at(second));
    const auto add = [&](Message message) {
      lines.push_back(std::to_string(second) + " " +
                      encode({"story", 1, story_start, std::move(message)}));
    };
    add(story.caption());
    for (Message& message : actions.messages) add(std::move(message));
    if (!actions.jobs.empty()) {
      for (Job& job : actions.jobs) add(Submit{{job}});
    }
  }
  return lines;
}

std::uint32_t chapter_at(Story& story, double second) {
  story.due(at(second));
  return story.caption().chapter;
}

TEST(Story, IsTheSameForTheSameSeed) {
  Story one(7, 1, story_start);
  Story two(7, 1, story_start);
  Story other(8, 1, story_start);
  one.receive(story_start, drawing(9000));
  two.receive(story_start, drawing(9000));
  other.receive(story_start, drawing(9000));
  const auto lines = told(one, 0, 2 * story_s);
  EXPECT_EQ(lines, told(two, 0, 2 * story_s));
  EXPECT_NE(lines, told(other, 0, 2 * story_s));
}

TEST(Story, PlaysItsChaptersInOrderAndStartsOver) {
  Story story(1, 1, story_start);
  std::vector<std::uint32_t> seen;
  for (double second = 0; second < 2 * story_s; second += 5) {
    const std::uint32_t chapter = chapter_at(story, second);
    if (seen.empty() || seen.back() != chapter) seen.push_back(chapter);
  }
  std::vector<std::uint32_t> wanted;
  for (int round = 0; round < 2; ++round) {
    for (std::uint32_t number = 1; number <= chapters().size(); ++number) wanted.push_back(number);
  }
  EXPECT_EQ(seen, wanted);
}

TEST(Story, DoesNotAdvanceWhilePaused) {
  Story story(1, 1, story_start);
  story.due(at(50));
  story.toggle(at(50));
  EXPECT_TRUE(story.caption().paused);
  EXPECT_TRUE(story.due(at(500)).empty());
  EXPECT_EQ(story.next_deadline(), never);
  story.toggle(at(550));
  EXPECT_FALSE(story.caption().paused);
  const double second_chapter_s = chapters()[1].begins_s;
  EXPECT_EQ(chapter_at(story, 500 + second_chapter_s - 1), 1u);
  EXPECT_EQ(chapter_at(story, 500 + second_chapter_s), 2u);
}

/// The story's cap, where the site drew a tenth in its first half minute and is asked so often.
double cap_told(double every_s) {
  Story story(1, 1, story_start);
  double watts = 0;
  for (double second = 0; second < story_s; second += every_s) {
    story.receive(at(second), drawing(second < 30 ? 1'000 : 10'000));
    for (const Message& message : story.due(at(second)).messages) {
      if (const auto* cap = std::get_if<SetPowerCap>(&message)) watts = cap->watts;
    }
  }
  return watts;
}

TEST(Story, CapsTheSiteBelowItsUsualPowerHoweverRarelyThatIsReported) {
  // Once a wall second: every tenth fleet second at the demo's speed, every hundredth at --speed
  // 100.
  for (const double every_s : {1.0, 10.0, 100.0}) {
    EXPECT_NEAR(cap_told(every_s), 9'000, 10) << every_s;
  }
}

TEST(Story, SetsNoCapBeforeItKnowsTheSitesPower) {
  Story story(1, 1, story_start);
  for (double second = 0; second < story_s; ++second) {
    for (const Message& message : story.due(at(second)).messages) {
      EXPECT_FALSE(std::holds_alternative<SetPowerCap>(message));
    }
  }
}

TEST(Story, CaptionsFitANarrowTerminalAndNameWhatShowsThem) {
  for (const Chapter& one : chapters()) {
    // Two rows of 80 columns, less "Story 1/8 (paused): ", "any key takes over" and line breaks.
    EXPECT_LE(one.caption.size(), 116u) << one.caption;
    // One row, less "Story 1/8: " and the frame; the reason may be on the next one.
    EXPECT_LE(one.caption.substr(0, one.caption.find(" (reason")).size(), 67u) << one.caption;
    // The views have the keys 1, 2, 3 ..
    ASSERT_EQ(one.key.size(), 1u) << one.key;
    ASSERT_GE(one.key[0], '1');
    ASSERT_LT(one.key[0] - '1', tui::view_count) << one.key;
    EXPECT_NE(tui::binding_of(tui::Key{std::string(one.key)}, tui::ViewId::fleet), nullptr);
    EXPECT_EQ(one.view, tui::view_names()[static_cast<std::size_t>(one.key[0] - '1')]);
    EXPECT_EQ(std::ranges::count(tui::map_metric_words(), one.metric), 1) << one.metric;
  }
}

TEST(Story, OnlyItsLastChapterSumsUp) {
  Story story(1, 1, story_start);
  for (const Chapter& one : chapters()) {
    story.due(at(one.begins_s));
    EXPECT_EQ(story.caption().totals, &one == &chapters().back()) << one.caption;
  }
}

TEST(Story, NamesDevicesOfTheDemosFleet) {
  for (const Chapter& one : chapters()) {
    if (one.device.empty()) continue;
    const auto device = parse_device_id(one.device);
    ASSERT_TRUE(device) << one.device;
    const auto agents = demo_agents({}, "tcp://127.0.0.1:7700");
    EXPECT_TRUE(std::ranges::any_of(agents, [&](const ChildCommand& agent) {
      return agent.name == device->host;
    })) << one.device;
  }
}

TEST(Story, LoadMultipliesItsRequests) {
  const auto requests = [](double load) {
    Story story(3, load, story_start);
    std::size_t count = 0;
    for (double second = 0; second < story_s; ++second) count += story.due(at(second)).jobs.size();
    return count;
  };
  const auto once = static_cast<double>(requests(1));
  EXPECT_GT(once, 100);
  EXPECT_NEAR(static_cast<double>(requests(2)) / once, 2, 0.3);
}

TEST(Story, GeneratesRequestsOnlyWhenTheyAreDueHoweverMany) {
  // A round would hold 48 million of them.
  Story story(3, 100'000, story_start);
  EXPECT_TRUE(story.due(at(chapters()[1].begins_s)).jobs.empty());
  std::vector<Job> first = story.due(at(chapters()[1].begins_s + 1), 2'000).jobs;
  EXPECT_EQ(first.size(), 2'000U) << "no more than there is room for";
  const std::vector<Job> next = story.due(at(chapters()[1].begins_s + 1), 2'000).jobs;
  Story whole(3, 100'000, story_start);
  first.insert(first.end(), next.begin(), next.end());
  EXPECT_EQ(first, whole.due(at(chapters()[1].begins_s + 1), 4'000).jobs) << "what waited comes";
}

TEST(Story, GoesOnWhenThereIsNoRoomForItsRequests) {
  Story story(3, 1, story_start);
  std::vector<std::uint32_t> seen;
  for (double second = 0; second < 2 * story_s; ++second) {
    EXPECT_TRUE(story.due(at(second), 0).jobs.empty());
    if (seen.empty() || seen.back() != story.caption().chapter) {
      seen.push_back(story.caption().chapter);
    }
  }
  EXPECT_EQ(seen.size(), 2 * chapters().size());
}

}  // namespace
}  // namespace drover::commands
