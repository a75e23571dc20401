// The views that are pages: nothing in them is selected, they scroll.
#include "tui/views/view_rows.h"
#include "tui/views/views.h"

namespace drover::tui {
namespace {

ScrolledRows arrange_power(const Arrangement& at, Choices& choices) {
  return {power_view_rows(at.model, choices, at.body.columns), at.body.rows};
}

ScrolledRows arrange_help(const Arrangement& at, Choices& choices) {
  choices.help.settle(-1, static_cast<int>(help_lines().size()), help_rows(at.body.rows));
  return {};
}

std::string text_of_help(const Model&, const Choices&, int index) {
  const std::vector<HelpLine> lines = help_lines();
  const HelpLine& line = lines[static_cast<std::size_t>(index)];
  return line.key + " " + line.text;
}

ListPlace* place_of_help(Choices& choices) { return &choices.help; }

bool leave_help(Choices& choices) {
  choices.view = choices.before_help;
  return true;
}

}  // namespace

const ViewRow& power_row() {
  static constexpr ViewRow row = {.name = "power",
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

const ViewRow& help_row() {
  static constexpr ViewRow row = {.name = "help",
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
