// How fast pages of metrics are read (goal: 200 MB/s on one core), and what a page of a host with 8
// boards costs from bytes to readings. Beside it the limit of this machine: finding the lines of
// the same page and doing nothing with them.
#include <benchmark/benchmark.h>

#include <string>

#include <fmt/format.h>

#include "agents/scrape/read_hosts.h"
#include "fleet/exposition/exposition.h"

namespace drover {
namespace {

constexpr const char* fields[] = {"DCGM_FI_DEV_SM_CLOCK",
                                  "DCGM_FI_DEV_MEM_CLOCK",
                                  "DCGM_FI_DEV_MEMORY_TEMP",
                                  "DCGM_FI_DEV_GPU_TEMP",
                                  "DCGM_FI_DEV_POWER_USAGE",
                                  "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION",
                                  "DCGM_FI_DEV_PCIE_REPLAY_COUNTER",
                                  "DCGM_FI_DEV_GPU_UTIL",
                                  "DCGM_FI_DEV_MEM_COPY_UTIL",
                                  "DCGM_FI_DEV_ENC_UTIL",
                                  "DCGM_FI_DEV_DEC_UTIL",
                                  "DCGM_FI_DEV_FB_FREE",
                                  "DCGM_FI_DEV_FB_USED",
                                  "DCGM_FI_DEV_FB_RESERVED",
                                  "DCGM_FI_DEV_XID_ERRORS",
                                  "DCGM_FI_DEV_NVLINK_BANDWIDTH_TOTAL",
                                  "DCGM_FI_DEV_VGPU_LICENSE_STATUS",
                                  "DCGM_FI_PROF_GR_ENGINE_ACTIVE",
                                  "DCGM_FI_PROF_PIPE_TENSOR_ACTIVE",
                                  "DCGM_FI_PROF_DRAM_ACTIVE",
                                  "DCGM_FI_PROF_PCIE_TX_BYTES",
                                  "DCGM_FI_PROF_PCIE_RX_BYTES"};

/// As dcgm-exporter prints it.
std::string page_of(int hosts, int boards) {
  std::string page;
  for (const char* field : fields) {
    page += fmt::format("# HELP {} A help text.\n# TYPE {} gauge\n", field, field);
    for (int host = 0; host < hosts; ++host) {
      for (int board = 0; board < boards; ++board) {
        page += fmt::format(
            "{}{{gpu=\"{}\",UUID=\"GPU-{:08x}-7953-256e-8f33-1343419b1a1c\",pci_bus_id=\"00000000:"
            "{:02x}:00.0\",device=\"nvidia{}\",modelName=\"NVIDIA H100 80GB HBM3\",Hostname=\"node-"
            "{}\",DCGM_FI_DRIVER_VERSION=\"580.105.08\"}} {}\n",
            field, board, host * boards + board, board + 16, board, host, 17 + board);
      }
    }
  }
  return page;
}

void set_bytes(benchmark::State& state, const std::string& page) {
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * page.size()));
}

void exposition_find_lines(benchmark::State& state) {
  const std::string page = page_of(static_cast<int>(state.range(0)), 8);
  for (auto _ : state) {
    std::size_t lines = 0;
    for (std::size_t at = 0; (at = page.find('\n', at)) != std::string::npos; ++at) ++lines;
    benchmark::DoNotOptimize(lines);
  }
  set_bytes(state, page);
}
BENCHMARK(exposition_find_lines)->Arg(1)->Arg(1000);

void exposition_read_page(benchmark::State& state) {
  const std::string page = page_of(static_cast<int>(state.range(0)), 8);
  for (auto _ : state) {
    double sum = 0;
    static_cast<void>(read_page(page, [&](const SeriesView& series) {
      sum += series.value + static_cast<double>(series.labels.size());
    }));
    benchmark::DoNotOptimize(sum);
  }
  set_bytes(state, page);
}
BENCHMARK(exposition_read_page)->Arg(1)->Arg(1000);

void exposition_read_hosts(benchmark::State& state) {
  const std::string page = page_of(static_cast<int>(state.range(0)), 8);
  for (auto _ : state) {
    benchmark::DoNotOptimize(agents::read_hosts(page, "http://node-7:9400/metrics"));
  }
  set_bytes(state, page);
}
BENCHMARK(exposition_read_hosts)->Arg(1)->Arg(1000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace drover
