// TOML from outside, with errors that name file, line and key. The only file that knows toml++ is
// toml.cpp.
//
// Every problem reads `FILE:LINE: KEY.PATH: found X, expected Y`. Text over 1 MiB, text that is not
// UTF-8 and text nested too deeply are refused before they are parsed.
//
// A `Table` is read by asking for keys. Every key that was asked for is known; `finish()` reports
// the first key that nobody asked for, with the nearest known one. A problem sticks: the read
// returns a default, reading goes on, and `finish()` returns the first problem, `problems()` all.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::toml_file {

struct Node;  // one toml++ table behind the wall, and the keys that were asked of it

/// One table of a file. Cheap to copy; all tables of a file share the file's first problem.
class Table {
 public:
  /// `place` is the file's name as messages show it.
  static Result<Table> parse(std::string_view text, std::string place);

  /// Whether the key stands here; it counts as asked for.
  bool has(std::string_view key) const;
  /// Whether a table, in line or not, a number or a text stands under the key. Does not count as
  /// asked for.
  bool holds_table(std::string_view key) const;
  bool holds_number(std::string_view key) const;
  bool holds_text(std::string_view key) const;
  /// The value of a key. Without `otherwise` the key must stand there. A value of another type is a
  /// problem, and the answer then `otherwise` or zero.
  std::string text(std::string_view key,
                   const std::optional<std::string>& otherwise = std::nullopt);
  double number(std::string_view key, std::optional<double> otherwise = std::nullopt);
  double number_in(std::string_view key, double low, double high,
                   std::optional<double> otherwise = std::nullopt);
  std::int64_t integer(std::string_view key, std::optional<std::int64_t> otherwise = std::nullopt);
  std::int64_t integer_in(std::string_view key, std::int64_t low, std::int64_t high,
                          std::optional<std::int64_t> otherwise = std::nullopt);
  bool boolean(std::string_view key, std::optional<bool> otherwise = std::nullopt);
  /// A number of seconds or a text such as "5m".
  Duration duration(std::string_view key, std::optional<Duration> otherwise = std::nullopt);
  /// A number of bytes or a text such as "80GiB".
  std::uint64_t bytes(std::string_view key, std::optional<std::uint64_t> otherwise = std::nullopt);
  /// A number of watts or a text such as "350W".
  double watts(std::string_view key, std::optional<double> otherwise = std::nullopt);
  /// A list of texts; a single text counts as a list of one; absent: empty.
  std::vector<std::string> texts(std::string_view key);
  std::vector<double> numbers(std::string_view key);
  std::optional<Table> table(std::string_view key);
  /// `[[key]]`, in order.
  std::vector<Table> tables(std::string_view key);
  /// All keys of this table, in the file's order; they count as asked for.
  std::vector<std::string> keys();
  /// Every key with a number as value.
  std::map<std::string, double> all_numbers();

  /// "policy.toml:12: pool.h100.price_per_hour", for messages.
  std::string place_of(std::string_view key) const;
  /// Records a problem at a key, unless one stands there already: what is said of a default that
  /// was read in its place is none.
  void complain(std::string_view key, std::string problem);
  /// The first problem of the file so far, or the first key of this table and its subtables that
  /// nobody asked for.
  Status finish();
  /// The first problem of the file so far; keys that nobody asked for are none.
  Status problem() const;
  /// All problems of the file, and all keys of this table and its subtables that nobody asked for.
  std::vector<Error> problems();

 private:
  struct File;
  Table(std::shared_ptr<File> file, Node& node);
  std::vector<Table> subtables();
  template <typename T, typename Read>
  T value(std::string_view key, const std::optional<T>& otherwise, std::string_view expected,
          Read read);
  template <typename T, typename Read>
  std::vector<T> list(std::string_view key, std::string_view expected, Read read);
  std::shared_ptr<File> file_;  // shared by all tables of the file; the last one frees it
  Node* node_;                  // lives in the file
};

/// A text as TOML writes it, in double quotes.
std::string quoted(std::string_view text);

}  // namespace drover::toml_file
