// What every device did lately, in few bytes: a ladder of three rings of bins. The last minute
// second by second, ten minutes by tens of seconds, two hours by minutes; seconds of the wall, in
// fleet time. Bins are aligned to absolute time, and devices are known by their names, so neither a
// question's moment nor the rows of a model change what is answered.
//
// A bin of a second holds the last sample that came in it, as the model does; a longer one a mean
// or a maximum (history_metrics.h). In a bin in which no sample came nothing is known.
//
// Memory is bounded. It is taken for a whole host when its first samples come, and given back when
// it was silent for longer than the ladder is. Where the fleet is too large for the whole ladder,
// its longest rung is halved, and at last dropped, then the next one: covers() tells.
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

enum class HistoryRung : std::uint8_t { seconds, tens_of_seconds, minutes };
inline constexpr int history_rung_count = 3;
/// Wall seconds.
int bin_seconds(HistoryRung rung);

/// How much is kept of each device where there is room for it.
struct HistoryShape {
  int metrics = history_metric_count;                     // the first so many
  std::array<int, history_rung_count> bins{60, 60, 120};  // of each rung
};

/// A stretch of bins: value i is of the time from begin + i * bin on.
struct HistoryBins {
  Instant begin{};
  Duration bin{1};
  std::vector<double> values;  // NaN where nothing is known
};

class History {
 public:
  /// `wall` is one wall second in fleet time.
  History(Duration wall, std::size_t bytes_max, const HistoryShape& shape = {});

  /// A batch as it arrives; what is older than the host's newest bin is left out, and so is a batch
  /// that fails check().
  void take(Instant at, const SampleBatch& batch);

  /// Of one device, so many bins of a rung, of which the last one holds `until`. While that moment
  /// is the newest the unfinished bin counts as well; of a moment that is past it is not known, as
  /// it may hold what came after it. So a bin's value once it is over never changes while it is
  /// kept. REQUIRES a metric of the shape.
  HistoryBins read(const DeviceId& device, HistoryMetric metric, HistoryRung rung, Instant until,
                   int count) const;

  /// A rung of which something is kept, in wall seconds.
  struct Covered {
    int span_s = 0;
    int bin_s = 0;
    bool operator==(const Covered&) const = default;
  };
  /// The finest first; empty where there is no room for any.
  std::vector<Covered> covers() const;
  /// How many bins of a rung there is room for.
  int bins(HistoryRung rung) const { return plan_[static_cast<std::size_t>(rung)]; }
  Duration bin(HistoryRung rung) const;
  /// The number of the bin that holds an instant.
  std::int64_t bin_of(HistoryRung rung, Instant at) const;
  Instant begin_of(HistoryRung rung, std::int64_t bin) const;

  /// What all rings take, and no more than bytes_max.
  std::size_t bytes() const { return bytes_; }
  std::size_t devices() const { return devices_; }
  std::uint64_t left_out() const { return left_out_; }  // batches for which there was no room

  void clear();
  /// The last bins of another one, of its finest rung: all else is forgotten.
  void copy_seconds(const History& from);

 private:
  using Plan = std::array<int, history_rung_count>;
  struct Host {
    std::vector<std::uint16_t> devices;  // ascending: places in the rings
    Instant heard = Instant::min();
    std::array<HistoryRing, history_rung_count> rings;
  };
  std::size_t bytes_of(const Plan& plan, std::size_t devices, std::size_t hosts) const;
  bool fits(const Plan& plan, std::size_t devices, std::size_t hosts) const;
  bool make_room(std::size_t devices, std::size_t hosts);
  void lay_out_all(const Plan& plan);
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
  std::size_t bytes_ = 0;
  std::uint64_t left_out_ = 0;
  std::int64_t looked_at_ = 0;  // the bin of the longest rung in which silent hosts were looked for
  HistoryPoints points_;        // of the batch that is taken in
  std::vector<std::uint32_t> columns_;
};

/// "60s at 1s, 10m at 10s, 2h at 1m"; "nothing" where nothing is covered.
std::string covers_text(const std::vector<History::Covered>& covers);

}  // namespace drover::tui
