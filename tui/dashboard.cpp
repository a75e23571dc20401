#include "tui/dashboard.h"

#include <algorithm>

#include "tui/dashboard_state.h"
#include "tui/screen.h"
#include "tui/state/keymap.h"
#include "tui/state/settings_choices.h"
#include "tui/state/update.h"
#include "tui/views/table_rows.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

/// A wall second in the time of `now`.
Duration wall_second(const DashboardOptions& options) {
  return options.replay.timeline != nullptr ? std::chrono::seconds(1) : fleet_second(options);
}

Duration frame_every(const DashboardOptions& options) {
  return wall_second(options) / options.settings.frame_rate;
}

TimeCursor::Start cursor_start(const DashboardOptions& options) {
  const Replay& replay = options.replay;
  if (replay.timeline == nullptr) return {};
  return {true, options.speed, replay.rate, replay.at, replay.paused};
}

}  // namespace

Dashboard::State::State(DashboardOptions chosen, Size size, Instant start)
    : options(std::move(chosen)),
      memory(start, fleet_second(options), options.settings.history / 2),
      history(fleet_second(options), options.settings.history / 2),
      moment_history(fleet_second(options), options.settings.history / 8),
      cursor(options.replay.timeline != nullptr ? *options.replay.timeline : memory,
             cursor_start(options), start),
      live_model(fleet_second(options)),
      feed(fleet_second(options), &memory, &history),
      canvas(size),
      now(start),
      connection_since(start) {}

Instant Dashboard::State::next_second() const {
  return saturating_add(drawn_at, wall_second(options));
}

/// The cursor goes on to `now`, and what is on the screen is laid out for that moment.
void Dashboard::State::arrange_now() {
  cursor.move(now);
  if (std::exchange(cursor_changes, cursor.changes()) != cursor.changes()) {
    choices.devices.order_structure = 0;  // rows of another model
    choices.levels.forget();
  }
  if (is_too_small(canvas.size())) return choices.forget_layout();
  choices.narrowing.judge(model(), cursor.shown());
  const Rect body = body_of(scene(), canvas.size());
  // A moment at which time stands looks the same wherever one comes from.
  const bool steady = options.steady_colours && (cursor.live() || cursor.playing());
  arrange({model(), body, cursor.shown(), wall_second(options), steady}, choices);
  find_recent();
  find_curves(body.columns);
  series = &nothing;
  if (choices.view == View::device && choices.device) {
    const Instant from = device_view_begin(scene(), body.columns);
    series = &reader.read(cursor.timeline(), *choices.device, from, cursor.shown());
  }
}

/// Where views with sparklines find the last minute of the moment that is shown.
void Dashboard::State::find_recent() {
  recent = &history;
  if (cursor.live()) return moment_history.forget();
  if (moment_history.empty() && !replay()) moment_history.begin(history, now);
  if (choices.view != View::fleet && choices.view != View::devices) return;
  recent = &moment_history.follow(cursor.timeline(), cursor.shown());
}

/// A live model, and its copies in memory, know all the past that there is; one that was made from
/// a recording does not.
void Dashboard::State::find_curves(int columns) {
  curves.clear();
  if (choices.view != View::power) return;
  const CurvesWanted wanted = power_view_curves(scene(), columns);
  curves = replay() ? trend_past.read(cursor.timeline(), model(), wanted.from, cursor.shown(),
                                      wanted.bin)
                    : points_from(model(), wanted.from, wanted.bin);
}

Dashboard::Dashboard(DashboardOptions options, Size size, Instant start)
    : state_(std::make_unique<State>(std::move(options), size, start)) {
  choose(state_->options.settings.start, state_->choices);
  if (const auto device = parse_device_id(state_->options.device)) state_->choices.device = *device;
  tick(start);
}

Dashboard::~Dashboard() = default;

void Dashboard::receive(Instant now, Peer from, const Envelope& envelope) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  if (state.replay()) return;
  if (from == router_peer && state.asked.receive(envelope.body)) {
    state.cursor.say(state.asked.text());
    state.pressed = true;
    return tick(now);
  }
  const auto* const alert = std::get_if<Alert>(&envelope.body);
  const bool rings = alert != nullptr && tui::rings(state.options.settings, alert->severity);
  const bool was_raised = rings && state.is_raised(*alert);
  if (state.feed.receive(state.now, from, envelope, state.live_model) && state.cursor.live()) {
    state.changed();
  }
  // What a snapshot tells was raised before; who comes later sees it.
  if (rings && !was_raised && alert->acknowledged_by.empty() && state.is_raised(*alert)) {
    state.bell = true;
  }
  tick(now);
}

void Dashboard::press(Instant now, const Key& key) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  if (state.choices.prompt) {
    state.pressed = true;
    return state.take_text(key);
  }
  const auto command = command_of(key, state.choices.view);
  const bool clicked = key.name == "Click" || key.name == "DoubleClick";
  if (!command && !clicked) return;
  state.pressed = true;
  state.cursor.forget_note();  // who presses the next key has read it
  if (clicked) {
    state.click(key);
  } else {
    // Keys act on what the person sees: lists must be laid out before they are moved in.
    state.arrange_now();
    state.take(*command);
  }
  state.arrange_now();
}

