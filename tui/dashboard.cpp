#include "tui/dashboard.h"

#include <algorithm>

#include "tui/feed.h"
#include "tui/keymap.h"
#include "tui/model.h"
#include "tui/screen.h"
#include "tui/update.h"

namespace drover::tui {
namespace {

// Orders of tables are made anew once in so many frames: once a wall second at four frames.
constexpr int frames_per_sort = 4;

Duration wall_second(const DashboardOptions& options) { return from_seconds(options.speed); }

}  // namespace

struct Dashboard::State {
  State(DashboardOptions chosen, Size size, Instant start)
      : options(std::move(chosen)),
        model(wall_second(options)),
        feed(wall_second(options)),
        canvas(size),
        now(start),
        connection_since(start) {}

  void changed() { dirty = true; }
  /// The clock in the title moves and values age once a wall second.
  Instant next_second() const { return saturating_add(drawn_at, wall_second(options)); }
  Scene scene() const { return {model, choices, feed, options, now, connected, connection_since}; }
  void arrange_now() {
    const Rect body = body_of(canvas.size(), !banner_of(scene()).empty());
    if (!is_too_small(canvas.size())) {
      arrange(model, choices, body, now, frames_per_sort * options.frame_every);
    }
  }

  DashboardOptions options;
  Model model;
  Feed feed;
  Choices choices;
  Canvas canvas;
  Outbox outbox;
  Instant now;
  Instant drawn_at = Instant::min();  // before the first frame
  Instant connection_since;
  bool connected = true;
  bool dirty = true;    // a frame is wanted, at the pace of frames
  bool pressed = true;  // a frame is wanted at once
};

const std::vector<std::string>& view_names() {
  static const std::vector<std::string> names = {"fleet", "devices", "jobs", "routing", "help"};
  return names;
}

Dashboard::Dashboard(DashboardOptions options, Size size, Instant start)
    : state_(std::make_unique<State>(std::move(options), size, start)) {
  const auto& names = view_names();
  const auto named = std::find(names.begin(), names.end(), state_->options.view);
  if (named != names.end()) state_->choices.view = static_cast<View>(named - names.begin());
  tick(start);
}

Dashboard::~Dashboard() = default;

void Dashboard::receive(Instant now, Peer from, const Envelope& envelope) {
  state_->now = std::max(state_->now, now);
  if (state_->feed.receive(now, from, envelope, state_->model)) state_->changed();
  tick(now);
}

void Dashboard::press(Instant now, const Key& key) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  const auto command = command_of(key, state.choices.view);
  if (!command) return;
  // Keys act on what the person sees: lists must be laid out before they are moved in.
  state.arrange_now();
  update(state.model, state.choices, *command, now);
  state.arrange_now();
  state.pressed = true;
}

void Dashboard::resize(Instant now, Size size) {
  state_->now = std::max(state_->now, now);
  state_->canvas = Canvas(size);
  state_->pressed = true;
}

void Dashboard::tick(Instant now) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  state.model.tick(now);
  if (state.connected) {
    if (auto request = state.feed.take_request(now)) {
      state.outbox.sends.push_back({router_peer, std::move(*request), 0});
    }
  }
  if (state.drawn_at != Instant::min() && now >= state.next_second()) state.changed();
}

Instant Dashboard::next_deadline() const {
  const State& state = *state_;
  Instant next = state.connected ? state.feed.next_deadline() : never;
  if (state.drawn_at == Instant::min() || state.pressed) return std::min(next, state.now);
  if (state.dirty) next = std::min(next, saturating_add(state.drawn_at, state.options.frame_every));
  return std::min(next, state.next_second());
}

Outbox Dashboard::take_outbox() { return std::exchange(state_->outbox, Outbox{}); }

void Dashboard::set_connected(Instant now, bool connected) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  if (state.connected == connected) return;
  state.connected = connected;
  state.connection_since = now;
  if (connected) state.feed.want_snapshot();
  state.pressed = true;
  tick(now);
}

bool Dashboard::quit() const { return state_->choices.quit; }

bool Dashboard::settled() const {
  if (!state_->feed.has_snapshot()) return false;
  const auto& hosts = state_->model.hosts();
  return std::all_of(hosts.begin(), hosts.end(), [](const HostRow& host) {
    return host.said.health == Health::lost || host.count == 0 || host.sampled != Instant::min();
  });
}

bool Dashboard::needs_frame() const {
  const State& state = *state_;
  if (state.pressed || state.drawn_at == Instant::min()) return true;
  return state.dirty && state.now >= saturating_add(state.drawn_at, state.options.frame_every);
}

const Canvas& Dashboard::draw(Instant now) {
  State& state = *state_;
  state.now = std::max(state.now, now);
  state.arrange_now();
  state.canvas.fill({0, 0, state.canvas.size().columns, state.canvas.size().rows}, " ");
  draw_screen(state.scene(), state.canvas);
  state.drawn_at = state.now;
  state.dirty = false;
  state.pressed = false;
  return state.canvas;
}

}  // namespace drover::tui
