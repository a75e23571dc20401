// What the user chose and finds again: bookmarks, and what is kept for the next start. And themes
// that are shown while their names are typed.
#include <utility>

#include "fleet/base/text.h"
#include "tui/canvas/theme.h"
#include "tui/dashboard_state.h"

namespace drover::tui {
namespace {

/// From a key to the write of what it chose: several keys in a row cause one write.
constexpr int keep_after_s = 1;  // wall time

}  // namespace

void DashboardState::choices_may_differ() {
  if (keep_at == never) keep_at = saturating_add(now, keep_after_s * wall_second(options));
}

void DashboardState::keep_choices() {
  keep_at = never;
  Choices chosen = choices_of(ui(), cursor, options.place);
  if (chosen == kept) return;
  kept = chosen;
  effects.push_back(KeepChoices{std::move(chosen)});
}

void DashboardState::toggle_bookmark() {
  const auto mark = cursor.toggle_bookmark(now);
  tell_of(mark);
  if (mark) keep_moment();
}

void DashboardState::set_bookmark(std::string_view text) {
  tell_of(cursor.set_bookmark(excerpt(text, bookmark_bytes_max - 2), now));
}

/// A recording that is being written gets the bookmark; one that is shown cannot change.
void DashboardState::tell_of(const std::optional<Bookmark>& mark) {
  if (mark && !replay()) effects.push_back(MarkMoment{*mark});
}

/// Shows the theme that is being typed after `:theme`, else the one in force.
void DashboardState::follow_theme() {
  static constexpr std::string_view command = "theme ";
  std::string wanted = options.settings.theme;
  if (ui().prompt && ui().prompt->kind == PromptKind::command) {
    const std::string_view line = ui().prompt->text;
    const std::string_view name =
        line.starts_with(command) ? trimmed(line.substr(command.size())) : std::string_view();
    if (theme_named(name)) wanted = name;
  }
  if (wanted == shown_theme) return;
  shown_theme = wanted;
  Settings settings = options.settings;
  settings.theme = std::move(wanted);
  effects.push_back(SettingsChange{std::move(settings), false});
}

}  // namespace drover::tui
