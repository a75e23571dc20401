#include "router/ledger/compaction.h"

#include <algorithm>

#include "fleet/codec/codec.h"

namespace drover::router {
namespace {

// Compaction starts only when this share more than the kept jobs has gathered.
constexpr double slack = 1.0 / 16;
// Superseded counter rows are deleted at the latest when there are this many.
constexpr std::size_t superseded_max = 1'000;

ledger::CompactedEnd known_as(const JobRecord& record) {
  if (record.state == JobState::cancelled) return ledger::CompactedEnd::cancelled;
  return record.state == JobState::finished ? ledger::CompactedEnd::finished
                                            : ledger::CompactedEnd::failed;
}

bool is_end(const LedgerRow& row) {
  return row.transition == Transition::finished || row.transition == Transition::failed;
}

}  // namespace

bool LedgerCompaction::over(double share) const {
  const double ended_for_s = to_seconds(retention_.ended_for);
  return static_cast<double>(ended_) > static_cast<double>(retention_.ended_jobs) * (1 + share) ||
         to_seconds(newest_at_ - next_at_) > ended_for_s * (1 + share);
}

bool LedgerCompaction::due() const { return under_way_ || superseded_.size() >= superseded_max; }

void LedgerCompaction::match(std::int64_t sequence, const LedgerRow& row) {
  newest_at_ = std::max(newest_at_, row.at);
  if (is_end(row)) {
    ++ended_;
  } else if (row.transition == Transition::counters) {
    see_counters(sequence, row);
  } else if (row.transition == Transition::sums || row.transition == Transition::known ||
             row.transition == Transition::started) {
    // The totals begin at the first `started` row; sums may be written before the compaction
    // reaches it. A row that cannot be read fails the router's start, so the status is ignored
    // here.
    [[maybe_unused]] const Status read = reader_.read(row);
  }
  under_way_ = under_way_ || over(slack);
}

// A reader applies batches when it reaches their sums: until then the older ones are kept.
void LedgerCompaction::see_counters(std::int64_t sequence, const LedgerRow& row) {
  auto envelope = decode(row.payload);
  if (!envelope) return;
  if (const auto* batch = std::get_if<SampleBatch>(&envelope->body)) {
    std::vector<std::uint16_t> devices = batch->devices;
    std::ranges::sort(devices);
    counters_without_sums_.push_back({batch->host, {sequence, std::move(devices)}});
    return;
  }
  const auto replaces = [&](const std::string& host) {
    const auto [standing, is_first] = shown_.try_emplace(host, sequence);
    if (!is_first) superseded_.push_back(std::exchange(standing->second, sequence));
  };
  if (const auto* counts = std::get_if<HostChanged>(&envelope->body)) {
    return replaces(counts->registration.host);
  }
  const auto* sums = std::get_if<Summary>(&envelope->body);
  if (sums != nullptr && ledger::is_shown(*sums)) return replaces("");
  counters_without_sums_.push_back({"", {sequence, {}}});
  for (auto& entry : counters_without_sums_) {
    Counters& fresh = entry.second;
    auto& standing = counters_[entry.first];
    std::erase_if(standing, [&](const Counters& old) {
      const bool covered = std::includes(fresh.devices.begin(), fresh.devices.end(),
                                         old.devices.begin(), old.devices.end());
      if (covered) superseded_.push_back(old.sequence);
      return covered;
    });
    standing.push_back(std::move(fresh));
  }
  counters_without_sums_.clear();
}

Result<CompactionSlice> LedgerCompaction::take(const std::vector<NumberedRow>& rows) {
  CompactionSlice slice;
  slice.dropped = std::exchange(superseded_, {});
  if (rows.empty()) next_at_ = newest_at_;
  for (const NumberedRow& row : rows) {
    next_at_ = row.row.at;
    if (!over(0)) break;
    if (const Status passed = pass(row, slice); !passed) {
      return error("compaction at row {}: {}", row.sequence, passed.error().message);
    }
    next_ = row.sequence + 1;
  }
  under_way_ = !rows.empty() && over(0);
  std::ranges::sort(slice.dropped);
  slice.sums = ledger::sums(newest_at_, accounting_);
  return slice;
}

Status LedgerCompaction::pass(const NumberedRow& row, CompactionSlice& slice) {
  const JobId& job = row.row.job;
  switch (row.row.transition) {
    case Transition::counters:
    case Transition::audit:
      return {};
    case Transition::started:
      break;
    default:
      // A late result of a deleted job only counts.
      if (row.row.transition == Transition::stale && !open_.contains(job)) break;
      open_[job].push_back(row);
      return is_end(row.row) ? end(job, slice) : Status();
  }
  slice.dropped.push_back(row.sequence);
  return reader_.read(row.row);
}

Status LedgerCompaction::end(const JobId& job, CompactionSlice& slice) {
  const auto rows = open_.extract(job);
  for (const NumberedRow& row : rows.mapped()) {
    slice.dropped.push_back(row.sequence);
    DROVER_TRY(reader_.read(row.row));
  }
  const JobRecord* record = jobs_.find(job);
  DROVER_REQUIRE(record != nullptr);  // the table keeps the job that ended last
  slice.known.push_back(ledger::known(job, content_hash(record->job), known_as(*record)));
  --ended_;
  return {};
}

}  // namespace drover::router
