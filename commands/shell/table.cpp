#include "commands/shell/table.h"

#include <algorithm>
#include <array>

#include "fleet/base/result.h"
#include "fleet/base/text.h"

namespace drover::commands {
namespace {

using Cells = std::vector<std::string>;

constexpr std::string_view ansi_bold = "\x1b[1m", ansi_plain = "\x1b[0m";
constexpr std::string_view ansi_red = "\x1b[31m", ansi_yellow = "\x1b[33m", ansi_green = "\x1b[32m",
                           ansi_dim = "\x1b[2m";

struct StateColour {
  std::string_view word;
  std::string_view start;
};
// Most severe first. States of devices, hosts and jobs, severities, kinds of events. The basic
// colours: a terminal's user has chosen how they look.
constexpr std::array<StateColour, 24> state_colours = {{
    {"critical", ansi_red},      {"lost", ansi_red},       {"unusable", ansi_red},
    {"problem", ansi_red},       {"failed", ansi_red},     {"action_refused", ansi_red},
    {"warning", ansi_yellow},    {"note", ansi_yellow},    {"suspect", ansi_yellow},
    {"faulty", ansi_yellow},     {"stale", ansi_yellow},   {"throttled", ansi_yellow},
    {"ejected", ansi_yellow},    {"drained", ansi_yellow}, {"queued", ansi_yellow},
    {"cancelling", ansi_yellow}, {"left", ansi_dim},       {"cancelled", ansi_dim},
    {"finished", ansi_dim},      {"info", ansi_dim},       {"leased", ansi_green},
    {"running", ansi_green},     {"loading", ansi_green},  {"ok", ansi_green},
}};

constexpr std::string_view column_gap = "  ";
/// Cells are not wrapped to less than this.
constexpr std::size_t wrapped_width_min = 10;

/// Where the text must end so that it has at most this many columns; at least one character.
std::size_t bytes_within(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  while (end < text.size()) {
    std::size_t next = end + 1;
    while (next < text.size() && (static_cast<unsigned char>(text[next]) & 0xC0U) == 0x80U) ++next;
    if (end > 0 && column_width(text.substr(0, next)) > columns) break;
    end = next;
  }
  return end;
}

/// The width of a column, and what may become of it.
struct ColumnWidth {
  std::size_t width = 0;
  std::size_t heading_least = 0;  // with its heading in several lines
  std::size_t cells_least = 0;    // with its cells in several lines too
};

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (const std::string& word : split(text, ' ')) longest = std::max(longest, column_width(word));
  return longest;
}

std::vector<ColumnWidth> natural_widths(const std::vector<Heading>& headings,
                                        const std::vector<Cells>& rows) {
  std::vector<ColumnWidth> widths;
  for (std::size_t i = 0; i < headings.size(); ++i) {
    const Heading& heading = headings[i];
    std::size_t cells = 0;
    for (const Cells& row : rows) cells = std::max(cells, column_width(row[i]));
    const std::size_t word = longest_word(heading.name);
    const std::size_t least =
        heading.align == Align::right ? cells : std::min(cells, wrapped_width_min);
    widths.push_back({std::max({heading.width_min, column_width(heading.name), cells}),
                      std::max(word, cells), std::max(word, least)});
  }
  return widths;
}

/// Makes the widest column narrower, again and again until the line fits or each column has its
/// least width.
void narrow_columns(std::size_t ColumnWidth::*least, std::size_t columns_max,
                    std::vector<ColumnWidth>& columns) {
  std::size_t total = column_gap.size() * (columns.size() - 1);
  for (const ColumnWidth& column : columns) total += column.width;
  for (; total > columns_max; --total) {
    ColumnWidth* widest = nullptr;
    for (ColumnWidth& column : columns) {
      if (column.width <= column.*least) continue;
      if (widest == nullptr || column.width > widest->width) widest = &column;
    }
    if (widest == nullptr) return;
    --widest->width;
  }
}

std::vector<std::size_t> widths_of(const std::vector<Heading>& headings,
                                   const std::vector<Cells>& rows, std::size_t columns_max) {
  std::vector<ColumnWidth> columns = natural_widths(headings, rows);
  if (columns_max > 0) {
    narrow_columns(&ColumnWidth::heading_least, columns_max, columns);
    narrow_columns(&ColumnWidth::cells_least, columns_max, columns);
  }
  std::vector<std::size_t> widths;
  for (const ColumnWidth& column : columns) widths.push_back(column.width);
  return widths;
}

/// One line of a row. `start`: what precedes the text of each cell.
std::string line_text(const std::vector<Heading>& headings, const std::vector<std::size_t>& widths,
                      const Cells& cells, const std::vector<std::string_view>& start) {
  std::size_t last = cells.size();
  while (last > 0 && cells[last - 1].empty()) --last;
  std::string line;
  for (std::size_t i = 0; i < last; ++i) {
    const std::size_t width = column_width(cells[i]);
    const std::string padding(widths[i] > width ? widths[i] - width : 0, ' ');
    if (i > 0) line += column_gap;
    if (headings[i].align == Align::right) line += padding;
    if (start[i].empty() || cells[i].empty()) {
      line += cells[i];
    } else {
      line.append(start[i]).append(cells[i]).append(ansi_plain);
    }
    if (headings[i].align == Align::left && i + 1 < last) line += padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

/// A row with as many lines as its longest cell takes.
std::string row_text(const std::vector<Heading>& headings, const std::vector<std::size_t>& widths,
                     const Cells& cells, const std::vector<std::string_view>& start) {
  std::vector<std::vector<std::string>> columns;
  std::size_t lines = 1;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    columns.push_back(column_width(cells[i]) <= widths[i] ? Cells{cells[i]}
                                                          : wrapped_lines(cells[i], widths[i]));
    lines = std::max(lines, columns.back().size());
  }
  std::string text;
  for (std::size_t line = 0; line < lines; ++line) {
    Cells parts;
    for (const auto& column : columns) {
      parts.push_back(line < column.size() ? column[line] : std::string());
    }
    text += line_text(headings, widths, parts, start);
  }
  return text;
}

}  // namespace

TableStyle table_style(std::string_view colour, const OutputFacts& facts) {
  const bool wanted =
      colour == "always" || (colour == "auto" && facts.terminal && !facts.no_colour);
  return {facts.terminal ? facts.columns : 0, wanted};
}

std::string_view state_colour(std::string_view cell) {
  const std::vector<std::string> words = split(cell, ' ');
  for (const StateColour& state : state_colours) {
    if (std::ranges::find(words, state.word) != words.end()) return state.start;
  }
  return {};
}

std::vector<std::string> wrapped_lines(std::string_view text, std::size_t columns) {
  std::vector<std::string> lines;
  while (column_width(text) > columns) {
    const std::size_t end = bytes_within(text, columns);
    std::size_t blank = text.rfind(' ', end);
    const bool at_blank = blank != std::string_view::npos && blank > 0;
    lines.emplace_back(trimmed(text.substr(0, at_blank ? blank : end)));
    text = text.substr(at_blank ? blank + 1 : end);
  }
  lines.emplace_back(text);
  return lines;
}

std::string wrapped_with_indent(std::string_view lines, std::size_t columns) {
  std::vector<std::string> wrapped;
  for (const std::string& line : split(lines, '\n')) {
    if (column_width(line) <= columns) {
      wrapped.push_back(line);
      continue;
    }
    const std::size_t own = std::min(line.find_first_not_of(' '), columns / 2);
    const std::vector<std::string> parts = wrapped_lines(trimmed(line), columns - own - 2);
    for (std::size_t i = 0; i < parts.size(); ++i) {
      wrapped.push_back(std::string(i == 0 ? own : own + 2, ' ') + parts[i]);
    }
  }
  return joined(wrapped, "\n");
}

std::string table_text(const std::vector<Heading>& headings, const std::vector<Cells>& rows,
                       const TableStyle& style) {
  std::vector<Cells> escaped;
  for (const Cells& row : rows) {
    DROVER_REQUIRE(row.size() == headings.size());
    Cells& cells = escaped.emplace_back();
    for (const std::string& cell : row) cells.push_back(printable(cell));
  }
  const std::vector<std::size_t> widths = widths_of(headings, escaped, style.columns_max);
  Cells names;
  for (const Heading& heading : headings) names.push_back(heading.name);
  std::vector<std::string_view> start(headings.size(),
                                      style.colour ? ansi_bold : std::string_view());
  std::string text = row_text(headings, widths, names, start);
  for (const Cells& cells : escaped) {
    for (std::size_t i = 0; i < cells.size(); ++i) {
      start[i] =
          style.colour && headings[i].has_states ? state_colour(cells[i]) : std::string_view();
    }
    text += row_text(headings, widths, cells, start);
  }
  return text;
}

}  // namespace drover::commands
