// Comparison of globs: whether one matches everything that another matches.
#pragma once

#include <string>
#include <string_view>

namespace drover::router {

/// Whether `general` matches every text that `special` matches (by `matches_glob`). True is
/// certain; false may be wrong.
bool covers_glob(std::string_view general, std::string_view special);

/// A shortest text that the glob matches. For "*" it is empty, so only stars match it.
std::string text_of_glob(std::string_view glob);

}  // namespace drover::router
