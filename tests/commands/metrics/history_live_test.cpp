// `--history-from` with real servers: samples from before the dashboard began are in its charts.
#include <httplib.h>

#include <chrono>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "tests/commands/dashboard/screen.h"
#include "tests/commands/folder.h"
#include "tests/commands/program.h"
#include "tests/commands/readings/page_server.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

/// A sample a minute of a device that was busy until half an hour ago, for eight hours.
std::string busy_hours(const std::string& labels, std::int64_t ticks_per_second) {
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(
                       std::chrono::system_clock::now().time_since_epoch())
                       .count();
  std::string text;
  for (int minute = 8 * 60; minute >= 30; --minute) {
    text += fmt::format("DCGM_FI_DEV_GPU_UTIL{{{}}} 100 {}\n", labels,
                        (now - minute * 60) * ticks_per_second);
  }
  return text;
}

/// Prometheus with such samples, imported before it starts.
class PrometheusOfThePast {
 public:
  explicit PrometheusOfThePast(const std::string& labels)
      : address_(free_endpoint().substr(6)),
        imported_(import(labels)),
        process_("/usr/bin/prometheus", {"--config.file=" + folder_.write("p.yml", "global: {}\n"),
                                         "--storage.tsdb.path=" + folder_.file("data"),
                                         "--web.listen-address=" + address_}) {}

  std::string url() const { return "http://" + address_; }
  std::string trouble() const { return imported_ + process_.err(); }
  bool ready() const {
    return eventually([&] {
      const auto answer = httplib::Client(url()).Get("/-/ready");
      return answer && answer->status == 200;
    });
  }

 private:
  std::string import(const std::string& labels) const {
    const std::string file = folder_.write(
        "past", "# TYPE DCGM_FI_DEV_GPU_UTIL gauge\n" + busy_hours(labels, 1) + "# EOF\n");
    const ProcessResult result = run_shell("promtool tsdb create-blocks-from openmetrics " + file +
                                           " " + folder_.file("data") + " 2>&1");
    return result.exit_code == 0 ? "" : result.out;
  }

  TestFolder folder_;
  std::string address_, imported_;
  DroverProcess process_;
};

/// Zooms out until the heading says so.
bool zooms_out_to(PseudoTerminal& terminal, const std::string& span) {
  for (int presses = 0; presses < 12; ++presses) {
    if (terminal.shows("last " + span, std::chrono::seconds(1))) return true;
    terminal.type("z");
  }
  return false;
}

/// Four cells that are full, beside each other, at the top of a chart: only a busy past has them,
/// as the device itself is idle.
const std::string busy = "100%\u2524";
bool shows_busy_past(PseudoTerminal& terminal) {
  const std::string full = "\u28ff\u28ff\u28ff\u28ff";
  return zooms_out_to(terminal, "6 h") && terminal.shows(busy + full) &&
         eventually([&] { return !terminal.shows("history:", std::chrono::seconds(0)); });
}

std::vector<std::string> top_of(const SmallFleet& fleet, const std::string& url) {
  return fleet.with_connect(
      {"top", "--view", "device", "--device", "h-1/0", "--no-config", "--history-from", url});
}

TEST(HistoryLive, PrometheusFillsChartsFromBeforeTheDashboardBegan) {
  const PrometheusOfThePast server(R"(gpu="0",drover_id="h-1/0")");
  ASSERT_TRUE(server.ready()) << server.trouble();
  SmallFleet fleet({}, "1");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  PseudoTerminal top(top_of(fleet, server.url()), 120, 40);
  ASSERT_TRUE(top.shows("Device h-1/0")) << top.screen();
  EXPECT_FALSE(top.shows(busy + "\u28ff", std::chrono::seconds(1))) << "idle for two minutes";
  EXPECT_TRUE(shows_busy_past(top)) << top.screen() << server.trouble();
  EXPECT_TRUE(zooms_out_to(top, "7 days")) << top.screen();
  top.type("j");
  EXPECT_TRUE(top.shows("nothing older")) << "of the other device\n" << top.screen();
}

