// The limits of what is kept.
#pragma once

#include "tui/saved/choices.h"

namespace drover::tui {

/// Leaves out what is over the limits, the oldest first, makes control characters visible, and
/// orders bookmarks by time.
void limit(Choices& choices);

}  // namespace drover::tui
