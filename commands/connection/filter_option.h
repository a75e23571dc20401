// `--filter EXPR` of every verb that has it.
#pragma once

#include "commands/shell/options.h"
#include "fleet/filter/filter.h"

namespace drover::commands {

Option filter_option();

/// The filter that is given, or one that holds for everything. `of`: what it will judge. What is no
/// filter is complained of, with the text and a mark under the place.
filter::Filter read_filter(Arguments& arguments, filter::Subjects of);

}  // namespace drover::commands
