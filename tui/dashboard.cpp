#include "tui/dashboard.h"

#include <algorithm>

#include "tui/dashboard_state.h"
#include "tui/history/chart_history.h"
#include "tui/keymap.h"
#include "tui/screen.h"
#include "tui/tables/table_rows.h"

namespace drover::tui {
namespace {

Duration frame_every(const DashboardOptions& options) {
  return wall_second(options) / options.settings.frame_rate;
}

std::vector<ViewHelp> help_of_views() {
  std::vector<ViewHelp> all;
  for (const ViewFacts& view : view_facts) all.push_back(view_help(view.id));
  return all;
}

/// Whether the message answers something that the user asked for. A refusal does not name its
/// request: no question is asked while an action is open, so an open question is the older one, and
/// the router answers in order.
bool take_reply(DashboardState& state, const Message& body) {
  if (state.why_answers.receive(state.now, body)) {
    state.changed();
    return true;
  }
  if (!state.pending_action.receive(body)) return false;
  state.cursor.say(state.pending_action.text());
  state.pressed = true;
  return true;
}

}  // namespace

DashboardState::DashboardState(DashboardOptions chosen, Size size, Instant start)
    : options(std::move(chosen)),
      memory(start, fleet_second(options), options.settings.history / 2),
      history(fleet_second(options), options.settings.history / 2),
      server_history(fleet_second(options)),
      cursor_history(fleet_second(options), options.settings.history / 8),
      cursor(memory, options.replay, options.speed, start),
      live_model(fleet_second(options)),
      subscriber(fleet_second(options), &memory, &history),
      views(std::make_unique<Views>(help_lines(), help_of_views())),
      canvas(size),
      begun(start),
      now(start),
      connection_since(start) {
  constexpr int first_hint_s = 20;
  if (options.first_hint) first_hint_end = start + first_hint_s * wall_second(options);
}

Instant DashboardState::next_second() const {
  return saturating_add(drawn_at, wall_second(options));
}

void DashboardState::arrange_now() {
  cursor.move(now);
  if (std::exchange(cursor_changes, cursor.changes()) != cursor.changes()) {
    ui().map_levels.forget();
    views->forget_layout();  // rows of another model
  }
  arranged.emplace(model().structure(), cursor.changes());
  if (is_too_small(canvas.size())) return views->forget_layout();
  ++layouts;
  ui().fleet_filter.evaluate(model(), cursor.shown());
  body = body_of(frame(), canvas.size());
  // While time stands still, a frame must not depend on earlier frames.
  const bool steady = options.steady_colours && (cursor.live() || cursor.playing());
  views->shown().arrange(
      {model(), body, cursor.shown(), wall_second(options), steady, answers_now()});
  find_recent();
  find_curves();
  find_series();
}

/// Reads the samples of the devices that the device view or the comparison shows.
void DashboardState::find_series() {
  series = &nothing;
  compared.clear();
  if (ui().view != ViewId::device) return;
  const auto range = views->shown().chart_range(frame());
  if (!range) return;
  if (ui().comparing()) {
    auto each = compared_readers.begin();
    for (const DeviceId& device : ui().compared_devices()) {
      compared.push_back(&(each++)->read(cursor.timeline(), device, range->from, cursor.shown()));
    }
  } else if (ui().device) {
    series = &reader.read(cursor.timeline(), *ui().device, range->from, cursor.shown());
  }
}

/// Asks the server for what the frame shows of the device from before memory, unless it has been
/// asked for it.
void DashboardState::ask_for_older() {
  const auto row = selected_row();
  if (!options.knows_older() || ui().view != ViewId::device || !row) return;
  if (ui().comparing()) return;  // there is one question at a time
  if (is_too_small(canvas.size())) return;
  const auto shown = views->shown().chart_range(frame());
  if (!shown) return;
  const HistoryResolution resolution = resolution_for(history, shown->bin, shown->from, now);
  const Instant first_sample = series->at.empty() ? now : series->at.front();
  const Board* const board = model().board_of(*row);
  const HistoryQuestion wanted{*ui().device,
                               model().spec_of(*row).device_class,
                               board == nullptr ? std::string() : board->uuid,
                               Instant(bin_number(shown->from, shown->bin) * shown->bin),
                               shown->bin,
                               static_cast<int>(bin_number(cursor.shown(), shown->bin) -
                                                bin_number(shown->from, shown->bin)) +
                                   1};
  auto question = server_history.follow(
      wanted, std::max(begun, memory_begin(history, resolution, first_sample, now)), now);
  if (question) effects.push_back(std::move(*question));
}

/// Asks the router once for the fleet's curves from before the first snapshot, which names the
/// pools.
void DashboardState::ask_for_older_curves() {
  if (!options.router_keeps_history || asked_for_curves || !subscriber.has_snapshot()) return;
  asked_for_curves = true;
  effects.push_back(Send{router_peer, {"dashboard", 0, now, HistoryRequest{}}, 0});
}

/// Sets `recent` to the history of the minute before the shown moment, for sparklines.
void DashboardState::find_recent() {
  recent = &history;
  if (cursor.live()) return cursor_history.forget();
  if (cursor_history.empty() && !replay()) cursor_history.begin(history, now);
  if (ui().view != ViewId::fleet && ui().view != ViewId::devices) return;
  recent = &cursor_history.follow(cursor.timeline(), cursor.shown());
}

/// Sets the curves of the fleet. The live model and its copies in memory have all of them; the
/// model of a recording needs a backfill.
void DashboardState::find_curves() {
  fleet_trend.clear();
  if (ui().view == ViewId::device) return;
  const auto wanted = views->shown().chart_range(frame());
  if (!wanted) return;
  fleet_trend = replay() ? trend_past.read(cursor.timeline(), model(), wanted->from, cursor.shown(),
                                           wanted->bin)
                         : model().fleet_trend().points_since(wanted->from, wanted->bin);
}

Dashboard::Dashboard(DashboardOptions options, Size size, Instant start)
    : state_(std::make_unique<DashboardState>(std::move(options), size, start)) {
  apply_view_settings(state_->options.settings.start, state_->ui());
  if (const auto device = parse_device_id(state_->options.device)) state_->ui().device = *device;
  state_->ui().follows_story = state_->options.story;
  state_->shown_theme = state_->options.settings.theme;
  state_->kept = choices();
  tick(start);
}

Dashboard::~Dashboard() = default;

void Dashboard::receive(Instant now, Peer from, const Envelope& envelope,
                        std::string_view encoded) {
  DashboardState& state = *state_;
  state.now = std::max(state.now, now);
  if (state.replay()) return;
  if (from == router_peer && take_reply(state, envelope.body)) return tick(now);
  const auto* const alert = std::get_if<Alert>(&envelope.body);
  const bool rings = alert != nullptr && tui::rings(state.options.settings, alert->severity);
  const bool was_raised = rings && state.is_raised(*alert);
  if (std::holds_alternative<HistoryReply>(envelope.body)) state.has_older_curves = true;
  if (state.subscriber.receive(state.now, from, envelope, state.live_model, encoded) &&
      state.cursor.live()) {
    state.changed();
    state.follow_story();
  }
  // Alerts of a snapshot were raised before; they do not ring.
  if (rings && !was_raised && alert->acknowledged_by.empty() && state.is_raised(*alert)) {
    state.ring();
  }
  tick(now);
}

void Dashboard::press(Instant now, const Key& key) {
  constexpr int first_keys_max = 3;  // who has found these keys needs no hint
  DashboardState& state = *state_;
  state.now = std::max(state.now, now);
  if (++state.first_keys >= first_keys_max) state.first_hint_end = Instant::min();
  const bool clicked = key.name == "Click" || key.name == "DoubleClick";
  if (state.ui().prompt) {
    state.take_text(key);
  } else if (clicked) {
    state.cursor.forget_note();  // the user has read it
    state.click(key);
  } else if (const Binding* const binding = binding_of(key, state.ui().view)) {
    state.cursor.forget_note();
    state.arrange_if_changed();
    if (takes_over(*binding)) state.ui().follows_story = false;
    binding->run(state);
  } else {
    return;
  }
  state.choices_may_differ();
  state.pressed = true;
  state.arranged.reset();
}

void Dashboard::resize(Instant now, Size size) {
  state_->now = std::max(state_->now, now);
  state_->canvas = Canvas(size);
  if (is_too_small(size)) {  // a prompt and its question would be invisible
    if (state_->ui().prompt) state_->leave_prompt();
    state_->proposed.reset();
  }
  state_->arranged.reset();
  state_->pressed = true;
}

void Dashboard::tick(Instant now) {
  DashboardState& state = *state_;
  state.now = std::max(state.now, now);
  if (!state.replay()) {
    state.live_model.tick(state.now);
    if (state.connected) {
      if (auto request = state.subscriber.take_snapshot_request(state.now)) {
        state.effects.push_back(Send{router_peer, std::move(*request), 0});
      }
      state.ask_for_older_curves();
    }
  }
  if (state.now >= state.pending_action.deadline()) {
    state.pending_action.tick(state.now);
    say(state.pending_action.text());
  }
  if (state.now >= state.keep_at) state.keep_choices();
  if (state.cursor.playing()) state.changed();
  if (state.drawn_at != Instant::min() && state.now >= state.next_second()) state.changed();
}

Instant Dashboard::next_deadline() const {
  const DashboardState& state = *state_;
  Instant next = state.connected && !state.replay() ? state.subscriber.next_deadline() : never;
  next = std::min({next, state.pending_action.deadline(), state.keep_at});
  if (state.drawn_at == Instant::min() || state.pressed) return std::min(next, state.now);
  if (state.dirty || state.cursor.playing()) {
    next = std::min(next, saturating_add(state.drawn_at, frame_every(state.options)));
  }
  return std::min(next, state.next_second());
}

std::vector<Effect> Dashboard::take_effects() { return std::exchange(state_->effects, {}); }

void Dashboard::set_connected(Instant now, bool connected, const std::string& connect_refusal) {
  DashboardState& state = *state_;
  state.now = std::max(state.now, now);
  const bool changed = state.connected != connected;
  if (!changed && state.connect_refusal == connect_refusal) return;
  state.connected = connected;
  state.connect_refusal = connect_refusal;
  if (changed) state.connection_since = now;
  state.why_answers.set_connected(connected);
  if (changed && connected) {
    state.subscriber.request_snapshot();
    state.asked_for_curves = state.has_older_curves;  // the answer may be lost
  }
  state.pressed = true;
  tick(now);
}

void Dashboard::restart(Instant now, double speed, bool clock_differs) {
  DashboardState& old = *state_;
  DROVER_REQUIRE(!old.replay());
  DashboardOptions options = old.options;
  options.speed = speed;
  options.clock_differs = clock_differs;
  options.first_hint = false;
  auto fresh = std::make_unique<DashboardState>(std::move(options), old.canvas.size(), now);
  fresh->views = std::move(old.views);
  fresh->ui().prompt.reset();
  fresh->cursor.restore_bookmarks(old.cursor.bookmarks());
  fresh->kept = std::move(old.kept);
  fresh->choices_may_differ();
  fresh->ui().map_levels.forget();
  fresh->views->forget_layout();
  fresh->connected = old.connected;
  fresh->why_answers.set_connected(old.connected);
  fresh->shell = old.shell;
  // What is about the fleet before the restart is not sent any more.
  std::erase_if(old.effects, [](const Effect& effect) {
    return std::holds_alternative<Send>(effect) || std::holds_alternative<RingBell>(effect) ||
           std::holds_alternative<HistoryQuestion>(effect);
  });
  fresh->effects = std::move(old.effects);
  fresh->shown_theme = std::move(old.shown_theme);
  fresh->follow_theme();
  state_ = std::move(fresh);
  tick(now);
}

void Dashboard::take_history(Instant now, HistoryAnswer answer) {
  state_->now = std::max(state_->now, now);
  state_->server_history.take(state_->now, std::move(answer));
  state_->changed();
}

void Dashboard::set_shell_stats(const ShellStats& stats) { state_->shell = stats; }

void Dashboard::apply_settings(Instant now, const Settings& settings, bool ascii) {
  DashboardState& state = *state_;
  state.now = std::max(state.now, now);
  const ViewSettings before = std::exchange(state.options.settings, settings).start;
  if (!(before == settings.start)) apply_view_settings(settings.start, state.ui());
  state.shown_theme = settings.theme;
  state.arranged.reset();
  state.options.ascii = ascii;
  state.pressed = true;
}

void Dashboard::restore(const Choices& choices) {
  DashboardState& state = *state_;
  tui::restore(choices, state.ui(), state.cursor, state.options.place);
  state.kept = this->choices();
  state.arranged.reset();
  state.pressed = true;
}

Choices Dashboard::choices() const {
  return choices_of(state_->ui(), state_->cursor, state_->options.place);
}

void Dashboard::say(std::string note) {
  state_->cursor.say(std::move(note));
  state_->pressed = true;
}

bool Dashboard::knows_device() const {
  const auto device = parse_device_id(state_->options.device);
  return !device || state_->frame().model.find(*device).has_value();
}

bool Dashboard::has_synced() const {
  if (state_->replay()) return true;
  if (state_->options.router_keeps_history && !state_->has_older_curves) return false;
  return state_->subscriber.has_snapshot() && state_->live_model.all_hosts_sampled();
}

bool Dashboard::needs_frame() const {
  const DashboardState& state = *state_;
  if (state.pressed || state.drawn_at == Instant::min()) return true;
  return state.dirty && state.now >= saturating_add(state.drawn_at, frame_every(state.options));
}

const Canvas& Dashboard::draw(Instant now) {
  DashboardState& state = *state_;
  tick(now);
  state.arrange_now();
  state.ask_for_older();
  state.ask_why();
  state.canvas.fill({0, 0, state.canvas.size().columns, state.canvas.size().rows}, " ");
  state.click_targets.clear();
  state.click_targets_of = {state.model().structure(), state.cursor_changes, state.ui().view};
  draw_screen(state.frame(), state.views->shown(), state.body, state.canvas);
  state.drawn_at = state.now;
  state.dirty = false;
  state.pressed = false;
  return state.canvas;
}

std::uint64_t Dashboard::layouts() const { return state_->layouts; }

TableRows Dashboard::table(Instant now, std::string_view name) {
  draw(now);
  const DashboardState& state = *state_;
  const auto device = parse_device_id(state.options.device);
  return table_rows({state.model(), state.cursor.shown(), state.ui().fleet_filter,
                     state.ui().devices, device ? std::optional(*device) : std::nullopt},
                    name);
}

}  // namespace drover::tui
