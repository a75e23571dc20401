// The histogram of a class: its columns, where the target is, and whose it is; and its burn rates.
#include "tui/jobs/class_panel.h"

#include <gtest/gtest.h>

#include "tests/tui/golden_screen.h"
#include "tests/tui/sample_session.h"

namespace drover::tui {
namespace {

ClassReport report_with_buckets(std::uint32_t first, std::vector<std::uint64_t> buckets,
                                double target) {
  ClassReport report{"chat", ClassMetric::first_token, target, 0, {}};
  report.first_bucket = first;
  report.buckets = std::move(buckets);
  return report;
}

/// A digit for each column: its height in tenths; "." if it is empty.
std::string histogram_shape(const ClassReport& report, int columns) {
  std::string text;
  for (const double share : histogram_shares(report, columns)) {
    text += std::isnan(share) ? "." : std::to_string(std::min(9, static_cast<int>(share * 10)));
  }
  return text;
}

TEST(ClassHistogram, FitsItsBucketsIntoTheColumns) {
  struct Case {
    const char* about;
    std::uint32_t first;
    std::vector<std::uint64_t> buckets;
    int columns;
    const char* shape;
  };
  for (const Case& c : std::vector<Case>{{"one each", 40, {10, 5, 0, 1}, 4, "95.1"},
                                         {"wider", 40, {10, 5, 0, 1}, 9, "9955..11"},
                                         {"merged", 40, {10, 5, 0, 1}, 2, "90"},
                                         {"a single value", 40, {3}, 3, "999"}}) {
    EXPECT_EQ(histogram_shape(report_with_buckets(c.first, c.buckets, 0), c.columns), c.shape)
        << c.about;
  }
}

TEST(ClassHistogram, TheTargetIsOnItsScale) {
  const double target = class_bucket_begin(50) * 1.1;  // in bucket 50
  EXPECT_EQ(target_column(report_with_buckets(48, {1, 1, 1, 1}, target), 4), 2);
  EXPECT_EQ(target_column(report_with_buckets(40, {1, 1}, target), 11), 10) << "beyond the values";
  EXPECT_EQ(target_column(report_with_buckets(60, {1}, target), 11), 0) << "below the values";
  EXPECT_EQ(target_column(report_with_buckets(60, {1}, 0), 11), -1);
}

TEST(ClassHistogram, IsOfTheClassThatBurnsMostUntilAnotherIsChosen) {
  SampleSession session("jobs");
  EXPECT_TRUE(session.shows("chat-large ---") || session.shows("chat-large ──")) << session.text();
  session.press({"l"});
  EXPECT_TRUE(session.shows("chat-small ──")) << session.text();
  session.press({"h", "h"});
  EXPECT_TRUE(session.shows("batch-embed ──")) << session.text();
  EXPECT_TRUE(session.shows("no job of it has finished"));
}

TEST(ClassBurnColumns, MarkAFastBurnWithoutColour) {
  SampleSession session("jobs", {200, 60});
  const std::string text = session.text();
  EXPECT_NE(line_with(text, "chat-large").find("!31     !16"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "chat-small").find("0.0     1.5"), std::string::npos) << text;
  EXPECT_NE(line_with(text, "nightly").find("N/A     0.0"), std::string::npos) << text;
}

}  // namespace
}  // namespace drover::tui
