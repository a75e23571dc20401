// How a struct becomes a map of fields: one table per struct, `layout<T>`, read by the encoder, by
// the decoder and by the test of docs/protocol.md, so that the three cannot drift apart.
//
//   template <>
//   inline constexpr auto layout<Accepted> = structure("Accepted", field("job", &Accepted::job),
//                                                      field("attempt", &Accepted::attempt));
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <type_traits>

#include "fleet/codec/codec_limits.h"

namespace drover::codec {

// Rules: what a field allows beyond its type. A rule is a type, so that each pair of type and rule
// has its own code; its members are the limits.

struct Plain {};      // all that the type holds; doubles are finite
struct FromZero {};   // durations that are never negative
struct AboveZero {};  // numbers that something is divided or multiplied by
/// is_name().
struct Name {
  bool or_nothing = false;  // the empty text is allowed as well
};
/// For people. A sender cuts it at the limit, so no long message of an error is ever refused.
struct FreeText {
  std::size_t bytes_max;
};
/// Text that means nothing when it is cut: a sender sends it whole, a receiver may refuse it.
struct WholeText {
  std::size_t bytes_max;
};
struct Bytes {
  std::size_t bytes_max;
};
/// At most so many elements, each under a rule.
template <typename ElementRule>
struct UpTo {
  std::size_t count_max;
  ElementRule element;
};
/// Numbers of 16 bits as one binary, little-endian: quick to take over as they are.
struct Packed {
  std::size_t count_max;
};

inline constexpr Plain plain{};
inline constexpr FromZero from_zero{};
inline constexpr AboveZero above_zero{};
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

template <typename... Fields>
struct Structure {
  std::string_view name;
  std::tuple<Fields...> fields;
};

template <typename... Fields>
constexpr Structure<Fields...> structure(std::string_view name, Fields... fields) {
  return {name, {fields...}};
}

struct NoLayout {};
template <typename T>
inline constexpr NoLayout layout{};

template <typename T>
concept Structured = !std::is_same_v<std::remove_cv_t<decltype(layout<T>)>, NoLayout>;

/// Enumerators travel as their numbers, 0 to that of the last one.
template <typename Enum>
struct Enumeration {
  std::string_view name;
  Enum last;
};

template <typename Enum>
inline constexpr NoLayout enumeration{};

/// What an absent field means: the value that it has in a struct which nobody has filled.
template <typename T>
const T& unfilled() {
  static const T value{};
  return value;
}

}  // namespace drover::codec
