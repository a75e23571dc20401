// Real processes: a router and an agent that serve metrics, Debian's Prometheus that scrapes them,
// and the pages of recordings.
#include <httplib.h>

#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "fleet/base/text.h"
#include "fleet/text/json.h"
#include "tests/commands/folder.h"
#include "tests/commands/program.h"
#include "tests/commands/small_fleet.h"

namespace drover::commands {
namespace {

/// HOST:PORT of the URL that a program has printed after "metrics: "; empty: none.
std::string served_at(const std::string& said) {
  const std::size_t from = said.find("metrics: http");
  if (from == std::string::npos) return {};
  const std::size_t host = said.find("://", from) + 3;
  return said.substr(host, said.find("/metrics", host) - host);
}

std::string page_at(const std::string& address) {
  const auto page = httplib::Client("http://" + address).Get("/metrics");
  return page ? page->body : std::string();
}

/// What is wrong with a page according to promtool.
std::string problems_of(const std::string& page) {
  const TestFolder folder;
  return run_shell("promtool check metrics < " + folder.write("page", page) + " 2>&1").out;
}

/// What Prometheus or VictoriaMetrics answers: values by the label `gpu`, or by "" without one.
std::map<std::string, double> query(const std::string& address, const std::string& expression) {
  httplib::Client client("http://" + address);
  const auto answer =
      client.Get("/api/v1/query", httplib::Params{{"query", expression}}, httplib::Headers{});
  std::map<std::string, double> values;
  const auto json = Json::parse(answer ? answer->body : "");
  if (!json) return values;
  const Json& result = (*json)["data"]["result"];
  for (std::size_t i = 0; i < result.size(); ++i) {
    const Json& gpu = result[i]["metric"]["gpu"];
    values[gpu.is_text() ? gpu.text() : ""] = std::stod(result[i]["value"][1].text());
  }
  return values;
}

/// Prometheus, which scrapes one address every second.
class Prometheus {
 public:
  explicit Prometheus(const std::string& target)
      : address_(free_endpoint().substr(6)),
        process_(
            "/usr/bin/prometheus",
            {"--config.file=" + folder_.write("prometheus.yml",
                                              "global: {scrape_interval: 1s}\n"
                                              "scrape_configs:\n- job_name: drover\n"
                                              "  static_configs: [{targets: ['" +
                                                  target + "']}]\n"),
             "--storage.tsdb.path=" + folder_.file("data"), "--web.listen-address=" + address_}) {}

  std::map<std::string, double> query(const std::string& expression) const {
    return drover::commands::query(address_, expression);
  }
  std::string err() const { return process_.err(); }

