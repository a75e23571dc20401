#include "router/jobs/fair_share.h"

#include <algorithm>

namespace drover::router {

void FairShare::set(const std::map<std::string, TenantLimit>& limits) {
  limits_ = {limits.begin(), limits.end()};
  shares_ = 0;
  for (const auto& [tenant, limit] : limits_) shares_ += limit.share;
}

/// A tenant that the policy does not name gets the smallest share of the named ones, and may
/// borrow.
TenantLimit FairShare::limit_of(std::string_view tenant) const {
  if (const TenantLimit* named = find_in(limits_, tenant)) return *named;
  TenantLimit least;
  for (const auto& [name, limit] : limits_) least.share = std::min(least.share, limit.share);
  return least;
}

FairShare::Account& FairShare::account_of(std::string_view tenant) {
  if (Account* known = find_in(accounts_, tenant)) return *known;
  if (accounts_.size() >= prune_at_) forget_idle();
  return accounts_[std::string(tenant)];
}

void FairShare::forget_idle() {
  std::erase_if(accounts_, [&](const auto& known) {
    const Account& account = known.second;
    return account.waiting == 0 && account.attempts == 0 && !limits_.contains(known.first);
  });
  // So that the search does not run for every new tenant while many are busy.
  prune_at_ = std::max(tenant_accounts_max, 2 * accounts_.size());
}

void FairShare::placed(std::string_view tenant, double devices, double device_s) {
  Account& account = account_of(tenant);
  account.held += devices;
  ++account.attempts;
  if (!counts()) return;
  now_ = std::max(now_, account.time);
  account.time += device_s / limit_of(tenant).share;
}

void FairShare::add_waiting(std::string_view tenant) {
  Account& account = account_of(tenant);
  if (account.waiting++ == 0) account.time = std::max(account.time, now_);
}

void FairShare::remove_waiting(std::string_view tenant) {
  Account* account = find_in(accounts_, tenant);
  if (account != nullptr && account->waiting > 0) --account->waiting;
}

void FairShare::ended(std::string_view tenant, double devices) {
  Account* account = find_in(accounts_, tenant);
  if (account == nullptr) return;
  if (account->attempts > 0) --account->attempts;
  // Sums of fractions do not return exactly to zero.
  account->held = account->attempts == 0 ? 0 : std::max(0.0, account->held - devices);
}

double FairShare::held(std::string_view tenant) const {
  const Account* account = find_in(accounts_, tenant);
  return account == nullptr ? 0 : account->held;
}

double FairShare::held_max(std::string_view tenant, double fleet_devices) const {
  const TenantLimit* limit = find_in(limits_, tenant);
  if (limit == nullptr || limit->borrow || shares_ <= 0) return 0;
  return std::max(1.0, fleet_devices * limit->share / shares_);
}

double FairShare::virtual_time(std::string_view tenant) const {
  const Account* account = find_in(accounts_, tenant);
  if (account == nullptr) return now_;
  return account->waiting > 0 ? account->time : std::max(account->time, now_);
}

double FairShare::deficit_device_s(std::string_view tenant) const {
  const double own = virtual_time(tenant);
  double ahead = own;
  for (const auto& [name, account] : accounts_) {
    if (account.waiting > 0 || account.held > 0) ahead = std::max(ahead, account.time);
  }
  return (ahead - own) * limit_of(tenant).share;
}

}  // namespace drover::router
