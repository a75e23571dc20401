// Aligned text tables. Where they are printed is an argument.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace drover::commands {

enum class Align { left, right };

struct Heading {
  Heading(const char* text) : name(text) {}
  Heading(std::string text, Align side = Align::left, std::size_t width = 0, bool state = false)
      : name(std::move(text)), align(side), width_min(width), has_states(state) {}

  std::string name;
  Align align = Align::left;
  std::size_t width_min = 0;  // for tables that are written in several parts
  bool has_states = false;    // its cells are states or severities, which have colours
};
inline Heading right_aligned(std::string name) { return {std::move(name), Align::right}; }
inline Heading state_heading(std::string name) { return {std::move(name), Align::left, 0, true}; }

/// What the reader's screen can show.
struct TableStyle {
  std::size_t columns_max = 0;  // longer lines are wrapped within their columns; 0: no limit
  bool colour = false;          // bold headings, coloured states
};

/// What an output is.
struct OutputFacts {
  bool terminal = false;
  bool no_colour = false;   // the user wants none, or it has none
  std::size_t columns = 0;  // of the terminal; 0: not known
  std::size_t rows = 0;
};
/// `colour`: auto, always or never.
TableStyle table_style(std::string_view colour, const OutputFacts& facts);

/// Columns are as wide as their widest cell. If the lines would be longer than the style allows,
/// headings of several words take several lines, and then the cells of the widest left-aligned
/// columns. `printable` escapes the cells. No line ends in blanks.
/// REQUIRES as many cells in each row as headings.
std::string table_text(const std::vector<Heading>& headings,
                       const std::vector<std::vector<std::string>>& rows,
                       const TableStyle& style = {});

/// The escape sequence that starts the colour of a cell with states or severities: of the most
/// severe word in it. Empty for a state that needs no colour.
std::string_view state_colour(std::string_view cell);
/// Ends it.
inline constexpr std::string_view state_colour_end = "\x1b[0m";

/// The printable text in lines of at most `columns`, broken at blanks, else within a word.
std::vector<std::string> wrapped_lines(std::string_view text, std::size_t columns);

/// The lines, each in lines of at most `columns`; those that continue one are indented by two more
/// than it. `columns`: at least 8.
std::string wrapped_with_indent(std::string_view lines, std::size_t columns);

}  // namespace drover::commands
