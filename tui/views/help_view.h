// Keys, commands, reasons and symbols, as one page that scrolls.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tui/state/view.h"

namespace drover::tui {

struct HelpLine {
  std::string key, text;
  CellStyle style = CellStyle::plain;
};

class HelpView : public View {
 public:
  HelpView(UiState& ui, std::vector<HelpLine> lines) : View(ui), lines_(std::move(lines)) {}

  void draw(const FrameContext& frame, const DrawRegion& region) const override;
  std::vector<CompactLine> compact_lines(const FrameContext& frame, int lines_max) const override;
  bool back() override;

 protected:
  ScrolledRows lay_out(const LayoutInput& input) override;
  ListViewport* viewport() override { return &page_; }
  std::string search_text(const Model& model, int index) const override;

 private:
  std::vector<HelpLine> lines_;
  ListViewport page_;
};

}  // namespace drover::tui
