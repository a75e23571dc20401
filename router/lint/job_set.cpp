#include "router/lint/job_set.h"

#include <algorithm>
#include <cmath>

#include "fleet/base/search.h"
#include "fleet/base/text.h"

namespace drover::router {
namespace {

/// More parts than this are not processed: the rest counts as left.
constexpr std::size_t parts_max = 64;

/// Longer globs are only compared for equality: the work grows with the product of lengths.
constexpr std::size_t compared_max = 256;

/// The glob in canonical form: lower case, and in each run of wildcards first the `?`, then at
/// most one `*`.
std::string spelled(std::string_view glob) {
  std::string text;
  bool star = false;
  for (const char letter : glob) {
    if (letter == '*') {
      star = true;
      continue;
    }
    if (star && letter != '?') {
      text += '*';
      star = false;
    }
    text += lower(letter);
  }
  if (star) text += '*';
  return text;
}

struct SizeRow {
  std::string_view name;
  Range When::*range;
};
constexpr std::array<SizeRow, size_count> rows = {{
    {"prompt_tokens", &When::input_tokens},
    {"output_tokens", &When::output_tokens},
    {"batch", &When::batch},
    {"gang", &When::gang},
    {"priority", &When::priority},
}};

IntegerRange whole_numbers(const Range& range, const IntegerRange& all) {
  // Compared before rounding: the bounds may exceed an integer.
  const auto low = static_cast<double>(all.low);
  const auto high = static_cast<double>(all.high);
  if (range.low > high || range.high < low) return {all.high, all.low};
  return {std::max(all.low, static_cast<std::int64_t>(std::ceil(std::max(range.low, low)))),
          std::min(all.high, static_cast<std::int64_t>(std::floor(std::min(range.high, high))))};
}

bool covers_names(const JobSet& general, const JobSet& special) {
  const auto known = [&](const std::string& name) { return contains(general.classes, name); };
  const bool classes = general.classes.empty() ||
                       (!special.classes.empty() && std::ranges::all_of(special.classes, known));
  return classes && covers_glob(general.model, special.model) &&
         covers_glob(general.tenant, special.tenant) && covers_glob(general.stage, special.stage);
}

IntegerRange overlap(const IntegerRange& a, const IntegerRange& b) {
  return {std::max(a.low, b.low), std::min(a.high, b.high)};
}

/// Splits off what is not in `other`, one side at a time; the remainder is in `other`.
void cut(JobSet set, const JobSet& other, std::vector<JobSet>& left) {
  const auto keep = [&](const JobSet& part) {
    if (!part.empty()) left.push_back(part);
  };
  bool apart = (set.kinds & other.kinds) == 0 || !covers_names(other, set);
  for (std::size_t size = 0; size < set.sizes.size(); ++size) {
    apart |= overlap(set.sizes[size], other.sizes[size]).empty();
  }
  if (apart) return keep(set);
  JobSet part = set;
  part.kinds = static_cast<std::uint8_t>(set.kinds & ~other.kinds);
  keep(part);
  set.kinds = static_cast<std::uint8_t>(set.kinds & other.kinds);
  for (std::size_t size = 0; size < set.sizes.size(); ++size) {
    const IntegerRange both = overlap(set.sizes[size], other.sizes[size]);
    part = set;
    part.sizes[size] = {set.sizes[size].low, both.low - 1};
    keep(part);
    part.sizes[size] = {both.high + 1, set.sizes[size].high};
    keep(part);
    set.sizes[size] = both;
  }
}

const std::string& narrower(const std::string& first, const std::string& second) {
  return covers_glob(first, second) ? second : first;
}

}  // namespace

bool covers_glob(std::string_view general, std::string_view special) {
  const std::string wide = spelled(general);
  const std::string narrow = spelled(special);
  if (wide == "*" || wide == narrow) return true;
  if (wide.size() > compared_max || narrow.size() > compared_max) return false;
  // covered[at]: whether the rest of `wide` covers narrow[at..]; `wide` is processed from its end.
  std::vector<bool> covered(narrow.size() + 1, false);
  covered[narrow.size()] = true;
  for (std::size_t rule = wide.size(); rule-- > 0;) {
    std::vector<bool> next(narrow.size() + 1, false);
    if (wide[rule] == '*') next[narrow.size()] = covered[narrow.size()];
    for (std::size_t at = narrow.size(); at-- > 0;) {
      if (wide[rule] == '*') {
        next[at] = covered[at] || next[at + 1];
      } else if (narrow[at] != '*' && (wide[rule] == '?' || wide[rule] == narrow[at])) {
        next[at] = covered[at + 1];
      }
    }
    covered = std::move(next);
  }
  return covered[0];
}

std::string text_of_glob(std::string_view glob) {
  std::string text(glob);
  std::erase(text, '*');
  std::ranges::replace(text, '?', 'x');
  return text;
}

std::string_view to_text(Size size) { return rows[static_cast<std::size_t>(size)].name; }

bool JobSet::empty() const {
  return kinds == 0 ||
         std::ranges::any_of(sizes, [](const IntegerRange& span) { return span.empty(); });
}

JobSet job_set(const When& when) {
  JobSet set;
  if (!when.kinds.empty()) set.kinds = 0;
  for (const WorkKind kind : when.kinds) set.kinds |= bit(kind);
  for (std::size_t size = 0; size < rows.size(); ++size) {
    set.sizes[size] = whole_numbers(when.*rows[size].range, all_sizes[size]);
  }
  set.model = when.model;
  set.tenant = when.tenant;
  set.stage = when.stage;
  set.classes = when.classes;
  return set;
}

JobSet common(const JobSet& first, const JobSet& second) {
  JobSet both = first;
  both.kinds &= second.kinds;
  for (std::size_t size = 0; size < both.sizes.size(); ++size) {
    both.sizes[size] = overlap(first.sizes[size], second.sizes[size]);
  }
  both.model = narrower(first.model, second.model);
  both.tenant = narrower(first.tenant, second.tenant);
  both.stage = narrower(first.stage, second.stage);
  if (first.classes.empty()) both.classes = second.classes;
  if (first.classes.empty() || second.classes.empty()) return both;
  std::erase_if(both.classes,
                [&](const std::string& name) { return !contains(second.classes, name); });
  if (both.classes.empty()) both.kinds = 0;
  return both;
}

std::vector<JobSet> without(const JobSet& set, const std::vector<JobSet>& others) {
  std::vector<JobSet> parts;
  if (!set.empty()) parts.push_back(set);
  for (const JobSet& other : others) {
    if (parts.size() > parts_max) break;
    std::vector<JobSet> left;
    for (const JobSet& part : parts) cut(part, other, left);
    parts = std::move(left);
  }
  return parts;
}

std::string described(const JobSet& set) {
  std::string text;
  const auto add = [&](const std::string& part) { add_part(text, ", ", part); };
  for (std::size_t size = 0; size < rows.size(); ++size) {
    const IntegerRange span = set.sizes[size];
    const std::string_view name = rows[size].name;
    if (span == all_sizes[size]) continue;
    if (span.low == span.high) {
      add(fmt::format("{} {}", name, span.low));
    } else if (span.high == all_sizes[size].high) {
      add(fmt::format("{} from {}", name, span.low));
    } else {
      add(fmt::format("{} {} to {}", name, span.low, span.high));
    }
  }
  if (set.model != "*") add("model " + printable(set.model));
  if (set.tenant != "*") add("tenant " + printable(set.tenant));
  if (set.stage != "*") add("stage " + printable(set.stage));
  return text;
}

ExampleJob example_job(const JobSet& set) {
  DROVER_REQUIRE(!set.empty());
  ExampleJob sample;
  Job& job = sample.job;
  for (int kind = 0; kind < work_kind_count; ++kind) {
    if ((set.kinds & bit(static_cast<WorkKind>(kind))) == 0) continue;
    job.work.kind = static_cast<WorkKind>(kind);
    break;
  }
  // Prefers one device over none, and priority 0 over another.
  const auto least = [&](Size size, std::int64_t usual) {
    return std::clamp(usual, set[size].low, set[size].high);
  };
  job.work.input_tokens = static_cast<std::uint32_t>(least(Size::input_tokens, 0));
  job.work.output_tokens = static_cast<std::uint32_t>(least(Size::output_tokens, 0));
  job.work.batch = static_cast<std::uint32_t>(least(Size::batch, 0));
  job.work.devices = static_cast<std::uint16_t>(least(Size::gang, 1));
  job.priority = static_cast<std::int8_t>(least(Size::priority, 0));
  job.work.model = sample.model.id = sample.model.family = text_of_glob(set.model);
  job.tenant = text_of_glob(set.tenant);
  job.stage = text_of_glob(set.stage);
  if (!set.classes.empty()) job.work_class = set.classes.front();
  return sample;
}

}  // namespace drover::router
