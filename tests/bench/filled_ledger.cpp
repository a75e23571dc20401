#include "tests/bench/filled_ledger.h"

#include <algorithm>
#include <memory>
#include <vector>

#include "router/ledger/compaction.h"
#include "router/ledger/ledger.h"
#include "router/ledger/store.h"

namespace drover {
namespace {

constexpr std::uint64_t jobs_per_commit = 1'000;
constexpr Duration between = std::chrono::milliseconds(1);

void write_job(std::uint64_t number, std::vector<Write>& writes, std::uint64_t& sequence) {
  const Instant at =
      Instant{} + std::chrono::hours(24 * 365 * 50) + between * static_cast<std::int64_t>(number);
  router::JobRecord record;
  record.job = bench_job(number);
  record.attempt = 1;
  record.lease.members = {router::Member("h-1")};
  record.lease.replica = static_cast<std::uint32_t>(number % 8);
  record.lease.target = "h-1/r" + std::to_string(number % 8);
  record.lease.pool = "h100";
  record.lease.predicted_s = 1.5;
  Finished finished;
  finished.job = record.job.id;
  finished.attempt = 1;
  finished.incarnation = {1, 1};
  finished.usage = {0.75, 200, 0.002};
  finished.outcome = {record.job.work.input_tokens, record.job.work.output_tokens, 0, 0.2, 1.5};
  for (LedgerRow& row : std::vector<LedgerRow>{
           router::ledger::accepted(at, record.job), router::ledger::leased(at, record),
           router::ledger::running(at, record),
           router::ledger::ended(Transition::finished, at, finished)}) {
    writes.push_back({++sequence, std::move(row)});
  }
}

}  // namespace

Job bench_job(std::uint64_t number) {
  Job job;
  // Spread as random ids are.
  job.id = {number * 0x9E3779B97F4A7C15U, number * 0xC2B2AE3D27D4EB4FU + 1};
  job.work.model = "llama-3.1-8b";
  job.work.input_tokens = static_cast<std::uint32_t>(500 + number % 97);
  job.work.output_tokens = static_cast<std::uint32_t>(100 + number % 31);
  return job;
}

void fill_ledger(const std::string& path, std::uint64_t jobs) {
  auto store = router::LedgerStore::open(
      path, std::make_unique<router::LedgerCompaction>(router::Retention{}));
  DROVER_REQUIRE(store.ok());
  DROVER_REQUIRE((*store)->read([](const LedgerRow&) { return Status(); }).ok());
  std::uint64_t sequence = 0;
  for (std::uint64_t first = 1; first <= jobs; first += jobs_per_commit) {
    std::vector<Write> writes;
    for (std::uint64_t number = first; number < std::min(first + jobs_per_commit, jobs + 1);
         ++number) {
      write_job(number, writes, sequence);
    }
    (*store)->append(std::move(writes));
    DROVER_REQUIRE((*store)->flush().ok());
  }
}

}  // namespace drover