TEST(HistoryLive, VictoriaMetricsDoesSoToo) {
  const TestFolder folder;
  const std::string address = free_endpoint().substr(6);
  const DroverProcess server("/usr/bin/victoria-metrics", {"-storageDataPath=" + folder.file("v"),
                                                           "-httpListenAddr=" + address});
  httplib::Client client("http://" + address);
  const std::string samples = busy_hours(R"(gpu="0",drover_id="h-1/0")", 1000);
  ASSERT_TRUE(eventually([&] {
    const auto taken = client.Post("/api/v1/import/prometheus", samples, "text/plain");
    return taken && taken->status == 204;
  })) << server.err();
  (void)client.Get("/internal/force_flush");
  SmallFleet fleet({}, "1");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  PseudoTerminal top(top_of(fleet, "http://" + address), 120, 40);
  ASSERT_TRUE(top.shows("Device h-1/0")) << top.screen();
  EXPECT_TRUE(shows_busy_past(top)) << top.screen();
}

TEST(HistoryLive, WatchFindsWhatDcgmExporterSaidOfABoard) {
  const PrometheusOfThePast server(R"(gpu="0",UUID="GPU-n1",Hostname="n1")");
  ASSERT_TRUE(server.ready()) << server.trouble();
  const StandInServer page(l4_page("n1"));
  PseudoTerminal watching({"watch", "--scrape", page.url(), "--view", "device", "--no-config",
                           "--history-from", server.url()},
                          120, 40);
  ASSERT_TRUE(watching.shows("Device n1/0")) << watching.screen();
  EXPECT_TRUE(shows_busy_past(watching)) << watching.screen() << server.trouble();
}

TEST(HistoryLive, AServerThatIsNotThereIsALineWithoutItsPassword) {
  SmallFleet fleet({}, "1");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string nobody = free_endpoint().substr(6);
  PseudoTerminal top(top_of(fleet, "http://anna:geheim@" + nobody + "/prefix"), 120, 40);
  EXPECT_TRUE(top.shows("history: " + nobody + ":")) << top.screen();
  EXPECT_TRUE(top.shows("cannot connect to it")) << top.screen();
  EXPECT_EQ(top.output().find("geheim"), std::string::npos);
  top.type("q");
  ASSERT_TRUE(top.ends());
  EXPECT_EQ(top.exit_code(), 0);
}

TEST(HistoryLive, AServerThatHangsDoesNotStopTheDashboard) {
  SmallFleet fleet({}, "1");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const StandInServer hangs([](StandInServer::Connection& line, const std::string&) {
    line.wait(std::chrono::seconds(60));
  });
  PseudoTerminal top(top_of(fleet, hangs.url()), 120, 40);
  EXPECT_TRUE(top.shows("history: waiting for")) << top.screen();
  top.type("2");
  EXPECT_TRUE(top.shows("h-1/1", std::chrono::seconds(5))) << top.screen();
  top.type("q");
  ASSERT_TRUE(top.ends(std::chrono::seconds(5))) << top.screen();
}

TEST(HistoryLive, IsRefusedWhereItHasNoEffect) {
  const auto said = [](std::vector<std::string> words) {
    words.insert(words.end(), {"--history-from", "http://127.0.0.1:9090"});
    const ProcessResult result = run_drover(words);
    EXPECT_EQ(result.exit_code, 2);
    return result.err;
  };
  EXPECT_NE(said({"top", "--replay", "x.mcap"}).find("--history-from: a recording"),
            std::string::npos);
  EXPECT_NE(said({"top", "--once"}).find("--history-from and --once exclude each other"),
            std::string::npos);
  EXPECT_NE(said({"watch", "--json"}).find("--history-from works only with the dashboard"),
            std::string::npos);
  const ProcessResult wrong = run_drover({"top", "--history-from", "http://anna:geheim@h:x"});
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_NE(wrong.err.find("--history-from http://h:x: has an invalid port"), std::string::npos)
      << wrong.err;
  EXPECT_EQ(wrong.err.find("geheim"), std::string::npos);
}

}  // namespace
}  // namespace drover::commands
