#include "tui/tables/news_list.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

namespace drover::tui {
namespace {

void add_section(std::vector<NewsLine>& lines, std::string heading, std::string note,
                 std::vector<News> section) {
  lines.push_back({std::move(heading), std::move(note), {}});
  for (News& news : section) lines.push_back({{}, {}, std::move(news)});
}

std::string note_of(const std::vector<News>& raised) {
  if (raised.empty()) return "nothing is raised";
  const auto seen = std::count_if(raised.begin(), raised.end(),
                                  [](const News& news) { return !news.seen_by.empty(); });
  return seen > 0 ? fmt::format("gravest first, {} acknowledged", seen) : "gravest first";
}

}  // namespace

std::string_view to_text(NewsFilter filter) {
  static constexpr std::array<std::string_view, news_filter_count> names = {
      "all", "alerts", "what happened", "rules"};
  return names[static_cast<std::size_t>(filter)];
}

void step_news_filter(NewsList& list) {
  list.filter = static_cast<NewsFilter>((static_cast<int>(list.filter) + 1) % news_filter_count);
}

NewsKey key_of(const News& news) { return {news.at, news.kind, news.subject, news.text}; }

std::vector<NewsLine> list_news(const Model& model, const Narrowing& narrowing, NewsFilter filter) {
  std::vector<NewsLine> lines;
  const auto hidden = [&](const News& news) { return !narrowing.shows(model, news); };
  if (filter == NewsFilter::all || filter == NewsFilter::alerts) {
    std::vector<News> raised = raised_alerts(model);
    std::erase_if(raised, hidden);
    std::string heading = fmt::format("Alerts {}", raised.size());
    std::string note = note_of(raised);
    add_section(lines, std::move(heading), std::move(note), std::move(raised));
  }
  if (filter == NewsFilter::all || filter == NewsFilter::happened) {
    std::vector<News> happened = latest_news(model, news_most);
    std::erase_if(happened, hidden);
    add_section(lines, "Events", "newest first", std::move(happened));
  }
  if (filter == NewsFilter::rules) {
    // A rule is about no device that a filter could be asked of.
    std::vector<News> rules = alert_rules(model);
    std::string heading = fmt::format("Rules {}", rules.size());
    std::string note = rules.empty() ? "the router has told none" : "as the policy has them";
    add_section(lines, std::move(heading), std::move(note), std::move(rules));
  }
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
