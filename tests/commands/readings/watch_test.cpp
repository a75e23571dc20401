// `drover watch` with the real binary and real servers, on a terminal and as lines.
#include <gtest/gtest.h>

#include <csignal>
#include <set>

#include "tests/commands/dashboard/screen.h"
#include "tests/commands/program.h"
#include "tests/commands/readings/page_server.h"

namespace drover::commands {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using Connection = StandInServer::Connection;

std::vector<std::string> watch(const std::string& urls, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words{"watch", "--scrape", urls, "--every", "200ms"};
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

/// The lines of JSON that a program has printed in full.
std::vector<Json> printed_lines(const std::string& out) {
  std::vector<Json> lines;
  std::size_t at = 0;
  for (std::size_t end = out.find('\n'); end != std::string::npos; end = out.find('\n', at)) {
    const auto line = Json::parse(out.substr(at, end - at));
    EXPECT_TRUE(line && line->is_object()) << out.substr(at, end - at);
    if (line) lines.push_back(*line);
    at = end + 1;
  }
  return lines;
}

// ---- On a terminal -----------------------------------------------------------------------------

TEST(Watch, ShowsHostsAndDevicesAndQuitsWithQ) {
  StandInServer one(l4_page("n1"));
  StandInServer two(l4_page("n2") + l4_page("n3"));
  PseudoTerminal watching(watch(one.url() + "," + two.url()), 120, 40);
  for (const char* host : {"n1", "n2", "n3"}) EXPECT_TRUE(watching.shows(host)) << host;
  watching.type("2");
  EXPECT_TRUE(watching.shows("n3/0")) << watching.screen();
  watching.type("q");
  ASSERT_TRUE(watching.ends()) << watching.screen();
  EXPECT_EQ(watching.exit_code(), 0) << watching.screen();
  EXPECT_TRUE(watching.restored());
}

TEST(Watch, ASignalEndsItAlsoWhileATargetHangs) {
  StandInServer hangs([](Connection& line, const std::string&) { line.wait(seconds(60)); });
  StandInServer well(l4_page("n1"));
  PseudoTerminal watching(watch(hangs.url() + "," + well.url()), 120, 40);
  ASSERT_TRUE(watching.shows("n1")) << watching.screen();
  const auto begun = std::chrono::steady_clock::now();
  kill(watching.pid(), SIGTERM);
  ASSERT_TRUE(watching.ends()) << watching.screen();
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(10));
  EXPECT_TRUE(watching.restored());
}

TEST(Watch, ATargetThatDiesIsStaleThenLostWithItsReasonAndComesBack) {
  auto server = std::make_unique<StandInServer>(l4_page("n1"));
  const std::uint16_t port = server->port();
  StandInServer other(l4_page("n2"));
  PseudoTerminal watching(watch(server->url() + "," + other.url()), 160, 40);
  ASSERT_TRUE(watching.shows("n1")) << watching.screen();
  ASSERT_TRUE(watching.shows("n2")) << watching.screen();
  watching.type("2");
  server->end();
  EXPECT_TRUE(watching.shows("stale", seconds(12))) << watching.screen();
  EXPECT_TRUE(watching.shows("lost", seconds(20))) << watching.screen();
  watching.type("7");
  EXPECT_TRUE(watching.shows("cannot connect to it")) << watching.screen();
  const std::string page = l4_page("n1");
  server = std::make_unique<StandInServer>(
      [page](Connection& line, const std::string&) { line.send(http_answer(page)); }, port);
  ASSERT_TRUE(server->listens());
  EXPECT_TRUE(watching.shows("answers again", seconds(10))) << watching.screen();
  watching.type("q");
  ASSERT_TRUE(watching.ends());
}

TEST(Watch, ARuleOfThePolicyRaisesAnAlert) {
  const TestFolder folder;
  const std::string policy =
      folder.write("rules.toml",
                   "[pool.all]\nmatch = {}\n[[rule]]\nname = \"all\"\npools = [\"all\"]\n"
                   "[[alert]]\nname = \"warm\"\nwhen = \"temp > 30 and origin == real\"\n"
                   "for = 0\nclear_for = 0\n");
  StandInServer server(l4_page("n1"));
  PseudoTerminal watching(watch(server.url(), {"--policy", policy}), 120, 40);
  EXPECT_TRUE(watching.shows("n1/0 warm")) << watching.screen();
  watching.type("q");
  ASSERT_TRUE(watching.ends());
}

TEST(Watch, ItsRecordingShowsTheSame) {
  const TestFolder folder;
  const std::string file = folder.file("watched.mcap");
  StandInServer server(l4_page("n1", 55.5) + l4_page("n2", 66.25));
  const ProcessResult ran =
      run_drover(watch(server.url(), {"--json", "--for", "3s", "--record", file}));
  ASSERT_EQ(ran.exit_code, 0) << ran.err;
  const ProcessResult replayed =
      run_drover({"frame", "--replay", file, "--at", "2s", "--view", "devices", "--json"});
  ASSERT_EQ(replayed.exit_code, 0) << replayed.err;
  const auto rows = Json::parse(replayed.out);
  ASSERT_TRUE(rows) << replayed.out;
  ASSERT_EQ(rows->size(), 2U) << replayed.out;
  const std::vector<Json> lines = printed_lines(ran.out);
  ASSERT_FALSE(lines.empty());
  for (std::size_t i = 0; i < rows->size(); ++i) {
    const Json& row = (*rows)[i];
    const auto line = std::find_if(lines.rbegin(), lines.rend(),
                                   [&](const Json& each) { return each["id"] == row["id"]; });
    ASSERT_NE(line, lines.rend()) << row["id"].text();
    for (const std::string& key : row.keys()) {
      if (key == "age_s") continue;
      EXPECT_EQ(row[key].dump(), (*line)[key].dump()) << key;
    }
  }
  PseudoTerminal replay({"top", "--replay", file}, 120, 40);
  EXPECT_TRUE(replay.shows("n2")) << replay.screen();
}

TEST(Watch, AFileIsNotOverwrittenBeforeTheTerminalWorks) {
  const TestFolder folder;
  const std::string file = folder.write("today.mcap", "the recording of yesterday");
  StandInServer server(l4_page("n1"));
  const ProcessResult ran = run_drover(watch(server.url(), {"--record", file, "--force"}));
  EXPECT_NE(ran.exit_code, 0);
  EXPECT_NE(ran.err.find("no terminal"), std::string::npos) << ran.err;
  EXPECT_EQ(folder.read("today.mcap"), "the recording of yesterday");
}

// ---- As lines ----------------------------------------------------------------------------------

TEST(Watch, PrintsEachReadingOfEachDeviceAsALine) {
  StandInServer server(l4_page("n1") + l4_page("n2", 70));
  const ProcessResult ran = run_drover(watch(server.url(), {"--json", "--for", "2s"}));
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err, "");
  std::map<std::string, int> counts;
  for (const Json& line : printed_lines(ran.out)) {
    EXPECT_EQ(line.keys().at(0), "time");
    EXPECT_EQ(line["power_w"].number(), line["id"].text() == "n1/0" ? 16.5 : 70);
    ++counts[line["id"].text()];
  }
  ASSERT_EQ(counts.size(), 2U);
  EXPECT_GE(counts["n1/0"], 3) << "five a second were asked for";
  EXPECT_LE(counts["n1/0"], 12);
}

