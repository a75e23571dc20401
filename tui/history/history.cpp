#include "tui/history/history.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "tui/model/model.h"

namespace drover::tui {
namespace {

constexpr std::array<int, history_rung_count> rung_seconds = {1, 10, 60};
// What a host takes beside its rings: its entry, its name, and what the allocator adds to each of
// its pieces.
constexpr std::size_t host_bytes = 640;
constexpr int shares_least = 8;  // a rung is halved three times, then it is dropped

HistoryRing::Keeps keeps_of(std::size_t rung) {
  return rung == 0 ? HistoryRing::Keeps::last : HistoryRing::Keeps::statistic;
}

std::vector<std::uint32_t> same_places(std::size_t count) {
  std::vector<std::uint32_t> places(count);
  std::iota(places.begin(), places.end(), 0u);
  return places;
}

}  // namespace

int bin_seconds(HistoryRung rung) { return rung_seconds[static_cast<std::size_t>(rung)]; }

History::History(Duration wall, std::size_t bytes_max, const HistoryShape& shape)
    : wall_(std::max(Duration(1), wall)),
      bytes_max_(bytes_max),
      shape_(shape),
      plan_(shape.bins),
      points_(shape.metrics) {}

Duration History::bin(HistoryRung rung) const { return bin_seconds(rung) * wall_; }

std::int64_t History::bin_of(HistoryRung rung, Instant at) const {
  const std::int64_t width = bin(rung).count();
  const std::int64_t since = at.time_since_epoch().count();
  return since / width - (since % width < 0 ? 1 : 0);
}

Instant History::begin_of(HistoryRung rung, std::int64_t number) const {
  return Instant(number * bin(rung));
}

std::size_t History::bytes_of(const Plan& plan, std::size_t devices, std::size_t hosts) const {
  std::size_t bytes = hosts * host_bytes + devices * sizeof(std::uint16_t);
  for (std::size_t rung = 0; rung < plan.size(); ++rung) {
    bytes += HistoryRing::bytes(keeps_of(rung), shape_.metrics, plan[rung], devices);
  }
  return bytes;
}

bool History::fits(const Plan& plan, std::size_t devices, std::size_t hosts) const {
  return bytes_of(plan, devices, hosts) <= bytes_max_;
}

/// The ladder becomes as long as it may be with so many devices. Where it could keep nothing of
/// them all, it stays as it is, and the answer is no.
bool History::make_room(std::size_t devices, std::size_t hosts) {
  Plan plan = shape_.bins;
  for (std::size_t rung = plan.size(); rung-- > 0 && !fits(plan, devices, hosts);) {
    while (plan[rung] > 0 && !fits(plan, devices, hosts)) {
      const bool dropped = plan[rung] / 2 < shape_.bins[rung] / shares_least;
      plan[rung] = dropped ? 0 : plan[rung] / 2;
    }
  }
  if (plan == Plan{}) return false;
  if (plan != plan_) lay_out_all(plan);
  return true;
}

void History::lay_out(Host& host, const Plan& plan, std::span<const std::uint32_t> from) const {
  for (std::size_t rung = 0; rung < plan.size(); ++rung) {
    host.rings[rung] = host.rings[rung].laid_out(keeps_of(rung), shape_.metrics, plan[rung], from);
  }
}

void History::lay_out_all(const Plan& plan) {
  plan_ = plan;
  for (auto& [name, host] : hosts_) lay_out(host, plan, same_places(host.devices.size()));
  bytes_ = bytes_of(plan_, devices_, hosts_.size());
}

void History::clear() {
  hosts_.clear();
  devices_ = 0;
  bytes_ = 0;
}

/// The host of a batch with a place for each of its devices; null where there is no room.
History::Host* History::host_for(const SampleBatch& batch) {
  const auto known = hosts_.find(batch.host);
  const bool is_new = known == hosts_.end();
  if (!is_new && known->second.devices == batch.devices) return &known->second;
  std::vector<std::uint16_t> told = batch.devices;
  std::sort(told.begin(), told.end());
  const std::vector<std::uint16_t> before =
      is_new ? std::vector<std::uint16_t>() : known->second.devices;
  std::vector<std::uint16_t> all;
  std::set_union(before.begin(), before.end(), told.begin(), told.end(), std::back_inserter(all));
  if (!is_new && all.size() == before.size()) return &known->second;
  const std::size_t devices = devices_ + all.size() - before.size();
  const std::size_t hosts = hosts_.size() + (is_new ? 1 : 0);
  if (devices > devices_max || hosts > hosts_max || !make_room(devices, hosts)) return nullptr;
  std::vector<std::uint32_t> from;
  for (const std::uint16_t device : all) {
    const auto place = std::lower_bound(before.begin(), before.end(), device);
    const bool there = place != before.end() && *place == device;
    from.push_back(there ? static_cast<std::uint32_t>(place - before.begin())
                         : HistoryRing::no_place);
  }
  Host& host = hosts_[batch.host];
  lay_out(host, plan_, from);
  host.devices = std::move(all);
  devices_ = devices;
  bytes_ = bytes_of(plan_, devices_, hosts_.size());
  return &host;
}

void History::find_columns(const Host& host, const SampleBatch& batch) {
  columns_.clear();
  for (const std::uint16_t device : batch.devices) {
    const auto place = std::lower_bound(host.devices.begin(), host.devices.end(), device);
    columns_.push_back(static_cast<std::uint32_t>(place - host.devices.begin()));
  }
}

void History::take(Instant at, const SampleBatch& batch) {
  if (batch.devices.empty() || !check(batch)) return;
  forget_silent(at);
  Host* const host = host_for(batch);
  if (host == nullptr) {
    ++left_out_;
    return;
  }
  find_columns(*host, batch);
  points_.read(batch);
  host->heard = std::max(host->heard, at);
  for (int rung = 0; rung < history_rung_count; ++rung) {
    host->rings[static_cast<std::size_t>(rung)].add(bin_of(static_cast<HistoryRung>(rung), at),
                                                    points_, columns_);
  }
}

/// Once in a bin of the longest rung: what was silent for longer than the whole ladder.
void History::forget_silent(Instant now) {
  constexpr auto longest = HistoryRung::minutes;
  const std::int64_t bin = bin_of(longest, now);
  if (bin == looked_at_) return;
  looked_at_ = bin;
  Duration span{};
  for (std::size_t rung = 0; rung < plan_.size(); ++rung) {
    span = std::max(span, shape_.bins[rung] * this->bin(static_cast<HistoryRung>(rung)));
  }
  const std::size_t before = hosts_.size();
  std::erase_if(hosts_, [&](const auto& entry) {
    const bool silent = saturating_add(entry.second.heard, span) < now;
    if (silent) devices_ -= entry.second.devices.size();
    return silent;
  });
  if (hosts_.size() == before) return;
  bytes_ = bytes_of(plan_, devices_, hosts_.size());
  (void)make_room(devices_, hosts_.size());  // fewer devices may have the longer rungs again
}

HistoryBins History::read(const DeviceId& device, HistoryMetric metric, HistoryRung rung,
                          Instant until, int count) const {
  DROVER_REQUIRE(static_cast<int>(metric) < shape_.metrics && count >= 0);
  const std::int64_t last = bin_of(rung, until);
  const std::int64_t first = last - count + 1;
  HistoryBins bins{begin_of(rung, first), bin(rung), {}};
  bins.values.resize(static_cast<std::size_t>(count), absent);
  const auto known = hosts_.find(device.host);
  if (known == hosts_.end()) return bins;
  const Host& host = known->second;
  const auto place = std::lower_bound(host.devices.begin(), host.devices.end(), device.index);
  if (place == host.devices.end() || *place != device.index) return bins;
  const HistoryRing& ring = host.rings[static_cast<std::size_t>(rung)];
  if (ring.empty()) return bins;
  const auto column = static_cast<std::size_t>(place - host.devices.begin());
  std::int64_t newest = std::min(last, ring.newest());
  // Of the bin that is not over at that moment, what has come since cannot be taken away again.
  const bool over = until >= begin_of(rung, last + 1) - Duration(1);
  if (newest == last && !over && host.heard > until) --newest;
  for (std::int64_t number = std::max(first, ring.newest() - ring.bins() + 1); number <= newest;
       ++number) {
    bins.values[static_cast<std::size_t>(number - first)] =
        to_value(metric, ring.at(number, static_cast<int>(metric), column));
  }
  return bins;
}

std::vector<History::Covered> History::covers() const {
  std::vector<Covered> covers;
  for (std::size_t rung = 0; rung < plan_.size(); ++rung) {
    const int bin_s = rung_seconds[rung];
    if (plan_[rung] > 0) covers.push_back({plan_[rung] * bin_s, bin_s});
  }
  return covers;
}

void History::copy_seconds(const History& from) {
  DROVER_REQUIRE(shape_.metrics <= from.shape_.metrics && wall_ == from.wall_);
  clear();
  if (from.bins(HistoryRung::seconds) == 0) return;
  for (const auto& [name, theirs] : from.hosts_) {
    const std::size_t devices = devices_ + theirs.devices.size();
    if (!make_room(devices, hosts_.size() + 1)) return;
    Host& host = hosts_[name];
    lay_out(host, plan_, std::vector(theirs.devices.size(), HistoryRing::no_place));
    host.devices = theirs.devices;
    host.heard = theirs.heard;
    host.rings[0] = theirs.rings[0].laid_out(keeps_of(0), shape_.metrics, plan_[0],
                                             same_places(theirs.devices.size()));
    devices_ = devices;
    bytes_ = bytes_of(plan_, devices_, hosts_.size());
  }
}

std::string covers_text(const std::vector<History::Covered>& covers) {
  struct Unit {
    int seconds;
    char letter;
  };
  static constexpr std::array<Unit, 3> units = {{{3600, 'h'}, {60, 'm'}, {1, 's'}}};
  const auto told = [](int seconds) {
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& candidate) {
      return seconds % candidate.seconds == 0;
    });
    return fmt::format("{}{}", seconds / unit->seconds, unit->letter);
  };
  std::string text;
  for (const History::Covered& covered : covers) {
    if (!text.empty()) text += ", ";
    // A minute of seconds is better told as so many of them.
    text += covered.bin_s == 1 ? fmt::format("{}s at 1s", covered.span_s)
                               : fmt::format("{} at {}", told(covered.span_s), told(covered.bin_s));
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace drover::tui
