// The options of `drover submit` that describe one job.
#pragma once

#include "commands/shell/options.h"
#include "devices/catalogue/catalogue.h"

namespace drover::commands {

/// Kinds of submissions, as bits.
enum Submission : unsigned { serve = 1, train = 2, batch = 4, whole_trace = 8 };

/// Adds a problem for each given option that has no effect for this submission.
void check_applies(Arguments& arguments, Submission submission);

/// The job that the options describe, with a random id unless one is given. Adds problems to
/// `arguments`.
Job read_job(Arguments& arguments, const devices::Catalogue& catalogue);

}  // namespace drover::commands
