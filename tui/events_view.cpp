// What is raised and what happened: each line leads to its moment and its device.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/units.h"
#include "tui/news_panels.h"
#include "tui/subjects.h"
#include "tui/update.h"
#include "tui/view_rows.h"
#include "tui/views.h"

namespace drover::tui {
namespace {

ScrolledRows arrange_events(const Arrangement& at, Choices& choices) {
  NewsList& list = choices.news;
  list.lines = list_news(at.model, choices.narrowing);
  list.place.settle(index_of_chosen(list), static_cast<int>(list.lines.size()), at.body.rows);
  return {};
}

int count_news(const Choices& choices) { return static_cast<int>(choices.news.lines.size()); }
int selected_news(const Model&, const Choices& choices) { return index_of_chosen(choices.news); }
void select_news(const Model&, Choices& choices, int index, int direction) {
  choose_news(choices.news, index, direction);
}
std::string text_of_news(const Model&, const Choices& choices, int index) {
  const News& news = choices.news.lines[static_cast<std::size_t>(index)].news;
  return news.subject + " " + news.text;
}
ListPlace* place_of_news(Choices& choices) { return &choices.news.place; }

bool let_news_go(Choices& choices) {
  const bool was = choices.news.chosen.has_value();
  choices.news.chosen.reset();
  return was;
}

/// To the moment, and to what it is about: a device, else a host's first device, else a job.
void go_to_news(const Model& model, Choices& choices) {
  const News* const news = chosen_news(choices.news);
  if (news == nullptr) return;
  choices.wanted_moment = news->at;
  if (const auto device = device_named(model, news->subject)) {
    choices.device = device;
    show_view(choices, View::device);
  } else if (const auto job = job_named(model, news->subject)) {
    choices.jobs.chosen = job;
    choices.jobs.open = true;
    show_view(choices, View::jobs);
  } else {
    show_view(choices, View::fleet);
  }
}

void draw_events_view(const Scene& scene, const Pen& pen) {
  Pen list = pen;
  const NewsList& news = scene.choices.news;
  const int selected = index_of_chosen(news);
  for (int line = 0; line < list.rows(); ++line) {
    const int item = news.place.top + line;
    if (item >= static_cast<int>(news.lines.size())) break;
    const NewsLine& shown = news.lines[static_cast<std::size_t>(item)];
    if (!shown.heading.empty()) {
      list.on(list.row_area(line)).heading(0, shown.heading, shown.note);
      continue;
    }
    draw_news_line(scene, list, line, shown.news);
    scene.hits.add(list.row_area(line), Hit::Kind::item, item);
    if (item == selected) list.tint(line, Role::selected);
  }
}

}  // namespace

const ViewRow& events_row() {
  static constexpr ViewRow row = {.name = "events",
                                  .arrange = arrange_events,
                                  .draw = draw_events_view,
                                  .count = count_news,
                                  .selected = selected_news,
                                  .select = select_news,
                                  .place = place_of_news,
                                  .text = text_of_news,
                                  .open = go_to_news,
                                  .back = let_news_go};
  return row;
}

}  // namespace drover::tui
