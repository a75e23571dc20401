// What `/metrics` says of jobs and decisions: the open jobs, and counts of what was seen to happen.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "commands/metrics/page/family_text.h"
#include "fleet/base/time.h"
#include "fleet/messages.h"

namespace drover::commands {

inline constexpr std::size_t counted_jobs_max = 2'000'000;  // open jobs that are told apart
inline constexpr std::size_t train_series_max = 1'000;      // training jobs with a series each

/// A training job that runs.
struct TrainingJob {
  std::string tenant, work_class, pool, target;
  double progress = 0;
};

struct JobCount {
  std::uint64_t jobs = 0;
  Instant oldest = never;  // submitted
};

class WorkCounts {
 public:
  void begin_snapshot();
  void end_snapshot();
  void take(Instant now, const JobChanged& changed);
  void take(const Decision& decision);

  /// Open jobs by class and state.
  std::map<std::pair<std::string, JobState>, JobCount> open_jobs() const;
  const std::map<JobId, TrainingJob>& training() const { return training_; }

  // Since this process began. Keys are texts as labels have them.
  std::map<std::pair<std::string, JobState>, std::uint64_t> ended;                   // by class
  std::map<std::pair<std::string_view, std::string_view>, std::uint64_t> decisions;  // action, kind
  std::map<std::tuple<std::string, std::string, std::string_view>, std::uint64_t>
      placements;  // preferred pool, pool, reason of the fallback
  std::map<std::string_view, std::uint64_t> rejections;  // candidates by reason
  // By class, of jobs that were seen to finish.
  std::map<std::string, Histogram> first_token_s, latency_s, completion_s;

 private:
  struct OpenJob {
    Instant submitted{};
    std::uint32_t work_class = 0;  // number in classes_
    JobState state = JobState::queued;
    std::uint32_t snapshot = 0;
  };
  std::uint32_t class_number(const std::string& name);
  void count_end(Instant now, const JobChanged& changed);

  std::unordered_map<JobId, OpenJob> open_;
  std::vector<std::string> classes_;
  std::map<JobId, TrainingJob> training_;
  std::uint32_t snapshot_ = 0;
  bool in_snapshot_ = false;
};

}  // namespace drover::commands
