// What a server that collects metrics knows of a device from before this dashboard's memory.
// Decides what to ask and when; the shell asks the server and brings the answer.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/identity.h"
#include "fleet/base/time.h"
#include "fleet/host_description.h"
#include "fleet/sample/sample.h"
#include "tui/history/device_history.h"

namespace drover::tui {

/// The metrics that are asked for: those of the charts that show values as they were sampled.
inline constexpr std::array served_metrics = {
    Metric::utilization,   Metric::memory_used,     Metric::power,
    Metric::power_cap,     Metric::temperature,     Metric::memory_temperature,
    Metric::clock,         Metric::tensor_activity, Metric::memory_activity,
    Metric::running,       Metric::queue,           Metric::pcie_sent,
    Metric::pcie_received, Metric::throttle,
};

/// How the values of a longer bin become one: as in memory, else by the maximum.
Statistic statistic_of(Metric metric);

/// Prometheus answers no query for more values of a series.
inline constexpr int served_bins_max = 11'000;

/// Asks for the served metrics of a device, in bins of fleet time.
struct HistoryQuestion {
  DeviceId device;
  DeviceClass device_class = DeviceClass::gpu;  // makers name the metrics of each class
  std::string uuid;                             // of a real board; empty: not known
  Instant begin{};                              // a multiple of `bin`
  Duration bin{1};
  int bins = 0;
  Instant end() const { return begin + bins * bin; }
  bool operator==(const HistoryQuestion&) const = default;
};

struct HistoryAnswer {
  HistoryQuestion question;
  std::string failure;  // why there is no answer: "cannot connect to it"; empty: there is one
  /// By metric, the values of all bins, NaN where not known; empty: none is known.
  std::array<std::vector<double>, metric_count> values;
};

class ServerHistory {
 public:
  /// `wall` is one wall second in fleet time.
  explicit ServerHistory(Duration wall) : wall_(wall) {}

  /// `wanted`: what charts show of a device; memory has all of it from `known` on. Returns what to
  /// ask the server now. There is one question at a time, and after failures the pauses before the
  /// next grow.
  std::optional<HistoryQuestion> follow(const HistoryQuestion& wanted, Instant known, Instant now);
  /// Takes the answer to the open question, and ignores any other.
  void take(Instant now, HistoryAnswer answer);

  /// The bins of a chart that ends at `until`; those that no answer has are NaN.
  HistoryBins read(const DeviceId& device, Metric metric, Instant begin, Duration bin,
                   Instant until) const;
  /// Why charts may lack what they show of the time before memory: "history: prometheus:9090:
  /// cannot connect to it"; empty if they lack nothing.
  std::string note(std::string_view server) const;

 private:
  bool answered(const HistoryQuestion& wanted, Instant known) const;

  Duration wall_;
  std::optional<HistoryQuestion> wanted_;  // none: memory has all that charts show
  std::optional<HistoryQuestion> open_;    // not answered yet
  std::optional<HistoryAnswer> answer_;    // the last that came
  Instant known_{};
  std::string failure_;  // of the last question
  int pause_s_ = 0;      // wall seconds, after failures
  Instant ask_at_ = Instant::min();
};

}  // namespace drover::tui
