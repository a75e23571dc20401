// A job in words, the same for the dashboard and the commands.
#pragma once

#include <string>

#include "fleet/messages.h"

namespace drover {

/// "serve llama-3.1-8b 1020+129 tokens", "train bert-large 900 steps on 4".
std::string work_text(const Workload& work);

/// The saved and lost steps of a training job, "resumes at step 400 of 1000; 37 steps lost", "no
/// checkpoint; 37 steps lost"; empty if it has saved and lost nothing, or has ended.
std::string checkpoint_text(const JobChanged& job);

}  // namespace drover
