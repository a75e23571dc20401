// The screen follows the demo's story: each chapter names the view, the map's metric and the device
// that show it.
#include <algorithm>

#include "tui/dashboard_state.h"

namespace drover::tui {
namespace {

/// The index of a word in a list of names; no value for one that this dashboard does not know.
std::optional<std::size_t> index_of(const std::vector<std::string>& names, std::string_view word) {
  const auto found = std::ranges::find(names, word);
  if (found == names.end()) return {};
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace

void DashboardState::follow_story() {
  if (!ui().follows_story || !can_follow_story() || !cursor.live() || ui().prompt) return;
  const Caption& caption = *live_model.caption();
  if (followed_chapter == caption.chapter) return;
  followed_chapter = caption.chapter;
  if (const auto metric = index_of(map_metric_words(), caption.metric)) {
    ui().map_metric = static_cast<MapMetric>(*metric);
  }
  const auto device = parse_device_id(caption.device);
  if (device && live_model.find(*device)) ui().device = *device;
  if (const auto view = index_of(view_names(), caption.view)) {
    show(static_cast<ViewId>(*view));
  }
  arranged.reset();
  pressed = true;
}

}  // namespace drover::tui
