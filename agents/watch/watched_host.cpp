#include "agents/watch/watched_host.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "agents/watch/watched_devices.h"
#include "fleet/base/search.h"
#include "fleet/base/text.h"
#include "fleet/base/version.h"
#include "fleet/xid.h"

namespace drover::agents {
namespace {

/// Interval between reports of changes to processes and partitions alone.
constexpr Duration processes_every = std::chrono::seconds(5);
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
      : settings(std::move(given)), devices(known, settings.control) {
    counters.incarnation = settings.incarnation;
  }

  void send(Instant at, Message body) {
    effects.push_back(
        Send{router_peer, {settings.host, ++control_sequence, at, std::move(body)}, 0});
  }

  std::uint16_t index_of(const WatchedDevice& device) const {
    return static_cast<std::uint16_t>(&device - devices.list().data());
  }
  void send_register(Instant now);
  void report(Instant now, std::uint16_t index, const BoardReading& reading);
  void handle(Instant now, const CapDevices& cap);
  void refuse_cap(Instant now, const WatchedDevice& device, std::string why);
  void set_cap(Instant now, WatchedDevice& device, double watts);
  void restore_cap(WatchedDevice& device);

  WatchedHostSettings settings;
  WatchedDevices devices;
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
  registration.groups = registered = devices.groups();
  registration.specs = devices.take_specs(registered);
  send(now, std::move(registration));
  for (WatchedDevice& device : devices.list()) device.reported = false;
  present = true;
  if (next_heartbeat == never) next_heartbeat = next_point(now, heartbeat_every);
}

/// What it is and who uses it, whether it answers, and its new errors.
void WatchedHost::State::report(Instant now, std::uint16_t index, const BoardReading& reading) {
  WatchedDevice& device = devices.list()[index];
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
  send(now, DeviceReport{index_of(device), true, 0, std::move(why)});
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
    if (index < devices.list().size()) set_cap(now, devices.list()[index], cap.watts);
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
  if (!state.devices.list().empty()) state.send_register(now);
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
    if (state.joined && !state.devices.list().empty() && state.failures == 0)
      state.send_register(now);
  } else if (std::holds_alternative<Superseded>(envelope.body)) {
    state.ended = true;
    for (WatchedDevice& device : state.devices.list()) state.restore_cap(device);
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
  state.devices.add_new(reading);
  std::vector<Sample> rows;
  std::vector<std::pair<std::uint16_t, const BoardReading*>> boards;
  for (const BoardReading& board : reading.boards) {
    WatchedDevice* const device = state.devices.find(board.identity);
    if (device == nullptr) continue;
    state.devices.update(*device, board);
    const auto index = state.index_of(*device);
    boards.emplace_back(index, &board);
    if (!board.lost.empty()) continue;
    rows.push_back(board.values);
    rows.back().device = index;
  }
  if (!state.joined) state.first_reading = reading;
  if (!state.joined || state.devices.list().empty()) return;
  if (!state.present || state.devices.specs_changed() ||
      !same_shape(state.registered, state.devices.groups())) {
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
  WatchedDevice* const device = state.devices.find(asked.identity);
  // Devices of other hosts may have the same identity, "gpu 0".
  if (device == nullptr || !state.settings.control) return;
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
  for (WatchedDevice& device : state.devices.list()) state.restore_cap(device);
  if (state.present) state.send(now, Leave{why, 0});
  state.effects.emplace_back(Left{});
}

void WatchedHost::count_undecodable() { ++state_->counters.undecodable; }

std::size_t WatchedHost::device_count() const { return state_->devices.list().size(); }

const WatchedHostSettings& WatchedHost::settings() const { return state_->settings; }

}  // namespace drover::agents
