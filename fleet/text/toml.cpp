#include "fleet/text/toml.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#define TOML_EXCEPTIONS 0
#include <toml++/impl/preprocessor.h>
// toml++ 3.3 asserts that a key begins even in a table header without one ("[=a]"), and then
// rejects it properly. The assertion would stop a debug build and be undefined in a release build.
#undef TOML_ASSERT_ASSUME
#define TOML_ASSERT_ASSUME(condition) static_assert(true)
#include <toml++/toml.h>

#include "fleet/base/text.h"
#include "fleet/base/units.h"
#include "fleet/text/toml_nesting.h"

namespace drover::toml_file {

struct Node {
  const toml::table* table = nullptr;
  std::string path;             // "pool.h100"; empty for the file's own table
  std::uint32_t line = 1;       // where the table begins
  std::set<std::string> asked;  // the known keys
};

struct Table::File {
  std::string place;
  toml::table root;
  // By address, only for look-ups; never iterated.
  std::map<const toml::table*, Node> nodes;
  std::vector<Error> problems;
  std::set<std::string> complained;  // locations of problems

  Node& node(const toml::table& table, std::string path, std::uint32_t line) {
    const auto [found, fresh] = nodes.try_emplace(&table);
    if (fresh) found->second = Node{&table, std::move(path), line, {}};
    return found->second;
  }
};

namespace {

std::string shown_key(std::string_view key) {
  const bool bare = !key.empty() && std::all_of(key.begin(), key.end(), [](char character) {
    return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_' ||
           character == '-';
  });
  return bare ? std::string(key) : fmt::format("\"{}\"", printable(key));
}

std::string joined(const std::string& path, std::string_view key) {
  return path.empty() ? shown_key(key) : fmt::format("{}.{}", path, shown_key(key));
}

std::string shown_text(std::string_view text) {
  constexpr std::size_t shown_max = 40;
  return fmt::format("\"{}{}\"", printable(text.substr(0, shown_max)),
                     text.size() > shown_max ? ".." : "");
}

// The text for "found .." in messages.
std::string described(const toml::node& node) {
  if (const auto* text = node.as_string()) return shown_text(text->get());
  if (const auto* integer = node.as_integer()) return fmt::format("{}", integer->get());
  if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
  if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
  if (node.is_array_of_tables()) return "an array of tables";
  if (node.is_array()) return "an array";
  if (node.is_table()) return "a table";
  return "a date or time";
}

bool earlier(const toml::source_position& left, const toml::source_position& right) {
  return left.line != right.line ? left.line < right.line : left.column < right.column;
}

// toml++ sorts keys by name; messages list them in the order of the file.
std::vector<const toml::key*> keys_in_file_order(const toml::table& table) {
  std::vector<const toml::key*> keys;
  for (auto&& [key, value] : table) keys.push_back(&key);
  std::stable_sort(keys.begin(), keys.end(), [](const toml::key* left, const toml::key* right) {
    return earlier(left->source().begin, right->source().begin);
  });
  return keys;
}

std::string place_of_key(const std::string& place, const Node& node, std::string_view key) {
  std::uint32_t line = node.line;
  if (const auto found = node.table->find(key); found != node.table->end()) {
    line = std::max<std::uint32_t>(1, found->first.source().begin.line);
  }
  return fmt::format("{}:{}: {}", place, line, joined(node.path, key));
}

std::uint32_t line_of(const toml::node& node, std::uint32_t default_value) {
  const std::uint32_t line = node.source().begin.line;
  return line == 0 ? default_value : line;
}

std::optional<std::string> read_text(const toml::node& node) {
  const auto* text = node.as_string();
  return text == nullptr ? std::nullopt : std::optional(text->get());
}

// An integer or a finite number. TOML's nan and inf are refused.
std::optional<double> read_number(const toml::node& node) {
  if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
  const auto* number = node.as_floating_point();
  if (number == nullptr || !std::isfinite(number->get())) return std::nullopt;
  return number->get();
}

std::optional<std::int64_t> read_integer(const toml::node& node) {
  const auto* integer = node.as_integer();
  return integer == nullptr ? std::nullopt : std::optional(integer->get());
}

template <typename T>
std::optional<T> only_if_good(Result<T> result) {
  return result ? std::optional(*std::move(result)) : std::nullopt;
}

}  // namespace

Result<Table> Table::parse(std::string_view text, std::string place) {
  if (text.size() > bytes_max) {
    return error("{}: found {} bytes, expected at most {}", place, text.size(), bytes_max);
  }
  if (!is_utf8(text)) return error("{}: not UTF-8 text", place);
  if (const auto line = first_line_nested_too_deeply(text)) {
    return error("{}:{}: nested too deeply (more than {} brackets or {} dots)", place, *line,
                 brackets_deep_max, dots_per_key_max);
  }
  toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    return error("{}:{}: {}", place, parsed.error().source().begin.line,
                 printable(parsed.error().description()));
  }
  auto file = std::make_shared<File>();
  file->place = std::move(place);
  file->root = std::move(parsed).table();
  Node& root = file->node(file->root, "", 1);
  return Table{std::move(file), root};
}

