// A router that starts on a full ledger.
#include <benchmark/benchmark.h>

#include <chrono>
#include <filesystem>

#include "devices/catalogue/catalogue.h"
#include "router/ledger/compaction.h"
#include "router/ledger/store.h"
#include "router/lint/policy_file.h"
#include "router/router.h"
#include "tests/bench/filled_ledger.h"

namespace drover::router {
namespace {

namespace files = std::filesystem;

/// From the file to a router that knows its jobs: what a start costs beside its sockets.
void ledger_restart(benchmark::State& state) {
  std::string pattern = (files::temp_directory_path() / "drover-bench-XXXXXX").string();
  DROVER_REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  const std::string path = pattern + "/ledger.sqlite";
  const auto jobs = static_cast<std::uint64_t>(state.range(0));
  fill_ledger(path, jobs);
  state.counters["MiB"] = static_cast<double>(files::file_size(path)) / (1 << 20);
  for (auto _ : state) {
    const auto begin = std::chrono::steady_clock::now();
    auto store = LedgerStore::open(path, std::make_unique<LedgerCompaction>(Retention{}));
    DROVER_REQUIRE(store.ok());
    const Instant start = (*store)->last_at().value();
    Router router({}, builtin_policy(), devices::Catalogue::embedded(), start);
    const Status read =
        (*store)->read([&](const LedgerRow& row) { return router.restore_row(row); });
    DROVER_REQUIRE(read.ok());
    DROVER_REQUIRE(router.restored().ok());
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    state.SetIterationTime(took.count());
    DROVER_REQUIRE(router.summary(start).finished == jobs);
  }
  files::remove_all(pattern);
}
BENCHMARK(ledger_restart)->Arg(1'000'000)->UseManualTime()->Unit(benchmark::kSecond)->Iterations(3);

}  // namespace
}  // namespace drover::router
