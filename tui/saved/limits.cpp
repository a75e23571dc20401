#include "tui/saved/limits.h"

#include <algorithm>
#include <tuple>

#include "fleet/base/text.h"
#include "tui/tables/device_columns.h"

namespace drover::tui {
namespace {

void limit_lines(std::vector<std::string>& lines) {
  for (std::string& line : lines) line = printable(line);
  std::erase_if(lines, [](const std::string& line) {
    return line.empty() || line.size() > kept_line_bytes_max;
  });
  std::size_t bytes = 0;
  const auto newest = std::find_if(lines.rbegin(), lines.rend(), [&](const std::string& line) {
    return (bytes += line.size()) > kept_lines_bytes_max;
  });
  lines.erase(lines.begin(), newest.base());
  if (lines.size() > prompt_history_max) {
    lines.erase(lines.begin(), lines.end() - static_cast<std::ptrdiff_t>(prompt_history_max));
  }
}

void limit_folds(std::map<std::string, std::set<std::string>>& folds) {
  std::size_t count = 0;
  for (auto& [name, names] : folds) {
    std::set<std::string> kept;
    for (const std::string& each : names) {
      std::string clean = printable(each);
      const bool fits = clean.size() <= kept_name_bytes_max && count < kept_folds_max;
      if (fits && kept.insert(std::move(clean)).second) ++count;
    }
    names = std::move(kept);
  }
  std::erase_if(folds, [](const auto& each) {
    return each.second.empty() || each.first.size() > kept_name_bytes_max;
  });
}

/// The instants from which on bookmarks were made that are within the limit of all.
Instant oldest_kept(const Choices& choices) {
  std::vector<Instant> made;
  for (const auto& [place, marks] : choices.bookmarks) {
    for (const KeptBookmark& each : marks) made.push_back(each.made);
  }
  if (made.size() <= kept_bookmarks_max) return Instant::min();
  std::ranges::sort(made, std::greater());
  return made[kept_bookmarks_max - 1];
}

void limit_place(std::vector<KeptBookmark>& marks) {
  for (KeptBookmark& each : marks) {
    std::string& text = each.mark.text;
    constexpr std::size_t cut_bytes = 2;  // ".."
    text = printable(text);
    if (text.size() > bookmark_bytes_max) text = excerpt(text, bookmark_bytes_max - cut_bytes);
  }
  std::ranges::stable_sort(marks, std::greater(), &KeptBookmark::made);
  if (marks.size() > bookmarks_max) marks.resize(bookmarks_max);
  const auto moment = [](const KeptBookmark& each) { return each.mark.at; };
  std::ranges::stable_sort(marks, {}, moment);
  const auto same = [&](const KeptBookmark& a, const KeptBookmark& b) {
    return moment(a) == moment(b);
  };
  marks.erase(std::unique(marks.begin(), marks.end(), same), marks.end());
}

void limit_bookmarks(Choices& choices) {
  for (auto& [place, marks] : choices.bookmarks) limit_place(marks);
  const Instant oldest = oldest_kept(choices);
  for (auto& [place, marks] : choices.bookmarks) {
    std::erase_if(marks, [&](const KeptBookmark& each) { return each.made < oldest; });
  }
  std::erase_if(choices.bookmarks, [](const auto& each) {
    return each.second.empty() || each.first.empty() || each.first.size() > kept_line_bytes_max;
  });
}

}  // namespace

void limit(Choices& choices) {
  // Columns that this version does not know, or of which there are too many.
  if (choices.device_columns && !choices.device_columns->empty() &&
      !parse_columns(joined(*choices.device_columns, ","))) {
    choices.device_columns.reset();
  }
  if (choices.sort && !parse_sort(joined(*choices.sort, ","))) choices.sort.reset();
  for (auto& [kind, lines] : choices.typed) limit_lines(lines);
  std::erase_if(choices.typed, [](const auto& each) {
    return each.second.empty() || each.first.size() > kept_name_bytes_max;
  });
  limit_folds(choices.folds);
  limit_bookmarks(choices);
}

}  // namespace drover::tui
