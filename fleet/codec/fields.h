// How a struct becomes a map of fields: one table per struct, `layout<T>`. Encoder, decoder and the
// test of docs/protocol.md all use it.
//
//   template <>
//   inline constexpr auto layout<Accepted> = structure("Accepted", field("job", &Accepted::job),
//                                                      field("attempt", &Accepted::attempt));
#pragma once

#include <cstddef>
#include <string_view>
#include <type_traits>

#include "fleet/codec/limits.h"

namespace drover::codec {

// Rules: the constraints of a field beyond its type. A rule is a type, so that each pair of type
// and rule has its own overload; its members are the limits.

struct Plain {};             // every value of the type; doubles must be finite
struct NonNegative {};       // durations from 0
struct StrictlyPositive {};  // numbers above 0
/// A text for which is_name() holds.
struct Name {
  bool or_nothing = false;  // the empty text is allowed as well
};
/// A text for users. The sender cuts it at the limit, so a long error message is never rejected.
struct FreeText {
  std::size_t bytes_max;
};
/// A text that must not be cut: the sender sends it whole, the receiver may reject it.
struct WholeText {
  std::size_t bytes_max;
};
struct Bytes {
  std::size_t bytes_max;
};
/// At most `count_max` elements, each with a rule.
template <typename ElementRule>
struct UpTo {
  std::size_t count_max;
  ElementRule element;
};
/// 16-bit numbers as one binary value, little-endian, which is fast to copy.
struct Packed {
  std::size_t count_max;
};

inline constexpr Plain plain{};
inline constexpr NonNegative non_negative{};
inline constexpr StrictlyPositive strictly_positive{};
inline constexpr Name as_name{};
inline constexpr FreeText as_text{text_bytes_max};
inline constexpr FreeText as_line{label_bytes_max};
inline constexpr WholeText as_toml{spec_bytes_max};
inline constexpr WholeText as_policy{policy_bytes_max};

template <typename ElementRule = Plain>
constexpr UpTo<ElementRule> up_to(std::size_t count_max, ElementRule element = {}) {
  return {count_max, element};
}

template <typename Owner, typename Value, typename Rule>
struct Field {
  std::string_view name;
  Value Owner::*member;
  Rule rule;
};

template <typename Owner, typename Value, typename Rule = Plain>
constexpr Field<Owner, Value, Rule> field(std::string_view name, Value Owner::*member,
                                          Rule rule = {}) {
  return {name, member, rule};
}

/// `visit_fields(function)` calls the function once with all fields. A closure holds them, because
/// std::tuple takes much longer to compile.
template <typename VisitFields>
struct Structure {
  std::string_view name;
  VisitFields visit_fields;
};

template <typename... Fields>
constexpr auto structure(std::string_view name, Fields... fields) {
  const auto visit = [fields...](const auto& function) { return function(fields...); };
  return Structure<decltype(visit)>{name, visit};
}

struct NoLayout {};
template <typename T>
inline constexpr NoLayout layout{};

template <typename T>
concept Structured = !std::is_same_v<std::remove_cv_t<decltype(layout<T>)>, NoLayout>;

/// Enumerators are sent as their numbers, from 0 to that of `last`.
template <typename Enum>
struct Enumeration {
  std::string_view name;
  Enum last;
};

template <typename Enum>
inline constexpr NoLayout enumeration{};

/// A default-constructed struct, which has the values of absent fields.
template <typename T>
const T& unfilled() {
  static const T value{};
  return value;
}

}  // namespace drover::codec
