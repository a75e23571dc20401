// What `/metrics` says of each device and host: hosts with their devices, and their last samples.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "commands/metrics/page/device_families.h"
#include "commands/metrics/page/series_table.h"
#include "fleet/base/time.h"
#include "fleet/board.h"
#include "fleet/messages.h"

namespace drover::commands {

class DeviceSeries {
 public:
  explicit DeviceSeries(const GpuLabelNames& names);

  void take(const HostChanged& changed);
  /// What a real device says about itself. It keeps this until an agent registers its host anew.
  void take(const std::string& host, const Board& board);
  /// REQUIRES check(batch) passed.
  void take(Instant at, const SampleBatch& batch);
  /// Keeps the Xid that it names: samples of emulated devices have none.
  void take(const DeviceChanged& changed);
  void forget(const std::string& host);
  /// Keeps the hosts for which the predicate holds.
  void keep(const std::function<bool(const std::string&)>& stays);

  /// Brings the tables up to date for a page. Drops the values of devices whose last sample is
  /// stale, so that their series end: older than `usual`, or than their host's interval between
  /// samples allows. A host's other figures stay until it is forgotten.
  void update(Instant now, Duration usual);

  std::map<Health, std::uint64_t> hosts_by_health() const;

  /// In the order of the page.
  static constexpr int table_count = 5;
  const SeriesTable& table(int number) const { return tables_[static_cast<std::size_t>(number)]; }

 private:
  struct Device {
    std::uint16_t index = 0;
    bool tpu = false;
    std::size_t row = 0;                  // among the host's GPUs, or its TPUs
    std::size_t number = 0;               // among all of its devices
    Instant sampled_at = Instant::min();  // min: it has no values
  };
  struct Host {
    HostChanged reported;  // without its specs
    std::vector<SpecLabels> specs;
    std::map<std::uint16_t, BoardLabels> boards;
    std::map<std::uint16_t, std::uint32_t> xids;  // the last of each device
    bool placed = false;                          // `devices` and the tables have all of the above
    std::vector<Device> devices;                  // by index
    Instant sampled_at = Instant::min();
  };
  enum Table : std::uint8_t { gpu_table, tpu_table, device_table, info_table, host_table };
  SeriesTable& table(Table which) { return tables_[which]; }
  /// Gives the host and its devices their rows, unless they have them.
  void place(const std::string& name, Host& host);
  void set_rows(const std::string& name, Host& host);
  /// Sets the host's own figures.
  void show(const std::string& name, const Host& host);
  /// Null: no values.
  void set_values(const std::string& name, const Device& device, const Sample* sample);

  GpuLabelNames names_;
  std::vector<std::vector<SeriesColumn>> columns_;  // of the tables
  std::vector<SeriesTable> tables_;
  std::map<std::string, Host> hosts_;
};

}  // namespace drover::commands
