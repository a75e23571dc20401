// Choices as TOML.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "fleet/text/toml.h"
#include "tui/saved/choices.h"
#include "tui/saved/limits.h"

namespace drover::tui {
namespace {

using toml_file::Table;

std::string kept_texts(const std::vector<std::string>& texts) {
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(toml_file::quoted(printable(text)));
  return fmt::format("[{}]", joined(quoted, ", "));
}

/// With all nine digits: a bookmark is recognised by its instant.
std::string whole_instant(Instant at) {
  constexpr std::int64_t second = 1'000'000'000;
  const std::int64_t ns = at.time_since_epoch().count();
  const std::string text = to_iso8601(at);  // "..:01.123Z"
  return fmt::format("{}.{:09}Z", text.substr(0, text.find('.')),
                     ((ns % second) + second) % second);
}

std::optional<std::vector<std::string>> read_optional(Table& root, std::string_view key) {
  if (!root.has(key)) return {};
  return root.texts(key);
}

void read_typed(Table& root, Choices& choices) {
  auto table = root.table("typed");
  if (!table) return;
  for (const std::string& kind : table->keys()) choices.typed[kind] = table->texts(kind);
}

void read_folds(Table& root, Choices& choices) {
  auto table = root.table("folds");
  if (!table) return;
  for (const std::string& name : table->keys()) {
    const std::vector<std::string> names = table->texts(name);
    choices.folds[name] = {names.begin(), names.end()};
  }
}

void read_bookmarks(Table& root, Choices& choices) {
  for (Table& table : root.tables("bookmarks")) {
    const std::string place = table.text("place", "");
    const auto at = parse_timestamp(table.text("at", ""));
    const auto made = parse_timestamp(table.text("made", ""));
    if (!at || !made) continue;
    choices.bookmarks[place].push_back({{*at, table.text("text", "")}, *made});
  }
}

}  // namespace

std::string to_toml(const Choices& choices) {
  std::string text =
      "# Written by drover top: what was chosen on the screen. Settings are in another file:\n"
      "# drover config path\n";
  if (choices.device_columns) {
    text += fmt::format("device_columns = {}\n", kept_texts(*choices.device_columns));
  }
  if (choices.sort) text += fmt::format("sort = {}\n", kept_texts(*choices.sort));
  if (!choices.typed.empty()) text += "\n[typed]\n";
  for (const auto& [kind, lines] : choices.typed) {
    text += fmt::format("{} = {}\n", toml_file::quoted(kind), kept_texts(lines));
  }
  if (!choices.folds.empty()) text += "\n[folds]\n";
  for (const auto& [name, names] : choices.folds) {
    text +=
        fmt::format("{} = {}\n", toml_file::quoted(name), kept_texts({names.begin(), names.end()}));
  }
  for (const auto& [place, marks] : choices.bookmarks) {
    for (const KeptBookmark& each : marks) {
      text += fmt::format("\n[[bookmarks]]\nplace = {}\nat = \"{}\"\ntext = {}\nmade = \"{}\"\n",
                          toml_file::quoted(printable(place)), whole_instant(each.mark.at),
                          toml_file::quoted(printable(each.mark.text)), whole_instant(each.made));
    }
  }
  return text;
}

Result<Choices> read_choices(std::string_view text, const std::string& place) {
  DROVER_ASSIGN(auto root, Table::parse(text, place));
  Choices choices;
  choices.device_columns = read_optional(root, "device_columns");
  choices.sort = read_optional(root, "sort");
  read_typed(root, choices);
  read_folds(root, choices);
  read_bookmarks(root, choices);
  // A later version may have keys that this one does not know.
  DROVER_TRY(root.problem());
  limit(choices);
  return choices;
}

}  // namespace drover::tui
