// Which host and which board a series is of, what a page may cost, and pages that are none.
#include <vector>

#include "agents/scrape/collector.h"
#include "tests/agents/scrape/pages.h"

namespace drover::agents::pages {
namespace {

std::string temperature(const std::string& labels) {
  return "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"," + labels + "} 61\n";
}

struct HostCase {
  const char* labels;
  const char* host;
};

TEST(ScrapedHosts, AreNamedByTheirLabels) {
  const HostCase cases[] = {
      {"Hostname=\"node-7\"", "node-7"},
      {"hostname=\"node-7\"", "node-7"},
      {"hostname=\"node-7\",instance=\"10.0.0.1:9400\"", "node-7"},
      {"instance=\"10.0.0.1:9400\",Hostname=\"node-7\"", "node-7"},
      {"instance=\"10.0.0.1:9400\"", "10.0.0.1"},
      {"instance=\"node-7\"", "node-7"},
      {"instance=\"[fd00::7]:9400\"", "fd00::7"},
      {"instance=\"http://node-7:9400/metrics\"", "node-7"},
      {"instance=\"10.0.0.1:9400\",node=\"node-7\"", "node-7"},
      {"instance=\"10.0.0.1:9400\",kubernetes_node=\"node-7\"", "node-7"},
      {"instance=\"10.0.0.1:9400\",exported_instance=\"node-7\"", "node-7"},
      {"Hostname=\"\",instance=\"node-7:9400\"", "node-7"},
      {"device=\"nvidia0\"", "target"},
      {"Hostname=\"no\xc3\xa4 de\x1b[2J\"", "no---de--2J"},
  };
  for (const HostCase& it : cases) {
    const HostReadings readings = read(temperature(it.labels));
    ASSERT_EQ(readings.hosts.size(), 1U) << it.labels;
    EXPECT_EQ(readings.hosts[0].host, it.host) << it.labels;
    EXPECT_TRUE(is_name(readings.hosts[0].host)) << it.labels;
  }
}

TEST(ScrapedHosts, WithoutALabelAreNamedByTheUrl) {
  const HostCase cases[] = {
      {"http://node-7:9400/metrics", "node-7"},
      {"https://node-7/metrics", "node-7"},
      {"node-7:9400", "node-7"},
      {"http://node-7?a=b@c", "node-7"},
      {"http://[fd00::7]:9400/", "fd00::7"},
      {"http://user:p@ss@node-7:9400/", "node-7"},
  };
  for (const HostCase& it : cases) {
    const HostReadings readings = read(temperature("device=\"nvidia0\""), it.labels);
    ASSERT_EQ(readings.hosts.size(), 1U) << it.labels;
    EXPECT_EQ(readings.hosts[0].host, it.host) << it.labels;
  }
}

TEST(ScrapedHosts, NobodySeesThePasswordOfTheUrl) {
  const auto read_by = [](const std::string& url) {
    return only_board(read(temperature("UUID=\"GPU-1\""), url)).board.read_by;
  };
  EXPECT_EQ(read_by("http://user:p@ss@node-7:9400/metrics"), "http://node-7:9400/metrics");
  EXPECT_EQ(read_by("user:secret@node-7:9400"), "node-7:9400");
  EXPECT_EQ(read_by("http://node-7/metrics?match=a@b"), "http://node-7/metrics?match=a@b");
}

TEST(ScrapedHosts, KeepTheLabelsOfWhereTheyAre) {
  const HostReadings readings = read(temperature(
      "Hostname=\"node-7\",instance=\"10.0.0.1:9400\",zone=\"a\",cluster=\"c\",job=\"j\""));
  EXPECT_EQ(readings.hosts.at(0).labels,
            (std::map<std::string, std::string>{
                {"instance", "10.0.0.1:9400"}, {"zone", "a"}, {"cluster", "c"}}));
}

TEST(ScrapedBoards, OfTwoExportersAreOneBoard) {
  const std::string by_dcgm =
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\",Hostname=\"node-7\"} 61\n";
  const std::string by_all_smi =
      "all_smi_gpu_power_consumption_watts{gpu=\"NVIDIA "
      "L4\",instance=\"node-7\",gpu_uuid=\"GPU-1\","
      "gpu_index=\"0\"} 70\n";
  const std::string by_nvidia_smi = "nvidia_smi_fan_speed_ratio{uuid=\"GPU-1\"} 0.5\n";
  for (const std::string& page :
       {by_dcgm + by_all_smi + by_nvidia_smi, by_nvidia_smi + by_all_smi + by_dcgm}) {
    const HostReadings readings = read(page);
    const BoardReading reading = only_board(readings);
    EXPECT_EQ(readings.hosts[0].host, "node-7");
    EXPECT_EQ(reading.index, 0);
    EXPECT_EQ(reading.board.name, "NVIDIA L4");
    expect_values(reading, {{Metric::temperature, 61}, {Metric::power, 70}, {Metric::fan, 0.5}});
  }
}

TEST(ScrapedBoards, WithOneIndexOnOneHostAreOneBoardUnlessTheirUuidsDiffer) {
  const HostReadings one = read(
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",Hostname=\"n\"} 61\n"
      "DCGM_FI_DEV_SM_CLOCK{gpu=\"0\",UUID=\"GPU-1\",Hostname=\"n\"} 210\n"
      "DCGM_FI_DEV_MEM_CLOCK{gpu=\"0\",Hostname=\"n\"} 405\n");
  expect_values(only_board(one),
                {{Metric::temperature, 61}, {Metric::clock, 210}, {Metric::memory_clock, 405}});
  EXPECT_EQ(only_board(one).identity, "GPU-1");
  const HostReadings two = read(
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\",Hostname=\"n\"} 61\n"
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-2\",Hostname=\"n\"} 62\n");
  ASSERT_EQ(two.hosts.size(), 1U);
  ASSERT_EQ(two.hosts[0].boards.size(), 2U);
  EXPECT_EQ(two.hosts[0].boards[0].index, 0);
  EXPECT_EQ(two.hosts[0].boards[1].index, std::nullopt);  // any free one
}

TEST(ScrapedBoards, OfTwoMakersOrTwoHostsAreNotOne) {
  const HostReadings makers = read(
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",Hostname=\"n\"} 61\n"
      "gpu_edge_temperature{gpu_id=\"0\",hostname=\"n\"} 62\n");
  ASSERT_EQ(makers.hosts.size(), 1U);
  EXPECT_EQ(makers.hosts[0].boards.size(), 2U);
  const HostReadings hosts = read(
      "all_smi_gpu_temperature_celsius{gpu=\"L4\",instance=\"a\",uuid=\"GPU-12345\",index=\"0\"} "
      "61\n"
      "all_smi_gpu_temperature_celsius{gpu=\"L4\",instance=\"b\",uuid=\"GPU-12345\",index=\"0\"} "
      "62\n");
  ASSERT_EQ(hosts.hosts.size(), 2U);
  EXPECT_EQ(hosts.hosts[0].boards.at(0).values[Metric::temperature], 61);
  EXPECT_EQ(hosts.hosts[1].boards.at(0).values[Metric::temperature], 62);
}

TEST(ScrapedBoards, WithoutUuidAndIndexHaveTheirPciAddress) {
  const BoardReading reading = only_board(
      "DCGM_FI_DEV_GPU_TEMP{pci_bus_id=\"00000000:E3:00.0\",Hostname=\"n\"} 61\n"
      "DCGM_FI_DEV_SM_CLOCK{pci_bus_id=\"00000000:E3:00.0\",Hostname=\"n\"} 210\n");
  EXPECT_EQ(reading.identity, "0000:e3:00.0");
  EXPECT_EQ(reading.index, std::nullopt);
  expect_values(reading, {{Metric::temperature, 61}, {Metric::clock, 210}});
}

TEST(ScrapedBoards, TextsAreShortAndPrintable) {
  const BoardReading reading =
      only_board("DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"\x1b[2J\",modelName=\"" +
                 std::string(5000, 'x') + "\",pod=\"a\xff\"} 61\n");
  EXPECT_EQ(reading.board.uuid, "^[[2J");
  EXPECT_EQ(reading.board.name, std::string(128, 'x') + "..");
  EXPECT_EQ(reading.board.processes.at(0).name, "a\\xff");
}

TEST(ScrapedBoards, AHostHasSoManyAndNoMore) {
  std::string page;
  for (std::size_t board = 0; board < devices_per_host_max + 10; ++board) {
    page += fmt::format("DCGM_FI_DEV_GPU_TEMP{{UUID=\"GPU-{}\",Hostname=\"n\"}} 61\n", board);
  }
  const HostReadings readings = read(page);
  ASSERT_EQ(readings.hosts.size(), 1U);
  EXPECT_EQ(readings.hosts[0].boards.size(), devices_per_host_max);
  EXPECT_EQ(readings.notes,
            std::vector<std::string>{"10 series of more devices than a page may have; left out"});
}

// One UUID, as of a page that was made up: looking for the board stays cheap.
TEST(ScrapedBoards, APageHasSoManyAndNoMore) {
  std::string page;
  for (std::size_t board = 0; board < boards_of_page_max + 10; ++board) {
    page += fmt::format("DCGM_FI_DEV_GPU_TEMP{{UUID=\"GPU-1\",Hostname=\"n{}\"}} 61\n", board);
  }
  const HostReadings readings = read(page);
  EXPECT_EQ(readings.hosts.size(), boards_of_page_max);
  EXPECT_EQ(readings.notes,
            std::vector<std::string>{"10 series of more devices than a page may have; left out"});
}

TEST(ScrapedPages, WithoutKnownSeriesSayWhatTheyHave) {
  const auto problem = [](std::string_view page) {
    const auto readings = read_hosts(page, "http://target/metrics");
    EXPECT_FALSE(readings) << page;
    return readings ? "" : readings.error().message;
  };
  EXPECT_EQ(
      problem("go_goroutines 12\ngo_threads 8\ngo_threads{a=\"b\"} 8\nnode_cpu 1\na 1\nb 1\nc 1\n"),
      "no metrics of devices: found go_goroutines, go_threads, node_cpu, a, b; understood are "
      "those of dcgm-exporter, GKE's device plugin, all-smi, AMD's device-metrics-exporter, "
      "nvidia_gpu_exporter");
  EXPECT_EQ(problem("DCGM_FI_DEV_GPU_TEMP{Hostname=\"n\"} 61\n"),
            "1 series of known metrics, but none says which device it is of");
  EXPECT_NE(problem("memory_used 5\nduty_cycle 1\n").find("found memory_used, duty_cycle"),
            std::string::npos);
  EXPECT_NE(problem("<html>\n").find("it is an HTML or XML page"), std::string::npos);
}

// Every beginning of a page, and the page with every byte replaced: never a crash, and no value
// that the page does not have but for those of which digits are lost or changed.
TEST(ScrapedPages, NoneStopsTheProgram) {
  const std::string page =
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",UUID=\"GPU-1\",Hostname=\"n\",pod=\"p\",namespace=\"s\"} "
      "61\r\n"
      "DCGM_FI_DEV_FB_USED{gpu=\"0\",UUID=\"GPU-1\",GPU_I_ID=\"1\",GPU_I_PROFILE=\"1g\"} 5 17\n"
      "{\"duty_cycle\",accelerator_id=\"12-3\",make=\"cloud-tpu\"} 42\n"
      "gpu_clock{gpu_id=\"0\",clock_type=\"system\"} 1500\n"
      "all_smi_process_memory_used_bytes{pid=\"1\",gpu_index=\"0\",device_uuid=\"GPU-1\"} 9\n";
  for (std::size_t size = 0; size <= page.size(); ++size) {
    static_cast<void>(read_hosts(std::string_view(page).substr(0, size), "http://n"));
  }
  for (std::size_t at = 0; at < page.size(); ++at) {
    for (const char letter : {'"', '\\', '}', '9', '\n', '\0', '\xff'}) {
      std::string changed = page;
      changed[at] = letter;
      static_cast<void>(read_hosts(changed, "http://n"));
    }
  }
  EXPECT_EQ(read(page).hosts.size(), 2U);
}

TEST(ScrapedPages, LinesOfACutPageThatMayBeCutDoNotCount) {
  const std::string page =
      "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\"} 61\nDCGM_FI_DEV_POWER_USAGE{gpu=\"0\"} 409.6\n";
  const std::string cut = page.substr(0, page.size() - 4);
  const auto careful = read_hosts(cut, "http://n", PageEnd::may_be_cut);
  ASSERT_TRUE(careful) << careful.error().message;
  expect_values(only_board(*careful), {{Metric::temperature, 61}});
}

TEST(ScrapedBoards, AreNotUsedByThePodOfTheirExporter) {
  for (const char* series : {"all_smi_gpu_utilization{gpu=\"x\",gpu_index=\"0\"",
                             "nvidia_smi_temperature_gpu{uuid=\"x\"",
                             "DCGM_FI_DEV_GPU_TEMP{gpu=\"0\",container=\"nvidia-dcgm-exporter\""}) {
    const std::string pod = ",namespace=\"monitoring\",pod=\"metrics-of-gpus-x7\"} 50\n";
    EXPECT_TRUE(only_board(series + pod).board.processes.empty()) << series;
  }
}

}  // namespace
}  // namespace drover::agents::pages
