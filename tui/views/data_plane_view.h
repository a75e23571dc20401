// The telemetry itself: for each agent the age of its samples, losses, rates and clock offset; and
// the statistics of this dashboard.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tui/state/view.h"

namespace drover::tui {

struct HostList {
  std::optional<std::string> chosen;   // by name
  std::vector<std::uint32_t> numbers;  // indices of Model::hosts(), in the order shown
  ListViewport place;
};

/// Hosts with a device that matches the filter: worst first (lost, suspect, silent for longest),
/// then by rack and name; hosts that left come last.
std::vector<std::uint32_t> list_hosts(const Model& model, const FleetFilter& fleet_filter,
                                      Instant now);

class DataPlaneView : public View {
 public:
  using View::View;

  HostList list;

  void forget_layout() override { list.numbers.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override;
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override;
  int selected(const Model& model) const override;
  bool back() override;

 protected:
  ScrolledRows lay_out(const LayoutInput& input) override;
  std::optional<int> count() const override { return static_cast<int>(list.numbers.size()); }
  void select(const Model& model, int index, int direction) override;
  ListViewport* viewport() override { return &list.place; }
  std::string search_text(const Model& model, int index) const override;
  std::optional<ViewId> open_selected(const KeyContext& context) override;

 private:
  void draw_agents(const FrameContext& frame, DrawRegion region) const;
};

}  // namespace drover::tui
