// Placements and their reasons: the live decisions, newest first, below a page of their sums.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "tui/panels/panels.h"
#include "tui/state/view.h"

namespace drover::tui {

/// The page above the list: placements from preferred to actual pools and their rates, the cost of
/// fallbacks, and the pools.
struct RoutingPage {
  Rect flows, costs, pools;
  int rows = 0;
};
RoutingPage lay_out_routing_page(const Model& model, int columns);
/// `region`: of the whole page.
void draw_routing_page(const FrameContext& frame, const RoutingPage& page,
                       const DrawRegion& region);

/// `details`: rows of the open details; 0 when they are closed.
TableLayout lay_out_routing(const Rect& area, const RoutingPage& page, int details);

struct DecisionList {
  std::optional<std::uint64_t> chosen;  // a number; none: the newest is always selected
  bool open = false;                    // the selected decision's details are shown
  std::vector<std::uint64_t> numbers;   // shown, newest first
  ListViewport place;
};

/// The numbers of the decisions that match the filter, newest first.
std::vector<std::uint64_t> list_decisions(const Model& model, const FleetFilter& fleet_filter);
/// Null if it is no longer kept.
const Decision* decision_of(const Model& model, std::uint64_t number);

class RoutingView : public View {
 public:
  using View::View;

  void forget_layout() override { list_.numbers.clear(); }
  void draw(const FrameContext& frame, const DrawRegion& region) const override;
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override;
  int selected(const Model& model) const override;
  bool back() override { return leave_list(ui_, list_); }

 protected:
  ScrolledRows lay_out(const LayoutInput& input) override;
  std::optional<int> count() const override { return static_cast<int>(list_.numbers.size()); }
  void select(const Model& model, int index, int direction) override;
  ListViewport* viewport() override { return &list_.place; }
  std::string search_text(const Model& model, int index) const override;
  std::optional<ViewId> open_selected(const KeyContext& context) override;

 private:
  void draw_list(const FrameContext& frame, DrawRegion region) const;

  DecisionList list_;
  RoutingPage page_;
  TableLayout layout_;
};

}  // namespace drover::tui
