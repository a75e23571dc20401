#include "agents/watch/watched_host.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "agents/watch/board_spec.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"
#include "fleet/xid.h"

namespace drover::agents {
namespace {

/// A device of the host, in the order in which they were found.
struct WatchedDevice {
  std::string identity;
  SpecFacts facts;      // from which its spec is made
  std::string spec_id;  // of that spec
  Board board;
  Board sent;  // as last reported
  Instant sent_at{};
  bool reported = false;    // since the last Register
  std::string lost;         // why it does not answer; empty: it does
  double cap_w = 0;         // its power cap at the last reading; 0: not known
  double cap_before_w = 0;  // before the router set one; 0: it has set none
  bool capped = false;      // the driver has set one since
  bool takes_caps = true;   // the driver has not refused one
};

/// Each may be a group of its own, and a Register has at most so many.
constexpr std::size_t watched_devices_max = 1024;
/// Interval between reports of changes to processes and partitions alone.
constexpr Duration processes_every = std::chrono::seconds(5);
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

bool same_shape(const std::vector<Group>& one, const std::vector<Group>& other) {
  return std::ranges::equal(one, other, [](const Group& a, const Group& b) {
    return a.first == b.first && a.count == b.count && a.device == b.device;
  });
}

/// The memory of processes changes all the time; only that can wait.
bool is_worth_sending(const WatchedDevice& device, Instant now) {
  if (device.sent == device.board) return false;
  if (now - device.sent_at >= processes_every) return true;
  Board shown = device.sent;
  shown.processes = device.board.processes;
  shown.processes_left_out = device.board.processes_left_out;
  shown.partitions = device.board.partitions;
  return shown != device.board;
}

/// The first point after `now` of a grid. One process speaks for many hosts: their heartbeats go
/// out together, not one by one.
Instant next_point(Instant now, Duration every) {
  return saturating_add(now, every - now.time_since_epoch() % every);
}

}  // namespace

struct WatchedHost::State {
  State(WatchedHostSettings given, const devices::Catalogue& known)
      : settings(std::move(given)), catalogue(known) {
    counters.incarnation = settings.incarnation;
  }

  void send(Instant at, Message body) {
    effects.push_back(
        Send{router_peer, {settings.host, ++control_sequence, at, std::move(body)}, 0});
  }

  std::uint16_t index_of(const BoardReading& reading);
  void add_new(const HostReading& reading);
  void update(WatchedDevice& device, const BoardReading& reading);
  void drop_unused_specs();
  std::vector<Group> groups() const;
  void send_register(Instant now);
  void report(Instant now, std::uint16_t index, const BoardReading& reading);
  void handle(Instant now, const CapDevices& cap);
  void refuse_cap(Instant now, const WatchedDevice& device, std::string why);
  void set_cap(Instant now, WatchedDevice& device, double watts);
  void restore_cap(WatchedDevice& device);

  WatchedHostSettings settings;
  const devices::Catalogue& catalogue;
  std::vector<WatchedDevice> devices;
  std::vector<SpecText> specs;                // that they have
  bool specs_changed = false;                 // since the last Register
  std::map<std::string, std::string> labels;  // as its reading has them
  std::vector<Group> registered;              // as in the last Register

