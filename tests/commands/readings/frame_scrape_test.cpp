// `drover frame --scrape` with the real binary and real servers: one look at pages of metrics.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "tests/commands/program.h"
#include "tests/commands/readings/page_server.h"

namespace drover::commands {
namespace {

using std::chrono::seconds;
using Connection = StandInServer::Connection;

ProcessResult look(const std::string& urls, std::vector<std::string> more = {"--json"}) {
  std::vector<std::string> words{"frame", "--scrape", urls, "--view", "devices"};
  words.insert(words.end(), more.begin(), more.end());
  return run_drover(words);
}

Json page_rows(const ProcessResult& ran) {
  const auto rows = Json::parse(ran.out);
  EXPECT_TRUE(rows && rows->is_array()) << ran.out << ran.err;
  return rows ? *rows : Json::array();
}

// ---- Real pages --------------------------------------------------------------------------------

/// What a row of `frame --json` says of every real board that has never had work of Drover's.
const std::map<std::string, Json> of_any_board = {
    {"real", true},   {"index", 0},       {"group", 0}, {"state", "ok"},         {"health", "ok"},
    {"usable", true}, {"drained", false}, {"age_s", 0}, {"jobs", Json::array()},
};
/// Left to other tests: reasons and prices are long or change.
const std::set<std::string> not_compared = {"missing", "usd_per_h", "pools", "id"};

/// These values, and null for everything else.
void expect_row(const std::string& file, const std::map<std::string, Json>& expected) {
  const char* const shared = std::getenv("DROVER_SHARED");
  if (shared == nullptr) GTEST_SKIP() << "DROVER_SHARED does not name the folder of shared data";
  const std::string path = std::string(shared) + "/data/exposition/" + file;
  const std::string page = text_of(path);
  if (page.empty()) GTEST_SKIP() << path << " is not there";
  StandInServer server(page);
  const ProcessResult ran = look(server.url());
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  EXPECT_EQ(ran.err, "");
  const Json rows = page_rows(ran);
  ASSERT_EQ(rows.size(), 1U);
  for (const std::string& key : rows[0].keys()) {
    if (not_compared.contains(key)) continue;
    Json wanted;
    if (const auto found = of_any_board.find(key); found != of_any_board.end())
      wanted = found->second;
    if (const auto found = expected.find(key); found != expected.end()) wanted = found->second;
    EXPECT_EQ(rows[0][key].dump(), wanted.dump()) << key;
  }
  for (const auto& [key, value] : expected) EXPECT_TRUE(rows[0].has(key)) << key;
  EXPECT_EQ(rows[0]["id"].text(), expected.at("host").text() + "/0");
}

TEST(FrameScrape, DcgmExporterOnAnL4) {
  expect_row("dcgm-exporter-l4.prom",
             {{"host", "i-030791dc5a37cd257"},
              {"device", "l4"},
              {"name", "NVIDIA L4"},
              {"uuid", "GPU-c2f76b33-7953-256e-8f33-1343419b1a1c"},
              {"driver", "NVIDIA 580.105.08"},
              {"utilization", 0},
              {"tensor_activity", 0},
              {"memory_activity", 0},
              {"memory_used_bytes", 0},
              {"memory_total_bytes", 24'151'851'008},  // free, used and reserved MiB
              {"power_w", 16.365},
              {"temperature_c", 31},
              {"headroom_c", 54},
              {"clock_mhz", 210},
              {"memory_clock_mhz", 405},
              {"energy_j", 4742.776},
              {"pcie_sent_bytes_per_s", 112'603},
              {"pcie_received_bytes_per_s", 17'544}});
}

TEST(FrameScrape, DcgmExporterWithoutHelpAndModel) {
  expect_row("dcgm-exporter-a100-no-help.prom",
             {{"host", "ub20-a100-k8s"},
              {"uuid", "GPU-34319582-d595-d1c7-d1d2-179bcfa61660"},
              {"utilization", 0.99563},
              {"memory_used_bytes", 5'080'350'720},
              {"memory_total_bytes", 42'504'028'160},
              {"power_w", 409.692},
              {"temperature_c", 61},
              {"memory_temperature_c", 69},
              {"clock_mhz", 1215},
              {"memory_clock_mhz", 1215},
              {"energy_j", 319'159.391},
              {"xid", 0}});
}

TEST(FrameScrape, DcgmExporterWithPods) {
  expect_row("dcgm-exporter-t4-pod-labels.prom",
             {{"host", "hami-workshop"},
              {"device", "t4"},
              {"name", "Tesla T4"},
              {"uuid", "GPU-8f1f4d06-07fd-27a7-52d5-e58aa060d256"},
              {"memory_used_bytes", 0},
              {"power_w", 15.507},
              {"temperature_c", 43},
              {"headroom_c", 42},
              {"tenants", Json::array().add("default")}});
}

TEST(FrameScrape, AllSmi) {
  expect_row("all-smi-h200.prom", {{"host", "node-0058"},
                                   {"device", "h200-sxm"},
                                   {"name", "NVIDIA H200 141GB HBM3"},
                                   {"uuid", "GPU-12345"},
                                   {"utilization", 0.255},
                                   {"memory_used_bytes", 8'589'934'592},
                                   {"memory_total_bytes", 34'359'738'368},
                                   {"temperature_c", 65},
                                   {"headroom_c", 22}});
}

// ---- Several pages, and pages that do not come -------------------------------------------------

TEST(FrameScrape, ShowsAllPagesAndNamesThoseThatDidNotCome) {
  StandInServer one(l4_page("n1"));
  StandInServer two(l4_page("n2"));
  const std::string dead = dead_url();
  const ProcessResult both = look(one.url() + "," + two.url());
  EXPECT_EQ(both.exit_code, 0) << both.err;
  EXPECT_EQ(page_rows(both).size(), 2U);
  const ProcessResult ran = look(one.url() + "," + dead + "," + two.url());
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err, "drover frame: " + dead + ": cannot connect to it\n");
  const Json rows = page_rows(ran);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["host"].text(), "n1");
  EXPECT_EQ(rows[1]["host"].text(), "n2");
}

TEST(FrameScrape, IsAnErrorWhenNoPageCame) {
  StandInServer missing(
      [](Connection& line, const std::string&) { line.send(http_answer("no", "404 Not Found")); });
  StandInServer site("<!DOCTYPE html>\n<html></html>\n");
  const std::string dead = dead_url();
  const ProcessResult ran = look(missing.url() + "," + site.url() + "," + dead);
  EXPECT_EQ(ran.exit_code, 1);
  const Json error = only_object(ran.out)["error"];
  EXPECT_EQ(error["kind"].text(), "lost");
  const std::string message = error["message"].text();
  EXPECT_NE(message.find(missing.url() + ": answers with HTTP status 404; "), std::string::npos);
  EXPECT_NE(message.find(site.url() + ": "), std::string::npos) << message;
  EXPECT_NE(message.find(dead + ": cannot connect to it"), std::string::npos) << message;
  EXPECT_EQ(ran.err, "drover frame: " + message + "\n");
}

TEST(FrameScrape, ASlowPageDoesNotHideTheOthers) {
  StandInServer hangs([](Connection& line, const std::string&) { line.wait(seconds(30)); });
  StandInServer well(l4_page("n1"));
  const auto begun = std::chrono::steady_clock::now();
  const ProcessResult ran = look(hangs.url() + "," + well.url());
  EXPECT_LT(std::chrono::steady_clock::now() - begun, seconds(15));
  EXPECT_EQ(ran.exit_code, 3);
  EXPECT_EQ(ran.err, "drover frame: " + hangs.url() + ": does not answer in time\n");
  EXPECT_EQ(page_rows(ran).size(), 1U);
}

TEST(FrameScrape, OnePageMayHaveManyHosts) {
  std::string page;
  for (int i = 0; i < 300; ++i) page += l4_page(fmt::format("n{}", i), 10 + i);
  StandInServer server(page);
  const Json rows = page_rows(look(server.url()));
  ASSERT_EQ(rows.size(), 300U);
  std::set<std::string> hosts;
  double watts = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    hosts.insert(rows[i]["host"].text());
    watts += rows[i]["power_w"].number();
  }
  EXPECT_EQ(hosts.size(), 300U);
  EXPECT_EQ(watts, 300 * 10 + 299 * 300 / 2);
}

TEST(FrameScrape, PrintsTheFrameTableAndFilterOfOtherFrames) {
  StandInServer server(l4_page("n1") + l4_page("n2", 70));
  const ProcessResult frame = look(server.url(), {"--size", "120x20"});
  EXPECT_EQ(frame.exit_code, 0) << frame.err;
  EXPECT_NE(frame.out.find("n1/0"), std::string::npos) << frame.out;
  EXPECT_NE(frame.out.find("2 devices"), std::string::npos) << frame.out;
  const Json hot =
      page_rows(look(server.url(), {"--json", "--filter", "power>50 and origin==real"}));
  ASSERT_EQ(hot.size(), 1U);
  EXPECT_EQ(hot[0]["id"].text(), "n2/0");
  const Json hosts = page_rows(look(server.url(), {"--json", "--table", "hosts"}));
  ASSERT_EQ(hosts.size(), 2U);
  const ProcessResult csv = look(server.url(), {"--csv"});
  EXPECT_EQ(std::count(csv.out.begin(), csv.out.end(), '\n'), 3) << csv.out;
}

TEST(FrameScrape, NotesOfAPageNameIt) {
  StandInServer server(l4_page("n1") + "this is no line\n");
  const ProcessResult ran = look(server.url());
  EXPECT_EQ(ran.exit_code, 0);
  EXPECT_EQ(ran.err.find("drover frame: " + server.url() + ": 1 line malformed"), 0U) << ran.err;
}

TEST(FrameScrape, APasswordIsPrintedNowhere) {
  StandInServer server(l4_page("n1") + "this is no line\n");
  const std::string well = fmt::format("http://ann:secret@{}/metrics", server.place());
  const std::string dead = fmt::format("http://ann:secret@{}", dead_url().substr(7));
  const std::string comma = fmt::format("http://ann:a,secret@{}/metrics", server.place());
  for (const std::string& urls :
       {well, dead, well + "," + dead, comma, well + "x:y", std::string("http://ann:secret@n7:0/"),
        std::string("http://ann:sec/secret@n7/"), std::string("ann:secret@n7")}) {
    for (const std::vector<std::string>& form :
         {std::vector<std::string>{"--json"}, std::vector<std::string>{}}) {
      const ProcessResult ran = look(urls, form);
      EXPECT_EQ((ran.out + ran.err).find("secret"), std::string::npos) << urls << "\n"
                                                                       << ran.out << ran.err;
    }
  }
  EXPECT_EQ(look(comma).exit_code, 0) << "the comma belongs to the password";
}

// ---- Prometheus --------------------------------------------------------------------------------

TEST(FrameScrape, AsksAPrometheusServer) {
  std::string results;
  for (const auto& [name, value] :
       {std::pair{"DCGM_FI_DEV_POWER_USAGE", "71.5"}, std::pair{"DCGM_FI_DEV_GPU_TEMP", "44"}}) {
    for (const char* host : {"n7", "n8"}) {
      results += fmt::format(
          R"({}{{"metric":{{"__name__":"{}","gpu":"0","UUID":"GPU-{}","Hostname":"{}"}},)"
          R"("value":[1764300000,"{}"]}})",
          results.empty() ? "" : ",", name, host, host, value);
    }
  }
  StandInServer server([&](Connection& line, const std::string&) {
    line.send(http_answer(R"({"status":"success","data":{"resultType":"vector","result":[)" +
                          results + "]}}"));
  });
  const ProcessResult ran =
      run_drover({"frame", "--prometheus", server.url(""), "--view", "devices", "--json"});
  EXPECT_EQ(ran.exit_code, 0) << ran.err;
  const Json rows = page_rows(ran);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0]["host"].text(), "n7");
  EXPECT_EQ(rows[1]["power_w"].number(), 71.5);
  EXPECT_EQ(rows[1]["temperature_c"].number(), 44);
  EXPECT_TRUE(rows[1]["utilization"].is_null());
  StandInServer refuses([](Connection& line, const std::string&) {
    line.send(http_answer(R"({"status":"error","errorType":"bad_data","error":"parse error"})",
                          "400 Bad Request"));
  });
  const ProcessResult bad = run_drover(
      {"frame", "--prometheus", refuses.url(""), "--query", "}{", "--view", "devices", "--json"});
  EXPECT_EQ(bad.exit_code, 1);
  EXPECT_NE(bad.err.find("HTTP status 400"), std::string::npos) << bad.err;
}

// ---- HTTPS -------------------------------------------------------------------------------------

/// A server with a certificate of its own making.
class SecureServer {
 public:
  explicit SecureServer(const std::string& name) {
    const std::string made = fmt::format(
        "cd '{}' && openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes "
        "-keyout key.pem -out cert.pem -days 2 -subj /CN=test -addext subjectAltName={} 2>&1",
        folder_.path(), name);
    folder_.write("metrics", http_answer(l4_page("n1")));
    if (run_shell(made).exit_code != 0) return;
    const std::string endpoint = free_endpoint();
    port_ = endpoint.substr(endpoint.rfind(':') + 1);
    // -HTTP: its files are whole answers. They are looked for where it was started.
    process_ = std::make_unique<DroverProcess>(
        "/bin/sh", std::vector<std::string>{
                       "-c", fmt::format("cd '{}' && exec openssl s_server -accept 127.0.0.1:{} "
                                         "-cert cert.pem -key key.pem -HTTP",
                                         folder_.path(), port_)});
    process_->says("ACCEPT");
  }
  bool runs() { return process_ != nullptr && !process_->ends(seconds(0)); }
  std::string url() const { return "https://127.0.0.1:" + port_ + "/metrics"; }
  std::string certificate() const { return folder_.file("cert.pem"); }

 private:
  TestFolder folder_;
  std::string port_;
  std::unique_ptr<DroverProcess> process_;
};

TEST(FrameScrape, OverHttpsOnlyWithACertificateThatIsTrusted) {
  SecureServer server("IP:127.0.0.1");
  if (!server.runs()) GTEST_SKIP() << "openssl is not there";
  const ProcessResult untrusted = look(server.url());
  EXPECT_EQ(untrusted.exit_code, 1) << untrusted.out;
  EXPECT_NE(untrusted.err.find("its certificate is not valid for it"), std::string::npos)
      << untrusted.err;
  const std::string words = " frame --view devices --json --scrape ";
  const ProcessResult trusted =
      run_shell("export SSL_CERT_FILE=" + server.certificate() + "; drover" + words + server.url());
  EXPECT_EQ(trusted.exit_code, 0) << trusted.err;
  EXPECT_EQ(page_rows(trusted).size(), 1U);
}

TEST(FrameScrape, ACertificateOfAnotherHostIsRefused) {
  SecureServer server("DNS:other.example");
  if (!server.runs()) GTEST_SKIP() << "openssl is not there";
  const ProcessResult ran =
      run_shell("export SSL_CERT_FILE=" + server.certificate() +
                "; drover frame --view devices --json --scrape " + server.url());
  EXPECT_EQ(ran.exit_code, 1) << ran.out;
  EXPECT_NE(ran.err.find("its certificate is not valid for it"), std::string::npos) << ran.err;
}

// ---- Mistakes ----------------------------------------------------------------------------------

TEST(FrameScrape, EveryMistakeGetsOneClearLine) {
  const std::pair<std::vector<std::string>, std::string> cases[] = {
      {{"--scrape", ","}, "--scrape: found no URL, expected http://HOST:PORT/metrics,.."},
      {{"--scrape", "n7:9400"}, "--scrape n7:9400: does not begin with http:// or https://"},
      {{"--scrape", "http://n7", "--connect", "tcp://127.0.0.1:1"}, "exclude --connect"},
      {{"--scrape", "http://n7", "--replay", "x.mcap"}, "exclude --connect and --replay"},
      {{"--query", "up"}, "--query works only with --prometheus"},
      {{"--prometheus", "n7"}, "--prometheus n7: does not begin with http:// or https://"},
  };
  for (const auto& [words, said] : cases) {
    std::vector<std::string> all{"frame"};
    all.insert(all.end(), words.begin(), words.end());
    const ProcessResult ran = run_drover(all);
    EXPECT_EQ(ran.exit_code, 2) << said;
    EXPECT_NE(ran.err.find(said), std::string::npos) << ran.err;
  }
}

}  // namespace
}  // namespace drover::commands
