// Checks the nesting depth of a TOML text before it is parsed.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace drover::toml_file {

// toml++ frees nested tables by recursion; both limits together bound the stack that this needs.
inline constexpr int brackets_deep_max = 32;
inline constexpr int dots_per_key_max = 32;

/// The first line where the nesting of brackets or the number of dots in a key exceeds these
/// limits. Recognises strings and comments, in which it does not count. On invalid TOML the result
/// may be wrong, but only after the point where a parser stops.
std::optional<std::uint32_t> first_line_nested_too_deeply(std::string_view text);

}  // namespace drover::toml_file
