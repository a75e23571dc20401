// Every device as a row: bars with a number inside, sorted by any column, with sparklines on wide
// screens.
#pragma once

#include "tui/panels/panels.h"
#include "tui/state/view.h"
#include "tui/tables/device_list.h"

namespace drover::tui {

TableLayout lay_out_devices(const Rect& area);

class DevicesView : public View {
 public:
  using View::View;

  DeviceList list;

  void step_sort(int step) { tui::step_sort(list, step); }
  void step_secondary_sort() { tui::step_secondary_sort(list); }
  void invert();
  void step_grouping();
  /// Sorts if it is due. The device view selects devices in this order, too.
  void sort(const LayoutInput& input);

  void forget_layout() override;
  void draw(const FrameContext& frame, const DrawRegion& region) const override;
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override;
  int selected(const Model& model) const override;
  bool back() override;

 protected:
  ScrolledRows lay_out(const LayoutInput& input) override;
  std::optional<int> count() const override { return static_cast<int>(list.lines.size()); }
  void select(const Model& model, int index, int direction) override;
  ListViewport* viewport() override { return &list.place; }
  std::string search_text(const Model& model, int index) const override;
  std::optional<ViewId> open_selected(const KeyContext& context) override;

 private:
  friend class DeviceView;  // selects in the same list
  TableLayout layout_;
};

/// A device as one line.
CompactLine compact_device(const FrameContext& frame, DeviceTable::Row row, int item);

}  // namespace drover::tui
