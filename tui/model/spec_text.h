// The few facts the dashboard shows of a device spec. It reads the text that travels in Hello, not
// a catalogue of its own, so it can never disagree with the router.
#pragma once

#include <string>
#include <string_view>

#include "tui/model/model.h"

namespace drover::tui {

/// Facts that the text does not tell, or a text that does not parse, leave zeros: they are shown as
/// unknown.
SpecRow read_spec(const std::string& id, std::string_view text);

}  // namespace drover::tui
