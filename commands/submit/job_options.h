// The options of `drover submit` that describe one job, and which options are for what.
#pragma once

#include "commands/shell/options.h"
#include "devices/catalogue/catalogue.h"
#include "fleet/messages.h"

namespace drover::commands {

/// What can be submitted, as bits.
enum Submission : unsigned { serve = 1, train = 2, batch = 4, whole_trace = 8 };

/// Complains of each option that is given and changes nothing for this submission.
void check_applies(Arguments& arguments, Submission submission);

/// The job that the options describe, with an id of its own unless one is given. What is wrong is
/// complained of in `arguments`.
Job read_job(Arguments& arguments, const devices::Catalogue& catalogue);

}  // namespace drover::commands
