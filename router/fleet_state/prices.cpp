#include "router/fleet_state/prices.h"

#include <array>
#include <string_view>
#include <utility>

#include "devices/catalogue/spec.h"

namespace drover::router {
namespace {

constexpr double hours_per_year = 365.25 * 24;

}  // namespace

PurchaseOption price_term(const std::map<std::string, std::string>& labels) {
  static constexpr std::array<std::pair<std::string_view, PurchaseOption>, 3> words = {
      {{"on_demand", PurchaseOption::on_demand},
       {"reserved", PurchaseOption::reserved},
       {"spot", PurchaseOption::spot}}};
  const auto label = labels.find("price");
  if (label == labels.end()) return PurchaseOption::unspecified;
  for (const auto& [word, term] : words) {
    if (label->second == word) return term;
  }
  return PurchaseOption::other;
}

std::optional<double> listed_spot_usd_per_h(const Prices& prices, PurchaseOption term,
                                            const devices::DeviceSpec* spec) {
  if (prices.given() || spec == nullptr || spec->price.spot_usd_per_h <= 0) return std::nullopt;
  if (!is_spot(prices, term)) return std::nullopt;
  return spec->price.spot_usd_per_h;
}

std::optional<double> usd_per_h(const Prices& prices, PurchaseOption term,
                                const devices::DeviceSpec* spec) {
  if (!prices.given()) return listed_spot_usd_per_h(prices, term, spec);
  const std::array<std::pair<PurchaseOption, std::optional<double>>, 3> rows = {
      {{PurchaseOption::on_demand, prices.on_demand_usd_per_h},
       {PurchaseOption::reserved, prices.reserved_usd_per_h},
       {PurchaseOption::spot, prices.spot_usd_per_h}}};
  for (const auto& [of_term, price] : rows) {
    if (price && term == of_term) return price;
  }
  for (const auto& [of_term, price] : rows) {
    if (price) return price;
  }
  return prices.purchase_usd / (prices.years * hours_per_year);
}

bool is_spot(const Prices& prices, PurchaseOption term) {
  if (term != PurchaseOption::unspecified) return term == PurchaseOption::spot;
  return prices.spot_usd_per_h && !prices.on_demand_usd_per_h && !prices.reserved_usd_per_h;
}

}  // namespace drover::router
