#include "router/actions/drains.h"

#include <algorithm>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "router/actions/injection.h"
#include "router/actions/power_caps.h"

namespace drover::router {

DevicePlace place_of(const Roster& roster, const Policy& policy, HostIndex host,
                     std::uint16_t number) {
  const HostEntry& entry = roster.hosts()[host];
  DevicePlace place{entry.hello.host, entry.hello.rack, number, {}};
  const DeviceIndex device = entry.devices[number];
  for (const std::uint32_t pool : roster.groups()[roster.devices().group[device]].pools) {
    if (pool < policy.pools.size()) place.pools.push_back(policy.pools[pool].name);
  }
  return place;
}

bool covers(const Target& target, const DevicePlace& place) {
  switch (target.kind) {
    case TargetKind::device:
      return place.host == target.name && place.number == target.device;
    case TargetKind::host:
      return place.host == target.name;
    case TargetKind::rack:
      return place.rack == target.name;
    case TargetKind::pool:
      return std::find(place.pools.begin(), place.pools.end(), target.name) != place.pools.end();
    case TargetKind::site:
      return true;
  }
  return false;
}

void DrainBook::say(Instant now, const SetDrain& said) {
  const auto target = parse_target(said.target);
  DROVER_REQUIRE(target.ok());
  // The site is everything: nothing that was said before it counts any more.
  if (target->kind == TargetKind::site) words_.clear();
  std::erase_if(words_, [&](const Word& word) { return word.target == *target; });
  const Instant deadline = said.deadline > Duration{0} ? saturating_add(now, said.deadline) : never;
  words_.push_back({*target, said.drained, deadline});
  // To let work come where nothing keeps it away says nothing.
  const auto first =
      std::find_if(words_.begin(), words_.end(), [](const Word& word) { return word.drained; });
  words_.erase(words_.begin(), first);
}

const DrainBook::Word* DrainBook::over(const DevicePlace& place) const {
  for (auto word = words_.rbegin(); word != words_.rend(); ++word) {
    if (covers(word->target, place)) return word->drained ? &*word : nullptr;
  }
  return nullptr;
}

bool DrainBook::names(const Target& target) const {
  return std::any_of(words_.begin(), words_.end(),
                     [&](const Word& word) { return word.drained && word.target == target; });
}

std::vector<Target> DrainBook::pass_deadlines(Instant now) {
  std::vector<Target> passed;
  for (const Word& word : words_) {
    if (word.deadline > passed_ && word.deadline <= now) passed.push_back(word.target);
  }
  passed_ = std::max(passed_, now);
  return passed;
}

Instant DrainBook::next_deadline() const {
  Instant next = never;
  for (const Word& word : words_) {
    if (word.deadline > passed_) next = std::min(next, word.deadline);
  }
  return next;
}

Result<Target> check_drain(const SetDrain& said, const Roster& roster, const Policy& policy,
                           const DrainBook& drains) {
  const auto target = parse_target(said.target);
  if (!target) return target.error();
  if (said.deadline < Duration{0} || said.deadline > action_span_max) {
    return error("a deadline in {} s, expected 0 (none) to a week", to_seconds(said.deadline));
  }
  if (!said.drained && said.deadline > Duration{0}) {
    return error("a deadline is for what is drained, expected none to resume");
  }
  // What a restarted router has not heard of again can still be given back.
  if (drains.names(*target)) return *target;
  if (auto status = check_known(*target, roster, policy); !status) return status.error();
  if (target->kind == TargetKind::device) {
    const std::size_t count = roster.hosts()[*roster.find_host(target->name)].devices.size();
    if (target->device >= count) {
      return error("no device {}: {} has the devices 0 to {}", to_text(*target), target->name,
                   count - 1);
    }
  }
  return *target;
}

std::string action_text(const SetDrain& said) {
  if (!said.drained) return "resume";
  if (said.deadline <= Duration{0}) return "drain";
  return fmt::format("drain, {} for running work", duration_text(to_seconds(said.deadline)));
}

}  // namespace drover::router
