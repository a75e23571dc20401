#include "agents/drivers/nvml/nvml_questions.h"

#include <fmt/format.h>

namespace drover::agents {

namespace {

using nvml::Answer;

constexpr double ask_again_after_s = 600;

bool is_lost(Answer answer) {
  return answer == Answer::gpu_is_lost || answer == Answer::uninitialized ||
         answer == Answer::driver_not_loaded || answer == Answer::gpu_not_found;
}

/// Answers that will be the same the next time.
bool is_lasting(Answer answer) {
  return answer == Answer::not_supported || answer == Answer::no_permission ||
         answer == Answer::function_not_found || answer == Answer::invalid_argument ||
         answer == Answer::not_found;
}

}  // namespace

bool NvmlQuestions::note(Question question, const char* symbol, Answer answer) {
  State& state = states_[question];
  if (answer == Answer::ok) {
    state.why_not.clear();
    return true;
  }
  if (is_lost(answer)) lost_ = library_.text_of(answer);
  if (is_lasting(answer)) state.ask_again_s = now_s_ + ask_again_after_s;
  if (answer == Answer::function_not_found) {
    state.why_not = fmt::format("not available in driver {} ({})", driver_, symbol);
  } else if (answer == Answer::no_permission) {
    state.why_not = "no permission";
  } else {
    state.why_not = fmt::format("driver: {}", library_.text_of(answer));
  }
  return false;
}

}  // namespace drover::agents
