// What devices cost by the hour, and how a host was had.
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

/// How a host was had, as its label `price` says.
enum class PriceTerm : std::uint8_t {
  unsaid,  // no such label: the pool's prices say
  on_demand,
  reserved,
  spot,
  other,  // a word that means nothing here
};
PriceTerm price_term(const std::map<std::string, std::string>& labels);

/// The most that one device costs by the hour, whatever its spec, the policy and its host say.
inline constexpr double price_max_usd_per_h = 1e5;
/// A price on a host of that factor.
inline double usd_per_h_there(double usd_per_h, double factor) {
  return std::min(usd_per_h * factor, price_max_usd_per_h);
}

/// What a device costs by the hour. The price of the host's term counts; where that is not given,
/// the first that is: on demand, reserved, spot. Where none is given, the spec's prices count.
struct Prices {
  std::optional<double> on_demand_usd_per_h, reserved_usd_per_h, spot_usd_per_h;
  /// Owned: the purchase spread over the years, and the energy that its work takes at the wall.
  double purchase_usd = 0;
  double years = 0;
  double energy_usd_per_kwh = 0;
  double pue = 1;  // energy of the building over energy of the devices
  /// Spot: how often the owner takes one back, per hour; 0: never.
  double reclaim_per_h = 0;

  bool given() const {
    return on_demand_usd_per_h || reserved_usd_per_h || spot_usd_per_h || years > 0;
  }
};

/// Fixed dollars per hour of one device; nothing: its price on demand. `spec`: null: not known.
std::optional<double> usd_per_h(const Prices& prices, PriceTerm term,
                                const devices::DeviceSpec* spec);
/// The spec's spot price, where nothing else is said: the pool gives no prices, and the host was
/// had on spot.
std::optional<double> listed_spot_usd_per_h(const Prices& prices, PriceTerm term,
                                            const devices::DeviceSpec* spec);
/// Whether this host's devices can be taken back.
bool is_spot(const Prices& prices, PriceTerm term);

}  // namespace drover::router
