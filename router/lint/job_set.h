// Sets of jobs as `when` describes them: what one holds for, does another hold for it too? The
// arithmetic behind "this rule is never reached".
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "devices/catalogue/model.h"
#include "fleet/job.h"
#include "router/policy/policy_rule.h"

namespace drover::router {

/// Whole numbers from `low` to `high`, both included; none when `low` is the larger.
struct Span {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool empty() const { return low > high; }
  bool operator==(const Span&) const = default;
};

enum class Size : std::uint8_t { input_tokens, output_tokens, batch, gang, priority };
inline constexpr int size_count = 5;
std::string_view to_text(Size size);  // as `when` names it

inline constexpr std::int64_t count_max = std::numeric_limits<std::uint32_t>::max();
/// What a job can hold, in the order of `Size`.
inline constexpr std::array<Span, size_count> all_sizes = {{
    {0, count_max},
    {0, count_max},
    {0, count_max},
    {0, std::numeric_limits<std::uint16_t>::max()},
    {std::numeric_limits<std::int8_t>::min(), std::numeric_limits<std::int8_t>::max()},
}};
inline constexpr std::uint8_t all_kinds = (1U << work_kind_count) - 1;
inline std::uint8_t bit(WorkKind kind) {
  return static_cast<std::uint8_t>(1U << static_cast<unsigned>(kind));
}

/// The jobs that are within all of this at once; as it begins, all jobs.
struct JobSet {
  std::uint8_t kinds = all_kinds;  // bits
  std::array<Span, size_count> sizes = all_sizes;
  std::string model = "*";
  std::string tenant = "*";
  std::string stage = "*";
  std::vector<std::string> classes;  // one of them; "" is a job of no class; empty: any

  Span& operator[](Size size) { return sizes[static_cast<std::size_t>(size)]; }
  const Span& operator[](Size size) const { return sizes[static_cast<std::size_t>(size)]; }
  bool empty() const;
};

/// The jobs for which `when` holds. Ends are rounded to what a job can hold: gangs to 65535,
/// priorities from -128 to 127.
JobSet job_set(const When& when);

/// The jobs in both. Of two globs of which neither surely covers the other the first stays, so
/// there may be more jobs in it than in both.
JobSet common(const JobSet& first, const JobSet& second);

/// `set` without the jobs of `others`, in parts. What is not surely in one of them stays, so an
/// empty answer is certain: each job of `set` is in one of `others`.
std::vector<JobSet> without(const JobSet& set, const std::vector<JobSet>& others);

/// "gang from 2, model llama*": what sets these jobs apart from all jobs, but for their kind and
/// class; empty: nothing.
std::string described(const JobSet& set);

/// The smallest job of a set that is not empty. Its model is called as the glob is without stars.
struct SampleJob {
  Job job;  // names a class where the set says one
  devices::ModelSpec model;
};
SampleJob sample_job(const JobSet& set);

}  // namespace drover::router