  bool joined = false;
  bool present = false;  // registered, and neither lost nor left
  bool ended = false;
  Instant asked_at{};  // when the router asked for the next Register
  Duration heartbeat_every{};
  Instant next_heartbeat = never;
  std::optional<HostReading> first_reading;  // the latest until it has joined
  Instant failing_since = never;
  int failures = 0;  // in a row
  Heartbeat counters;
  std::uint64_t control_sequence = 0;
  std::uint64_t samples_sequence = 0;
  std::vector<WatchEffect> effects;
};

/// Two devices of a page may have one identity: then the first counts.
void WatchedHost::State::add_new(const HostReading& reading) {
  std::set<std::string_view> known;
  for (const WatchedDevice& device : devices) known.insert(device.identity);
  std::vector<const BoardReading*> fresh;
  for (const BoardReading& board : reading.boards) {
    if (known.insert(board.identity).second) fresh.push_back(&board);
  }
  std::ranges::stable_sort(fresh, [](const BoardReading* a, const BoardReading* b) {
    return a->index.value_or(UINT16_MAX) < b->index.value_or(UINT16_MAX);
  });
  for (const BoardReading* board : fresh) {
    if (devices.size() >= watched_devices_max) return;
    devices.push_back({});
    devices.back().identity = board->identity;
  }
}

void WatchedHost::State::update(WatchedDevice& device, const BoardReading& reading) {
  device.board = reading.board;
  device.board.device = static_cast<std::uint16_t>(&device - devices.data());
  if (device.cap_before_w > 0) device.board.power_cap_before_w = device.cap_before_w;
  const double cap_w = reading.values[Metric::power_cap];
  if (!std::isnan(cap_w)) device.cap_w = cap_w;
  // A spec takes up to a millisecond to write, and hardly ever changes.
  SpecFacts facts = spec_facts_of(reading, settings.control && device.takes_caps);
  facts = joined_facts(std::move(facts), device.facts);
  if (!device.spec_id.empty() && facts == device.facts) return;
  device.facts = std::move(facts);
  for (const WatchedDevice& other : devices) {
    if (&other == &device || other.spec_id.empty() || other.facts != device.facts) continue;
    device.spec_id = other.spec_id;
    return;
  }
  devices::DeviceSpec spec = spec_of(device.facts, catalogue);
  device.spec_id.clear();
  drop_unused_specs();
  SpecText* known = find_by(specs, &SpecText::id, spec.id);
  if (known == nullptr && specs.size() >= kinds_max) {
    // A page may give each device another name: the last kind stands for all others.
    known = &specs.back();
    spec.id = known->id;
  } else if (known == nullptr) {
    known = &specs.emplace_back(SpecText{spec.id, to_toml(spec)});
    specs_changed = true;
  } else if (std::string text = to_toml(spec); known->text != text) {
    known->text = std::move(text);
    specs_changed = true;
  }
  device.spec_id = spec.id;
}

void WatchedHost::State::drop_unused_specs() {
  std::erase_if(specs, [&](const SpecText& spec) {
    return find_by(devices, &WatchedDevice::spec_id, spec.id) == nullptr;
  });
}

/// Neighbours of the same kind. Which of them share a fast interconnect is not known.
std::vector<Group> WatchedHost::State::groups() const {
  std::vector<Group> groups;
  for (const WatchedDevice& device : devices) {
    if (groups.empty() || groups.back().device != device.spec_id) {
      Group group;
      group.number = static_cast<std::uint16_t>(groups.size());
      group.first = static_cast<std::uint16_t>(&device - devices.data());
      group.device = device.spec_id;
      group.power_cap_w = std::clamp(device.cap_w, 0.0, 1e5);
      groups.push_back(std::move(group));
    }
    ++groups.back().count;
  }
  return groups;
}

void WatchedHost::State::send_register(Instant now) {
  Register registration;
  registration.host = settings.host;
  registration.rack = settings.rack;
  registration.site = settings.site;
  registration.labels = settings.labels;
  registration.labels.insert(labels.begin(), labels.end());
  registration.incarnation = settings.incarnation;
  registration.software = software_name;
  registration.sample_every = settings.read_every;
  registration.asked_at = std::exchange(asked_at, Instant{});
  registration.groups = registered = groups();
  for (const Group& group : registered) {
    const bool sent = find_by(registration.specs, &SpecText::id, group.device) != nullptr;
    if (!sent) registration.specs.push_back(*find_by(specs, &SpecText::id, group.device));
  }
  specs_changed = false;
  send(now, std::move(registration));
  for (WatchedDevice& device : devices) device.reported = false;
  present = true;
  if (next_heartbeat == never) next_heartbeat = next_point(now, heartbeat_every);
}

/// What it is and who uses it, whether it answers, and its new errors.
void WatchedHost::State::report(Instant now, std::uint16_t index, const BoardReading& reading) {
  WatchedDevice& device = devices[index];
  if (!device.reported || is_worth_sending(device, now)) {
    send(now, BoardReport{device.board});
    device.sent = device.board;
    device.sent_at = now;
  }
  // A warning each. What they mean for the device shows in whether it answers.
  for (const std::uint32_t xid : reading.xids)
    send(now, DeviceReport{index, reading.lost.empty(), xid, xid_text(xid)});
  if (device.lost != reading.lost || (!device.reported && !reading.lost.empty())) {
    send(now, DeviceReport{index, reading.lost.empty(), 0, reading.lost});
  }
  device.lost = reading.lost;
  device.reported = true;
}

/// Nothing is said of a device that is lost: a report would replace the reason.
void WatchedHost::State::refuse_cap(Instant now, const WatchedDevice& device, std::string why) {
  if (!device.lost.empty()) return;
  const auto index = static_cast<std::uint16_t>(&device - devices.data());
  send(now, DeviceReport{index, true, 0, std::move(why)});
}

/// Caps that are no lower than the owner's own end Drover's.
void WatchedHost::State::set_cap(Instant now, WatchedDevice& device, double watts) {
  if (!settings.control) {
    return refuse_cap(now, device,
                      "power cap not set: the agent on the device's host needs --control");
  }
  const double usual_w =
      device.cap_w > 0 ? device.cap_w : device.board.power_cap_default_w.value_or(0);
  const double before_w = device.cap_before_w > 0 ? device.cap_before_w : usual_w;
  if (watts <= 0 || (before_w > 0 && watts >= before_w)) return restore_cap(device);
  if (before_w == 0) {
    return refuse_cap(now, device,
                      "power cap not set: the present one is unknown, so it could not be restored");
  }
  device.cap_before_w = before_w;
  effects.push_back(CapBoard{device.identity, watts});
}

void WatchedHost::State::restore_cap(WatchedDevice& device) {
  device.capped = false;
  const double before_w = std::exchange(device.cap_before_w, 0);
  if (before_w > 0) effects.push_back(CapBoard{device.identity, before_w});
}

void WatchedHost::State::handle(Instant now, const CapDevices& cap) {
  for (const std::uint16_t index : cap.devices) {
    if (index < devices.size()) set_cap(now, devices[index], cap.watts);
  }
}

WatchedHost::WatchedHost(WatchedHostSettings settings, const devices::Catalogue& catalogue)
    : state_(std::make_unique<State>(std::move(settings), catalogue)) {}

WatchedHost::~WatchedHost() = default;

void WatchedHost::handle_join_accepted(Instant now, const JoinAccepted& accepted) {
  State& state = *state_;
  if (state.ended) return;
  state.joined = true;
  state.heartbeat_every =
      std::max(accepted.heartbeat_every, Duration(std::chrono::milliseconds(1)));
  state.asked_at = accepted.fleet_time;
  state.present = false;
  const auto first = std::exchange(state.first_reading, {});
  if (state.failures > 0) return;
  if (first) return read(now, *first);
  if (!state.devices.empty()) state.send_register(now);
}

void WatchedHost::receive(Instant now, const Envelope& envelope) {
  State& state = *state_;
  tick(now);
  if (state.ended) return;
  if (const auto* cap = std::get_if<CapDevices>(&envelope.body)) {
    state.handle(now, *cap);
  } else if (const auto* wanted = std::get_if<Reregister>(&envelope.body)) {
    // A host that does not answer is registered when it does.
    state.asked_at = wanted->fleet_time;
    state.present = false;
    if (state.joined && !state.devices.empty() && state.failures == 0) state.send_register(now);
  } else if (std::holds_alternative<Superseded>(envelope.body)) {
    state.ended = true;
    for (WatchedDevice& device : state.devices) state.restore_cap(device);
    state.effects.emplace_back(Replaced{});
  } else if (const auto* assign = std::get_if<Assign>(&envelope.body)) {
    state.send(now, Refused{assign->job.id, assign->attempt, Reason::policy,
                            "this device is real: Drover only watches it"});
  }
}

void WatchedHost::read(Instant now, const HostReading& reading) {
  State& state = *state_;
  tick(now);
  if (state.ended) return;
  state.failures = 0;
  state.failing_since = never;
  state.labels = reading.labels;
  state.add_new(reading);
  std::vector<Sample> rows;
  std::vector<std::pair<std::uint16_t, const BoardReading*>> boards;
  for (const BoardReading& board : reading.boards) {
    WatchedDevice* const device = find_by(state.devices, &WatchedDevice::identity, board.identity);
    if (device == nullptr) continue;
    state.update(*device, board);
    const auto index = static_cast<std::uint16_t>(device - state.devices.data());
    boards.emplace_back(index, &board);
    if (!board.lost.empty()) continue;
    rows.push_back(board.values);
    rows.back().device = index;
  }
  if (!state.joined) state.first_reading = reading;
  if (!state.joined || state.devices.empty()) return;
  if (!state.present || state.specs_changed || !same_shape(state.registered, state.groups())) {
    state.send_register(now);
  }
  for (const auto& [index, board] : boards) state.report(now, index, *board);
  std::ranges::sort(rows, {}, &Sample::device);
  for (std::size_t first = 0; first < rows.size(); first += batch_rows_max) {
    const std::size_t count = std::min(batch_rows_max, rows.size() - first);
    state.effects.push_back(Send{
        samples_peer,
        {state.settings.host, ++state.samples_sequence, now,
         pack(state.settings.host, std::span(rows).subspan(first, count), SampleSteps::of_drivers)},
        0});
    ++state.counters.samples_sent;
  }
}

void WatchedHost::failed(Instant now, const std::string& why) {
  State& state = *state_;
  tick(now);
  if (state.ended) return;
  if (state.failures++ == 0) state.failing_since = now;
  const Duration allowed =
      std::max<Duration>(unreachable_after, unreachable_readings * state.settings.read_every);
  if (!state.present || now - state.failing_since < allowed) return;
  state.send(now, HostUnreachable{why});
  state.present = false;
  state.next_heartbeat = never;
}

void WatchedHost::cap_set(Instant now, const CapBoard& asked, const Status& answer) {
  State& state = *state_;
  WatchedDevice* const device = find_by(state.devices, &WatchedDevice::identity, asked.identity);
  if (device == nullptr) return;
  if (answer) return void(device->capped = device->cap_before_w > 0);
  if (!device->capped) device->cap_before_w = 0;  // nothing was changed
  if (answer.error().kind == ErrorKind::refused) device->takes_caps = false;
  if (!state.present) return;
  state.refuse_cap(
      now, *device,
      fmt::format("power cap of {:.0f} W not set: {}", asked.watts, answer.error().message));
}

void WatchedHost::tick(Instant now) {
  State& state = *state_;
  while (!state.ended && state.next_heartbeat <= now) {
    state.send(state.next_heartbeat, state.counters);
    state.next_heartbeat = saturating_add(state.next_heartbeat, state.heartbeat_every);
    // After a long pause one heartbeat says as much as many.
    if (state.next_heartbeat <= now) state.next_heartbeat = next_point(now, state.heartbeat_every);
  }
}

Instant WatchedHost::next_deadline() const {
  return state_->ended ? never : state_->next_heartbeat;
}

std::vector<WatchEffect> WatchedHost::take_effects() { return std::exchange(state_->effects, {}); }

void WatchedHost::leave(Instant now, const std::string& why) {
  State& state = *state_;
  tick(now);
  if (std::exchange(state.ended, true)) return;
  for (WatchedDevice& device : state.devices) state.restore_cap(device);
  if (state.present) state.send(now, Leave{why, 0});
  state.effects.emplace_back(Left{});
}

void WatchedHost::count_undecodable() { ++state_->counters.undecodable; }

std::size_t WatchedHost::device_count() const { return state_->devices.size(); }

const WatchedHostSettings& WatchedHost::settings() const { return state_->settings; }

}  // namespace drover::agents
