// Pages in the text formats of Prometheus and OpenMetrics: what is read of them, what is skipped,
// and where the limits are.
#include "fleet/exposition/exposition.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include <fmt/format.h>

namespace drover::exposition_pages {
namespace {

/// One series as text: name{label=value,..} number, and @time where it has one.
std::string shown(const SeriesView& series) {
  std::string text(series.name);
  text += '{';
  for (const SeriesLabel& label : series.labels)
    text += fmt::format("{}={},", label.name, label.value);
  text += fmt::format("}} {}", series.value);
  if (series.timestamp_ms) text += fmt::format(" @{}", *series.timestamp_ms);
  return text;
}

struct Read {
  std::vector<std::string> series;
  PageSummary summary;
  std::string error;
};

Read read(std::string_view page, PageEnd end = PageEnd::whole, const PageLimits& limits = {}) {
  Read got;
  const auto summary = read_page(
      page, [&](const SeriesView& series) { got.series.push_back(shown(series)); }, end, limits);
  if (summary) {
    got.summary = *summary;
  } else {
    got.error = summary.error().message;
  }
  return got;
}

/// The only series of a page.
std::string only(std::string_view page) {
  const Read got = read(page);
  EXPECT_TRUE(got.error.empty()) << got.error;
  EXPECT_EQ(got.summary.malformed, 0U) << got.summary.first_malformed;
  EXPECT_EQ(got.series.size(), 1U) << page;
  return got.series.empty() ? "" : got.series[0];
}

/// Why the line is skipped, on a page with a good one.
std::string problem(std::string_view line) {
  const Read got = read(std::string(line) + "\ngood 1\n");
  EXPECT_EQ(got.series, std::vector<std::string>{"good{} 1"});
  EXPECT_EQ(got.summary.malformed, 1U) << line;
  return got.summary.first_malformed;
}

TEST(Exposition, ReadsNamesLabelsValuesAndTimes) {
  EXPECT_EQ(only("up 1\n"), "up{} 1");
  EXPECT_EQ(only("a_total{gpu=\"0\",host=\"n-7\"} 61.5\n"), "a_total{gpu=0,host=n-7,} 61.5");
  EXPECT_EQ(only("a:b{} 2 1395066363000\n"), "a:b{} 2 @1395066363000");
  EXPECT_EQ(only("a -2.5e3 -3982045\n"), "a{} -2500 @-3982045");
  EXPECT_EQ(only("a +Inf\n"), "a{} inf");
  EXPECT_EQ(only("a -Inf\n"), "a{} -inf");
  EXPECT_EQ(only("a NaN\n"), "a{} nan");
  EXPECT_EQ(only("a +1\n"), "a{} 1");
  EXPECT_EQ(only("a 9223372036854775794\n"), "a{} 9.223372036854776e+18");
}

TEST(Exposition, TakesBlanksTabsCarriageReturnsAndCommasWhereverTheyMayBe) {
  EXPECT_EQ(only("\t a \t { b = \"c\" ,\td\t=\"e\" , } \t 1 \t 2 \t\r\n"), "a{b=c,d=e,} 1 @2");
  EXPECT_EQ(only("a{b=\"c\",}1\n"), "a{b=c,} 1");
  EXPECT_EQ(only("\r\n\n  \r\n# a comment\r\na 1\r\n"), "a{} 1");
  EXPECT_EQ(only("a 1"), "a{} 1");  // the last line needs no line feed
}

TEST(Exposition, ResolvesEscapesOfLabels) {
  EXPECT_EQ(only(R"(a{b="C:\\D\"E\"\nF"} 1)"), "a{b=C:\\D\"E\"\nF,} 1");
  EXPECT_EQ(only(R"(a{b="\\",c="\"",d="x"} 1)"), "a{b=\\,c=\",d=x,} 1");
  EXPECT_EQ(only(R"(a{b="\t"} 1)"), "a{b=\\t,} 1");  // no escape: both characters stay
  EXPECT_EQ(only(R"(a{b="}{,=# 1"} 1)"), "a{b=}{,=# 1,} 1");
  EXPECT_EQ(only("a{b=\"\xc3\xbc \xe2\x82\xac\"} 1"), "a{b=\xc3\xbc \xe2\x82\xac,} 1");
}

TEST(Exposition, ReadsQuotedNames) {
  EXPECT_EQ(only("{\"gpu.temp\",gpu=\"0\"} 61\n"), "gpu.temp{gpu=0,} 61");
  EXPECT_EQ(only("{\"gpu.temp\"} 61\n"), "gpu.temp{} 61");
  EXPECT_EQ(only("a{\"k8s.pod\"=\"x\"} 61\n"), "a{k8s.pod=x,} 61");
}

TEST(Exposition, ReadsOpenMetrics) {
  const Read got = read(
      "# TYPE jobs counter\n# UNIT jobs jobs\n"
      "jobs_total{class=\"a\"} 17 1520879607.789 # {trace_id=\"x}y\"} 0.67 1520879607.0\n"
      "jobs_created{class=\"a\"} 1.5208796e9\n"
      "wait_bucket{le=\"+Inf\"} 3 # {} 1\n"
      "# EOF\n");
  EXPECT_EQ(got.series, (std::vector<std::string>{"jobs_total{class=a,} 17 @1520879607789",
                                                  "jobs_created{class=a,} 1520879600",
                                                  "wait_bucket{le=+Inf,} 3"}));
  EXPECT_EQ(got.summary.malformed, 0U) << got.summary.first_malformed;
}

TEST(Exposition, NeedsNoOrderAndNoTypes) {
  const Read got = read("b 2\na 1\nb{x=\"y\"} 3\n# TYPE a gauge\n");
  EXPECT_EQ(got.series, (std::vector<std::string>{"b{} 2", "a{} 1", "b{x=y,} 3"}));
}

TEST(Exposition, SkipsSeriesWithoutAValue) {
  const Read got = read("a{b=\"c\"}\na{b=\"d\"} \na 1\nempty\n");
  EXPECT_EQ(got.series, std::vector<std::string>{"a{} 1"});
  EXPECT_EQ(got.summary.blank, 3U);
  EXPECT_EQ(got.summary.malformed, 0U) << got.summary.first_malformed;
}

TEST(Exposition, ABadLineLosesNoOther) {
  EXPECT_EQ(problem("a{b=\"c\" 1"), "line 1: a comma or } is missing after a label");
  EXPECT_EQ(problem("a{b=\"c} 1"), "line 1: a quote is not closed");
  EXPECT_EQ(problem("a{b=\"c\\\"} 1"), "line 1: a quote is not closed");
  EXPECT_EQ(problem("a{b=c} 1"), "line 1: a quote is missing");
  EXPECT_EQ(problem("a{b} 1"), "line 1: a label has no value");
  EXPECT_EQ(problem("a{=\"c\"} 1"), "line 1: a label has no name");
  EXPECT_EQ(problem("a{b=\"c\",,} 1"), "line 1: a label has no name");
  EXPECT_EQ(problem("{b=\"c\"} 1"), "line 1: a series has no name");
  EXPECT_EQ(problem("a{\"d\",b=\"c\"} 1"), "line 1: a series has two names");
  EXPECT_EQ(problem("a one"), "line 1: a value is not a number");
  EXPECT_EQ(problem("a 1,5"), "line 1: a value is not a number");
  EXPECT_EQ(problem("a ++1"), "line 1: a value is not a number");
  EXPECT_EQ(problem("a 1e999"), "line 1: a value is not a number");
  EXPECT_EQ(problem("a 1 noon"), "line 1: a timestamp is not a number");
  EXPECT_EQ(problem("a 1 1e300"), "line 1: a timestamp is not a number");
  EXPECT_EQ(problem("a 1 2 3"), "line 1: text follows the timestamp");
  EXPECT_EQ(problem("1a 1"), "line 1: a name begins with a digit");
  EXPECT_EQ(problem("a-b 1"), "line 1: a name has a letter that none may have");
  EXPECT_EQ(problem("<p>"), "line 1: not a series");
  const Read got = read("a 1\n?\nb 2\n!\n");
  EXPECT_EQ(got.series.size(), 2U);
  EXPECT_EQ(got.summary.malformed, 2U);
  EXPECT_EQ(got.summary.first_malformed, "line 2: not a series");
}

TEST(Exposition, APageWithoutSeriesIsAnErrorThatSaysWhatItIs) {
  constexpr const char* expected = "; expected lines like NAME{LABEL=\"TEXT\"} NUMBER";
  EXPECT_EQ(read("").error, std::string("no metrics: the page is empty") + expected);
  EXPECT_EQ(read(" \n\n").error, std::string("no metrics: the page is empty") + expected);
  EXPECT_EQ(read("# HELP a b\n# TYPE a gauge\n").error,
            std::string("no metrics: it has only comments") + expected);
  EXPECT_EQ(read("a{b=\"c\"} \n").error,
            std::string("no metrics: 1 series without a value") + expected);
  EXPECT_EQ(read("<!DOCTYPE html>\n<html>404</html>\n").error,
            std::string("no metrics: it is an HTML or XML page: '<!DOCTYPE html>' "
                        "(line 1: not a series)") +
                expected);
  EXPECT_EQ(read("{\"status\":\"success\"}").error,
            std::string("no metrics: it is JSON: '{\"status\":\"success\"}' "
                        "(line 1: a label has no value)") +
                expected);
  EXPECT_EQ(read("\x1f\x8b\x08").error,
            std::string("no metrics: the page is compressed (line 1: not a series)") + expected);
  EXPECT_EQ(read("\x1b[2Jpwned here\n").error,
            std::string("no metrics: it begins with '^[[2Jpwned here' (line 1: not a series)") +
                expected);
}

TEST(Exposition, TheLastLineOfACutPageIsSkipped) {
  const std::string page = "a 1\nb 409.6\n";
  EXPECT_EQ(read(page, PageEnd::may_be_cut).series.size(), 2U);
  const Read cut = read(page.substr(0, page.size() - 3), PageEnd::may_be_cut);
  EXPECT_EQ(cut.series, std::vector<std::string>{"a{} 1"});
  EXPECT_EQ(cut.summary.first_malformed, "line 2: the page ends within the line");
  EXPECT_EQ(read("a 1\n# EOF", PageEnd::may_be_cut).summary.malformed, 0U);
}

TEST(Exposition, KeepsItsLimits) {
  PageLimits limits;
  limits.page_bytes = 100;
  EXPECT_EQ(read(std::string(100, '\n') + "\n", PageEnd::whole, limits).error,
            "the page has 101 bytes; expected at most 100");
  limits = {};
  limits.line_bytes = 20;
  Read got = read("a 1\na{b=\"" + std::string(20, 'c') + "\"} 1\nb 2\n", PageEnd::whole, limits);
  EXPECT_EQ(got.series.size(), 2U);
  EXPECT_EQ(got.summary.first_malformed, "line 2: the line is too long");
  limits = {};
  limits.labels = 2;
  got = read("a{b=\"1\",c=\"2\"} 1\na{b=\"1\",c=\"2\",d=\"3\"} 1\n", PageEnd::whole, limits);
  EXPECT_EQ(got.series, std::vector<std::string>{"a{b=1,c=2,} 1"});
  EXPECT_EQ(got.summary.first_malformed, "line 2: too many labels");
}

TEST(Exposition, ReadsAPageOf64MiB) {
  const std::string line = "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",Hostname=\"node-7\"} 61\n";
  constexpr std::size_t most = std::size_t{64} << 20;
  std::string page;
  page.reserve(most + 1);
  while (page.size() + line.size() <= most) page += line;
  const std::size_t lines = page.size() / line.size();
  page.append(most - page.size(), '\n');
  std::uint64_t sum = 0;
  const TakeSeries add = [&](const SeriesView& series) {
    sum += static_cast<std::uint64_t>(series.value);
  };
  const auto summary = read_page(page, add);
  ASSERT_TRUE(summary) << summary.error().message;
  EXPECT_EQ(summary->series, lines);
  EXPECT_EQ(sum, 61 * lines);
  page += '\n';
  EXPECT_FALSE(read_page(page, add));
}

// Every beginning of a page, and the page with every byte replaced.
TEST(Exposition, NoPageStopsTheProgram) {
  const std::string page =
      "# TYPE a gauge\na{b=\"c\\\\\\\"\\n\",d=\"\"} 1.5e3 17\r\n{\"e.f\",\"g\"=\"h\"} NaN # "
      "{i=\"j\"} 1\n";
  for (std::size_t size = 0; size <= page.size(); ++size) {
    for (const PageEnd end : {PageEnd::whole, PageEnd::may_be_cut}) {
      const Read got = read(std::string_view(page).substr(0, size), end);
      EXPECT_EQ(got.error.empty(), !got.series.empty());
    }
  }
  for (std::size_t at = 0; at < page.size(); ++at) {
    for (const char letter : {'"', '\\', '{', '}', ',', '=', ' ', '\n', '\0', '\xff'}) {
      std::string changed = page;
      changed[at] = letter;
      const Read got = read(changed);
      EXPECT_EQ(got.error.empty(), !got.series.empty());
    }
  }
}

}  // namespace
}  // namespace drover::exposition_pages
