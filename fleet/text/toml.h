// Reads untrusted TOML, with errors that name file, line and key. Only toml.cpp uses toml++.
//
// Every problem reads `FILE:LINE: KEY.PATH: found X, expected Y`. Text over `bytes_max`, invalid
// UTF-8 and too deeply nested text are rejected before they are parsed.
//
// A key becomes known when it is read. `finish()` reports the first unknown key, with the nearest
// known one. After a problem the read returns a default and reading continues; `finish()` returns
// the first problem, `problems()` all.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fleet/base/result.h"
#include "fleet/base/time.h"

namespace drover::toml_file {

inline constexpr std::size_t bytes_max = 1 << 20;

struct Node;  // a toml++ table and its known keys

/// One table of a file. Cheap to copy; all tables of a file share its list of problems.
class Table {
 public:
  /// `place` is the file's name in messages.
  static Result<Table> parse(std::string_view text, std::string place);

  /// Whether the table has the key, which becomes known.
  bool has(std::string_view key) const;
  /// Whether the key's value is a table (inline or not), a number or a text. The key does not
  /// become known.
  bool holds_table(std::string_view key) const;
  bool holds_number(std::string_view key) const;
  bool holds_text(std::string_view key) const;
  /// The value of a key. Without `default_value` the key is required. A missing required key or a
  /// value of another type is a problem; the function then returns `default_value` or zero.
  std::string text(std::string_view key,
                   const std::optional<std::string>& default_value = std::nullopt);
  double number(std::string_view key, std::optional<double> default_value = std::nullopt);
  double number_in(std::string_view key, double low, double high,
                   std::optional<double> default_value = std::nullopt);
  std::int64_t integer(std::string_view key,
                       std::optional<std::int64_t> default_value = std::nullopt);
  std::int64_t integer_in(std::string_view key, std::int64_t low, std::int64_t high,
                          std::optional<std::int64_t> default_value = std::nullopt);
  bool boolean(std::string_view key, std::optional<bool> default_value = std::nullopt);
  /// A number of seconds or a text such as "5m".
  Duration duration(std::string_view key, std::optional<Duration> default_value = std::nullopt);
  /// A number of bytes or a text such as "80GiB".
  std::uint64_t bytes(std::string_view key,
                      std::optional<std::uint64_t> default_value = std::nullopt);
  /// An array of strings. A single string counts as an array of one, an absent key as an empty one.
  std::vector<std::string> texts(std::string_view key);
  std::vector<double> numbers(std::string_view key);
  std::optional<Table> table(std::string_view key);
  /// `[[key]]`, in order.
  std::vector<Table> tables(std::string_view key);
  /// All keys of this table, in the order of the file. They become known.
  std::vector<std::string> keys();

  /// "policy.toml:12: pool.h100.price_per_hour", for messages.
  std::string location_of(std::string_view key) const;
  /// Adds a problem at a key, unless the key has one already: a check of the default that replaced
  /// an invalid value adds no second problem.
  void add_problem(std::string_view key, std::string problem);
  template <typename... Args>
  void add_problem(std::string_view key, fmt::format_string<Args...> format, Args&&... args) {
    add_problem(key, fmt::format(format, std::forward<Args>(args)...));
  }
  /// The first problem of the file so far, or else the first unknown key of this table and its
  /// subtables.
  Status finish();
  /// The first problem of the file so far, without unknown keys.
  Status problem() const;
  /// All problems of the file, and all unknown keys of this table and its subtables.
  std::vector<Error> problems();

 private:
  struct File;
  Table(std::shared_ptr<File> file, Node& node);
  std::vector<Table> subtables();
  template <typename T, typename Read>
  T value(std::string_view key, const std::optional<T>& default_value, std::string_view expected,
          Read read);
  template <typename T, typename Read>
  std::vector<T> list(std::string_view key, std::string_view expected, Read read);
  std::shared_ptr<File> file_;  // shared by all tables of the file; the last one frees it
  Node* node_;                  // lives in the file
};

/// The text as a TOML string in double quotes.
std::string quoted(std::string_view text);

}  // namespace drover::toml_file
