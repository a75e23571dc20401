// The lines of the events view: what is raised, and below it what happened, newest first.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tui/model/model.h"
#include "tui/tables/list_place.h"
#include "tui/tables/narrowing.h"
#include "tui/tables/news.h"

namespace drover::tui {

/// What a line can be chosen by: nothing else of the same instant says the same of the same thing.
struct NewsKey {
  Instant at{};
  NewsKind kind = NewsKind::event;
  std::string subject;
  std::string text;
  bool operator==(const NewsKey&) const = default;
};
NewsKey key_of(const News& news);

/// A heading, or something that happened.
struct NewsLine {
  std::string heading;  // empty: `news` counts
  std::string note;     // at the right of a heading
  News news;
};

/// What of it is listed.
enum class NewsFilter : std::uint8_t { all, alerts, happened, rules };
inline constexpr int news_filter_count = 4;
std::string_view to_text(NewsFilter filter);

struct NewsList {
  NewsFilter filter = NewsFilter::all;
  std::vector<NewsLine> lines;
  std::optional<NewsKey> chosen;
  ListPlace place;
};

std::vector<NewsLine> list_news(const Model& model, const Narrowing& narrowing, NewsFilter filter);
void step_news_filter(NewsList& list);
int index_of_chosen(const NewsList& list);
/// The news at `index`, or the next in the direction of the move, or else before it.
void choose_news(NewsList& list, int index, int direction);
/// Null when nothing is chosen, or when it is no longer there.
const News* chosen_news(const NewsList& list);

}  // namespace drover::tui
