#include "tui/device/figure_panel.h"

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

  /// What does not fit on its line goes on under its words, behind the label.
  void add(std::string_view label, const std::string& text, Role role = Role::plain) {
    constexpr int label_columns = 12;
    const int width = std::max(8, columns_ - label_columns);
    for (const std::string& line : split(text, '\n')) {
      for (const std::string& part : wrapped(line, width)) {
        lines_.push_back({fmt::format("{:<{}}{}", label, label_columns, part), role});
        label = {};
      }
    }
  }

  std::vector<FigureLine> take() { return std::move(lines_); }

 private:
  int columns_;
  std::vector<FigureLine> lines_;
};

/// `before`: the constant above, whose note need not be said twice.
void add_constant(Lines& lines, std::string_view label, std::string_view name, const SpecFact* fact,
                  const SpecFact* before) {
  std::string text = fmt::format("{} = {}", name, value_text(fact));
  // A plain zero says that nobody knows, or that there is no such thing.
  const bool told = fact != nullptr && (fact->value != 0 || fact->known != Known::read);
  if (!told) return lines.add(label, text + ", not told", Role::faint);
  text += fmt::format(", {}", to_text(fact->known));
  const bool said = before != nullptr && before->known == fact->known && before->note == fact->note;
  if (!fact->note.empty()) {
    text += said ? std::string(" likewise") : fmt::format(": {}", printable(fact->note));
  }
  lines.add(label, text, fact->known == Known::assumed ? Role::warm : Role::plain);
}

void add_errors(Lines& lines, const Figure& figure) {
  std::string_view label = "error";
  for (int i = 0; i < error_class_count; ++i) {
    const auto error_class = static_cast<ErrorClass>(i);
    if (!has_error(figure, error_class)) continue;
    const ErrorFacts& error = facts(error_class);
    lines.add(label, fmt::format("{}: {} of {} published measurements", error.title, error.error,
                                 error.measurements));
    label = {};
  }
  if (figure.errors == 0) lines.add(label, "no measurement was compared with it", Role::faint);
}

}  // namespace

std::vector<FigureLine> figure_lines(const Figure& figure, const SpecFacts& facts, int columns) {
  Lines lines(columns);
  lines.add("", with_values(figure.told, facts));
  std::vector<std::string_view> names = constants_in(figure.formula);
  const bool told = names.empty() ? facts.find("power.idle_w") != nullptr
                                  : std::any_of(names.begin(), names.end(), [&](auto name) {
                                      return facts.find(name) != nullptr;
                                    });
  if (!told) {
    lines.add("formula", "as its driver reports: its spec tells no numbers of an emulation");
    return lines.take();
  }
  if (!is_limit(figure)) lines.add("formula", with_names(figure.formula), Role::accent);
  if (!names.empty()) lines.add("here", with_values(figure.formula, facts));
  for (const std::string_view name : constants_in(figure.told)) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  std::string_view label = "numbers";
  std::set<std::string_view> sources;
  const SpecFact* before = nullptr;
  for (const std::string_view name : names) {
    const SpecFact* const fact = facts.find(name);
    add_constant(lines, label, name, fact, std::exchange(before, fact));
    label = {};
    const std::string_view source = facts.source_of(name.substr(0, name.find('.')));
    const bool read = fact != nullptr && fact->known == Known::read && fact->value != 0;
    if (read && !source.empty()) sources.insert(source);
  }
  label = "read from";
  for (const std::string_view source : sources) {
    lines.add(label, printable(source));
    label = {};
  }
  if (!is_limit(figure)) add_errors(lines, figure);
  return lines.take();
}

void draw_figure_panel(Pen pen, const Figure& figure, std::string_view value,
                       const std::vector<FigureLine>& lines, int top) {
  const int seen = pen.rows() - 1;
  const std::string scroll = scroll_note(static_cast<int>(lines.size()), seen, top);
  pen.heading(0, fmt::format("{}: {}", figure.name, value), scroll.empty() ? "Esc closes" : scroll);
  for (int row = 0; row < seen; ++row) {
    const auto index = static_cast<std::size_t>(top) + static_cast<std::size_t>(row);
    if (index >= lines.size()) break;
    pen.field(0, row + 1, pen.columns(), lines[index].text, lines[index].role);
  }
}

}  // namespace drover::tui
