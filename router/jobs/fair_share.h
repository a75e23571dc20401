// Fair shares: which tenant's job goes next, and how many devices a tenant may hold.
//
// Start-time fair queueing (Goyal, Vin, Cheng, SIGCOMM 1996): each tenant has a virtual time that
// grows by the device-seconds it receives divided by its share; the tenant with the lowest virtual
// time goes next. A tenant that had nothing waiting starts at the virtual time of those that do, so
// that idle time earns no credit; a tenant whose work waits for capacity keeps its deficit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "router/policy/policy.h"

namespace drover::router {

/// Accounts kept. A job may name any tenant. Beyond this number, the accounts of tenants that the
/// policy does not name and that have neither waiting work nor devices are dropped: inventing
/// tenant names gains nothing.
inline constexpr std::size_t tenant_accounts_max = 4096;

class FairShare {
 public:
  /// Without limits all tenants are equal, and nothing is counted.
  void set(const std::map<std::string, TenantLimit>& limits);
  bool counts() const { return !limits_.empty(); }

  /// One of its jobs starts to wait, or stops waiting.
  void add_waiting(std::string_view tenant);
  void remove_waiting(std::string_view tenant);
  /// An attempt on `devices` devices was placed, for `device_s` expected device-seconds.
  void placed(std::string_view tenant, double devices, double device_s);
  void ended(std::string_view tenant, double devices);
  double held(std::string_view tenant) const;
  /// Devices that it may hold of a fleet of this size; 0: any number.
  double held_max(std::string_view tenant, double fleet_devices) const;

  /// Sort key of tenants with waiting jobs: the smallest goes first.
  double virtual_time(std::string_view tenant) const;
  /// Its deficit in device-seconds against the tenants with work waiting or running; 0: none is
  /// ahead of it.
  double deficit_device_s(std::string_view tenant) const;
  std::size_t account_count() const { return accounts_.size(); }

 private:
  struct Account {
    double held = 0;
    std::uint64_t attempts = 0;  // that hold these devices
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
  std::size_t prune_at_ =
      tenant_accounts_max;  // number of accounts at which idle ones are dropped next
};

}  // namespace drover::router
