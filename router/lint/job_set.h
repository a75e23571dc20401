// Sets of jobs described by `when`, and set arithmetic on them: the basis of "this rule is never
// reached".
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "devices/catalogue/model.h"
#include "fleet/job.h"
#include "router/policy/rule.h"

namespace drover::router {

/// Integers from `low` to `high`, both included; empty when `low` is larger.
struct IntegerRange {
  std::int64_t low = 0;
  std::int64_t high = 0;
  bool empty() const { return low > high; }
  bool operator==(const IntegerRange&) const = default;
};

enum class Size : std::uint8_t { input_tokens, output_tokens, batch, gang, priority };
inline constexpr int size_count = 5;
std::string_view to_text(Size size);  // as `when` names it

inline constexpr std::int64_t count_max = std::numeric_limits<std::uint32_t>::max();
/// The values that a job can have, in the order of `Size`.
inline constexpr std::array<IntegerRange, size_count> all_sizes = {{
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

/// The jobs that match all fields at once; by default all jobs.
struct JobSet {
  std::uint8_t kinds = all_kinds;  // bits
  std::array<IntegerRange, size_count> sizes = all_sizes;
  std::string model = "*";
  std::string tenant = "*";
  std::string stage = "*";
  std::vector<std::string> classes;  // any of these; "" is a job of no class; empty: any

  IntegerRange& operator[](Size size) { return sizes[static_cast<std::size_t>(size)]; }
  const IntegerRange& operator[](Size size) const { return sizes[static_cast<std::size_t>(size)]; }
  bool empty() const;
};

/// The jobs that `when` matches. Bounds are clamped to what a job can have: gangs to 65535,
/// priorities from -128 to 127.
JobSet job_set(const When& when);

/// The intersection. Of two globs that may not cover each other the first is kept, so the result
/// may be too large.
JobSet common(const JobSet& first, const JobSet& second);

/// `set` without the jobs of `others`, in parts. Jobs that may not be in any of them stay, so an
/// empty result is certain: each job of `set` is in one of `others`.
std::vector<JobSet> without(const JobSet& set, const std::vector<JobSet>& others);

/// "gang from 2, model llama*": how these jobs differ from all jobs, except in kind and class;
/// empty: they do not.
std::string described(const JobSet& set);

/// The smallest job of a set that is not empty. Its model's name is the glob without stars.
struct ExampleJob {
  Job job;  // names a class if the set does
  devices::ModelSpec model;
};
ExampleJob example_job(const JobSet& set);

// Comparison of globs.

/// Whether `general` matches every text that `special` matches (by `matches_glob`). True is
/// certain; false may be wrong.
bool covers_glob(std::string_view general, std::string_view special);

/// A shortest text that the glob matches. For "*" it is empty, so only stars match it.
std::string text_of_glob(std::string_view glob);

}  // namespace drover::router
