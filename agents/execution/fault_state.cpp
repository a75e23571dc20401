#include "agents/execution/fault_state.h"

#include <algorithm>
#include <utility>

#include "fleet/xid.h"

namespace drover::agents {
namespace {

/// The same limits as the parser of fault texts.
bool in_range(const Fault& fault) {
  return fault.duration > Duration{0} && parse_fault(to_text(fault)).ok();
}

void make_unusable(FaultEffect& condition, Instant since, std::uint32_t xid, std::string why) {
  condition.unusable = std::move(why);
  condition.xid = xid;
  condition.since = since;
}

constexpr std::uint32_t off_bus_xid = 79;

/// Adds the effect of one fault.
void add(FaultEffect& condition, const Fault& fault, Instant since, bool tpu) {
  switch (fault.kind) {
    case FaultKind::throttle:
      condition.clock_limit = std::min(condition.clock_limit, fault.amount);
      break;
    case FaultKind::slow_link:
      condition.link_share = std::min(condition.link_share, fault.amount);
      break;
    case FaultKind::hang:
      condition.hung = true;
      break;
    case FaultKind::ecc:
      make_unusable(condition, since, 0, "uncorrectable memory error");
      break;
    case FaultKind::lose:
      condition.off_bus = true;
      make_unusable(condition, since, tpu ? 0 : off_bus_xid,
                    tpu ? std::string("TPU slice lost") : xid_text(off_bus_xid));
      break;
    case FaultKind::xid:
      condition.off_bus = condition.off_bus || effect_of_xid(fault.code) == XidEffect::off_bus;
      make_unusable(condition, since, fault.code, xid_text(fault.code));
      break;
    case FaultKind::inlet:  // of the host
    case FaultKind::fan:
    case FaultKind::reclaim:
      break;
  }
}

}  // namespace

bool FaultState::is_tpu(std::uint16_t device) const {
  return devices_[device].device_class == DeviceClass::tpu;
}

/// The devices that a fault affects: a link is its whole group's, and a TPU slice is lost as a
/// whole.
std::vector<std::uint16_t> FaultState::reached(const ApplyFault& apply) const {
  std::vector<bool> hit(devices_.size(), false);
  for (const std::uint16_t named : apply.devices) {
    if (named >= devices_.size()) continue;
    const bool whole = apply.fault.kind == FaultKind::slow_link ||
                       (apply.fault.kind == FaultKind::lose && is_tpu(named));
    for (std::size_t device = 0; device < devices_.size(); ++device) {
      const bool same_group = devices_[device].group == devices_[named].group;
      hit[device] = hit[device] || device == named || (whole && same_group);
    }
  }
  std::vector<std::uint16_t> devices;
  for (std::size_t device = 0; device < devices_.size(); ++device) {
    const auto index = static_cast<std::uint16_t>(device);
    if (hit[device] && !(apply.fault.kind == FaultKind::xid && is_tpu(index))) {
      devices.push_back(index);
    }
  }
  return devices;
}

void FaultState::enter(const Entry& entry) {
  std::erase_if(entries_, [&](const Entry& earlier) {
    return earlier.host == entry.host && earlier.device == entry.device &&
           earlier.fault.kind == entry.fault.kind;
  });
  entries_.push_back(entry);
}

/// Xids 48, 94 and 95 are uncorrectable memory errors, 92 is a high rate of corrected ones; the
/// counters rise by one.
void FaultState::log_error(std::uint16_t device, const Fault& fault) {
  DeviceError error{device, 0};
  if (fault.kind == FaultKind::xid) error.xid = fault.code;
  if (fault.kind == FaultKind::lose && !is_tpu(device)) error.xid = off_bus_xid;
  const bool ecc = fault.kind == FaultKind::ecc;
  if (error.xid == 0 && !ecc) return;
  EccCounts& counts = errors_.ecc[device];
  if (ecc || error.xid == 48 || error.xid == 94 || error.xid == 95) ++counts.uncorrected;
  if (error.xid == 92) ++counts.corrected;
  if (errors_.newest.size() == errors_kept_max) errors_.newest.erase(errors_.newest.begin());
  errors_.newest.push_back(error);
  ++errors_.total;
}

std::vector<Incident> FaultState::apply(Instant now, const ApplyFault& request,
                                        FaultOrigin origin) {
  const Fault& fault = request.fault;
  if (!in_range(fault)) return {};
  const Instant until = saturating_add(now, total_duration(fault));
  const bool air = fault.kind == FaultKind::inlet || fault.kind == FaultKind::fan;
  const bool reclaims = fault.kind == FaultKind::reclaim;
  if (air || reclaims || request.host) {
    const bool known = air || reclaims || fault.kind == FaultKind::lose;
    if (known) enter({true, 0, fault, now, until, origin});
    return {};
  }
  const bool passing = clears_immediately(fault);
  std::vector<Incident> incidents;
  for (const std::uint16_t device : reached(request)) {
    log_error(device, fault);
    if (passing) {
      const bool work_fails = effect_of_xid(fault.code) == XidEffect::work_fails;
      incidents.push_back({device, fault.code, xid_text(fault.code), work_fails});
    } else {
      enter({false, device, fault, now, until, origin});
    }
  }
  return incidents;
}

Instant FaultState::next_end() const {
  Instant next = reclaimed_at().value_or(never);
  for (const Entry& entry : entries_) next = std::min(next, entry.until);
  return next;
}

void FaultState::end(Instant now) {
  for (Entry& entry : entries_) {
    // The notice is over: from now on the host is lost.
    const bool reclaims = entry.fault.kind == FaultKind::reclaim;
    if (reclaims && entry.until - entry.fault.duration <= now) entry.fault.kind = FaultKind::lose;
  }
  std::erase_if(entries_, [&](const Entry& entry) { return entry.until <= now; });
}

std::vector<ActiveFault> FaultState::requested() const {
  std::vector<ActiveFault> faults;
  for (const Entry& entry : entries_) {
    if (entry.origin != FaultOrigin::requested) continue;
    const bool more = !faults.empty() && !entry.host && !faults.back().host &&
                      faults.back().fault == entry.fault && faults.back().until == entry.until;
    if (!more) {
      if (faults.size() == active_faults_max) break;
      faults.push_back({entry.host, {}, entry.fault, entry.until});
    }
    if (!entry.host) faults.back().devices.push_back(entry.device);
  }
  return faults;
}

FaultEffect FaultState::effect_on(std::uint16_t device) const {
  FaultEffect effect;
  for (const Entry& entry : entries_) {
    if (entry.host || entry.device != device) continue;
    add(effect, entry.fault, entry.since, is_tpu(device));
  }
  return effect;
}

std::optional<Instant> FaultState::newest(std::uint16_t device) const {
  std::optional<Instant> since;
  for (const Entry& entry : entries_) {
    if (!entry.host && entry.device != device) continue;
    since = std::max(since.value_or(entry.since), entry.since);
  }
  return since;
}

const FaultState::Entry* FaultState::host_fault(FaultKind kind) const {
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) {
    return entry.host && entry.fault.kind == kind;
  });
  return found == entries_.end() ? nullptr : &*found;
}

double FaultState::inlet_k() const {
  const Entry* inlet = host_fault(FaultKind::inlet);
  return inlet == nullptr ? 0 : inlet->fault.amount;
}

double FaultState::airflow() const {
  const Entry* fan = host_fault(FaultKind::fan);
  return fan == nullptr ? 1 : fan->fault.amount;
}

std::optional<Instant> FaultState::reclaimed_at() const {
  const Entry* reclaim = host_fault(FaultKind::reclaim);
  if (reclaim == nullptr) return std::nullopt;
  return reclaim->until - reclaim->fault.duration;
}

bool FaultState::host_lost() const { return host_fault(FaultKind::lose) != nullptr; }

}  // namespace drover::agents
