// The recent history of every device in few bytes: three rings of bins. One minute in bins of a
// second, ten minutes in bins of ten seconds, two hours in bins of a minute; in wall seconds,
// converted to fleet time. Bins are aligned to absolute time, and devices are identified by name,
// so results depend neither on the time of a query nor on the rows of a model.
//
// A bin of a second has the last sample in it, as the model does; a longer one has a mean or a
// maximum (history_metrics.h). A bin without samples is unknown.
//
// Memory is bounded. It is allocated for a whole host with the host's first samples and freed when
// the host was silent for longer than the longest ring. If the fleet is too large for all rings,
// the longest is halved and finally dropped, then the next one: see retention().
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "tui/history/history_metrics.h"
#include "tui/history/history_ring.h"

namespace drover::tui {

enum class HistoryResolution : std::uint8_t { seconds, tens_of_seconds, minutes };
inline constexpr int history_resolution_count = 3;
/// Wall seconds.
int bin_seconds(HistoryResolution resolution);

/// How much is kept of each device if memory suffices.
struct HistoryShape {
  int metrics = history_metric_count;                           // the first ones of HistoryMetric
  std::array<int, history_resolution_count> bins{60, 60, 120};  // of each resolution
};

/// A range of bins: values[i] is that of the time from begin + i * bin on.
struct HistoryBins {
  Instant begin{};
  Duration bin{1};
  std::vector<double> values;  // NaN if unknown
};

class DeviceHistory {
 public:
  /// `wall` is one wall second in fleet time.
  DeviceHistory(Duration wall, std::size_t bytes_max, const HistoryShape& shape = {});

  /// Takes a batch that arrived `at`. Ignores a batch that is older than the host's newest bin or
  /// fails check().
  void take(Instant at, const SampleBatch& batch);

  /// `count` bins of a device, the last of which contains `until`. The last bin is unknown if it is
  /// unfinished and `until` is in the past, as it may include later samples. So the value of a
  /// finished bin never changes while it is kept. REQUIRES a metric of the shape.
  HistoryBins read(const DeviceId& device, HistoryMetric metric, HistoryResolution resolution,
                   Instant until, int count) const;

  /// Before this moment nothing is known of the device; `never` if nothing is.
  Instant begin(const DeviceId& device) const;

  /// A resolution that is kept, in wall seconds.
  struct RetentionTier {
    int span_s = 0;
    int bin_s = 0;
    bool operator==(const RetentionTier&) const = default;
  };
  /// Finest first; empty if memory suffices for none.
  std::vector<RetentionTier> retention() const;
  /// The number of bins that are kept at a resolution.
  int bins(HistoryResolution resolution) const {
    return plan_[static_cast<std::size_t>(resolution)];
  }
  Duration bin(HistoryResolution resolution) const;
  /// The number of the bin that contains an instant.
  std::int64_t bin_of(HistoryResolution resolution, Instant at) const;
  Instant begin_of(HistoryResolution resolution, std::int64_t bin) const;

  /// Memory of all rings, at most bytes_max.
  std::size_t bytes() const { return bytes_of(plan_, devices_, hosts_.size()); }
  std::size_t devices() const { return devices_; }
  std::uint64_t left_out() const { return left_out_; }  // batches dropped for lack of memory

  void clear();
  /// Replaces the content by the other history's last bins of the finest resolution.
  void copy_seconds(const DeviceHistory& from);

 private:
  using Plan = std::array<int, history_resolution_count>;
  struct Host {
    std::vector<std::uint16_t> devices;  // device indices, ascending: the columns of the rings
    Instant first_received = never;
    Instant last_received = Instant::min();
    std::array<HistoryRing, history_resolution_count> rings;
  };
  std::size_t bytes_of(const Plan& plan, std::size_t devices, std::size_t hosts) const;
  bool make_room(std::size_t devices, std::size_t hosts);
  Host* host_for(const SampleBatch& batch);
  void find_columns(const Host& host, const SampleBatch& batch);
  void lay_out(Host& host, const Plan& plan, std::span<const std::uint32_t> from) const;
  void forget_silent(Instant now);

  Duration wall_;
  std::size_t bytes_max_;
  HistoryShape shape_;
  Plan plan_;
  std::map<std::string, Host> hosts_;
  std::size_t devices_ = 0;
  std::uint64_t left_out_ = 0;
  std::int64_t looked_at_ = 0;  // bin of the longest ring at the last search for silent hosts
  QuantizedBatch points_;       // of the batch being taken
  std::vector<std::uint32_t> columns_;
};

/// "60s at 1s, 10m at 10s, 2h at 1m"; "nothing" if it is empty.
std::string retention_text(const std::vector<DeviceHistory::RetentionTier>& retention);

}  // namespace drover::tui
