#include "tui/title.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/model/alert_words.h"
#include "tui/panels/panels.h"

namespace drover::tui {
namespace {

struct Tab {
  ViewId view;
  std::string key;
};

/// The views that have a number key; help only while it is shown.
std::vector<Tab> tabs_of(ViewId shown) {
  std::vector<Tab> tabs;
  for (const ViewFacts& view : view_facts) {
    if (view.id == ViewId::help) continue;
    tabs.push_back({view.id, std::to_string(tabs.size() + 1)});
  }
  if (shown == ViewId::help) tabs.push_back({ViewId::help, "?"});
  return tabs;
}

/// The tabs in one wording: with how many brief names, from the right, and how many blanks between.
struct TabTexts {
  std::vector<std::string> texts;
  int gap = 1;
  int columns() const {
    int sum = 2 + gap * (static_cast<int>(texts.size()) - 1);
    for (const std::string& text : texts) sum += static_cast<int>(text.size());
    return sum;
  }
};

/// From the longest wording to the shortest, in which only the view shown has a name.
std::vector<TabTexts> tab_wordings(const std::vector<Tab>& tabs, ViewId shown) {
  std::vector<TabTexts> wordings;
  const auto add = [&](int gap, auto&& name_of) {
    TabTexts wording{{}, gap};
    for (std::size_t i = 0; i < tabs.size(); ++i) {
      const std::string_view name = name_of(i);
      wording.texts.push_back(tabs[i].key + (name.empty() ? "" : " ") + std::string(name));
    }
    wordings.push_back(std::move(wording));
  };
  const auto whole = [&](std::size_t i) { return facts(tabs[i].view).name; };
  add(2, whole);
  add(1, whole);
  for (std::size_t brief = 1; brief <= tabs.size(); ++brief) {
    add(1, [&](std::size_t i) {
      return i + brief >= tabs.size() ? facts(tabs[i].view).brief : whole(i);
    });
  }
  add(1, [&](std::size_t i) {
    return tabs[i].view == shown ? facts(shown).brief : std::string_view();
  });
  return wordings;
}

/// The unacknowledged alerts, and shorter; none if there are no alerts.
std::vector<std::string> alert_wordings(const Model& model) {
  const OpenAlerts open = open_alerts(model);
  if (open.worst == nullptr) return {""};
  return {fmt::format(" {} ", open_alerts_text(open)),
          fmt::format(" {} ", counted(open.count, "alert")), fmt::format(" {}! ", open.count), ""};
}

std::vector<std::string> clock_wordings(const FrameContext& frame) {
  const std::string clock = " " + to_clock_text(frame.now) + " ";
  if (frame.clock_differs()) return {clock, clock, ""};  // labelled by its speed
  return {clock + "UTC ", clock, ""};
}

std::vector<std::string> speed_wordings(const FrameContext& frame) {
  if (!frame.clock_differs()) return {""};
  if (frame.options.speed == 1) return {" fleet time ", " fleet ", ""};
  const std::string speed = fmt::format(" {:g}x ", frame.options.speed);
  return {speed + "fleet time ", speed, ""};
}

std::vector<std::string> with_none(const std::string& text) {
  return text.empty() ? std::vector<std::string>{""} : std::vector{" " + text + " ", std::string()};
}

enum class Part : std::uint8_t { product, tabs, address, speed, insecure, alerts, clock };
constexpr std::size_t part_count = 7;

/// The widths of a part's wordings, the longest first, and the one that is used.
struct PartWidths {
  std::vector<int> columns;
  std::size_t chosen = 0;
  int used() const { return columns[chosen]; }
};
using Widths = std::array<PartWidths, part_count>;

constexpr std::size_t shortest = 100;  // as far as a part has wordings

struct GivesWay {
  Part part;
  std::size_t until;  // which wording
};

constexpr std::size_t two_brief_tabs = 3;  // the wording of tabs in which the last two are brief

/// What gives way first. Most names of views stay longer than clock and address, as a user who does
/// not know the keys needs them.
constexpr std::array give_way = {
    GivesWay{Part::address, shortest}, GivesWay{Part::product, shortest},
    GivesWay{Part::clock, 1},          GivesWay{Part::tabs, two_brief_tabs},
    GivesWay{Part::clock, shortest},   GivesWay{Part::tabs, view_count},
    GivesWay{Part::speed, 1},          GivesWay{Part::alerts, 1},
    GivesWay{Part::insecure, 1},       GivesWay{Part::alerts, 2},
    GivesWay{Part::tabs, shortest},    GivesWay{Part::speed, shortest},
    GivesWay{Part::alerts, shortest},
};

int sum_of(const Widths& widths) {
  int sum = 0;
  for (const PartWidths& part : widths) sum += part.used();
  return sum;
}

/// Chooses the wordings: shortens until all fits, then takes back what was not needed.
void fit(Widths& widths, int columns) {
  const auto part_of = [&](const GivesWay& step) -> PartWidths& {
    return widths[static_cast<std::size_t>(step.part)];
  };
  for (const GivesWay& step : give_way) {
    PartWidths& part = part_of(step);
    const std::size_t until = std::min(step.until, part.columns.size() - 1);
    while (part.chosen < until && sum_of(widths) > columns) ++part.chosen;
  }
  for (auto step = give_way.rbegin(); step != give_way.rend(); ++step) {
    PartWidths& part = part_of(*step);
    while (part.chosen > 0) {
      --part.chosen;
      if (sum_of(widths) <= columns) continue;
      ++part.chosen;
      break;
    }
  }
}

PartWidths widths_of(const std::vector<std::string>& wordings) {
  PartWidths part;
  for (const std::string& text : wordings) {
    part.columns.push_back(static_cast<int>(column_width(text)));
  }
  return part;
}

void draw_tabs(const FrameContext& frame, DrawRegion& region, int column,
               const std::vector<Tab>& tabs, const TabTexts& wording) {
  for (std::size_t i = 0; i < tabs.size(); ++i) {
    const std::string& text = wording.texts[i];
    const auto width = static_cast<int>(text.size());
    const bool shown = tabs[i].view == frame.ui.view;
    if (shown) {
      region.text(column, 0, " " + text + " ", CellStyle::selected);
    } else {
      region.text(column + 1, 0, text, CellStyle::title);
    }
    frame.click_targets.add({column, region.area().row, width + 2, 1}, ClickTarget::Kind::view,
                            static_cast<int>(tabs[i].view));
    column += width + wording.gap;
  }
}

}  // namespace

void draw_title(const FrameContext& frame, DrawRegion region) {
  region.blank(CellStyle::title);
  const std::vector<Tab> tabs = tabs_of(frame.ui.view);
  const std::vector<TabTexts> tab_texts = tab_wordings(tabs, frame.ui.view);
  // In the order of Part; the tabs have a table of their own.
  const std::array<std::vector<std::string>, part_count> wordings = {
      std::vector<std::string>{" DROVER ", ""},
      {""},
      with_none(printable(frame.options.connected_to)),
      speed_wordings(frame),
      with_none(frame.options.insecure ? "insecure" : ""),
      alert_wordings(frame.model),
      clock_wordings(frame)};
  Widths widths;
  for (std::size_t i = 0; i < part_count; ++i) widths[i] = widths_of(wordings[i]);
  PartWidths& of_tabs = widths[static_cast<std::size_t>(Part::tabs)];
  of_tabs.columns.clear();
  for (const TabTexts& texts : tab_texts) of_tabs.columns.push_back(texts.columns());
  fit(widths, region.columns());
  const auto text_of = [&](Part part) -> const std::string& {
    const auto index = static_cast<std::size_t>(part);
    return wordings[index][widths[index].chosen];
  };
  const int left = region.text(0, 0, text_of(Part::product), CellStyle::badge);
  draw_tabs(frame, region, left, tabs, tab_texts[of_tabs.chosen]);
  int right = region.columns();
  for (const Part part : {Part::clock, Part::alerts, Part::insecure, Part::speed, Part::address}) {
    const std::string& text = text_of(part);
    const auto width = static_cast<int>(column_width(text));
    right -= width;
    region.text(right, 0, text, part == Part::alerts ? CellStyle::alarm : CellStyle::title);
    if (part == Part::alerts && width > 0) {
      frame.click_targets.add({right, region.area().row, width, 1}, ClickTarget::Kind::view,
                              static_cast<int>(ViewId::events));
    }
  }
}

}  // namespace drover::tui
