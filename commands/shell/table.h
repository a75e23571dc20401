// Aligned text tables without colour.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace drover::commands {

enum class Align { left, right };

struct Heading {
  Heading(const char* text) : name(text) {}
  Heading(std::string text, Align side = Align::left, std::size_t width = 0)
      : name(std::move(text)), align(side), width_min(width) {}

  std::string name;
  Align align = Align::left;
  std::size_t width_min = 0;  // for tables that are written in several parts
};
inline Heading right_aligned(std::string name) { return {std::move(name), Align::right}; }

/// Columns are as wide as their widest cell. `printable` escapes the cells. No line ends in blanks.
/// REQUIRES as many cells in each row as headings.
std::string table_text(const std::vector<Heading>& headings,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace drover::commands
