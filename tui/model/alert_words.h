// Alert rules in words: "v5e-2/2 is hot" says more than the rule's name.
#pragma once

#include <string>
#include <string_view>

namespace drover::tui {

/// What the rule says about its subject: "is hot". A rule of the user's own is named with its
/// underscores as blanks.
std::string alert_words(std::string_view rule);

}  // namespace drover::tui
