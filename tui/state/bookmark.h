// A moment that the user has marked, with a text that may be empty.
#pragma once

#include <cstddef>
#include <string>

#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::tui {

inline constexpr std::size_t bookmarks_max = 100;  // of one fleet or recording

/// "bookmark 12:03:07: the rollout"; without a text "bookmark 12:03:07".
inline std::string to_text(const Bookmark& mark) {
  const std::string name = "bookmark " + to_clock_text(mark.at);
  return mark.text.empty() ? name : name + ": " + mark.text;
}

}  // namespace drover::tui
