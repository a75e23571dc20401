// What keys and clicks do: prompts, answers, changes of the fleet; the rest is update's.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/filter/filter_complete.h"
#include "tui/dashboard_state.h"
#include "tui/panels/scrubber.h"
#include "tui/screen.h"
#include "tui/state/update.h"

namespace drover::tui {
namespace {

/// So many wall seconds without an answer to an action are an answer.
constexpr int action_patience_walls = 10;

}  // namespace

/// Whether the line was taken; else its problem stands there.
bool Dashboard::State::enter(const Prompt& prompt) {
  Desk desk = this->desk();
  Status done;
  switch (prompt.kind) {
    case PromptKind::time:
      done = run_line(desk, "at " + prompt.text);
      break;
    case PromptKind::filter:
      if (const auto problem = choices.narrowing.set(prompt.text)) {
        choices.prompt->problem = problem->message;
        choices.prompt->problem_at = problem->at;
        choices.prompt->problem_length = std::max<std::size_t>(1, problem->length);
        return false;
      }
      return true;
    case PromptKind::command:
      done = run_line(desk, prompt.text);
      break;
    case PromptKind::find:
      done = run_line(desk, "find " + prompt.text);
      break;
    case PromptKind::confirm:
      break;
  }
  if (!done) choices.prompt->problem = done.error().message;
  return done.ok();
}

Offers Dashboard::State::offers_at_cursor(const Prompt& prompt) {
  const std::string before = prompt.text.substr(0, prompt.at);
  static constexpr std::string_view filter_command = "filter ";
  const bool filters = prompt.kind == PromptKind::filter || before.starts_with(filter_command);
  if (!filters) {
    return prompt.kind == PromptKind::command ? offers_for(desk(), before) : Offers{};
  }
  const std::size_t from = prompt.kind == PromptKind::filter ? 0 : filter_command.size();
  const auto known = [&](filter::Field field) { return known_values(model(), field); };
  const filter::Completion offers =
      filter::complete(std::string_view(before).substr(from), before.size() - from, known);
  return {from + offers.at, offers.words};
}

/// A key while something is being typed.
void Dashboard::State::take_text(const Key& key) {
  Prompt& prompt = *choices.prompt;
  if (prompt.kind == PromptKind::confirm) return take_answer(key);
  // Below a line that was wrong a colon begins the next one; Up brings the wrong one back.
  if (prompt.kind == PromptKind::command && !prompt.problem.empty() && key.name == ":") {
    remember(choices.typed, prompt.kind, prompt.text);
    return begin_prompt(Command::ask_command);
  }
  switch (type(prompt, choices.typed, key)) {
    case Typed::editing:
      return;
    case Typed::wants_offers: {
      const Offers offers = offers_at_cursor(prompt);
      return offer(prompt, offers.from, offers.words);
    }
    case Typed::quit:
      choices.quit = true;
      return;
    case Typed::left:
      return choices.prompt.reset();
    case Typed::entered:
      break;
  }
  const Prompt entered = prompt;
  // An empty filter is no filter; of the others there is nothing to do.
  if (!entered.text.empty() || entered.kind == PromptKind::filter) {
    if (!enter(entered)) return;
    if (!entered.text.empty()) remember(choices.typed, entered.kind, entered.text);
  }
  choices.prompt.reset();
  say_note();
  ask_for_yes();
}

void Dashboard::State::say_note() {
  if (!choices.note.empty()) cursor.say(std::exchange(choices.note, {}));
}

/// Puts what was proposed before the person.
void Dashboard::State::ask_for_yes() {
  if (!proposed) return;
  choices.prompt.emplace();
  choices.prompt->kind = PromptKind::confirm;
  choices.prompt->question = proposed->question;
}

void Dashboard::State::take_answer(const Key& key) {
  if (key.name == "Ctrl-C") choices.quit = true;
  if (key.name != "y" && key.name != "n" && key.name != "Esc") return;
  choices.prompt.reset();
  const Action action = std::move(*std::exchange(proposed, std::nullopt));
  if (key.name != "y") return cursor.say("nothing was done");
  asked.ask(now, action.requests.size() + (action.policy_file.empty() ? 0 : 1),
            action_patience_walls * fleet_second(options));
  for (const Message& request : action.requests) {
    outbox.sends.push_back({router_peer, {"dashboard", ++asked_count, now, request}, 0});
  }
  if (!action.policy_file.empty()) policy_file = action.policy_file;
  cursor.say(asked.text());
}

void Dashboard::State::start_prompt(PromptKind kind, std::string text) {
  // Nobody types what they cannot see, and the letters after it would be text.
  if (is_too_small(canvas.size())) return;
  choices.prompt.emplace();
  choices.prompt->kind = kind;
  choices.prompt->at = text.size();
  choices.prompt->text = std::move(text);
}

/// What changes the fleet: asked at once where that is enough, else the line is begun.
void Dashboard::State::begin_change(Command command) {
  Desk desk = this->desk();
  if (const Status may = may_change(desk); !may) return cursor.say(may.error().message);
  const auto row = choices.device ? model().find(*choices.device) : std::nullopt;
  Status done;
  switch (command) {
    case Command::drain:
      done = run_line(desk, "drain");
      break;
    case Command::resume:
      done = run_line(desk, "resume");
      break;
    case Command::cancel:
      done = run_line(desk, "cancel");
      break;
    case Command::acknowledge:
      done = run_line(desk, "acknowledge");
      break;
    case Command::acknowledge_all:
      done = run_line(desk, "acknowledge all");
      break;
    case Command::cap_power: {
      const std::string pool(row ? model().first_pool_of(*row) : std::string_view());
      return start_prompt(PromptKind::command,
                          pool.empty() ? "cap site " : fmt::format("cap pool:{} ", pool));
    }
    case Command::inject: {
      const bool tagged = !choices.tagged_devices.empty();
      return start_prompt(
          PromptKind::command,
          tagged || !row ? "inject " : fmt::format("inject {} ", to_text(*choices.device)));
    }
    default:
      return;
  }
  if (!done) return cursor.say(done.error().message);
  ask_for_yes();
}

void Dashboard::State::begin_prompt(Command command) {
  switch (command) {
    case Command::ask_time:
      return start_prompt(PromptKind::time, {});
    case Command::ask_filter:
      return start_prompt(PromptKind::filter, choices.narrowing.text());
    case Command::ask_command:
      return start_prompt(PromptKind::command, {});
    default:
      return start_prompt(PromptKind::find, {});
  }
}

void Dashboard::State::take(Command command) {
  if (TimeCursor::takes(command)) return cursor.take(command, now);
  if (command >= Command::ask_time && command <= Command::ask_find) return begin_prompt(command);
  if (changes_fleet(command)) return begin_change(command);
  const bool finds = command == Command::find_next || command == Command::find_previous;
  if (finds && choices.finding.empty()) return begin_prompt(Command::ask_find);
  if (command == Command::toggle_story) {
    story_toggled = options.story;
    if (!options.story) cursor.say("there is no story here to pause: Space stops time");
    return;
  }
  update(model(), choices, command, now);
  say_note();
  if (const auto at = std::exchange(choices.wanted_moment, std::nullopt)) cursor.go_to(*at, now);
}

/// What lies under the pointer acts as if its key had been pressed.
void Dashboard::State::click(const Key& key) {
  const auto hit = hits.at(key.column, key.row);
  // What was seen is what is meant: lists are not laid out anew before, so that a line that has
  // moved since the last frame stays the one that was clicked on; of another model it means
  // nothing.
  if (!hit || hits_of != std::pair(model().structure(), cursor.changes())) return;
  switch (hit->kind) {
    case Hit::Kind::view:
      return show_view(choices, static_cast<View>(hit->value));
    case Hit::Kind::command:
      return take(static_cast<Command>(hit->value));
    case Hit::Kind::column:
      return sort_by(choices.devices, hit->value);
    case Hit::Kind::moment:
      return cursor.go_to(moment_at_part(cursor, now, hit->value), now);
    case Hit::Kind::figure: {
      const bool again = choices.figure.index == hit->value;
      select_figure(choices, hit->value);
      if (again) take(Command::open);
      return;
    }
    case Hit::Kind::item: {
      const bool again = selected_index(model(), choices) == hit->value;
      select_item(model(), choices, hit->value, now);
      if (again) take(Command::open);  // a second click opens
      return;
    }
  }
}

}  // namespace drover::tui
