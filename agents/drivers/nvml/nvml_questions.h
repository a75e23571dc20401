// Tracks which NVML calls one board answers, and why the others fail.
//
// Most boards support only a part of NVML. What a board does not support is asked again after ten
// minutes only, because each call takes up to 30 ms. A lost board is not called again,
// because such calls may hang.
#pragma once

#include <array>
#include <string>

#include "agents/drivers/nvml/nvml_library.h"
#include "fleet/sample/sample.h"

namespace drover::agents {

/// A Metric, or one of these.
enum Question : std::size_t {
  question_memory_version_1 = metric_count,
  question_compute_processes,
  question_graphics_processes,
  question_process_shares,
  question_mig_mode,
  question_links,
  question_link_end,
  question_link_peer,
  question_link_rate,
  question_link_replays,
  question_link_recoveries,
  question_link_crc_flit,
  question_link_crc_data,
  question_of_facts,  // whatever is asked of what seldom changes
  question_count,
};
constexpr Question about(Metric metric) { return static_cast<Question>(metric); }

class NvmlQuestions {
 public:
  /// `driver`: its version.
  NvmlQuestions(const nvml::Library& library, std::string driver)
      : library_(library), driver_(std::move(driver)) {}

  /// Begins a reading. `now_s`: monotonic.
  void begin(double now_s) { now_s_ = now_s; }

  /// Calls the function. Whether it answered; if not, `why_not` tells why.
  template <typename... Parameters, typename... Arguments>
  bool ask(Question question, const nvml::Function<Parameters...>& function,
           Arguments... arguments) {
    return worth_asking(question) && note(question, function.symbol(), function(arguments...));
  }
  bool worth_asking(Question question) const {
    return lost_.empty() && now_s_ >= states_[question].ask_again_s;
  }
  /// Notes an answer. Whether it is one.
  bool note(Question question, const char* symbol, nvml::Answer answer);
  void note_no(Question question, std::string why) { states_[question].why_not = std::move(why); }
  /// Asks all again, for example when the board was partitioned.
  void forget() { states_ = {}; }

  const std::string& why_not(Question question) const { return states_[question].why_not; }
  /// Why the board does not answer at all; empty: it does.
  const std::string& lost() const { return lost_; }

 private:
  struct State {
    double ask_again_s = 0;
    std::string why_not;
  };
  const nvml::Library& library_;
  std::string driver_;
  double now_s_ = 0;
  std::array<State, question_count> states_;
  std::string lost_;
};

}  // namespace drover::agents
