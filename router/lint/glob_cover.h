// Globs compared with one another: what one matches, does another match it too?
#pragma once

#include <string>
#include <string_view>

namespace drover::router {

/// Whether every text that `special` matches is matched by `general` as well (by `matches_glob`).
/// Never yes where it is not so; sometimes no where it is.
bool covers_glob(std::string_view general, std::string_view special);

/// A shortest text that the glob matches. That of "*" is empty, so only stars match it.
std::string text_of_glob(std::string_view glob);

}  // namespace drover::router
