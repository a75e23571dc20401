#include "commands/metrics/page/device_series.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "commands/metrics/page/family_text.h"
#include "fleet/base/text.h"
#include "fleet/device_state.h"

namespace drover::commands {

namespace {

constexpr std::size_t hosts_max = 100'000;      // limits as of a dashboard's model: messages are
constexpr std::size_t devices_max = 1'000'000;  // outside input

std::vector<SeriesColumn> series_of(std::span<const DeviceColumn> columns) {
  std::vector<SeriesColumn> series;
  for (const DeviceColumn& column : columns) series.push_back(column.series);
  return series;
}

/// All pools of a group, in the policy's order of the first and the further ones.
std::string pools_of(const HostChanged& host, std::size_t group) {
  std::string pools = group < host.pools.size() ? host.pools[group] : std::string();
  for (const GroupPool& further : host.further_pools) {
    if (further.group == group) add_part(pools, ",", further.pool);
  }
  return pools;
}

}  // namespace

DeviceSeries::DeviceSeries(const GpuLabelNames& names) : names_(names) {
  for (const auto& columns : {gpu_columns(), tpu_columns(), device_columns()}) {
    columns_.push_back(series_of(columns));
  }
  columns_.emplace_back(info_columns().begin(), info_columns().end());
  columns_.emplace_back(host_columns().begin(), host_columns().end());
  for (const auto& columns : columns_) tables_.emplace_back(columns);
}

void DeviceSeries::take(const HostChanged& changed) {
  const std::string& name = changed.registration.host;
  if (!hosts_.contains(name) && hosts_.size() >= hosts_max) return;
  Host& host = hosts_[name];
  // The boards that an earlier agent found may be gone.
  if (host.reported.registration.incarnation != changed.registration.incarnation)
    host.boards.clear();
  if (!changed.registration.specs.empty()) {
    host.specs.clear();
    for (const SpecText& spec : changed.registration.specs) host.specs.push_back(spec_labels(spec));
  }
  host.reported = changed;
  host.reported.registration.specs.clear();
  host.placed = false;
  if (!is_gone(changed.health)) return;
  for (Device& device : host.devices) {
    device.sampled_at = Instant::min();
    set_values(name, device, nullptr);
  }
}

void DeviceSeries::take(const std::string& name, const Board& board) {
  const auto found = hosts_.find(name);
  if (found == hosts_.end()) return;
  BoardLabels labels{board.name, board.uuid, board.bus, board.driver};
  const auto [known, fresh] = found->second.boards.try_emplace(board.device);
  if (!fresh && known->second == labels) return;
  known->second = std::move(labels);
  found->second.placed = false;
}

void DeviceSeries::place(const std::string& name, Host& host) {
  if (std::exchange(host.placed, true)) return;
  set_rows(name, host);
  show(name, host);
}

void DeviceSeries::set_rows(const std::string& name, Host& host) {
  const Register& registration = host.reported.registration;
  std::vector<Device> devices;
  std::vector<std::string> gpus, tpus, all, infos;
  for (std::size_t group = 0; group < registration.groups.size(); ++group) {
    const Group& one = registration.groups[group];
    static const SpecLabels unknown;
    static const BoardLabels silent;  // of a real device that has said nothing yet
    const auto spec = std::find_if(host.specs.begin(), host.specs.end(),
                                   [&](const SpecLabels& each) { return each.id == one.device; });
    const SpecLabels& known = spec == host.specs.end() ? unknown : *spec;
    const std::string pools = pools_of(host.reported, group);
    for (std::uint16_t i = 0; i < one.count; ++i) {
      const auto index = static_cast<std::uint16_t>(one.first + i);
      const auto board = host.boards.find(index);
      const BoardLabels* const labels = board != host.boards.end() ? &board->second
                                        : known.real               ? &silent
                                                                   : nullptr;
      const LabelledDevice device{registration, one, known, index, labels, pools};
      std::vector<std::string>& rows = device.spec.tpu ? tpus : gpus;
      devices.push_back({index, device.spec.tpu, rows.size(), all.size(), Instant::min()});
      rows.push_back(device.spec.tpu ? tpu_labels(device) : gpu_labels(device, names_));
      all.push_back(device_labels(device));
      infos.push_back(info_labels(device));
    }
  }
  if (table(device_table).rows() + devices.size() > devices_max + host.devices.size()) return;
  std::ranges::sort(devices, {}, &Device::index);
  for (Device& device : devices) {
    const auto known = std::ranges::lower_bound(host.devices, device.index, {}, &Device::index);
    if (known != host.devices.end() && known->index == device.index)
      device.sampled_at = known->sampled_at;
  }
  host.devices = std::move(devices);
  table(gpu_table).set_rows(name, gpus);
  table(tpu_table).set_rows(name, tpus);
  table(device_table).set_rows(name, all);
  table(info_table).set_rows(name, infos);
  SeriesTable::Rows info = table(info_table).rows_of(name);
  for (std::size_t row = 0; row < info.size(); ++row) info.at(0, row) = 1;
  const std::string labels =
      labels_text({{"host", name}, {"rack", registration.rack}, {"site", registration.site}});
  table(host_table).set_rows(name, std::span(&labels, 1));
}

void DeviceSeries::show(const std::string& name, const Host& host) {
  const HostChanged& reported = host.reported;
  SeriesTable::Rows row = table(host_table).rows_of(name);
  if (row.size() == 0) return;
  const auto set = [&](HostColumn column, std::uint64_t value) {
    row.at(static_cast<std::size_t>(column), 0) = static_cast<std::int64_t>(value);
  };
  set(HostColumn::up, reported.health == Health::ok ? 1 : 0);
  // Nobody waits for a host that has said that it leaves.
  if (reported.health == Health::left)
    row.at(static_cast<std::size_t>(HostColumn::up), 0) = no_value;
  set(HostColumn::gaps, reported.sample_gaps);
  set(HostColumn::thinned, reported.samples_thinned);
  set(HostColumn::undecodable, reported.undecodable);
}

void DeviceSeries::take(Instant at, const SampleBatch& batch) {
  const auto found = hosts_.find(batch.host);
  if (found == hosts_.end() || is_gone(found->second.reported.health)) return;
  Host& host = found->second;
  place(batch.host, host);
  host.sampled_at = std::max(host.sampled_at, at);
  for (const Sample& sample : unpack(batch)) {
    const auto device = std::ranges::lower_bound(host.devices, sample.device, {}, &Device::index);
    if (device == host.devices.end() || device->index != sample.device) continue;
    device->sampled_at = at;
    Sample shown = sample;
    const auto xid = host.xids.find(sample.device);
    if (xid != host.xids.end() && std::isnan(shown[Metric::xid])) shown[Metric::xid] = xid->second;
    set_values(batch.host, *device, &shown);
  }
}

void DeviceSeries::set_values(const std::string& name, const Device& device, const Sample* sample) {
  const auto fill = [&](Table which, std::span<const DeviceColumn> columns, std::size_t row) {
    SeriesTable::Rows rows = table(which).rows_of(name);
    if (row >= rows.size()) return;
    for (std::size_t column = 0; column < columns.size(); ++column) {
      const DeviceColumn& one = columns[column];
      rows.at(column, row) =
          sample == nullptr ? no_value : fixed_point(one.value(*sample), one.series.decimals);
    }
  };
  fill(device_table, device_columns(), device.number);
  if (device.tpu) {
    fill(tpu_table, tpu_columns(), device.row);
  } else {
    fill(gpu_table, gpu_columns(), device.row);
  }
}

void DeviceSeries::take(const DeviceChanged& changed) {
  constexpr std::string_view begin = "Xid ";  // "Xid 79: GPU has fallen off the bus"
  const auto found = hosts_.find(changed.host);
  if (found == hosts_.end() || !changed.detail.starts_with(begin)) return;
  std::uint32_t number = 0;
  const char* const end = changed.detail.data() + changed.detail.size();
  std::from_chars(changed.detail.data() + begin.size(), end, number);
  if (number > 0) found->second.xids[changed.device] = number;
}

void DeviceSeries::forget(const std::string& name) {
  hosts_.erase(name);
  for (SeriesTable& table : tables_) table.set_rows(name, {});
}

void DeviceSeries::keep(const std::function<bool(const std::string&)>& stays) {
  std::vector<std::string> gone;
  for (const auto& [name, host] : hosts_) {
    if (!stays(name)) gone.push_back(name);
  }
  for (const std::string& name : gone) forget(name);
}

void DeviceSeries::update(Instant now, Duration usual) {
  for (auto& [name, host] : hosts_) {
    place(name, host);
    const Duration stale_after =
        from_seconds(stale_after_s(to_seconds(usual), host.reported.registration.sample_every));
    SeriesTable::Rows row = table(host_table).rows_of(name);
    if (row.size() > 0) {
      row.at(static_cast<std::size_t>(HostColumn::sample_age), 0) =
          host.sampled_at == Instant::min() ? no_value
                                            : fixed_point(to_seconds(now - host.sampled_at), 1);
    }
    for (Device& device : host.devices) {
      if (device.sampled_at == Instant::min()) continue;
      if (saturating_add(device.sampled_at, stale_after) >= now) continue;
      device.sampled_at = Instant::min();
      set_values(name, device, nullptr);
    }
  }
}

std::map<Health, std::uint64_t> DeviceSeries::hosts_by_health() const {
  std::map<Health, std::uint64_t> counts;
  for (const auto& [name, host] : hosts_) ++counts[host.reported.health];
  return counts;
}

}  // namespace drover::commands
