// JSON values, to print and to parse. Only json.cpp uses a JSON library.
//
//   Json summary = Json::object();
//   summary.set("rows", 12).set("wall_s", 1.5);
//   Json jobs = Json::array();
//   jobs.add("a").add(Json::object());
//
// Objects keep the order in which their keys were set. Numbers that JSON cannot represent (NaN,
// infinities) become null; text is made valid UTF-8.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "fleet/base/result.h"

namespace drover {

class Json {
 public:
  Json() = default;  // null
  Json(std::nullptr_t) {}
  Json(bool value) : value_(value) {}
  template <std::integral Integer>
  requires(!std::same_as<Integer, bool>) Json(Integer value);
  Json(double value);
  Json(std::string_view text);
  Json(const std::string& text) : Json(std::string_view{text}) {}
  Json(const char* text) : Json(std::string_view{text}) {}

  static Json object() { return Json{Value{Object{}}}; }
  static Json array() { return Json{Value{Array{}}}; }
  /// An array of the elements, each converted by one of Json's constructors.
  template <typename Range>
  static Json array_of(const Range& range);

  /// Sets a key of an object, replacing an earlier value. REQUIRES an object.
  Json& set(std::string_view key, Json value);
  /// Appends to an array. REQUIRES an array.
  Json& add(Json value);

  /// One line without blanks.
  std::string dump() const;

  /// The error names the byte where the text stops being JSON. Text over 64 MiB or with more than
  /// 64 levels is an error.
  static Result<Json> parse(std::string_view text);

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  bool is_object() const { return std::holds_alternative<Object>(value_); }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  bool is_number() const;
  bool is_text() const { return std::holds_alternative<std::string>(value_); }

  /// The reading functions return null, zero or "" for a value of another type.
  const Json& operator[](std::string_view key) const;
  const Json& operator[](std::size_t index) const;
  /// Number of elements of an array or keys of an object; else 0.
  std::size_t size() const;
  bool has(std::string_view key) const;
  std::vector<std::string> keys() const;
  double number() const;
  std::int64_t integer() const;
  /// The number if it is an exact integer from 0 to 2^64 - 1 (below 2^53 if it is a double).
  std::optional<std::uint64_t> natural() const;
  const std::string& text() const;

  bool operator==(const Json&) const = default;

 private:
  using Object = std::vector<std::pair<std::string, Json>>;
  using Array = std::vector<Json>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
                             Array, Object>;
  explicit Json(Value value) : value_(std::move(value)) {}
  struct Library;  // to and from the JSON library

  Value value_ = nullptr;
};

template <std::integral Integer>
requires(!std::same_as<Integer, bool>) Json::Json(Integer value) {
  // One representation per number, so that equal numbers compare equal.
  if (std::in_range<std::int64_t>(value)) {
    value_ = static_cast<std::int64_t>(value);
  } else {
    value_ = static_cast<std::uint64_t>(value);
  }
}

template <typename Range>
Json Json::array_of(const Range& range) {
  Json array = Json::array();
  for (const auto& element : range) array.add(Json(element));
  return array;
}

}  // namespace drover
