// What is raised and what happened: each line leads to its moment and its device.
#include <algorithm>

#include <fmt/format.h>

#include "fleet/base/units.h"
#include "tui/panels/alert_panel.h"
#include "tui/panels/news_panels.h"
#include "tui/state/update.h"
#include "tui/tables/subjects.h"
#include "tui/views/view_rows.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

// From here on the rules stand beside the list, and the chosen one's details below it.
constexpr int columns_with_rules = 160;
constexpr int rows_with_details = 16;
constexpr int events_gap = 2;

struct EventsLayout {
  Rect list, details, rules;  // the last two may be empty
};

EventsLayout lay_out_events(const Rect& area, const Model& model, const NewsList& list) {
  EventsLayout layout{area, {}, {}};
  if (area.columns >= columns_with_rules && list.filter != NewsFilter::rules) {
    layout.list.columns = area.columns * 3 / 5 - events_gap;
    const int column = area.column + layout.list.columns + events_gap;
    layout.rules = {column, area.row, area.column + area.columns - column, area.rows};
  }
  const int details = area.rows < rows_with_details ? 0 : alert_details_rows(model, list);
  layout.list.rows -= details;
  layout.details = {area.column, area.row + layout.list.rows, layout.list.columns, details};
  return layout;
}

ScrolledRows arrange_events(const Arrangement& at, Choices& choices) {
  NewsList& list = choices.news;
  list.lines = list_news(at.model, choices.narrowing, list.filter);
  list.place.settle(index_of_chosen(list), static_cast<int>(list.lines.size()),
                    lay_out_events(at.body, at.model, list).list.rows);
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

/// To the devices that a rule holds for now.
void go_to_rule(const Model& model, Choices& choices, const News& news) {
  const AlertRuleText* const rule = rule_named(model, news.rule);
  const auto filter = rule == nullptr ? std::nullopt : devices_held_by(*rule);
  if (!filter) {
    choices.note = "no filter of devices tells this rule";
    return;
  }
  choices.narrowing.set(*filter);
  show_view(choices, View::devices);
}

/// To the moment, and to what it is about: a device, else a host's first device, else a job.
void go_to_news(const Model& model, Choices& choices) {
  const News* const news = chosen_news(choices.news);
  if (news == nullptr) return;
  if (news->kind == NewsKind::rule) return go_to_rule(model, choices, *news);
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

void draw_news_list(const Scene& scene, Pen list) {
  const NewsList& news = scene.choices.news;
  const int selected = index_of_chosen(news);
  for (int line = 0; line < list.rows(); ++line) {
    const int item = news.place.top + line;
    if (item >= static_cast<int>(news.lines.size())) break;
    const NewsLine& shown = news.lines[static_cast<std::size_t>(item)];
    if (!shown.heading.empty()) {
      const std::string showing = item > 0 ? "" : fmt::format(", f: {}", to_text(news.filter));
      list.on(list.row_area(line)).heading(0, shown.heading, shown.note + showing);
      continue;
    }
    shown.news.kind == NewsKind::rule ? draw_rule_line(scene, list, line, shown.news)
                                      : draw_news_line(scene, list, line, shown.news);
    scene.hits.add(list.row_area(line), Hit::Kind::item, item);
    if (item == selected) list.tint(line, Role::selected);
  }
}

void draw_events_view(const Scene& scene, const Pen& pen) {
  const EventsLayout layout = lay_out_events(pen.area(), scene.model, scene.choices.news);
  draw_news_list(scene, pen.on(layout.list));
  if (layout.rules.columns > 0) draw_rules(scene, pen.on(layout.rules));
  if (layout.details.rows > 0) draw_alert_details(scene, pen.on(layout.details));
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
