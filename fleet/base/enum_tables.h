// Tables that are indexed by an enumeration.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

#include "fleet/base/result.h"

namespace drover {

/// Whether each row is at the place of its enumerator, which is its member `key`.
template <typename Row, std::size_t count, typename Enumeration>
constexpr bool is_in_order(const std::array<Row, count>& table, Enumeration Row::*key) {
  for (std::size_t index = 0; index < count; ++index) {
    if (static_cast<std::size_t>(table[index].*key) != index) return false;
  }
  return true;
}

/// The row of this enumerator. REQUIRES that there is one.
template <typename Row, std::size_t count, typename Enumeration>
const Row& row_at(const std::array<Row, count>& table, Enumeration value) {
  const auto index = static_cast<std::size_t>(value);
  DROVER_REQUIRE(index < count);
  return table[index];
}

/// The enumerator with this name, of names in the order of the enumeration.
template <typename Enumeration, std::size_t count>
std::optional<Enumeration> enumerator_named(const std::array<std::string_view, count>& names,
                                            std::string_view text) {
  const auto found = std::find(names.begin(), names.end(), text);
  if (found == names.end()) return std::nullopt;
  return static_cast<Enumeration>(found - names.begin());
}

}  // namespace drover
