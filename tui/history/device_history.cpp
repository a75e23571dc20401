#include "tui/history/device_history.h"

#include <algorithm>
#include <numeric>

#include <fmt/format.h>

#include "fleet/base/result.h"
#include "tui/model/model.h"

namespace drover::tui {
namespace {

constexpr std::array<int, history_resolution_count> resolution_seconds = {1, 10, 60};
// Memory of a host in addition to its rings: its entry, its name and the allocator's overhead.
constexpr std::size_t host_bytes = 640;
constexpr int shares_least = 8;  // a ring is halved three times, then it is dropped

HistoryRing::BinContent keeps_of(std::size_t resolution) {
  return resolution == 0 ? HistoryRing::BinContent::last : HistoryRing::BinContent::statistic;
}

std::vector<std::uint32_t> same_columns(std::size_t count) {
  std::vector<std::uint32_t> columns(count);
  std::iota(columns.begin(), columns.end(), 0u);
  return columns;
}

}  // namespace

int bin_seconds(HistoryResolution resolution) {
  return resolution_seconds[static_cast<std::size_t>(resolution)];
}

DeviceHistory::DeviceHistory(Duration wall, std::size_t bytes_max, const HistoryShape& shape)
    : wall_(std::max(Duration(1), wall)),
      bytes_max_(bytes_max),
      shape_(shape),
      plan_(shape.bins),
      points_(shape.metrics) {}

Duration DeviceHistory::bin(HistoryResolution resolution) const {
  return bin_seconds(resolution) * wall_;
}

std::int64_t DeviceHistory::bin_of(HistoryResolution resolution, Instant at) const {
  return bin_number(at, bin(resolution));
}

Instant DeviceHistory::begin_of(HistoryResolution resolution, std::int64_t number) const {
  return Instant(number * bin(resolution));
}

std::size_t DeviceHistory::bytes_of(const Plan& plan, std::size_t devices,
                                    std::size_t hosts) const {
  std::size_t bytes = hosts * host_bytes + devices * sizeof(std::uint16_t);
  for (std::size_t resolution = 0; resolution < plan.size(); ++resolution) {
    bytes += HistoryRing::bytes(keeps_of(resolution), shape_.metrics, plan[resolution], devices);
  }
  return bytes;
}

/// Makes the rings as long as memory allows for this number of devices. Returns false and changes
/// nothing if memory suffices for none.
bool DeviceHistory::make_room(std::size_t devices, std::size_t hosts) {
  Plan plan = shape_.bins;
  const auto fits = [&] { return bytes_of(plan, devices, hosts) <= bytes_max_; };
  for (std::size_t resolution = plan.size(); resolution-- > 0 && !fits();) {
    while (plan[resolution] > 0 && !fits()) {
      const bool dropped = plan[resolution] / 2 < shape_.bins[resolution] / shares_least;
      plan[resolution] = dropped ? 0 : plan[resolution] / 2;
    }
  }
  if (plan == Plan{}) return false;
  if (plan == plan_) return true;
  plan_ = plan;
  for (auto& [name, host] : hosts_) lay_out(host, plan, same_columns(host.devices.size()));
  return true;
}

void DeviceHistory::lay_out(Host& host, const Plan& plan,
                            std::span<const std::uint32_t> from) const {
  for (std::size_t resolution = 0; resolution < plan.size(); ++resolution) {
    host.rings[resolution] = host.rings[resolution].resized(keeps_of(resolution), shape_.metrics,
                                                            plan[resolution], from);
  }
}

void DeviceHistory::clear() {
  hosts_.clear();
  devices_ = 0;
}

/// The host of a batch with a column for each of its devices; null if memory does not suffice.
DeviceHistory::Host* DeviceHistory::host_for(const SampleBatch& batch) {
  const auto known = hosts_.find(batch.host);
  const bool is_new = known == hosts_.end();
  if (!is_new && known->second.devices == batch.devices) return &known->second;
  std::vector<std::uint16_t> devices_in_batch = batch.devices;
  std::sort(devices_in_batch.begin(), devices_in_batch.end());
  const std::vector<std::uint16_t> before =
      is_new ? std::vector<std::uint16_t>() : known->second.devices;
  std::vector<std::uint16_t> all;
  std::set_union(before.begin(), before.end(), devices_in_batch.begin(), devices_in_batch.end(),
                 std::back_inserter(all));
  if (!is_new && all.size() == before.size()) return &known->second;
  const std::size_t devices = devices_ + all.size() - before.size();
  const std::size_t hosts = hosts_.size() + (is_new ? 1 : 0);
  if (devices > shown_devices_max || hosts > shown_hosts_max || !make_room(devices, hosts))
    return nullptr;
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
  return &host;
}

void DeviceHistory::find_columns(const Host& host, const SampleBatch& batch) {
  columns_.clear();
  for (const std::uint16_t device : batch.devices) {
    const auto place = std::lower_bound(host.devices.begin(), host.devices.end(), device);
    columns_.push_back(static_cast<std::uint32_t>(place - host.devices.begin()));
  }
}

void DeviceHistory::take(Instant at, const SampleBatch& batch) {
  if (batch.devices.empty() || !check(batch)) return;
  forget_silent(at);
  Host* const host = host_for(batch);
  if (host == nullptr) {
    ++left_out_;
    return;
  }
  find_columns(*host, batch);
  points_.read(batch);
  host->first_received = std::min(host->first_received, at);
  host->last_received = std::max(host->last_received, at);
  for (int resolution = 0; resolution < history_resolution_count; ++resolution) {
    host->rings[static_cast<std::size_t>(resolution)].add(
        bin_of(static_cast<HistoryResolution>(resolution), at), points_, columns_);
  }
}

/// Once per bin of the longest ring, removes hosts that were silent for longer than that ring.
void DeviceHistory::forget_silent(Instant now) {
  constexpr auto longest = HistoryResolution::minutes;
  const std::int64_t bin = bin_of(longest, now);
  if (bin == looked_at_) return;
  looked_at_ = bin;
  Duration span{};
  for (std::size_t resolution = 0; resolution < plan_.size(); ++resolution) {
    span = std::max(
        span, shape_.bins[resolution] * this->bin(static_cast<HistoryResolution>(resolution)));
  }
  const std::size_t before = hosts_.size();
  std::erase_if(hosts_, [&](const auto& entry) {
    const bool silent = saturating_add(entry.second.last_received, span) < now;
    if (silent) devices_ -= entry.second.devices.size();
    return silent;
  });
  if (hosts_.size() == before) return;
  (void)make_room(devices_, hosts_.size());  // fewer devices may have longer rings again
}

HistoryBins DeviceHistory::read(const DeviceId& device, HistoryMetric metric,
                                HistoryResolution resolution, Instant until, int count) const {
  DROVER_REQUIRE(static_cast<int>(metric) < shape_.metrics && count >= 0);
  const std::int64_t last = bin_of(resolution, until);
  const std::int64_t first = last - count + 1;
  HistoryBins bins{begin_of(resolution, first), bin(resolution), {}};
  bins.values.resize(static_cast<std::size_t>(count), absent);
  const auto known = hosts_.find(device.host);
  if (known == hosts_.end()) return bins;
  const Host& host = known->second;
  const auto place = std::lower_bound(host.devices.begin(), host.devices.end(), device.index);
  if (place == host.devices.end() || *place != device.index) return bins;
  const HistoryRing& ring = host.rings[static_cast<std::size_t>(resolution)];
  if (ring.empty()) return bins;
  const auto column = static_cast<std::size_t>(place - host.devices.begin());
  std::int64_t newest = std::min(last, ring.newest());
  // An unfinished bin may include samples after `until`, which cannot be removed.
  const bool over = until >= begin_of(resolution, last + 1) - Duration(1);
  if (newest == last && !over && host.last_received > until) --newest;
  for (std::int64_t number = std::max(first, ring.newest() - ring.bins() + 1); number <= newest;
       ++number) {
    bins.values[static_cast<std::size_t>(number - first)] =
        dequantize(metric, ring.at(number, static_cast<int>(metric), column));
  }
  return bins;
}

Instant DeviceHistory::begin(const DeviceId& device) const {
  const auto known = hosts_.find(device.host);
  if (known == hosts_.end()) return never;
  const Host& host = known->second;
  Instant kept = host.last_received;
  for (std::size_t resolution = 0; resolution < plan_.size(); ++resolution) {
    const HistoryRing& ring = host.rings[resolution];
    if (ring.empty()) continue;
    kept = std::min(kept, begin_of(static_cast<HistoryResolution>(resolution),
                                   ring.newest() - ring.bins() + 1));
  }
  return std::max(host.first_received, kept);
}

std::vector<DeviceHistory::RetentionTier> DeviceHistory::retention() const {
  std::vector<RetentionTier> retention;
  for (std::size_t resolution = 0; resolution < plan_.size(); ++resolution) {
    const int bin_s = resolution_seconds[resolution];
    if (plan_[resolution] > 0) retention.push_back({plan_[resolution] * bin_s, bin_s});
  }
  return retention;
}

void DeviceHistory::copy_seconds(const DeviceHistory& from) {
  DROVER_REQUIRE(shape_.metrics <= from.shape_.metrics && wall_ == from.wall_);
  clear();
  if (from.bins(HistoryResolution::seconds) == 0) return;
  for (const auto& [name, theirs] : from.hosts_) {
    const std::size_t devices = devices_ + theirs.devices.size();
    if (!make_room(devices, hosts_.size() + 1)) return;
    Host& host = hosts_[name];
    lay_out(host, plan_, std::vector(theirs.devices.size(), HistoryRing::no_place));
    host.devices = theirs.devices;
    host.first_received = theirs.first_received;
    host.last_received = theirs.last_received;
    host.rings[0] = theirs.rings[0].resized(keeps_of(0), shape_.metrics, plan_[0],
                                            same_columns(theirs.devices.size()));
    devices_ = devices;
  }
}

std::string retention_text(const std::vector<DeviceHistory::RetentionTier>& retention) {
  struct Unit {
    int seconds;
    char letter;
  };
  static constexpr std::array<Unit, 3> units = {{{3600, 'h'}, {60, 'm'}, {1, 's'}}};
  const auto text_of = [](int seconds) {
    const auto unit = std::find_if(units.begin(), units.end(), [&](const Unit& candidate) {
      return seconds % candidate.seconds == 0;
    });
    return fmt::format("{}{}", seconds / unit->seconds, unit->letter);
  };
  std::string text;
  for (const DeviceHistory::RetentionTier& covered : retention) {
    if (!text.empty()) text += ", ";
    // One minute is shown as 60s if the bins are seconds.
    text += covered.bin_s == 1
                ? fmt::format("{}s at 1s", covered.span_s)
                : fmt::format("{} at {}", text_of(covered.span_s), text_of(covered.bin_s));
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace drover::tui
