// Fuzzy search: which texts contain the letters of a pattern in their order, the best first.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace drover::tui {

/// How well the pattern matches: higher is better; none if a letter is missing. Letters of either
/// case are equal, and blanks of the pattern are ignored. Letters at the beginning of words and in
/// a row count most; among equals the shorter text wins.
std::optional<int> fuzzy_score(std::string_view pattern, std::string_view text);

/// The indexes of the `most` best texts, the best first; equal ones in their order.
std::vector<std::size_t> best_matches(std::string_view pattern,
                                      const std::vector<std::string_view>& texts, std::size_t most);

}  // namespace drover::tui
