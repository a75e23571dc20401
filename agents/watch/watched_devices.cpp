#include "agents/watch/watched_devices.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "fleet/base/search.h"

namespace drover::agents {
namespace {

/// Each may be a group of its own, and a Register has at most so many.
constexpr std::size_t watched_devices_max = 1024;
/// Kinds of device of one host that a router accepts.
constexpr std::size_t kinds_max = 16;

/// What a reading does not say, such as that of a lost device, stays as it was. A page may add up
/// the memory from parts that were read at different times.
SpecFacts joined_facts(SpecFacts fresh, const SpecFacts& known) {
  constexpr double same_memory = 0.02;
  if (fresh.name.empty()) fresh.name = known.name;
  if (fresh.vendor.empty()) fresh.vendor = known.vendor;
  if (!fresh.power_cap_default_w) fresh.power_cap_default_w = known.power_cap_default_w;
  if (!fresh.power_cap_min_w) fresh.power_cap_min_w = known.power_cap_min_w;
  if (!fresh.slowdown_c) fresh.slowdown_c = known.slowdown_c;
  const double before = known.memory_bytes.value_or(0);
  if (before > 0 && std::abs(fresh.memory_bytes.value_or(before) - before) <= same_memory * before)
    fresh.memory_bytes = before;
  return fresh;
}

}  // namespace

/// Two devices of a page may have one identity: then the first counts.
void WatchedDevices::add_new(const HostReading& reading) {
  std::set<std::string_view> known;
  for (const WatchedDevice& device : devices_) known.insert(device.identity);
  std::vector<const BoardReading*> fresh;
  for (const BoardReading& board : reading.boards) {
    if (known.insert(board.identity).second) fresh.push_back(&board);
  }
  std::ranges::stable_sort(fresh, [](const BoardReading* a, const BoardReading* b) {
    return a->index.value_or(UINT16_MAX) < b->index.value_or(UINT16_MAX);
  });
  for (const BoardReading* board : fresh) {
    if (devices_.size() >= watched_devices_max) return;
    devices_.push_back({});
    devices_.back().identity = board->identity;
  }
}

void WatchedDevices::update(WatchedDevice& device, const BoardReading& reading) {
  device.board = reading.board;
  device.board.device = static_cast<std::uint16_t>(&device - devices_.data());
  if (device.cap_before_w > 0) device.board.power_cap_before_w = device.cap_before_w;
  const double cap_w = reading.values[Metric::power_cap];
  if (!std::isnan(cap_w)) device.cap_w = cap_w;
  // A spec takes up to a millisecond to write, and hardly ever changes.
  SpecFacts facts = spec_facts_of(reading, control_ && device.takes_caps);
  facts = joined_facts(std::move(facts), device.facts);
  if (!device.spec_id.empty() && facts == device.facts) return;
  device.facts = std::move(facts);
  for (const WatchedDevice& other : devices_) {
    if (&other == &device || other.spec_id.empty() || other.facts != device.facts) continue;
    device.spec_id = other.spec_id;
    return;
  }
  devices::DeviceSpec spec = spec_of(device.facts, catalogue_);
  device.spec_id.clear();
  drop_unused_specs();
  SpecText* known = find_by(specs_, &SpecText::id, spec.id);
  if (known == nullptr && specs_.size() >= kinds_max) {
    // A page may give each device another name: the last kind stands for all others.
    known = &specs_.back();
    spec.id = known->id;
  } else if (known == nullptr) {
    known = &specs_.emplace_back(SpecText{spec.id, to_toml(spec)});
    specs_changed_ = true;
  } else if (std::string text = to_toml(spec); known->text != text) {
    known->text = std::move(text);
    specs_changed_ = true;
  }
  device.spec_id = spec.id;
}

WatchedDevice* WatchedDevices::find(std::string_view identity) {
  return find_by(devices_, &WatchedDevice::identity, identity);
}

void WatchedDevices::drop_unused_specs() {
  std::erase_if(specs_, [&](const SpecText& spec) {
    return find_by(devices_, &WatchedDevice::spec_id, spec.id) == nullptr;
  });
}

std::vector<Group> WatchedDevices::groups() const {
  std::vector<Group> groups;
  for (const WatchedDevice& device : devices_) {
    if (groups.empty() || groups.back().device != device.spec_id) {
      Group group;
      group.number = static_cast<std::uint16_t>(groups.size());
      group.first = static_cast<std::uint16_t>(&device - devices_.data());
      group.device = device.spec_id;
      group.power_cap_w = std::clamp(device.cap_w, 0.0, 1e5);
      groups.push_back(std::move(group));
    }
    ++groups.back().count;
  }
  return groups;
}

std::vector<SpecText> WatchedDevices::take_specs(const std::vector<Group>& groups) {
  std::vector<SpecText> taken;
  for (const Group& group : groups) {
    if (find_by(taken, &SpecText::id, group.device) == nullptr)
      taken.push_back(*find_by(specs_, &SpecText::id, group.device));
  }
  specs_changed_ = false;
  return taken;
}

}  // namespace drover::agents
