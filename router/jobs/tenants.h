// Fair shares: which tenant's job goes next, and how many devices a tenant may hold.
//
// Start-time fair queueing (Goyal, Vin, Cheng, SIGCOMM 1996): each tenant has a virtual time that
// grows by the device-seconds it is given over its share; the one that is behind goes next. A
// tenant that had nothing waiting starts at the time of those who do, so that nobody saves up; one
// whose work waits for room keeps what it is owed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "router/policy/policy.h"

namespace drover::router {

/// Any job may name a tenant that nobody has heard of. Of those that the policy does not name and
/// that have neither work waiting nor devices, what they have had is forgotten when more than so
/// many accounts are kept: naming new tenants gains nobody anything.
inline constexpr std::size_t tenant_accounts_max = 4096;

class TenantBook {
 public:
  /// Without limits every tenant is equal, and nothing is counted.
  void set(const std::map<std::string, TenantLimit>& limits);
  bool counts() const { return !limits_.empty(); }

  /// One of its jobs waits from now on, or no longer.
  void waits(std::string_view tenant);
  void waits_no_more(std::string_view tenant);
  /// An attempt of so many devices was placed, for so many expected device-seconds.
  void placed(std::string_view tenant, double devices, double device_s);
  void ended(std::string_view tenant, double devices);
  double held(std::string_view tenant) const;
  /// Devices that it may hold of a fleet of so many; 0: any number.
  double held_max(std::string_view tenant, double fleet_devices) const;

  /// Orders tenants that have jobs waiting: the smallest goes first.
  double virtual_time(std::string_view tenant) const;
  /// Device-seconds that it should have had, for all that any other tenant was given that has work
  /// waiting or running; 0: none is ahead of it.
  double owed_device_s(std::string_view tenant) const;
  std::size_t account_count() const { return accounts_.size(); }

 private:
  struct Account {
    double held = 0;
    std::uint64_t attempts = 0;  // that hold it
    double time = 0;
    std::uint64_t waiting = 0;  // jobs
  };
  TenantLimit limit_of(std::string_view tenant) const;
  Account& account_of(std::string_view tenant);
  void forget_idle();

  std::map<std::string, TenantLimit, std::less<>> limits_;
  double shares_ = 0;
  double now_ = 0;  // virtual time of the tenant served last
  std::map<std::string, Account, std::less<>> accounts_;
  std::size_t looked_through_at_ = tenant_accounts_max;  // accounts, when idle ones are looked for
};

}  // namespace drover::router