void Dashboard::resize(Instant now, Size size) {
  state_->now = std::max(state_->now, now);
  state_->canvas = Canvas(size);
  if (is_too_small(size)) {  // it cannot be seen any more, nor what it asks
    state_->choices.prompt.reset();
    state_->proposed.reset();
  }
  state_->pressed = true;
}

void Dashboard::tick(Instant now) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  if (!state.replay()) {
    state.live_model.tick(state.now);
    if (state.connected) {
      if (auto request = state.feed.take_request(state.now)) {
        state.outbox.sends.push_back({router_peer, std::move(*request), 0});
      }
    }
  }
  if (state.now >= state.asked.deadline()) {
    state.asked.tick(state.now);
    say(state.asked.text());
  }
  if (state.cursor.playing()) state.changed();
  if (state.drawn_at != Instant::min() && state.now >= state.next_second()) state.changed();
}

Instant Dashboard::next_deadline() const {
  const State& state = *state_;
  Instant next = state.connected && !state.replay() ? state.feed.next_deadline() : never;
  next = std::min(next, state.asked.deadline());
  if (state.drawn_at == Instant::min() || state.pressed) return std::min(next, state.now);
  if (state.dirty || state.cursor.playing()) {
    next = std::min(next, saturating_add(state.drawn_at, frame_every(state.options)));
  }
  return std::min(next, state.next_second());
}

Outbox Dashboard::take_outbox() { return std::exchange(state_->outbox, Outbox{}); }

void Dashboard::set_connected(Instant now, bool connected, const std::string& barred) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  const bool came_or_went = state.connected != connected;
  if (!came_or_went && state.barred == barred) return;
  state.connected = connected;
  state.barred = barred;
  if (came_or_went) state.connection_since = now;
  if (came_or_went && connected) state.feed.want_snapshot();
  state.pressed = true;
  tick(now);
}

void Dashboard::begin_anew(Instant now, double speed, bool clock_apart) {
  State& old = *state_;
  DROVER_REQUIRE(!old.replay());
  DashboardOptions options = old.options;
  options.speed = speed;
  options.clock_apart = clock_apart;
  auto fresh = std::make_unique<State>(std::move(options), old.canvas.size(), now);
  fresh->choices = std::move(old.choices);
  fresh->choices.prompt.reset();
  fresh->choices.devices.order_structure = 0;  // rows of another model
  fresh->choices.levels.forget();
  fresh->choices.forget_layout();
  fresh->connected = old.connected;
  fresh->shell = old.shell;
  fresh->policy_file = std::move(old.policy_file);
  fresh->settings_wish = std::move(old.settings_wish);
  fresh->story_toggled = old.story_toggled;
  state_ = std::move(fresh);
  tick(now);
}

void Dashboard::told(const ShellFacts& facts) { state_->shell = facts; }

void Dashboard::adopt(Instant now, const Settings& settings, bool ascii) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  const ViewSettings before = std::exchange(state.options.settings, settings).start;
  if (!(before == settings.start)) choose(settings.start, state.choices);
  state.options.ascii = ascii;
  state.pressed = true;
}

std::optional<std::string> Dashboard::take_policy_file() {
  return std::exchange(state_->policy_file, std::nullopt);
}

std::optional<SettingsWish> Dashboard::take_settings_wish() {
  return std::exchange(state_->settings_wish, std::nullopt);
}

void Dashboard::say(std::string note) {
  state_->cursor.say(std::move(note));
  state_->pressed = true;
}

bool Dashboard::quit() const { return state_->choices.quit; }

bool Dashboard::take_bell() { return std::exchange(state_->bell, false); }

bool Dashboard::take_story_toggle() { return std::exchange(state_->story_toggled, false); }

bool Dashboard::knows_device() const {
  const auto device = parse_device_id(state_->options.device);
  return !device || state_->scene().model.find(*device).has_value();
}

bool Dashboard::settled() const {
  if (state_->replay()) return true;
  if (!state_->feed.has_snapshot()) return false;
  const auto& hosts = state_->live_model.hosts();
  return std::all_of(hosts.begin(), hosts.end(), [](const HostRow& host) {
    return is_gone(host.said.health) || host.count == 0 || host.sampled != Instant::min();
  });
}

bool Dashboard::needs_frame() const {
  const State& state = *state_;
  if (state.pressed || state.drawn_at == Instant::min()) return true;
  return state.dirty && state.now >= saturating_add(state.drawn_at, frame_every(state.options));
}

const Canvas& Dashboard::draw(Instant now) {
  State& state = *state_;
  tick(now);
  state.arrange_now();
  state.canvas.fill({0, 0, state.canvas.size().columns, state.canvas.size().rows}, " ");
  state.hits.clear();
  state.hits_of = {state.model().structure(), state.cursor_changes};
  draw_screen(state.scene(), state.canvas);
  state.drawn_at = state.now;
  state.dirty = false;
  state.pressed = false;
  return state.canvas;
}

TableRows Dashboard::table(Instant now, std::string_view name) {
  draw(now);
  return table_rows(state_->scene(), name);
}

}  // namespace drover::tui
