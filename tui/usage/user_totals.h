// Who uses the fleet: sums by tenant and user, over the jobs of the router and the processes on
// real devices.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tui/model/model.h"

namespace drover::tui {

/// A sum over devices; NaN if no device tells the value.
struct KnownSum {
  double sum = absent;
  std::uint32_t missing = 0;  // devices or processes that do not tell it
  void add(double value);
};

/// What one user of a tenant uses. A device that several use is divided among them: by their
/// processes' shares of its time if the driver tells all of them, else in equal parts for each job
/// and process. Of a process, memory is its own.
struct UserTotals {
  std::string tenant, user;  // empty: not known; jobs name no user
  std::uint32_t hosts = 0, devices = 0;
  KnownSum memory_bytes, power_w, usd_per_h;
  std::uint32_t running = 0, waiting = 0;  // jobs
  std::uint32_t processes = 0;
  bool is_lower_bound = false;  // of hosts, devices and jobs: not all open jobs are known
  std::optional<JobId> oldest;  // of its open jobs, the one that was submitted first
  Instant oldest_at{};

  bool is(std::string_view other_tenant, std::string_view other_user) const {
    return tenant == other_tenant && user == other_user;
  }
};

struct Usage {
  std::vector<UserTotals> users;        // by tenant and user
  std::uint32_t devices = 0, used = 0;  // that are not lost
  double power_w = absent;              // of all these devices
  std::uint32_t unlisted = 0;           // real devices whose processes are not known
  std::uint32_t left_out = 0;           // processes that their agents left out
  std::uint64_t unknown_jobs = 0;       // open jobs that only the router knows
};

using JobPredicate = std::function<bool(const JobChanged& job)>;

/// Of the devices and jobs that count; null: all do.
Usage usage_of(const Model& model, Instant now, const RowPredicate& counts_device = nullptr,
               const JobPredicate& counts_job = nullptr);

}  // namespace drover::tui
