// Handling of keys and clicks: prompts, confirmations and changes of the fleet. tui::update handles
// all other commands.
#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "fleet/filter/complete.h"
#include "tui/dashboard_state.h"
#include "tui/panels/scrubber.h"
#include "tui/screen.h"
#include "tui/state/update.h"

namespace drover::tui {
namespace {

/// Wall seconds until a missing reply to an action counts as failed.
constexpr int action_timeout_s = 10;

struct ChangeLine {
  Command command;
  std::string_view line;
};
// The changes of the fleet that need no further arguments.
constexpr std::array<ChangeLine, 5> change_lines = {
    {{Command::drain, "drain"},
     {Command::resume, "resume"},
     {Command::cancel, "cancel"},
     {Command::acknowledge, "acknowledge"},
     {Command::acknowledge_all, "acknowledge all"}}};

}  // namespace

/// Executes a line. Returns whether it was accepted; if not, the prompt shows the error.
bool Dashboard::State::enter(const Prompt& prompt) {
  if (prompt.kind == PromptKind::filter) {
    const auto problem = ui.fleet_filter.set(prompt.text);
    if (!problem) return true;
    ui.prompt->problem = problem->message;
    ui.prompt->problem_at = problem->at;
    ui.prompt->problem_length = std::max<std::size_t>(1, problem->length);
    return false;
  }
  const std::string command = prompt.kind == PromptKind::time   ? "at "
                              : prompt.kind == PromptKind::find ? "find "
                                                                : "";
  CommandContext context = this->context();
  const Status done = run_command_line(context, command + prompt.text);
  if (!done) ui.prompt->problem = done.error().message;
  return done.ok();
}

Completions Dashboard::State::completions_at_cursor(const Prompt& prompt) {
  const std::string before = prompt.text.substr(0, prompt.at);
  static constexpr std::string_view filter_command = "filter ";
  const bool filters = prompt.kind == PromptKind::filter || before.starts_with(filter_command);
  if (!filters) {
    return prompt.kind == PromptKind::command ? completions_for(context(), before) : Completions{};
  }
  const std::size_t from = prompt.kind == PromptKind::filter ? 0 : filter_command.size();
  const auto known = [&](filter::Field field) { return known_values(model(), field); };
  const filter::Completion completions =
      filter::complete(std::string_view(before).substr(from), before.size() - from, known);
  return {from + completions.at, completions.words};
}

/// Handles a key while a prompt is open.
void Dashboard::State::take_text(const Key& key) {
  Prompt& prompt = *ui.prompt;
  if (prompt.kind == PromptKind::confirm) return take_answer(key);
  // After an error a colon begins a new line; Up recalls the wrong one.
  if (prompt.kind == PromptKind::command && !prompt.problem.empty() && key.name == ":") {
    add_to_history(ui.typed, prompt.kind, prompt.text);
    return begin_prompt(Command::ask_command);
  }
  switch (handle_prompt_key(prompt, ui.typed, key)) {
    case PromptResult::editing:
      return;
    case PromptResult::wants_completions: {
      const Completions completions = completions_at_cursor(prompt);
      return offer_completions(prompt, completions.from, completions.words);
    }
    case PromptResult::quit:
      effects.push_back(Quit{});
      return;
    case PromptResult::left:
      return ui.prompt.reset();
    case PromptResult::entered:
      break;
  }
  const Prompt entered = prompt;
  // An empty filter removes the filter; other empty lines do nothing.
  if (!entered.text.empty() || entered.kind == PromptKind::filter) {
    if (!enter(entered)) return;
    if (!entered.text.empty()) add_to_history(ui.typed, entered.kind, entered.text);
  }
  ui.prompt.reset();
  say_note();
  ask_for_yes();
}

void Dashboard::State::say_note() {
  if (!ui.note.empty()) cursor.say(std::exchange(ui.note, {}));
}

/// Asks the user to confirm the proposed action.
void Dashboard::State::ask_for_yes() {
  if (!proposed) return;
  ui.prompt.emplace();
  ui.prompt->kind = PromptKind::confirm;
  ui.prompt->question = proposed->question;
}

void Dashboard::State::take_answer(const Key& key) {
  if (key.name == "Ctrl-C") effects.push_back(Quit{});
  if (key.name != "y" && key.name != "n" && key.name != "Esc") return;
  ui.prompt.reset();
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

void Dashboard::State::start_prompt(PromptKind kind, std::string text) {
  // The prompt would be invisible, and the next keys would become its text.
  if (is_too_small(canvas.size())) return;
  ui.prompt.emplace();
  ui.prompt->kind = kind;
  ui.prompt->at = text.size();
  ui.prompt->text = std::move(text);
}

/// Begins a change of the fleet: asks for confirmation, or opens a prompt if it needs arguments.
void Dashboard::State::begin_change(Command command) {
  CommandContext context = this->context();
  if (const Status may = check_can_control(context); !may) return cursor.say(may.error().message);
  const auto row = ui.device ? model().find(*ui.device) : std::nullopt;
  if (command == Command::cap_power) {
    const std::string pool(row ? model().first_pool_of(*row) : std::string_view());
    return start_prompt(PromptKind::command,
                        pool.empty() ? "cap site " : fmt::format("cap pool:{} ", pool));
  }
  if (command == Command::inject) {
    const bool tagged = !ui.tagged_devices.empty();
    return start_prompt(PromptKind::command, tagged || !row
                                                 ? "inject "
                                                 : fmt::format("inject {} ", to_text(*ui.device)));
  }
  const auto change = std::ranges::find(change_lines, command, &ChangeLine::command);
  if (change == change_lines.end()) return;
  if (const Status done = run_command_line(context, change->line); !done) {
    return cursor.say(done.error().message);
  }
  ask_for_yes();
}

void Dashboard::State::begin_prompt(Command command) {
  switch (command) {
    case Command::ask_time:
      return start_prompt(PromptKind::time, {});
    case Command::ask_filter:
      return start_prompt(PromptKind::filter, ui.fleet_filter.text());
    case Command::ask_command:
      return start_prompt(PromptKind::command, {});
    default:
      return start_prompt(PromptKind::find, {});
  }
}

void Dashboard::State::take(Command command) {
  if (PlaybackCursor::takes(command)) return cursor.take(command, now);
  if (command >= Command::ask_time && command <= Command::ask_find) return begin_prompt(command);
  if (changes_fleet(command)) return begin_change(command);
  const bool finds = command == Command::find_next || command == Command::find_previous;
  if (finds && ui.finding.empty()) return begin_prompt(Command::ask_find);
  if (command == Command::toggle_story) {
    if (!options.story) return cursor.say("no story to pause: Space pauses time");
    effects.push_back(ToggleStory{});
    return;
  }
  if (command == Command::quit) {
    effects.push_back(Quit{});
    return;
  }
  update(model(), ui, command, now);
  say_note();
  if (const auto at = std::exchange(ui.seek_target, std::nullopt)) cursor.go_to(*at, now);
}

/// Executes the click target under the pointer.
void Dashboard::State::click(const Key& key) {
  const auto hit = click_targets.at(key.column, key.row);
  // Lists are not laid out before a click, so that it selects the line that the user saw even if it
  // has moved since. If the model was replaced, the target is no longer valid.
  if (!hit || click_targets_model != std::pair(model().structure(), cursor.changes())) return;
  switch (hit->kind) {
    case ClickTarget::Kind::view:
      return show_view(ui, static_cast<View>(hit->value));
    case ClickTarget::Kind::command:
      return take(static_cast<Command>(hit->value));
    case ClickTarget::Kind::column:
      return sort_by(ui.devices, hit->value);
    case ClickTarget::Kind::moment:
      return cursor.go_to(moment_at_part(cursor, now, hit->value), now);
    case ClickTarget::Kind::figure: {
      const bool again = ui.figure.index == hit->value;
      select_formula(ui, hit->value);
      if (again) take(Command::open);
      return;
    }
    case ClickTarget::Kind::item: {
      const bool again = selected_index(model(), ui) == hit->value;
      select_item(model(), ui, hit->value, now);
      if (again) take(Command::open);  // a second click opens
      return;
    }
  }
}

}  // namespace drover::tui