Table::Table(std::shared_ptr<File> file, Node& node) : file_(std::move(file)), node_(&node) {}

bool Table::has(std::string_view key) const {
  node_->asked.emplace(key);
  return node_->table->contains(key);
}

bool Table::holds_table(std::string_view key) const {
  const toml::node* found = node_->table->get(key);
  return found != nullptr && found->is_table();
}

bool Table::holds_number(std::string_view key) const {
  const toml::node* found = node_->table->get(key);
  return found != nullptr && found->is_number();
}

bool Table::holds_text(std::string_view key) const {
  const toml::node* found = node_->table->get(key);
  return found != nullptr && found->is_string();
}

/// Finds the key's value and converts it by `read`, which returns nothing on a wrong type.
template <typename T, typename Read>
T Table::value(std::string_view key, const std::optional<T>& default_value,
               std::string_view expected, Read read) {
  node_->asked.emplace(key);
  const toml::node* found = node_->table->get(key);
  if (found == nullptr) {
    if (!default_value) add_problem(key, fmt::format("found nothing, expected {}", expected));
    return default_value.value_or(T{});
  }
  if (std::optional<T> read_value = read(*found)) return *std::move(read_value);
  add_problem(key, fmt::format("found {}, expected {}", described(*found), expected));
  return default_value.value_or(T{});
}

std::string Table::text(std::string_view key, const std::optional<std::string>& default_value) {
  return value(key, default_value, "a string", read_text);
}

double Table::number(std::string_view key, std::optional<double> default_value) {
  return value(key, default_value, "a number", read_number);
}

double Table::number_in(std::string_view key, double low, double high,
                        std::optional<double> default_value) {
  const auto within = [&](const toml::node& node) {
    const std::optional<double> number = read_number(node);
    return number && *number >= low && *number <= high ? number : std::nullopt;
  };
  return value(key, default_value, fmt::format("a number {}..{}", low, high), within);
}

std::int64_t Table::integer(std::string_view key, std::optional<std::int64_t> default_value) {
  return value(key, default_value, "a whole number", read_integer);
}

std::int64_t Table::integer_in(std::string_view key, std::int64_t low, std::int64_t high,
                               std::optional<std::int64_t> default_value) {
  const auto within = [&](const toml::node& node) {
    const std::optional<std::int64_t> integer = read_integer(node);
    return integer && *integer >= low && *integer <= high ? integer : std::nullopt;
  };
  return value(key, default_value, fmt::format("a whole number {}..{}", low, high), within);
}

bool Table::boolean(std::string_view key, std::optional<bool> default_value) {
  return value(key, default_value, "true or false", [](const toml::node& node) {
    const auto* boolean = node.as_boolean();
    return boolean == nullptr ? std::nullopt : std::optional(boolean->get());
  });
}

Duration Table::duration(std::string_view key, std::optional<Duration> default_value) {
  const auto read = [](const toml::node& node) -> std::optional<Duration> {
    if (const auto text = read_text(node)) return only_if_good(parse_duration(*text, ""));
    const std::optional<double> seconds = read_number(node);
    return seconds && *seconds >= 0 ? std::optional(from_seconds(*seconds)) : std::nullopt;
  };
  return value(key, default_value, "seconds or a string such as \"5m\" (ns us ms s m h d)", read);
}

std::uint64_t Table::bytes(std::string_view key, std::optional<std::uint64_t> default_value) {
  const auto read = [](const toml::node& node) -> std::optional<std::uint64_t> {
    if (const auto text = read_text(node)) return only_if_good(parse_bytes(*text, ""));
    const std::optional<double> bytes = read_number(node);
    if (!bytes || *bytes < 0 || *bytes > 0x1p53) return std::nullopt;
    return static_cast<std::uint64_t>(std::llround(*bytes));
  };
  return value(key, default_value, "bytes or a string such as \"80GiB\"", read);
}

