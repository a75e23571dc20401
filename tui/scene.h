// All that a view may look at while it draws one frame.
#pragma once

#include "tui/choices.h"
#include "tui/feed.h"
#include "tui/model.h"
#include "tui/pen.h"

namespace drover::tui {

struct Scene {
  const Model& model;
  const Choices& choices;
  const Feed& feed;
  const DashboardOptions& options;
  Instant now{};
  bool connected = true;
  Instant connection_since{};

  /// Wall seconds since an instant of fleet time.
  double wall_s_since(Instant then) const { return to_seconds(now - then) / options.speed; }
  bool stale(DeviceTable::Row row) const { return model.is_stale(now, row, options.stale_after); }
};

}  // namespace drover::tui
