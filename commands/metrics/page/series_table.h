// Families that have a series for each device or host, as text that is changed in place.
//
// Of a fleet's page nearly all is names and labels, which stay the same; so a page keeps its text,
// and a round writes only the values that differ from those in it. Values are right-aligned in
// slots of one width for each chunk of text (up to about chunk_rows rows of one family). The slots
// are filled with blanks in the text format, which allows them, and with zeros in OpenMetrics,
// which does not. A chunk is made anew when a row appears or goes, when a value becomes known or
// unknown, and when a value does not fit its slot.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "commands/metrics/page/family.h"

namespace drover::commands {

inline constexpr std::size_t chunk_rows = 256;
inline constexpr std::int64_t no_value = std::numeric_limits<std::int64_t>::min();

struct SeriesColumn {
  Family family;
  std::uint8_t decimals = 0;
};

/// The text of a table in one page.
struct SeriesText {
  struct Chunk {
    std::string text;
    std::vector<std::int64_t> shown;  // of each row, as it is in the text
    std::uint64_t layout = 0;         // of the rows that the text has
    std::uint32_t width = 0;          // of each slot
  };
  std::vector<std::vector<Chunk>> columns;  // of each column: its chunks
};

class SeriesTable {
 public:
  explicit SeriesTable(std::span<const SeriesColumn> columns) : columns_(columns) {}

  /// Gives an owner these rows, each with its labels; or none. Unless it has them already, they
  /// have no values yet.
  void set_rows(const std::string& owner, std::span<const std::string> labels);
  /// The values in an owner's rows, in units of 10^-decimals, until the next set_rows.
  class Rows {
   public:
    std::size_t size() const { return count_; }
    /// REQUIRES row < size().
    std::int64_t& at(std::size_t column, std::size_t row) {
      return (*values_)[column][first_ + row];
    }

   private:
    friend class SeriesTable;
    std::vector<std::vector<std::int64_t>>* values_ = nullptr;  // of the columns
    std::size_t first_ = 0, count_ = 0;
  };
  Rows rows_of(const std::string& owner);
  std::span<const SeriesColumn> columns() const { return columns_; }
  std::size_t rows() const { return rows_; }

  void write(PageFormat format, SeriesText& text) const;

 private:
  struct Block {
    std::vector<std::string> labels;
    std::vector<std::uint32_t> sizes;               // of the labels: read for every line
    std::vector<std::vector<std::int64_t>> values;  // of each column
    std::uint64_t layout = 0;                       // a new number at each change of its rows
  };
  struct Place {
    std::size_t block = 0, first = 0, count = 0;
  };
  bool has_rows(const std::string& owner, std::span<const std::string> labels) const;
  void remove(const std::string& owner);
  bool write_values(std::size_t column, const Block& block, char fill,
                    SeriesText::Chunk& chunk) const;
  void write_chunk(std::size_t column, const Block& block, char fill,
                   SeriesText::Chunk& chunk) const;

  std::span<const SeriesColumn> columns_;
  std::vector<Block> blocks_;
  std::map<std::string, Place> places_;
  std::uint64_t layouts_ = 0;
  std::size_t rows_ = 0;
};

/// A reading in units of 10^-decimals; no_value if it is not finite or too large.
std::int64_t fixed_point(double value, std::uint8_t decimals);

}  // namespace drover::commands
