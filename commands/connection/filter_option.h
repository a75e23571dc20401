// The option `--filter EXPR`, shared by the commands that have it.
#pragma once

#include "commands/shell/options.h"
#include "fleet/filter/filter.h"

namespace drover::commands {

Option filter_option();

/// The given filter, or one that matches everything. `of`: the subjects that it will match. Adds a
/// problem for an invalid filter: the text with a mark under the error.
filter::Filter read_filter(Arguments& arguments, filter::Subjects of);

}  // namespace drover::commands
