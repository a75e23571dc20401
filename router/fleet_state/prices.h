// What devices cost per hour, and how a host was purchased.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace drover::devices {
struct DeviceSpec;
}

namespace drover::router {

inline constexpr double seconds_per_hour = 3600;
inline constexpr double joules_per_kwh = 3.6e6;

/// How a host was purchased, from its label `price`.
enum class PurchaseOption : std::uint8_t {
  unspecified,  // no such label: the pool's prices decide
  on_demand,
  reserved,
  spot,
  other,  // an unknown word
};
PurchaseOption price_term(const std::map<std::string, std::string>& labels);

/// Upper bound on the price of one device, whatever its spec, the policy and its host give.
inline constexpr double price_max_usd_per_h = 1e5;
/// The price on a host with this price factor.
inline double usd_per_h_there(double usd_per_h, double factor) {
  return std::min(usd_per_h * factor, price_max_usd_per_h);
}

/// Hourly price of a device. The price for the host's purchase option counts; if it is not given,
/// the first given one of on demand, reserved, spot. If none is given, the spec's prices count.
struct Prices {
  std::optional<double> on_demand_usd_per_h, reserved_usd_per_h, spot_usd_per_h;
  /// Owned devices: purchase price over the years, plus energy at the wall.
  double purchase_usd = 0;
  double years = 0;
  double energy_usd_per_kwh = 0;
  double pue = 1;  // energy of the building over energy of the devices
  /// Spot: reclaims per hour; 0: never.
  double reclaim_per_h = 0;

  bool given() const {
    return on_demand_usd_per_h || reserved_usd_per_h || spot_usd_per_h || years > 0;
  }
};

/// Fixed USD per hour of one device; nothing: use its on-demand price. `spec`: null: not known.
std::optional<double> usd_per_h(const Prices& prices, PurchaseOption term,
                                const devices::DeviceSpec* spec);
/// The spec's spot price, used when the pool gives no prices and the host is spot.
std::optional<double> listed_spot_usd_per_h(const Prices& prices, PurchaseOption term,
                                            const devices::DeviceSpec* spec);
/// Whether this host's devices can be reclaimed.
bool is_spot(const Prices& prices, PurchaseOption term);

}  // namespace drover::router