 private:
  TestFolder folder_;
  std::string address_;
  DroverProcess process_;
};

struct DashboardQuery {
  const char* query;  // of Grafana's dashboard 12239
  const char* field;  // of `drover devices --json`
  double scale;       // from the field to the metric
  double tolerance;   // the two are asked one after the other
};
constexpr DashboardQuery dashboard_queries[] = {
    {"DCGM_FI_DEV_GPU_TEMP", "temperature_c", 1, 3},
    {"DCGM_FI_DEV_POWER_USAGE", "power_w", 1, 8},
    {"DCGM_FI_DEV_SM_CLOCK", "clock_mhz", 1, 200},
    {"DCGM_FI_DEV_GPU_UTIL", "utilization", 100, 10},
    {"DCGM_FI_DEV_FB_USED", "memory_used_bytes", 1.0 / (1 << 20), 2},
    {"DCGM_FI_PROF_PIPE_TENSOR_ACTIVE", "tensor_activity", 1, 0.1},
};

/// What differs between Prometheus' answer and the table of devices; empty: nothing.
std::string difference(const Prometheus& prometheus, const Json& devices,
                       const DashboardQuery& one) {
  const auto values = prometheus.query(std::string(one.query) + "{instance=~\".+\", gpu=~\"0|1\"}");
  if (values.size() != devices.size()) return "other devices";
  for (std::size_t i = 0; i < devices.size(); ++i) {
    const Json& shown = devices[i][one.field];
    if (!shown.is_number()) return "nothing is shown";
    const double expected = shown.number() * one.scale;
    const auto value = values.find(std::to_string(i));
    if (value == values.end() || std::abs(value->second - expected) > one.tolerance) {
      return std::to_string(value->second) + " instead of " + std::to_string(expected);
    }
  }
  return {};
}

TEST(LiveMetrics, PrometheusScrapesThemAndThePublicDashboardShowsOurNumbers) {
  SmallFleet fleet({"--metrics", "127.0.0.1:0"}, "1");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  ASSERT_TRUE(fleet.router().says("metrics: http"));
  const std::string address = served_at(fleet.router().out());
  const Prometheus prometheus(address);
  // Load, so that no value is zero: two gangs of one device.
  for (int i = 0; i < 2; ++i) {
    ASSERT_EQ(fleet
                  .ask({"submit", "--kind", "train", "--model", "bert-large", "--steps", "1000000",
                        "--batch", "32", "--seq-len", "128"})
                  .exit_code,
              0);
  }
  EXPECT_TRUE(eventually([&] {
    const auto busy = prometheus.query("DCGM_FI_DEV_GPU_UTIL > 50");
    return busy.size() == 2;
  })) << prometheus.err();
  for (const DashboardQuery& one : dashboard_queries) {
    std::string why;
    EXPECT_TRUE(eventually([&] {
      const auto devices = Json::parse(fleet.ask({"devices", "--json"}).out);
      why = devices ? difference(prometheus, *devices, one) : "no devices";
      return why.empty();
    })) << one.query
        << ": " << why;
  }
  EXPECT_EQ(prometheus.query("up"), (std::map<std::string, double>{{"", 1}}));
  EXPECT_EQ(prometheus.query("count(drover_train_progress_ratio)")[""], 2);
  EXPECT_EQ(prometheus.query("drover_jobs_accepted_total")[""], 2);
  EXPECT_GT(prometheus.query("drover_ledger_commits_total")[""], 1);
  EXPECT_EQ(problems_of(page_at(address)), "");
}

TEST(LiveMetrics, ALostHostsSeriesEnd) {
  SmallFleet fleet({"--metrics", "127.0.0.1:0"}, "10");
  ASSERT_TRUE(fleet.start()) << fleet.trouble();
  const std::string address = served_at(fleet.router().out());
  EXPECT_TRUE(eventually([&] { return page_at(address).find("\nDCGM_") != std::string::npos; }));
  fleet.agent().signal(SIGKILL);
  EXPECT_TRUE(eventually([&] { return page_at(address).find("\nDCGM_") == std::string::npos; }));
  EXPECT_TRUE(eventually([&] {
    return page_at(address).find("drover_host_up{host=\"h-1\",rack=\"rack-1\",site=\"local\"} 0") !=
           std::string::npos;
  }));
}

TEST(LiveMetrics, AnAgentServesItsOwnDevices) {
  const TestFolder folder;
  const std::string endpoint = free_endpoint();
  const DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("l.sqlite")});
  DroverProcess agent({"agent", "--connect", endpoint, "--name", "v5e-1", "--devices",
                       "tpu-v5e:4@2x2,l4:1", "--metrics", "127.0.0.1:0"});
  ASSERT_TRUE(agent.says("metrics: http")) << agent.err();
  const std::string address = served_at(agent.err());
  std::string page;
  EXPECT_TRUE(eventually([&] {
    page = page_at(address);
    return page.find("\nduty_cycle{") != std::string::npos;
  })) << agent.err();
  EXPECT_NE(page.find("accelerator_id=\"v5e-1-3\",tpu_topology=\"2x2\""), std::string::npos);
  EXPECT_NE(page.find("\nDCGM_FI_DEV_POWER_USAGE{gpu=\"4\""), std::string::npos);
  EXPECT_EQ(problems_of(page), "");
}

TEST(ExportVerb, PrintsAndServesThePageOfARecording) {
  const TestFolder folder;
  const std::string file = folder.file("r.mcap");
  SmallFleet recorded({"--record", file}, "5");
  ASSERT_TRUE(recorded.start()) << recorded.trouble();
  ASSERT_EQ(recorded
                .ask({"submit", "--kind", "train", "--model", "bert-large", "--steps", "10",
                      "--batch", "32", "--seq-len", "128", "--wait"})
                .exit_code,
            0);
  recorded.router().signal(SIGTERM);
  ASSERT_TRUE(recorded.router().ends());
  const ProcessResult page = run_drover({"export", "--replay", file});
  EXPECT_EQ(page.exit_code, 0) << page.err;
  EXPECT_EQ(problems_of(page.out), "");
  EXPECT_NE(page.out.find("\nDCGM_FI_DEV_POWER_USAGE{gpu=\"1\""), std::string::npos);
  EXPECT_NE(page.out.find("drover_class_jobs_ended_total{"), std::string::npos);
  EXPECT_EQ(run_drover({"export", "--replay", file}).out, page.out) << "always the same";
  const ProcessResult open = run_drover({"export", "--replay", file, "--openmetrics"});
  EXPECT_NE(open.out.find(" # {job_id=\""), std::string::npos) << "the job as an exemplar";
  EXPECT_TRUE(open.out.ends_with("# EOF\n"));
  EXPECT_EQ(
      run_drover({"export", "--replay", file, "--at", "0s"}).out.find("jobs_ended_total{class"),
      std::string::npos);
  DroverProcess server({"export", "--replay", file, "--listen", "127.0.0.1:0"});
  ASSERT_TRUE(server.says("metrics: http")) << server.err();
  EXPECT_EQ(page_at(served_at(server.out())), page.out);
  server.signal(SIGTERM);
  EXPECT_EQ(server.wait().exit_code, 0);
}

/// The power that a receiver of our samples answers with, by GPU.
std::map<std::string, double> power_at(const std::string& address,
                                       const std::string& job = "drover") {
  return query(address, "DCGM_FI_DEV_POWER_USAGE{job=\"" + job + "\"}");
}

