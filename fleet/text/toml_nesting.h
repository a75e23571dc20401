// How deeply a TOML text nests, found before a parser sees it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::toml_file {

// toml++ frees nested tables by recursion; both limits together keep that within any stack.
inline constexpr int brackets_deep_max = 32;
inline constexpr int dots_per_key_max = 32;

/// The first line where brackets nest, or a key's dots follow each other, beyond these limits.
/// Follows TOML's strings and comments just far enough to count outside them. On text that is no
/// TOML it may lose its way; by then a parser has stopped at the same place.
std::optional<std::uint32_t> first_line_nested_too_deeply(std::string_view text);

}  // namespace drover::toml_file
