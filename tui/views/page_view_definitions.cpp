// The views power and help: pages that scroll, without selection.
#include "tui/views/view_definitions.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

ScrolledRows arrange_power(const LayoutInput& at, UiState&) {
  return {power_view_rows(at.model, at.body.columns), at.body.rows};
}

ScrolledRows arrange_help(const LayoutInput& at, UiState& ui) {
  ui.help.scroll_to(-1, static_cast<int>(help_lines().size()), help_rows(at.body.rows));
  return {};
}

std::string text_of_help(const Model&, const UiState&, int index) {
  const std::vector<HelpLine> lines = help_lines();
  const HelpLine& line = lines[static_cast<std::size_t>(index)];
  return line.key + " " + line.text;
}

ListViewport* place_of_help(UiState& ui) { return &ui.help; }

bool leave_help(UiState& ui) {
  ui.view = ui.before_help;
  return true;
}

}  // namespace

const ViewDefinition& power_view_definition() {
  static constexpr ViewDefinition row = {.name = "power",
                                         .arrange = arrange_power,
                                         .draw = draw_power_view,
                                         .count = nullptr,
                                         .selected = nullptr,
                                         .select = nullptr,
                                         .place = nullptr,
                                         .text = nullptr,
                                         .open = nullptr,
                                         .back = nullptr};
  return row;
}

const ViewDefinition& help_view_definition() {
  static constexpr ViewDefinition row = {.name = "help",
                                         .arrange = arrange_help,
                                         .draw = draw_help,
                                         .count = nullptr,
                                         .selected = nullptr,
                                         .select = nullptr,
                                         .place = place_of_help,
                                         .text = text_of_help,
                                         .open = nullptr,
                                         .back = leave_help};
  return row;
}

}  // namespace drover::tui