TEST(RemoteWriteLive, PrometheusAndVictoriaMetricsTakeOurSamples) {
  const TestFolder folder;
  const std::string prometheus = free_endpoint().substr(6), victoria = free_endpoint().substr(6);
  const DroverProcess one(
      "/usr/bin/prometheus",
      {"--config.file=" + folder.write("p.yml", "global: {}\n"),
       "--storage.tsdb.path=" + folder.file("p"), "--web.enable-remote-write-receiver",
       "--web.listen-address=" + prometheus});
  const DroverProcess other("/usr/bin/victoria-metrics",
                            {"-storageDataPath=" + folder.file("v"), "-httpListenAddr=" + victoria,
                             "-search.latencyOffset=0s"});
  for (const std::string& address : {prometheus, victoria}) {
    SmallFleet fleet({"--remote-write", "http://" + address + "/api/v1/write"}, "1");
    ASSERT_TRUE(fleet.start()) << fleet.trouble();
    EXPECT_TRUE(eventually([&] { return power_at(address).size() == 2; }))
        << one.err() << other.err() << fleet.trouble();
    const auto devices = Json::parse(fleet.ask({"devices", "--json"}).out);
    ASSERT_TRUE(devices);
    EXPECT_NEAR(power_at(address)["1"], (*devices)[1]["power_w"].number(), 8);
  }
}

TEST(RemoteWriteLive, AnAgentPushesItsOwnDevices) {
  const TestFolder folder;
  const std::string prometheus = free_endpoint().substr(6), endpoint = free_endpoint();
  const DroverProcess receiver(
      "/usr/bin/prometheus",
      {"--config.file=" + folder.write("p.yml", "global: {}\n"),
       "--storage.tsdb.path=" + folder.file("p"), "--web.enable-remote-write-receiver",
       "--web.listen-address=" + prometheus});
  const DroverProcess router({"router", "--listen", endpoint, "--ledger", folder.file("l.sqlite")});
  const DroverProcess agent({"agent", "--connect", endpoint, "--name", "h-1", "--devices", "l4:2",
                             "--remote-write", "http://" + prometheus + "/api/v1/write"});
  EXPECT_TRUE(eventually([&] { return power_at(prometheus, "drover-agent").size() == 2; }))
      << receiver.err() << agent.err();
  EXPECT_EQ(query(prometheus, "count(DCGM_FI_DEV_POWER_USAGE{instance=\"h-1\"})")[""], 2);
}

TEST(MetricsOptions, BeyondLoopbackTlsOrAPasswordIsRequired) {
  const TestFolder folder;
  const std::vector<std::string> router = {"router", "--ledger", folder.file("l.sqlite"),
                                           "--listen", "tcp://127.0.0.1:0"};
  const auto with = [&](std::vector<std::string> words) {
    words.insert(words.begin(), router.begin(), router.end());
    return run_drover(words);
  };
  const ProcessResult open = with({"--metrics", "0.0.0.0:0"});
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_EQ(open.err,
            "drover router: --metrics 0.0.0.0:0: is not loopback: anyone who can reach it could "
            "read the fleet's state; use --metrics-tls CERTIFICATE,KEY or --metrics-auth FILE\n");
  EXPECT_FALSE(std::filesystem::exists(folder.file("l.sqlite"))) << "nothing was started";
  const std::string users = folder.write("users", "anna:$6$saltsalt$abcdefghijkl\n");
  ::chmod(users.c_str(), 0644);
  EXPECT_NE(with({"--metrics", "0.0.0.0:0", "--metrics-auth", users}).err.find("chmod 600"),
            std::string::npos);
  ::chmod(users.c_str(), 0600);
  std::vector<std::string> words = router;
  words.insert(words.end(), {"--metrics", "0.0.0.0:0", "--metrics-auth", users});
  DroverProcess served(words);
  EXPECT_TRUE(served.says("metrics: http://0.0.0.0:")) << served.err();
  for (const auto& [given, said] :
       std::map<std::string, std::string>{{"9400", "expected HOST:PORT"},
                                          {":9400", "expected HOST:PORT"},
                                          {"127.0.0.1:65536", "expected HOST:PORT"},
                                          {"127.0.0.1:x", "expected HOST:PORT"},
                                          {"::1:9400", "expected HOST:PORT"}}) {
    const ProcessResult wrong = with({"--metrics", given});
    EXPECT_EQ(wrong.exit_code, 2) << given;
    EXPECT_NE(wrong.err.find(said), std::string::npos) << wrong.err;
  }
  EXPECT_EQ(with({"--metrics", "0.0.0.0:0", "--metrics-tls", "one.pem"}).exit_code, 2);
  EXPECT_EQ(with({"--metrics-auth", users}).err,
            "drover router: --metrics-auth works only with --metrics\n");
  EXPECT_EQ(with({"--metrics-labels", "dcgm"}).err,
            "drover router: --metrics-labels works only with --metrics or --remote-write\n");
  EXPECT_EQ(with({"--metrics", "127.example.com:0"}).exit_code, 2) << "a name is no address";
  EXPECT_EQ(run_drover({"export"}).exit_code, 2);
}

}  // namespace
}  // namespace drover::commands
