// Each job and process is a claim of its owner on a device. The claims on a device divide its
// power, its price and, unless processes have their own, its memory.
#include "tui/usage/user_totals.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "tui/usage/job_devices.h"

namespace drover::tui {
namespace {

struct Claim {
  DeviceTable::Row row = 0;
  std::uint32_t owner = 0;
  double weight = 1;
  bool of_process = false;
};

class UsageCounter {
 public:
  UsageCounter(const Model& model, Instant now, const RowPredicate& counts_device)
      : model_(model), now_(now), counts_device_(counts_device) {}

  void add_job(const JobChanged& job) {
    const bool placed = is_placed(job.state);
    if (!placed && job.state != JobState::queued) return;
    const std::uint32_t owner = owner_of(job.job.tenant, {});
    UserTotals& user = owners_[owner];
    ++(placed ? user.running : user.waiting);
    if (!user.oldest || job.submitted < user.oldest_at) {
      user.oldest = job.job.id;
      user.oldest_at = job.submitted;
    }
    if (!placed) return;
    for (const DeviceTable::Row row : rows_of_target(model_, job.target)) {
      if (counts(row)) claims_.push_back({row, owner});
    }
  }

  /// The processes of a real device.
  void add_processes(DeviceTable::Row row, const Board& board) {
    double shares = 0;
    for (const DeviceProcess& process : board.processes) shares += process.share.value_or(absent);
    for (const DeviceProcess& process : board.processes) {
      const std::uint32_t owner = owner_of(process.tenant, process.user);
      ++owners_[owner].processes;
      owners_[owner].memory_bytes.add(process.memory_bytes.value_or(absent));
      claims_.push_back({row, owner, shares > 0 ? *process.share / shares : 1, true});
    }
  }

  bool counts(DeviceTable::Row row) const {
    return !model_.is_gone(row) && (!counts_device_ || counts_device_(row));
  }

  /// Divides the devices and returns the number of those that are used.
  std::uint32_t divide() {
    std::ranges::sort(claims_, {},
                      [](const Claim& claim) { return std::pair(claim.row, claim.owner); });
    std::uint32_t used = 0;
    for (auto first = claims_.begin(); first != claims_.end(); ++used) {
      const auto end = std::find_if(first, claims_.end(),
                                    [&](const Claim& claim) { return claim.row != first->row; });
      divide({first, end});
      first = end;
    }
    return used;
  }

  std::vector<UserTotals> take_users() {
    std::ranges::sort(owners_, {},
                      [](const UserTotals& user) { return std::tie(user.tenant, user.user); });
    return std::move(owners_);
  }

 private:
  std::uint32_t owner_of(const std::string& tenant, const std::string& user) {
    const auto [known, is_new] =
        numbers_.try_emplace({tenant, user}, static_cast<std::uint32_t>(owners_.size()));
    if (is_new) {
      UserTotals made;
      made.tenant = tenant;
      made.user = user;
      made.is_lower_bound = model_.unknown_open_jobs() > 0;
      owners_.push_back(std::move(made));
      last_host_.push_back(UINT32_MAX);
    }
    return known->second;
  }

  double value(DeviceTable::Row row, Metric metric) const {
    return model_.is_stale(now_, row) ? absent : model_.devices().value(row, metric);
  }

  /// The claims on one device, by owner.
  void divide(std::span<const Claim> claims) {
    double weights = 0;
    for (const Claim& claim : claims) weights += claim.weight;
    const DeviceTable::Row row = claims.front().row;
    for (std::size_t i = 0; i < claims.size();) {
      const std::uint32_t owner = claims[i].owner;
      double own = 0, of_jobs = 0;
      for (; i < claims.size() && claims[i].owner == owner; ++i) {
        own += claims[i].weight;
        if (!claims[i].of_process) of_jobs += claims[i].weight;
      }
      UserTotals& user = owners_[owner];
      ++user.devices;
      // Rows of a host are adjacent, and claims are in the order of rows.
      if (std::exchange(last_host_[owner], model_.devices().host(row)) !=
          model_.devices().host(row)) {
        ++user.hosts;
      }
      user.power_w.add(value(row, Metric::power) * own / weights);
      user.usd_per_h.add(model_.price_usd_per_h(row) * own / weights);
      if (of_jobs > 0) user.memory_bytes.add(value(row, Metric::memory_used) * of_jobs / weights);
    }
  }

  const Model& model_;
  Instant now_;
  const RowPredicate& counts_device_;
  std::map<std::pair<std::string, std::string>, std::uint32_t> numbers_;
  std::vector<UserTotals> owners_;
  std::vector<std::uint32_t> last_host_;  // of each owner, while devices are divided
  std::vector<Claim> claims_;
};

}  // namespace

void KnownSum::add(double value) {
  if (std::isnan(value)) {
    ++missing;
  } else {
    sum = std::isnan(sum) ? value : sum + value;
  }
}

Usage usage_of(const Model& model, Instant now, const RowPredicate& counts_device,
               const JobPredicate& counts_job) {
  Usage usage;
  usage.unknown_jobs = model.unknown_open_jobs();
  UsageCounter counter(model, now, counts_device);
  for (const auto& [id, job] : model.jobs()) {
    if (!counts_job || counts_job(job.reported)) counter.add_job(job.reported);
  }
  for (DeviceTable::Row row = 0; row < model.devices().rows(); ++row) {
    if (!counter.counts(row)) continue;
    ++usage.devices;
    const double power_w =
        model.is_stale(now, row) ? absent : model.devices().value(row, Metric::power);
    if (!std::isnan(power_w)) {
      usage.power_w = std::isnan(usage.power_w) ? power_w : usage.power_w + power_w;
    }
    if (!model.spec_of(row).real) continue;
    const Board* const board = model.board_of(row);
    if (board == nullptr || (!board->processes_known && board->processes.empty())) {
      ++usage.unlisted;
      continue;
    }
    usage.left_out += board->processes_left_out;
    counter.add_processes(row, *board);
  }
  usage.used = counter.divide();
  usage.users = counter.take_users();
  return usage;
}

}  // namespace drover::tui