TEST(Watch, PrintsOnlyWhatPassesTheFilter) {
  StandInServer server(l4_page("n1") + l4_page("n2", 70));
  const ProcessResult ran =
      run_drover(watch(server.url(), {"--text", "--for", "1s", "--filter", "power > 50"}));
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_NE(ran.out.find("n2/0"), std::string::npos) << ran.out;
  EXPECT_EQ(ran.out.find("n1/0"), std::string::npos) << ran.out;
}

TEST(Watch, SaysOnceThatATargetFailsAndNeverItsPassword) {
  StandInServer well(l4_page("n1"));
  const std::string dead = dead_url().substr(7);
  const ProcessResult ran =
      run_drover(watch(well.url() + ",http://ann:secret@" + dead, {"--json", "--for", "2s"}));
  EXPECT_EQ(ran.exit_code, 3) << "partly done";
  EXPECT_EQ(ran.err, "drover watch: http://" + dead + ": cannot connect to it\n");
  EXPECT_FALSE(printed_lines(ran.out).empty());
}

TEST(Watch, ARecordingKeepsNoPassword) {
  const TestFolder folder;
  const std::string file = folder.file("watched.mcap");
  StandInServer server(l4_page("n1"));
  const std::string url = fmt::format("http://ann:secret@{}/metrics", server.place());
  ASSERT_EQ(run_drover(watch(url, {"--json", "--for", "1s", "--record", file})).exit_code, 0);
  const ProcessResult exported = run_drover({"recording", "export", file, "--format", "ndjson"});
  EXPECT_EQ(exported.out.find("secret"), std::string::npos);
  EXPECT_EQ(text_of(file).find("secret"), std::string::npos);
}

