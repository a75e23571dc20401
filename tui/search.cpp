// The search after Ctrl-P: a few letters find any view, device, host, pool, job, saved view, alert
// rule or command.
#include <utility>

#include "fleet/base/text.h"
#include "tui/dashboard_state.h"
#include "tui/state/fuzzy_match.h"

namespace drover::tui {
namespace {

constexpr std::size_t found_max = 10;

}  // namespace

void DashboardState::start_search() {
  start_prompt(PromptKind::search, {});
  if (!ui().prompt) return;
  destinations = destinations_of(*this);
  find_destinations();
}

void DashboardState::find_destinations() {
  Prompt& prompt = *ui().prompt;
  std::vector<std::string_view> texts;
  texts.reserve(destinations.size());
  for (const Destination& destination : destinations) texts.push_back(destination.searched());
  prompt.found.clear();
  prompt.found_index = 0;
  for (const std::size_t index : best_matches(prompt.text, texts, found_max)) {
    const Destination& destination = destinations[index];
    prompt.found.push_back(
        {std::string(to_text(destination.kind)), printable(destination.searched()), index});
  }
}

/// Goes to the chosen one. The prompt closes first, as the destination may open another.
void DashboardState::take_found() {
  const Prompt prompt = *std::exchange(ui().prompt, std::nullopt);
  if (prompt.found.empty()) return cursor.say("no match");
  const std::size_t index = prompt.found[prompt.found_index].index;
  const Destination chosen = destinations[index];
  destinations.clear();
  arrange_if_changed();
  if (const Status done = go_to(*this, chosen); !done) cursor.say(done.error().message);
}

/// Handles a key while the search is open: arrows choose, all others edit.
void DashboardState::take_search(const Key& key) {
  Prompt& prompt = *ui().prompt;
  const std::size_t count = std::max<std::size_t>(1, prompt.found.size());
  const bool down = key.name == "Down" || key.name == "Ctrl-N" || key.name == "Tab";
  const bool up = key.name == "Up" || key.name == "Ctrl-P" || key.name == "Shift-Tab";
  if (down || up) {
    prompt.found_index = (prompt.found_index + (down ? 1 : count - 1)) % count;
    return;
  }
  switch (handle_prompt_key(prompt, ui().typed, key)) {
    case PromptResult::quit:
      effects.push_back(Quit{});
      return;
    case PromptResult::left:
      return ui().prompt.reset();
    case PromptResult::entered:
      return take_found();
    case PromptResult::editing:
    case PromptResult::wants_completions:
      return find_destinations();
  }
}

}  // namespace drover::tui
