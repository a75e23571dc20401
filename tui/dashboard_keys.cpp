// Prompts, confirmations and clicks.
#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/filter/complete.h"
#include "tui/dashboard_state.h"
#include "tui/keymap.h"
#include "tui/screen.h"

namespace drover::tui {
namespace {

/// Wall seconds until a missing reply to an action counts as failed.
constexpr int action_timeout_s = 10;

}  // namespace

/// Executes a line. Returns whether it was accepted; if not, the prompt shows the error.
bool DashboardState::enter(const Prompt& prompt) {
  if (prompt.kind == PromptKind::filter) {
    const auto problem = ui().fleet_filter.set(prompt.text);
    if (!problem) {
      ui().narrowed_to.clear();
      return true;
    }
    ui().prompt->incomplete.clear();
    ui().prompt->problem = problem->message;
    ui().prompt->problem_at = problem->at;
    ui().prompt->problem_length = std::max<std::size_t>(1, problem->length);
    return false;
  }
  const std::string command = prompt.kind == PromptKind::time   ? "at "
                              : prompt.kind == PromptKind::find ? "find "
                                                                : "";
  const Status done = run_command_line(*this, command + prompt.text);
  if (!done) ui().prompt->problem = done.error().message;
  return done.ok();
}

Completions DashboardState::completions_at_cursor(const Prompt& prompt) {
  const std::string before = prompt.text.substr(0, prompt.at);
  static constexpr std::string_view filter_command = "filter ";
  const bool filters = prompt.kind == PromptKind::filter || before.starts_with(filter_command);
  if (!filters) {
    return prompt.kind == PromptKind::command ? completions_for(*this, before) : Completions{};
  }
  const std::size_t from = prompt.kind == PromptKind::filter ? 0 : filter_command.size();
  const auto known = [&](filter::Field field) { return known_values(model(), field); };
  const filter::Completion completions =
      filter::complete(std::string_view(before).substr(from), before.size() - from, known);
  return {from + completions.at, completions.words};
}

/// Handles a key while a prompt is open.
void DashboardState::take_text(const Key& key) {
  Prompt& prompt = *ui().prompt;
  if (prompt.kind == PromptKind::confirm) return take_answer(key);
  if (prompt.kind == PromptKind::search) return take_search(key);
  // After an error a colon begins a new line; Up recalls the wrong one.
  if (prompt.kind == PromptKind::command && !prompt.problem.empty() && key.name == ":") {
    add_to_history(ui().typed, prompt.kind, prompt.text);
    return start_prompt(PromptKind::command, {});
  }
  switch (handle_prompt_key(prompt, ui().typed, key)) {
    case PromptResult::editing:
      return follow_prompt();
    case PromptResult::wants_completions: {
      const Completions completions = completions_at_cursor(prompt);
      offer_completions(prompt, completions.from, completions.words);
      return follow_prompt();
    }
    case PromptResult::quit:
      effects.push_back(Quit{});
      return;
    case PromptResult::left:
      return leave_prompt();
    case PromptResult::entered:
      break;
  }
  const Prompt entered = prompt;
  // An empty filter removes the filter; other empty lines do nothing.
  if (!entered.text.empty() || entered.kind == PromptKind::filter) {
    arrange_if_changed();
    if (!enter(entered)) return;
    if (!entered.text.empty()) add_to_history(ui().typed, entered.kind, entered.text);
  }
  ui().prompt.reset();
  follow_theme();
  ask_for_yes();
}

/// Asks the user to confirm the proposed action.
void DashboardState::ask_for_yes() {
  if (!proposed) return;
  ui().prompt.emplace();
  ui().prompt->kind = PromptKind::confirm;
  ui().prompt->question = proposed->question;
}

void DashboardState::take_answer(const Key& key) {
  if (key.name == "Ctrl-C") effects.push_back(Quit{});
  if (key.name != "y" && key.name != "n" && key.name != "Esc") return;
  ui().prompt.reset();
  const FleetAction action = std::move(*std::exchange(proposed, std::nullopt));
  if (key.name != "y") return cursor.say("nothing was done");
  pending_action.ask(now, action.requests.size() + (action.policy_file.empty() ? 0 : 1),
                     action_timeout_s * fleet_second(options));
  for (const Message& request : action.requests) {
    effects.push_back(Send{router_peer, {"dashboard", ++asked_count, now, request}, 0});
  }
  if (!action.policy_file.empty()) effects.push_back(ReadPolicy{action.policy_file});
  cursor.say(pending_action.text());
}

/// What a filter that is being typed lacks: "temp" may become temp>70, and "kind==t" kind==tpu.
/// Empty if its last word is whole, or is any text.
std::string DashboardState::unfinished_word(const Prompt& prompt) {
  constexpr std::size_t shown_max = 4;
  if (prompt.at < prompt.text.size()) return {};
  const Completions offered = completions_at_cursor(prompt);
  const std::string word = prompt.text.substr(std::min(offered.from, prompt.text.size()));
  const bool is_pattern = offered.from > 0 && prompt.text[offered.from - 1] == '~';
  if (word.empty() || is_pattern || offered.words.empty()) return {};
  const auto is_word = [&](const std::string& known) { return equal_ignoring_case(known, word); };
  if (std::ranges::any_of(offered.words, is_word)) return {};
  const std::size_t shown = std::min(shown_max, offered.words.size());
  return fmt::format("{}: {}{}", word, joined(std::span(offered.words).first(shown), " "),
                     shown < offered.words.size() ? " .." : "");
}

void DashboardState::follow_prompt() {
  follow_theme();
  Prompt& prompt = *ui().prompt;
  if (prompt.kind != PromptKind::filter) return;
  prompt.incomplete = unfinished_word(prompt);
  if (!prompt.incomplete.empty()) return;
  const auto problem = ui().fleet_filter.set(prompt.text);
  prompt.incomplete = problem ? problem->message : std::string();
}

void DashboardState::leave_prompt() {
  const Prompt left = *std::exchange(ui().prompt, std::nullopt);
  if (left.kind == PromptKind::filter && ui().fleet_filter.text() != left.before) {
    ui().fleet_filter.set(left.before);
  }
  follow_theme();
}

void DashboardState::start_prompt(PromptKind kind, std::string text) {
  // The prompt would be invisible, and the next keys would become its text.
  if (is_too_small(canvas.size())) return;
  ui().prompt.emplace();
  ui().prompt->kind = kind;
  ui().prompt->at = text.size();
  ui().prompt->text = std::move(text);
  if (kind == PromptKind::filter) ui().prompt->before = ui().fleet_filter.text();
  follow_theme();
}

Status DashboardState::check_can_control() const {
  if (cursor.replay()) return error("a recording cannot be changed");
  if (!options.control) return error("read-only dashboard: start it with --control");
  if (!cursor.live()) return error("not live: press L first");
  return {};
}

Status DashboardState::propose(ActionFunction* action, std::string_view words) {
  DROVER_TRY(check_can_control());
  DROVER_ASSIGN(proposed, action(model(), ui(), options.speed, words));
  return {};
}

void DashboardState::propose_and_ask(ActionFunction* action, std::string_view words) {
  if (const Status done = propose(action, words); !done) return cursor.say(done.error().message);
  ask_for_yes();
}

void DashboardState::start_change(const std::string& line) {
  if (const Status may = check_can_control(); !may) return cursor.say(may.error().message);
  start_prompt(PromptKind::command, line);
}

void DashboardState::untag_all() {
  ui().tagged_devices.clear();
  ui().tagged_jobs.clear();
}

namespace {

/// Lists are not laid out before a click, so that it selects the line that the user saw even if it
/// has moved since. But lines of a model that was replaced may be others now; tabs, keys, titles
/// and the time line stay what they are, however often hosts come and go.
bool is_still_there(const DashboardState& state, ClickTarget::Kind kind) {
  using Kind = ClickTarget::Kind;
  const auto& [structure, changes, view] = state.click_targets_of;
  if (kind == Kind::view) return true;
  if (view != state.ui().view) return false;
  const bool of_model = kind == Kind::item || kind == Kind::group || kind == Kind::pool;
  return !of_model || (structure == state.model().structure() && changes == state.cursor.changes());
}

}  // namespace

/// Executes the click target under the pointer.
void DashboardState::click(const Key& key) {
  const auto hit = click_targets.at(key.column, key.row);
  if (!hit || !is_still_there(*this, hit->kind)) return;
  const bool on_key = hit->kind == ClickTarget::Kind::key;
  if (!on_key || takes_over(bindings()[static_cast<std::size_t>(hit->value)])) {
    ui().follows_story = false;
  }
  switch (hit->kind) {
    case ClickTarget::Kind::view:
      return show(static_cast<ViewId>(hit->value));
    case ClickTarget::Kind::key:
      return bindings()[static_cast<std::size_t>(hit->value)].run(*this);
    case ClickTarget::Kind::column:
      return sort_by(ui().devices, hit->value);
    case ClickTarget::Kind::moment:
      return cursor.go_to(moment_at_part(cursor, now, hit->value), now);
    case ClickTarget::Kind::figure: {
      const bool again = ui().figure.index == hit->value;
      ui().select_figure(hit->value);
      if (again) open();
      return;
    }
    case ClickTarget::Kind::group:
      if (!views->shown().choose_group(key_context(), hit->value)) open();
      return;
    case ClickTarget::Kind::pool: {
      const std::string& pool = model().pools()[static_cast<std::size_t>(hit->value)];
      if (std::exchange(ui().pool, pool) == pool) open();
      return;
    }
    case ClickTarget::Kind::item: {
      const bool again = views->shown().selected(model()) == hit->value;
      views->shown().choose(key_context(), hit->value);
      if (again) open();  // a second click opens
      return;
    }
  }
}

}  // namespace drover::tui
