#include "tui/news_list.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

namespace drover::tui {
namespace {

constexpr std::size_t news_most = events_max + alert_news_max + audits_max;

void add_section(std::vector<NewsLine>& lines, std::string heading, std::string note,
                 std::vector<News> section) {
  lines.push_back({std::move(heading), std::move(note), {}});
  for (News& news : section) lines.push_back({{}, {}, std::move(news)});
}

}  // namespace

NewsKey key_of(const News& news) { return {news.at, news.kind, news.subject, news.text}; }

std::vector<NewsLine> list_news(const Model& model, const Narrowing& narrowing) {
  std::vector<News> raised = raised_alerts(model);
  std::vector<News> happened = latest_news(model, news_most);
  const auto hidden = [&](const News& news) { return !narrowing.shows(model, news); };
  std::erase_if(raised, hidden);
  std::erase_if(happened, hidden);
  std::vector<NewsLine> lines;
  const std::size_t open = raised.size();
  add_section(lines, fmt::format("Alerts {}", open),
              open > 0 ? "gravest first" : "nothing is raised", std::move(raised));
  add_section(lines, "Events", "newest first", std::move(happened));
  return lines;
}

int index_of_chosen(const NewsList& list) {
  if (!list.chosen) return -1;
  const auto at = std::find_if(list.lines.begin(), list.lines.end(), [&](const NewsLine& line) {
    return line.heading.empty() && key_of(line.news) == *list.chosen;
  });
  return at == list.lines.end() ? -1 : static_cast<int>(at - list.lines.begin());
}

void choose_news(NewsList& list, int index, int direction) {
  const int onward = direction < 0 ? -1 : 1;
  for (const int step : {onward, -onward}) {
    for (int i = index; i >= 0 && i < static_cast<int>(list.lines.size()); i += step) {
      const NewsLine& line = list.lines[static_cast<std::size_t>(i)];
      if (!line.heading.empty()) continue;
      list.chosen = key_of(line.news);
      list.place.row = -1;
      return;
    }
  }
}

const News* chosen_news(const NewsList& list) {
  const int index = index_of_chosen(list);
  return index < 0 ? nullptr : &list.lines[static_cast<std::size_t>(index)].news;
}

}  // namespace drover::tui
