#include "tui/state/view.h"

#include <algorithm>

#include "fleet/base/text.h"

namespace drover::tui {
namespace {

constexpr int wheel_rows = 3;

}  // namespace

void View::arrange(const LayoutInput& input) {
  const ScrolledRows details = lay_out(input);
  ui_.details_seen = details.seen;
  ui_.details_top = std::clamp(ui_.details_top, 0, std::max(0, details.all - details.seen));
}

void View::select_near(const Model& model, int index, int direction) {
  if (items() > 0) select(model, std::clamp(index, 0, items() - 1), direction);
}

void View::scroll(int step) {
  ListViewport* const page = count() ? nullptr : viewport_;
  int& top = page != nullptr ? page->top : ui_.details_top;
  top = std::max(0, top + step);  // the end is limited by the next layout
}

void View::step(const KeyContext& context, int step) {
  ui_.moved_at = context.now;
  if (!count()) return scroll(step);
  ui_.details_top = 0;
  const int from = selected(context.model);
  const ListViewport* const list = viewport_;
  const int top = list == nullptr ? 0 : list->top;
  select_near(context.model, from < 0 ? top : from + step, step < 0 ? -1 : 1);
}

void View::move(const KeyContext& context, Move direction) {
  constexpr int whole = 1'000'000;  // limited by the next layout
  const ListViewport* const list = scrolls_as_page() && count() ? nullptr : viewport_;
  const int seen = list != nullptr ? list->visible : scrolls_as_page() ? ui_.details_seen : 2;
  const bool half = direction == Move::half_up || direction == Move::half_down;
  const int page = std::max(1, half ? seen / 2 : seen - 1);  // one row of a screen stays in sight
  const bool ends = direction == Move::first || direction == Move::last;
  const bool pages = half || direction == Move::page_up || direction == Move::page_down;
  const int sign = direction == Move::up || direction == Move::page_up ||
                           direction == Move::half_up || direction == Move::wheel_up ||
                           direction == Move::first
                       ? -1
                       : 1;
  if (direction == Move::left || direction == Move::right) return;
  if (scrolls_as_page() && (ends || pages)) return scroll(sign * (ends ? whole : page));
  if (!ends) {
    const bool wheel = direction == Move::wheel_up || direction == Move::wheel_down;
    return step(context, sign * (pages ? page : wheel ? wheel_rows : 1));
  }
  ui_.moved_at = context.now;
  ui_.details_top = 0;
  const bool last = direction == Move::last;
  select_near(context.model, last ? items() - 1 : 0, last ? -1 : 0);
}

void View::choose(const KeyContext& context, int index) {
  ui_.moved_at = context.now;
  ui_.details_top = 0;
  if (index >= 0 && index < items()) select(context.model, index, 1);
}

std::optional<ViewId> View::open(const KeyContext& context) {
  if (!chose_other() && selected(context.model) < 0 && items() > 0) step(context, 0);
  const auto next = open_selected(context);
  ui_.details_top = 0;
  return next;
}

void View::find(const KeyContext& context, int step) {
  ListViewport* const page = count() ? nullptr : viewport_;
  if (ui_.finding.empty() || (!count() && page == nullptr)) return;
  const int lines = page != nullptr ? page->count : items();
  const int from = page != nullptr ? page->top : selected(context.model);
  for (int i = 1; i <= lines; ++i) {
    const int index = ((from + step * i) % lines + lines) % lines;
    if (!contains_ignoring_case(search_text(context.model, index), ui_.finding)) continue;
    if (page != nullptr) {
      page->top = index;
    } else {
      choose(context, index);
    }
    return;
  }
  context.cursor.say("nothing here contains '" + ui_.finding + "'");
}

void View::tag(const KeyContext& context) {
  context.cursor.say(toggle_tag(ui_.tagged_devices, ui_.device, "device"));
  if (ui_.device) move_on(context);
}

}  // namespace drover::tui
