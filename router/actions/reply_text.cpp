#include "router/actions/reply_text.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "fleet/base/identity.h"
#include "fleet/base/text.h"
#include "fleet/xid.h"
#include "router/decision/candidates.h"

namespace drover::router {
namespace {

constexpr std::size_t named_max = 8;

constexpr std::string_view fails = "work there fails and is requeued";

std::string xid_follows(std::uint32_t code) {
  switch (effect_of_xid(code)) {
    case XidEffect::none:
      return "running work continues";
    case XidEffect::work_fails:
      return fmt::format("{}, new work may start at once", fails);
    case XidEffect::reset:
    case XidEffect::off_bus:
      return fmt::format("unusable for that time; {}", fails);
  }
  return "";
}

}  // namespace

std::string describe_target(const Target& target) {
  switch (target.kind) {
    case TargetKind::device:
      return to_text(DeviceId{target.name, target.device});
    case TargetKind::host:
      return target.name;
    case TargetKind::rack:
      return "rack " + target.name;
    case TargetKind::pool:
      return "pool " + target.name;
    case TargetKind::site:
      return "the site";
  }
  return "";
}

std::string fleet_time_text(Instant at) { return to_clock_text(at) + " fleet time"; }

std::string compact_targets(const std::vector<std::string>& targets) {
  std::map<std::string, std::vector<std::uint16_t>> hosts;  // no devices: the host itself
  std::vector<std::string> others;
  for (const std::string& target : targets) {
    if (const auto device = parse_device_id(target)) {
      hosts[device->host].push_back(device->index);
    } else {
      others.push_back(target);
    }
  }
  for (auto& [host, devices] : hosts) {
    std::ranges::sort(devices);
    others.push_back(target_text(host, devices));
  }
  return shortened_list(others, named_max);
}

std::string fault_effect_text(const Fault& fault, bool hosts) {
  switch (fault.kind) {
    case FaultKind::throttle:
      return "work there slows down";
    case FaultKind::hang:
      return "its work is paused for that time";
    case FaultKind::xid:
      return xid_follows(fault.code);
    case FaultKind::ecc:
      return fmt::format("unusable for that time; {}", fails);
    case FaultKind::lose:
      return hosts ? "silent for that time; once they count as lost, their work is requeued"
                   : fmt::format("unusable for that time; {}", fails);
    case FaultKind::slow_link:
      return "work over its links slows down";
    case FaultKind::inlet:
    case FaultKind::fan:
      return "work there slows down once devices throttle";
    case FaultKind::reclaim:
      return "no new work from now on; work still running after the notice is requeued";
  }
  return "";
}

}  // namespace drover::router