/// All elements must have the type. A single value counts as a list of one.
template <typename T, typename Read>
std::vector<T> Table::list(std::string_view key, std::string_view expected, Read read) {
  node_->asked.emplace(key);
  const toml::node* found = node_->table->get(key);
  if (found == nullptr) return {};
  if (std::optional<T> single = read(*found)) return {*std::move(single)};
  const toml::array* elements = found->as_array();
  if (elements == nullptr) {
    add_problem(key, fmt::format("found {}, expected {}", described(*found), expected));
    return {};
  }
  std::vector<T> values;
  for (const toml::node& element : *elements) {
    std::optional<T> value = read(element);
    if (!value) {
      add_problem(key,
                  fmt::format("found {} in the array, expected {}", described(element), expected));
      return {};
    }
    values.push_back(*std::move(value));
  }
  return values;
}

std::vector<std::string> Table::texts(std::string_view key) {
  return list<std::string>(key, "an array of strings", read_text);
}

std::vector<double> Table::numbers(std::string_view key) {
  return list<double>(key, "an array of numbers", read_number);
}

std::optional<Table> Table::table(std::string_view key) {
  node_->asked.emplace(key);
  const toml::node* found = node_->table->get(key);
  if (found == nullptr) return std::nullopt;
  const toml::table* child = found->as_table();
  if (child == nullptr) {
    add_problem(key, fmt::format("found {}, expected a table", described(*found)));
    return std::nullopt;
  }
  return Table{file_, file_->node(*child, joined(node_->path, key), line_of(*child, node_->line))};
}

std::vector<Table> Table::tables(std::string_view key) {
  node_->asked.emplace(key);
  const toml::node* found = node_->table->get(key);
  if (found == nullptr) return {};
  const toml::array* elements = found->as_array();
  if (elements == nullptr || !std::all_of(elements->begin(), elements->end(),
                                          [](const toml::node& it) { return it.is_table(); })) {
    add_problem(key,
                fmt::format("found {}, expected tables [[{}]]", described(*found), shown_key(key)));
    return {};
  }
  std::vector<Table> tables;
  for (std::size_t index = 0; index < elements->size(); ++index) {
    const toml::table& element = *elements->get_as<toml::table>(index);
    // Counted from 1.
    std::string path = fmt::format("{}[{}]", joined(node_->path, key), index + 1);
    tables.push_back(
        Table{file_, file_->node(element, std::move(path), line_of(element, node_->line))});
  }
  return tables;
}

std::vector<std::string> Table::keys() {
  std::vector<std::string> names;
  for (const toml::key* key : keys_in_file_order(*node_->table)) {
    node_->asked.emplace(key->str());
    names.emplace_back(key->str());
  }
  return names;
}

std::string quoted(std::string_view text) {
  std::string written = "\"";
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (character == '"' || character == '\\') {
      written += '\\';
      written += character;
    } else if (byte < 0x20 || byte == 0x7F) {
      written += fmt::format("\\u{:04X}", byte);
    } else {
      written += character;
    }
  }
  return written + '"';
}

std::string Table::location_of(std::string_view key) const {
  return place_of_key(file_->place, *node_, key);
}

void Table::add_problem(std::string_view key, std::string problem) {
  const std::string place = location_of(key);
  if (!file_->complained.insert(place).second) return;
  file_->problems.push_back(error("{}: {}", place, problem));
}

Status Table::problem() const {
  if (!file_->problems.empty()) return file_->problems.front();
  return {};
}

/// The tables of known keys.
std::vector<Table> Table::subtables() {
  std::vector<Table> all;
  for (const toml::key* key : keys_in_file_order(*node_->table)) {
    if (!node_->asked.contains(std::string(key->str()))) continue;
    const toml::node* value = node_->table->get(key->str());
    if (value->is_table()) {
      all.push_back(*table(key->str()));
    } else if (value->is_array_of_tables()) {
      const std::vector<Table> elements = tables(key->str());
      all.insert(all.end(), elements.begin(), elements.end());
    }
  }
  return all;
}

Status Table::finish() {
  if (!file_->problems.empty()) return file_->problems.front();
  const std::vector<Error> found = problems();
  if (!found.empty()) return found.front();
  return {};
}

std::vector<Error> Table::problems() {
  // If another problem prevented this table from being read, its keys are not reported as unknown.
  if (node_->asked.empty() && !file_->problems.empty()) return file_->problems;
  const std::vector<std::string> known(node_->asked.begin(), node_->asked.end());
  for (const toml::key* key : keys_in_file_order(*node_->table)) {
    if (node_->asked.contains(std::string(key->str()))) continue;
    add_problem(key->str(), fmt::format("unknown key{}", suggestion(key->str(), known)));
  }
  for (Table& each : subtables()) each.problems();
  return file_->problems;
}

}  // namespace drover::toml_file
