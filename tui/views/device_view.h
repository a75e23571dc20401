// The details of one device: identity and state, every metric over time, limits, memory use,
// replicas, jobs, decisions and events. It is longer than most screens: the head stays, the rest
// scrolls, and an open formula is below it.
#pragma once

#include "tui/device/device_page.h"
#include "tui/views/devices_view.h"

namespace drover::tui {

/// Shows ui.device, which is set when the view is shown unless the fleet is empty.
class DeviceView : public View {
 public:
  DeviceView(UiState& ui, DevicesView& table) : View(ui), table_(table) {}

  /// Selects a metric or limit by its index in metric_formulas().
  void select_figure(int index);
  int figure() const { return figure_.index; }
  void forget_figure() { figure_ = {}; }
  /// The time from which the charts of a view of this width need samples.
  Instant begin(const FrameContext& frame, int columns) const;

  void draw(const FrameContext& frame, const DrawRegion& region) const override;
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override;
  int selected(const Model& model) const override { return table_.selected(model); }
  void move(const KeyContext& context, Move direction) override;
  bool back() override;

 protected:
  ScrolledRows lay_out(const LayoutInput& input) override;
  // The keys j and k select other devices in the order of the table.
  std::optional<int> count() const override { return table_.count(); }
  void select(const Model& model, int index, int direction) override;
  ListViewport* viewport() override { return table_.viewport(); }
  std::string search_text(const Model& model, int index) const override {
    return table_.search_text(model, index);
  }
  std::optional<ViewId> open_selected(const KeyContext& context) override;
  bool scrolls_as_page() const override { return true; }
  void move_on(const KeyContext&) override {}

 private:
  std::vector<std::string> draw_page(const FrameContext& frame, Canvas& canvas, bool ascii,
                                     DeviceTable::Row row, const SpecFacts& facts) const;
  void add_click_targets(const FrameContext& frame, const Rect& shown, int top) const;

  DevicesView& table_;
  FormulaSelection figure_;
  DeviceLayout layout_;  // its lists refer to the model of the layout
};

}  // namespace drover::tui
