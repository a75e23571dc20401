// The part of a device spec that the dashboard shows. It parses the spec text of the Register
// message rather than a catalogue of its own, so it can never disagree with the router.
#pragma once

#include <string>
#include <string_view>

#include "tui/model/model.h"

namespace drover::tui {

/// Missing facts and a text that does not parse leave zeros, which are shown as unknown.
SpecRow parse_spec_row(const std::string& id, std::string_view text);

}  // namespace drover::tui
