#include "tui/saved/choices.h"

#include <algorithm>
#include <array>

#include "fleet/base/text.h"
#include "tui/saved/limits.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

/// The prompts whose lines are kept; the others have no history.
struct KeptKind {
  PromptKind kind;
  const char* name;
};
constexpr std::array kept_kinds = {
    KeptKind{PromptKind::time, "times"}, KeptKind{PromptKind::filter, "filters"},
    KeptKind{PromptKind::command, "commands"}, KeptKind{PromptKind::find, "finds"}};

/// What was typed since `base`. Each line that is entered moves to the end, so that these are the
/// lines behind those that still have the order of `base`.
std::vector<std::string> typed_since(const std::vector<std::string>& base,
                                     const std::vector<std::string>& mine) {
  auto from = base.begin();
  auto line = mine.begin();
  for (; line != mine.end(); ++line) {
    const auto found = std::find(from, base.end(), *line);
    if (found == base.end()) break;
    from = found + 1;
  }
  return {line, mine.end()};
}

template <typename Map>
const typename Map::mapped_type& value_or_empty(const Map& map, const std::string& key) {
  static const typename Map::mapped_type none;
  const auto found = map.find(key);
  return found == map.end() ? none : found->second;
}

void merge_typed(Choices& result, const Choices& base, const Choices& mine) {
  for (const auto& [kind, lines] : mine.typed) {
    for (const std::string& line : typed_since(value_or_empty(base.typed, kind), lines)) {
      std::vector<std::string>& all = result.typed[kind];
      std::erase(all, line);
      all.push_back(line);
    }
  }
}

void merge_folds(Choices& result, const Choices& base, const Choices& mine) {
  const auto take = [&](const std::string& name) {
    const std::set<std::string>& now = value_or_empty(mine.folds, name);
    if (now != value_or_empty(base.folds, name)) result.folds[name] = now;
  };
  for (const auto& [name, names] : base.folds) take(name);
  for (const auto& [name, names] : mine.folds) take(name);
}

void merge_place(std::vector<KeptBookmark>& result, const std::vector<KeptBookmark>& base,
                 const std::vector<KeptBookmark>& mine, Instant today) {
  const auto at = [](const std::vector<KeptBookmark>& marks, Instant moment) {
    return std::ranges::find_if(marks,
                                [&](const KeptBookmark& each) { return each.mark.at == moment; });
  };
  const auto drop = [&](Instant moment) {
    std::erase_if(result, [&](const KeptBookmark& each) { return each.mark.at == moment; });
  };
  for (const KeptBookmark& each : base) {
    if (at(mine, each.mark.at) == mine.end()) drop(each.mark.at);
  }
  for (const KeptBookmark& each : mine) {
    const auto before = at(base, each.mark.at);
    if (before != base.end() && before->mark == each.mark) continue;
    drop(each.mark.at);
    result.push_back({each.mark, today});
  }
}

}  // namespace

Choices merged(Choices theirs, const Choices& base, const Choices& mine, Instant today) {
  Choices result = std::move(theirs);
  if (mine.device_columns != base.device_columns) result.device_columns = mine.device_columns;
  if (mine.sort != base.sort) result.sort = mine.sort;
  merge_typed(result, base, mine);
  merge_folds(result, base, mine);
  for (const auto& [place, marks] : mine.bookmarks) {
    merge_place(result.bookmarks[place], value_or_empty(base.bookmarks, place), marks, today);
  }
  for (auto& [place, marks] : result.bookmarks) {
    std::erase_if(marks, [&](const KeptBookmark& each) {
      return saturating_add(each.made, kept_bookmark_age_max) < today;
    });
  }
  limit(result);
  return result;
}

Choices choices_of(const UiState& ui, const PlaybackCursor& cursor, const std::string& place) {
  Choices choices;
  const ViewSettings shown = capture_view_settings(ui, {});
  choices.device_columns = shown.device_columns;
  choices.sort = shown.sort;
  for (const KeptKind& kept : kept_kinds) {
    const auto& lines = ui.typed[static_cast<std::size_t>(kept.kind)];
    if (!lines.empty()) choices.typed[kept.name] = {lines.begin(), lines.end()};
  }
  choices.folds = ui.folds;
  if (place.empty()) return choices;
  std::vector<KeptBookmark>& marks = choices.bookmarks[place];
  for (const Bookmark& mark : cursor.bookmarks()) marks.push_back({mark, {}});
  return choices;
}

void restore(const Choices& choices, UiState& ui, PlaybackCursor& cursor,
             const std::string& place) {
  if (choices.sort) {
    if (const auto keys = parse_sort(joined(*choices.sort, ","))) sort_by(ui.devices, *keys);
  }
  if (choices.device_columns) {
    const auto columns = parse_columns(joined(*choices.device_columns, ","));
    ui.devices.wanted = columns ? *columns : std::vector<ShownColumn>();
  }
  ui.devices.order_structure = 0;  // sort again
  for (const KeptKind& kept : kept_kinds) {
    const std::vector<std::string>& lines = value_or_empty(choices.typed, kept.name);
    ui.typed[static_cast<std::size_t>(kept.kind)] = {lines.begin(), lines.end()};
  }
  ui.folds = choices.folds;
  std::vector<Bookmark> marks;
  for (const KeptBookmark& each : value_or_empty(choices.bookmarks, place)) {
    marks.push_back(each.mark);
  }
  cursor.restore_bookmarks(std::move(marks));
}

}  // namespace drover::tui
