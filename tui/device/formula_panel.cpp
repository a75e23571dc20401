#include "tui/device/formula_panel.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "fleet/base/text.h"
#include "tui/panels/panels.h"
#include "tui/panels/prompt_panel.h"

namespace drover::tui {
namespace {

class Lines {
 public:
  explicit Lines(int columns) : columns_(columns) {}

  /// Adds a label and its text, which is wrapped and indented behind the label.
  void add(std::string_view label, const std::string& text, CellStyle style = CellStyle::plain) {
    constexpr int label_columns = 12;
    const int width = std::max(8, columns_ - label_columns);
    for (const std::string& line : split(text, '\n')) {
      for (const std::string& part : wrapped(line, width)) {
        lines_.push_back({fmt::format("{:<{}}{}", label, label_columns, part), style});
        label = {};
      }
    }
  }

  std::vector<FormulaLine> take() { return std::move(lines_); }

 private:
  int columns_;
  std::vector<FormulaLine> lines_;
};

/// `before`: the constant above, whose note is not repeated.
void add_constant(Lines& lines, std::string_view label, std::string_view name, const SpecFact* fact,
                  const SpecFact* before) {
  std::string text = fmt::format("{} = {}", name, value_text(fact));
  // A plain zero means unknown or none.
  const bool known = fact != nullptr && (fact->value != 0 || fact->known != Provenance::read);
  if (!known) return lines.add(label, text + ", unknown", CellStyle::faint);
  text += fmt::format(", {}", to_text(fact->known));
  const bool same = before != nullptr && before->known == fact->known && before->note == fact->note;
  if (!fact->note.empty()) {
    text += same ? std::string(", as above") : fmt::format(": {}", printable(fact->note));
  }
  lines.add(label, text, fact->known == Provenance::assumed ? CellStyle::warm : CellStyle::plain);
}

void add_errors(Lines& lines, const MetricFormula& figure) {
  std::string_view label = "error";
  for (int i = 0; i < error_class_count; ++i) {
    const auto error_class = static_cast<ModelErrorClass>(i);
    if ((figure.errors >> static_cast<unsigned>(error_class) & 1u) == 0) continue;
    const ModelErrorInfo& error = facts(error_class);
    lines.add(label, fmt::format("{}: {} of {} published measurements", error.title, error.error,
                                 error.measurements));
    label = {};
  }
  if (figure.errors == 0) lines.add(label, "not compared with measurements", CellStyle::faint);
}

}  // namespace

std::vector<FormulaLine> formula_lines(const MetricFormula& figure, const SpecFacts& facts,
                                       int columns) {
  Lines lines(columns);
  lines.add("", with_values(figure.description, facts));
  std::vector<std::string_view> names = constants_in(figure.formula);
  const bool emulated = names.empty() ? facts.find("power.idle_w") != nullptr
                                      : std::any_of(names.begin(), names.end(), [&](auto name) {
                                          return facts.find(name) != nullptr;
                                        });
  if (!emulated) {
    lines.add("formula", "as its driver reports: its spec has no constants for an emulation");
    return lines.take();
  }
  if (!is_limit(figure)) lines.add("formula", with_names(figure.formula), CellStyle::accent);
  if (!names.empty()) lines.add("values", with_values(figure.formula, facts));
  for (const std::string_view name : constants_in(figure.description)) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string_view label = "constants";
  std::set<std::string_view> sources;
  const SpecFact* before = nullptr;
  for (const std::string_view name : names) {
    const SpecFact* const fact = facts.find(name);
    add_constant(lines, label, name, fact, std::exchange(before, fact));
    label = {};
    const std::string_view source = facts.source_of(name.substr(0, name.find('.')));
    const bool read = fact != nullptr && fact->known == Provenance::read && fact->value != 0;
    if (read && !source.empty()) sources.insert(source);
  }
  label = "sources";
  for (const std::string_view source : sources) {
    lines.add(label, printable(source));
    label = {};
  }
  if (!is_limit(figure)) add_errors(lines, figure);
  return lines.take();
}

void draw_formula_panel(DrawRegion region, const MetricFormula& figure, std::string_view value,
                        const std::vector<FormulaLine>& lines, int top) {
  const int seen = region.rows() - 1;
  const std::string scroll = scroll_note(static_cast<int>(lines.size()), seen, top);
  region.heading(0, fmt::format("{}: {}", figure.name, value),
                 scroll.empty() ? "Esc closes" : scroll);
  for (int row = 0; row < seen; ++row) {
    const auto index = static_cast<std::size_t>(top) + static_cast<std::size_t>(row);
    if (index >= lines.size()) break;
    region.field(0, row + 1, region.columns(), lines[index].text, lines[index].style);
  }
}

}  // namespace drover::tui
