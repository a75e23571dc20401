#include "fleet/text/json.h"

#include <cmath>

#include <nlohmann/json.hpp>

#include "fleet/base/text.h"

namespace drover {
namespace {

constexpr std::size_t text_bytes_max = 64 << 20;
constexpr int depth_max = 64;

const Json null_json;
const std::string empty_text;

}  // namespace

// The library's ordered value, which keeps the order of keys.
struct Json::Library {
  using Value = nlohmann::ordered_json;

  static Value from(const Json& json) {
    return std::visit([](const auto& value) { return convert(value); }, json.value_);
  }

  static Value convert(std::nullptr_t) { return nullptr; }
  static Value convert(bool value) { return value; }
  static Value convert(std::int64_t value) { return value; }
  static Value convert(std::uint64_t value) { return value; }
  static Value convert(double value) { return value; }
  static Value convert(const std::string& text) { return text; }
  static Value convert(const Array& elements) {
    Value array = Value::array();
    for (const Json& element : elements) array.push_back(from(element));
    return array;
  }
  static Value convert(const Object& members) {
    // Appended without a look-up, which would be quadratic: keys are unique already.
    Value::object_t object;
    object.reserve(members.size());
    for (const auto& [key, value] : members) object.Container::emplace_back(key, from(value));
    return Value(std::move(object));
  }

  static Json to(const Value& value) {
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_unsigned()) return value.get<std::uint64_t>();
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (value.is_number_float()) return value.get<double>();
    if (value.is_string()) return value.get_ref<const std::string&>();
    if (value.is_array()) {
      Json array = Json::array();
      for (const Value& element : value) array.add(to(element));
      return array;
    }
    if (value.is_object()) {
      Json object = Json::object();
      for (const auto& [key, member] : value.items()) object.set(key, to(member));
      return object;
    }
    return nullptr;
  }
};

Json::Json(double value) {
  if (std::isfinite(value)) value_ = value;
}

Json::Json(std::string_view text) : value_(valid_utf8(text)) {}

Json& Json::set(std::string_view key, Json value) {
  Object* members = std::get_if<Object>(&value_);
  DROVER_REQUIRE(members != nullptr);
  std::string name = valid_utf8(key);
  for (auto& [known, old] : *members) {
    if (known != name) continue;
    old = std::move(value);
    return *this;
  }
  members->emplace_back(std::move(name), std::move(value));
  return *this;
}

Json& Json::add(Json value) {
  Array* elements = std::get_if<Array>(&value_);
  DROVER_REQUIRE(elements != nullptr);
  elements->push_back(std::move(value));
  return *this;
}

std::string Json::dump() const {
  // Text is valid already; `replace` makes sure that the library does not throw.
  return Library::from(*this).dump(-1, ' ', false,
                                   nlohmann::ordered_json::error_handler_t::replace);
}

Result<Json> Json::parse(std::string_view text) {
  if (text.size() > text_bytes_max) {
    return error("JSON: found {} bytes, expected at most {}", text.size(), text_bytes_max);
  }
  bool too_deep = false;
  const auto limit_depth = [&](int depth, nlohmann::ordered_json::parse_event_t,
                               nlohmann::ordered_json&) {
    // Returning false here drops the value with everything in it.
    too_deep = too_deep || depth > depth_max;
    return !too_deep;
  };
  try {
    const auto value = nlohmann::ordered_json::parse(text, limit_depth);
    if (too_deep) return error("JSON: nested more than {} deep", depth_max);
    return Library::to(value);
  } catch (const nlohmann::ordered_json::parse_error& problem) {
    return error("JSON: byte {}: {}", problem.byte, printable(problem.what()));
  } catch (const std::exception& problem) {
    return error("JSON: {}", printable(problem.what()));
  }
}

bool Json::is_number() const {
  return std::holds_alternative<std::int64_t>(value_) ||
         std::holds_alternative<std::uint64_t>(value_) || std::holds_alternative<double>(value_);
}

const Json& Json::operator[](std::string_view key) const {
  if (const Object* members = std::get_if<Object>(&value_)) {
    for (const auto& [known, value] : *members) {
      if (known == key) return value;
    }
  }
  return null_json;
}

const Json& Json::operator[](std::size_t index) const {
  const Array* elements = std::get_if<Array>(&value_);
  return elements != nullptr && index < elements->size() ? (*elements)[index] : null_json;
}

std::size_t Json::size() const {
  if (const Array* elements = std::get_if<Array>(&value_)) return elements->size();
  if (const Object* members = std::get_if<Object>(&value_)) return members->size();
  return 0;
}

bool Json::has(std::string_view key) const {
  for (const std::string& known : keys()) {
    if (known == key) return true;
  }
  return false;
}

std::vector<std::string> Json::keys() const {
  std::vector<std::string> names;
  if (const Object* members = std::get_if<Object>(&value_)) {
    for (const auto& [name, value] : *members) names.push_back(name);
  }
  return names;
}

double Json::number() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_))
    return static_cast<double>(*integer);
  if (const auto* natural = std::get_if<std::uint64_t>(&value_)) {
    return static_cast<double>(*natural);
  }
  const auto* number = std::get_if<double>(&value_);
  return number != nullptr ? *number : 0;
}

std::int64_t Json::integer() const {
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) return *integer;
  const double value = std::trunc(number());
  // 0x1p63 itself is out of the range of the integer.
  return value >= -0x1p63 && value < 0x1p63 ? static_cast<std::int64_t>(value) : 0;
}

std::optional<std::uint64_t> Json::natural() const {
  if (const auto* natural = std::get_if<std::uint64_t>(&value_)) return *natural;
  if (const auto* integer = std::get_if<std::int64_t>(&value_)) {
    if (*integer < 0) return std::nullopt;
    return static_cast<std::uint64_t>(*integer);
  }
  const auto* number = std::get_if<double>(&value_);
  const bool whole = number != nullptr && *number >= 0 && *number < 0x1p53;
  if (!whole || std::trunc(*number) != *number) return std::nullopt;
  return static_cast<std::uint64_t>(*number);
}

const std::string& Json::text() const {
  const auto* text = std::get_if<std::string>(&value_);
  return text != nullptr ? *text : empty_text;
}

}  // namespace drover
