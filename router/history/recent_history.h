// The last half hour of the fleet and of every device, in coarse steps, for dashboards that have
// just opened. It is in memory only: a restarted router begins again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

#include "fleet/base/time.h"
#include "fleet/messages.h"
#include "router/fleet_state/fleet_state.h"
#include "router/health/connection_table.h"
#include "router/policy/policy.h"
#include "router/publishing/outbox_builder.h"

namespace drover::router {

// Four metrics of 16 bits: 1,440 bytes a device, 29 MB for as many devices as these. A larger fleet
// has a bin a minute, which takes 240 bytes a device.
inline constexpr std::size_t finely_kept_devices_max = 20'000;
inline constexpr std::size_t coarsely_kept_devices_max = 200'000;  // 48 MB; the rest is not kept
inline constexpr int fine_bin_wall_s = 10;
inline constexpr int coarse_bin_wall_s = 60;
inline constexpr int kept_wall_s = fine_bin_wall_s * static_cast<int>(history_bins_max);
inline constexpr std::size_t kept_pools_max = 64;

struct RecentHistoryDependencies {
  const Policy& policy;
  const FleetState& fleet_state;
  OutboxBuilder& outbox;
};

class RecentHistory : RecentHistoryDependencies {
 public:
  /// `wall` is one wall second in fleet time.
  RecentHistory(const RecentHistoryDependencies& uses, Duration wall)
      : RecentHistoryDependencies(uses), wall_(wall) {}

  /// Keeps what is known now if a new bin has begun. `totals` are as of now.
  void record(Instant now, const Summary& totals);
  void handle(Instant now, const Caller& caller, const HistoryRequest& request);

  /// Of devices; the rest takes little.
  std::size_t bytes() const;

 private:
  static constexpr std::size_t metrics = 4;
  using Readings = std::array<std::uint16_t, metrics>;

  struct PoolPower {
    float power_w = 0, cap_w = 0;  // 0: no cap
  };
  /// What was known when a bin began.
  struct Moment {
    std::int64_t bin = 0;
    Summary totals;                                 // without lists
    double power_w = absent, power_share = absent;  // until a device has reported it
    double utilization = absent, usd_per_h = absent, power_cap_w = 0;
    std::vector<PoolPower> pools;    // in the order of `pools_`
    std::vector<Readings> readings;  // by device
  };

  Duration bin() const { return bin_wall_s_ * wall_; }
  std::size_t bins_max() const { return static_cast<std::size_t>(kept_wall_s / bin_wall_s_); }
  void widen_bins();
  void forget_replaced_devices();
  void add_fleet(Moment& moment) const;
  void add_pools(Moment& moment, const Summary& totals);
  void add_readings(Moment& moment) const;
  std::size_t pool_place(const std::string& name);
  template <typename Value>
  HistorySeries series(std::string name, std::string pool, const Value& value_of) const;
  std::vector<HistorySeries> series_of_fleet() const;
  std::vector<HistorySeries> series_of_device(DeviceIndex device) const;

  Duration wall_;
  int bin_wall_s_ = fine_bin_wall_s;
  std::deque<Moment> moments_;
  std::vector<std::string> pools_;   // the first ones that there were
  std::vector<std::size_t> owners_;  // by device: a hash of its host's name; 0: none
};

}  // namespace drover::router