// ---- Mistakes ----------------------------------------------------------------------------------

TEST(Watch, EveryMistakeGetsOneClearLine) {
  const TestFolder folder;
  const std::string bad_policy = folder.write("bad.toml", "weird = 1\n");
  const std::string there = folder.write("there.mcap", "");
  const std::string url = "http://127.0.0.1:9";
  struct Mistake {
    std::vector<std::string> words;
    int exit_code;
    std::string said;
  };
  const Mistake cases[] = {
      {{"--json", "--text", "--scrape", url}, 2, "--json and --text exclude each other"},
      {{"--force", "--scrape", url}, 2, "--force and --min-free work only with --record"},
      {{"--scrape", url, "--every", "1ms"}, 2, "--every: found 1ms, expected 100ms to 1h"},
      {{"--scrape", url, "--every", "2h"}, 2, "--every: found 2h, expected 100ms to 1h"},
      {{"--scrape", "n7"}, 2, "--scrape n7: does not begin with http:// or https://"},
      {{"--query", "up", "--scrape", url}, 2, "--query works only with --prometheus"},
      {{"--scrape", url, "--filter", "tmep>3"}, 2, "tmep"},
      {{"--scrape", url, "--policy", bad_policy, "--json"}, 2, "bad.toml:1"},
      {{"--scrape", url, "--policy", folder.file("absent"), "--json"}, 1, "absent"},
      {{"--scrape", url, "--record", there, "--json"}, 1, "there.mcap"},
      {{"--scrape", url}, 1, "terminal"},
  };
  for (const Mistake& mistake : cases) {
    std::vector<std::string> words{"watch"};
    words.insert(words.end(), mistake.words.begin(), mistake.words.end());
    const ProcessResult ran = run_drover(words);
    EXPECT_EQ(ran.exit_code, mistake.exit_code) << mistake.said << ": " << ran.err;
    EXPECT_NE(ran.err.find(mistake.said), std::string::npos) << ran.err;
  }
}

TEST(Watch, ThisMachineIsReadAtTheRateThatIsAskedFor) {
  // Whether this machine has a device or not: the options are fine.
  const ProcessResult ran = run_drover({"watch", "--every", "2s", "--json", "--for", "1s"});
  EXPECT_NE(ran.exit_code, 2) << ran.err;
  if (ran.exit_code != 0) {
    EXPECT_EQ(ran.exit_code, 1);
    EXPECT_NE(ran.err.find("no device found on this machine"), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace drover::commands
